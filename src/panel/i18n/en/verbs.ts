// English texts for the verbs, such as assign and return, and the history's sentences. Sentence parameters are HTML.

import type { VerbName } from '../../../domain/equipment/verbs.ts'
import { plural } from '../plural.ts'

const locale = 'en-GB'

export const verbTexts = {
  /** Used on buttons and as page titles. */
  names: {
    back_from_repair: 'Back from repair',
    assign: 'Assign',
    return: 'Return to stock',
    hand_over: 'Hand over',
    lend: 'Lend',
    send_to_repair: 'Send to repair',
    move: 'Move to branch',
    report_lost: 'Report lost',
    retire: 'Retire',
  },

  /** Confirmations. `items`: the name of a single asset, or the number of assets. `holder`: the name of the person or of
   *  the stock location that holds the assets now. `day`: the last day of a loan. */
  done: {
    back_from_repair: (items: string) => `${items} back from repair.`,
    assign: (items: string, holder: string) => `${items} assigned to ${holder}.`,
    return: (items: string, holder: string) => `${items} returned to stock in ${holder}.`,
    hand_over: (items: string, holder: string) => `${items} handed over to ${holder}.`,
    lend: (items: string, holder: string, day = '') => `${items} lent to ${holder} until ${day}.`,
    send_to_repair: (items: string) => `${items} sent to repair.`,
    move: (items: string, holder: string) => `${items} moved to stock in ${holder}.`,
    report_lost: (items: string) => `${items} reported lost.`,
    retire: (items: string) => `${items} retired.`,
  } as Record<VerbName, (items: string, holder: string, day?: string) => string>,

  inStock: (place: string) => `In stock: ${place}`,
  inStockElsewhere: 'In stock at another branch',
  note: 'Note',
  noteHint: 'Optional. Added to the asset’s notes, with the date.',
  notesFull: 'An asset’s notes would become too long. Shorten them, or leave this field empty.',
  weeks: (count: number) => (count === 1 ? '1 week' : `${count} weeks`),
  dayOver: 'Choose today or a later day.',
  hasLeft: (person: string) => `${person} has left and cannot be given equipment.`,
  chooseLocation: 'There are several storage locations. Choose one.',
  sameBranch: 'Leave empty to keep the asset at its branch. A loan returns to the stock it came from.',
  changedMeanwhile: 'Someone else has changed this in the meantime. Check the current state below and confirm again.',
  noneFits: 'This is not possible for these assets right now.',
  /** In place of the form, when nothing can be done any more, for example after going back to it. */
  nothingLeft: 'There is nothing left to do here. This is the current state:',
  excluded: 'Left out because of their status',
  nothingChosen: 'Choose at least one asset.',

  giveTo: (person: string) => `Give equipment to ${person}`,
  give: 'Give equipment',
  fromStock: 'From stock',
  searchStock: 'Search stock',
  moreInStock: 'There is more in stock. Search for it by name, tag, serial number or model.',
  stockEmpty: 'Nothing in stock.',
  newAssets: 'New assets',
  moreAssets: 'Add another',
  newAsset: (number: number) => `New asset ${number}`,
  /** `person`: the recipient’s name; absent while the person is being added. */
  withRecipient: (person?: string) => (person === undefined ? 'With this person' : `With ${person}`),
  addedToStock: (count: string) => `${count} added to stock.`,
  holdsNothing: 'Holds no equipment.',

  offboard: 'Offboard',
  offboardTitle: (person: string) => `Offboard ${person}`,
  /** `kept`: how many assets are not back yet. */
  offboarded: (person: string, kept: number) =>
    kept === 0
      ? `${person} has been offboarded.`
      : plural(locale, kept, {
          one: `${person} has been offboarded; # asset is not back yet.`,
          other: `${person} has been offboarded; # assets are not back yet.`,
        }),
  /** Like `offboarded`, for a last day in the future. */
  leaving: (person: string, day: string, kept: number) =>
    kept === 0
      ? `${person} leaves on ${day}.`
      : plural(locale, kept, {
          one: `${person} leaves on ${day}; # asset is not back yet.`,
          other: `${person} leaves on ${day}; # assets are not back yet.`,
        }),
  lastDayHint:
    'If this day is today or earlier, the person becomes inactive. Otherwise, the person stays active and is shown as leaving.',
  whatBecomes: 'What happens to the equipment?',
  fatesHint: 'What you choose happens today, whatever the last day is. “Not back yet” changes nothing.',
  fates: {
    return: 'Return to stock',
    hand_over: 'Hand over',
    report_lost: 'Lost',
    keep: 'Not back yet',
  },
  recipient: 'Hand over to',
  recipientHint: 'For the assets marked “Hand over”.',
  stockBranch: 'Return to the stock of',
  stockBranchHint: 'Leave empty to use the person’s branch. Loans return to the stock they came from.',
  chooseRecipient: 'Choose who receives the equipment.',
  tagTaken: (tag: string) => `${tag} has been taken in the meantime. This is the next free tag.`,
  equipment: 'Equipment',
  joined: (person: string, count: number) =>
    count === 1 ? `${person} added, with 1 asset.` : `${person} added, with ${count} assets.`,
  holdsEquipment: (person: string) => `${person} still holds equipment. Decide what happens to it.`,
  addAnother: 'Add another like this',

  repairs: {
    title: 'Repairs',
    sent: 'Sent',
    back: 'Back',
    after: { one: 'after # day', other: 'after # days' },
    since: { one: '# day so far', other: '# days so far' },
    noteHint: 'What is wrong, who is repairing it, and the ticket number. Shown under “Repairs” on the asset’s page.',
  },

  sentences: {
    added: 'Added',
    addedFor: (person: string) => `Added and assigned to ${person}`,
    addedToStock: (place: string) => `Added to stock in ${place}`,
    addedPlace: 'Storage location added',
    deleted: 'Deleted',
    assigned: (person: string) => `Assigned to ${person}`,
    handedOver: (from: string, to: string) => `Handed over from ${from} to ${to}`,
    lent: (person: string, day: string) => `Lent to ${person} until ${day}`,
    returned: (place: string) => `Returned to stock in ${place}`,
    moved: (place: string) => `Moved to stock in ${place}`,
    found: 'Found and returned to stock',
    restored: 'Returned to stock',
    sentToRepair: 'Sent to repair',
    backFromRepair: 'Back from repair',
    lost: 'Reported lost',
    lostBy: (person: string) => `Reported lost, last assigned to ${person}`,
    retired: 'Retired',
    reserved: 'Reserved',
    inStock: 'Marked as spare',
    inUse: 'Marked as in use',
    dueBack: (day: string) => `Due back date changed to ${day}`,
    noDueBack: 'Due back date removed',
    changed: (fields: string) => `${fields} changed`,
    left: 'Left the company',
    leaves: (day: string) => `Leaves on ${day}`,
    activeAgain: 'Active again',
    changedBranch: (branch: string) => `Moved to ${branch}`,
    closed: 'Closed',
    reopened: 'Reopened',
    unchanged: 'Saved without changes',
  },
  moreFields: (count: number) => `${count} more`,
}

// English texts for record pages and forms.

import { plural } from '../plural.ts'
import { withinDays } from './lists.ts'

const locale = 'en-GB'

export const recordPages = {
  back: 'Back',
  delete: {
    help: 'The history is kept, and you can undo the deletion in Activity.',
    changed: 'Someone else has just changed this record. Check whether it should still be deleted.',
    refused: (name: string) => `${name} can’t be deleted yet`,
    /** What to do about records of resources that are not named below. */
    otherWayOut: 'Delete these records first, or let them refer to another record.',
    /** What to do about the records that refer to this one, by their resource. */
    wayOut: {
      employees: 'Move these people elsewhere or delete them first.',
      storage: 'Move what is in stock there elsewhere, and delete these locations first.',
      hardware: 'These assets are still assigned. Return them to stock, hand them over, or delete them first.',
    },
    /** Headings of groups of records that are not counted with the others of their resource. */
    groups: {
      storage: (count) => plural(locale, count, { one: '# storage location', other: '# storage locations' }),
    } as Record<string, (count: number) => string>,
  },
  toasts: {
    created: (title: string) => `${title} added.`,
    deleted: (title: string) => `${title} deleted.`,
  },
  deleted: (moment: string, actor: string) => `Deleted on ${moment} by ${actor}.`,
  restore: 'Restore',
  showAll: (count: string) => `Show all: ${count}`,
  open: 'Open',
  saveAndAdd: 'Save and add another',

  sections: {
    what: 'General',
    identification: 'Identification',
    purchase: 'Purchase and warranty',
    assignment: 'Assignment',
    person: 'Person',
    work: 'Work',
    period: 'Employment',
    contact: 'Contact',
    contract: 'Contract',
    notes: 'Notes',
    more: 'More',
  },

  /** Each key is a field's name, or a resource's name and a field's name. */
  hints: {
    code: 'A short name for lists and labels.',
    contract_end: 'The last day of the contract.',
    employee_no: 'Your own number for this person.',
    start_date: 'The first day of work.',
    end_date: 'The last day of work.',
    kind: 'A storage location, such as a room or a shelf, holds equipment that is not in use.',
    asset_tag: 'As printed on the asset’s label. Each tag can be used only once.',
    warranty_end: 'The last day of the warranty.',
    is_loaner: 'Lent for a limited time rather than assigned permanently.',
    due_back: 'The last day of a loan.',
    external_id: 'The ID in another system, if the record comes from one.',
    'employees.email': 'Identifies the person, including in imports.',
  },

  errors: {
    tooLong: (max: number) => `Use at most ${max} characters.`,
    tooShort: (min: number) => `Use at least ${min} characters.`,
    wholeNumber: (from: string, to: string) => `Enter a whole number from ${from} to ${to}.`,
    usedBy: (title: string) => `Already used by ${title}.`,
    emailUsedBy: (title: string) => `${title} already has this email address.`,
    useAnyway: 'Save anyway',
  },
  asOfNote: (day: string) => `This is the record as of ${day}. Nothing can be changed here.`,
  asOfFuture: (day: string) => `${day} is in the future. This is the record of today.`,
  notThen: (day: string) => `This record did not exist on ${day}.`,

  /** The question where an asset is. `needsBranch`: shown in place of the form if there is no branch yet. */
  where: {
    legend: 'Where is it?',
    inStock: 'In stock',
    withPerson: 'With a person',
    choosePerson: 'Choose who has it.',
    needsBranch: 'Every asset is in stock at a branch, or with a person at a branch. Add a branch first.',
  },

  conflict: {
    explain:
      'Someone else saved this record while you were editing it. For each field that differs, choose which version to keep.',
    mine: 'Your version',
    theirs: 'Saved version',
    savedBy: (name: string) => `Saved by ${name}`,
    edit: 'Continue editing',
    discard: 'Discard your changes',
  },
  moreActions: 'More actions',
  warranty: {
    months: (count: number) => `+${count} months`,
    purchaseFirst: 'Enter the purchase date first, because the warranty starts on that date.',
  },
  pastItems: 'Past equipment',
  until: (day: string) => `until ${day}`,
  editField: (field: string) => `Edit: ${field}`,
  addFacts: 'Add:',
  copy: (field: string) => `Copy: ${field}`,
  since: (day: string) => `since ${day}`,
  states: { left: 'Left', leaves: (day: string) => `Leaves on ${day}`, closed: 'Closed' },
  ends: { over: 'ended', today: 'ends today', inDays: { one: 'ends in # day', other: 'ends in # days' } },
  due: {
    overdue: { one: '# day overdue', other: '# days overdue' },
    today: 'Due back today',
    inDays: { one: 'Due back in # day', other: 'Due back in # days' },
  },
  warrantiesEnding: (days: number) => `Warranty ends ${withinDays(days)}`,
  draft: { restored: 'What you typed here earlier has been restored, but not saved yet.', discard: 'Discard it' },
  inactive: {
    suspended: 'This tenant is suspended. Its users and API keys have no access.',
    trialOver: 'This tenant’s trial has ended. Its users and API keys have no access.',
    manage: 'Manage tenant',
  },
  was: 'was',
  now: 'now',
}

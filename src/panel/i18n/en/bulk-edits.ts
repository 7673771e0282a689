// English texts about editing many records at once. `count` is a number with its noun, such as "20 assets".

import { plural } from '../plural.ts'

const locale = 'en-GB'

export const bulkEdits = {
  /** The tasks that are not verbs such as assign and return. */
  tasks: {
    edit: 'Edit fields',
    move: 'Move to branch',
    export: 'Export',
    delete: 'Delete',
  },
  title: (task: string, count: string) => `${task}: ${count}`,
  button: (task: string, count: string) => `${task} (${count})`,

  select: (title: string) => `Select ${title}`,
  selectPage: 'Select all on this page',
  selectAll: (count: string) => (count ? `All ${count} that match` : 'All that match'),
  selected: 'selected',
  clear: 'Clear selection',
  task: 'Action',
  moreTasks: 'More',
  go: 'Continue',
  nothingSelected: 'Nothing is selected. Select the rows that you want to change.',
  tooMany: (limit: string) => `At most ${limit} records can be changed at once. Narrow the list with filters.`,

  chooseFields: 'Tick the fields to change. A field that is ticked and left empty is cleared.',
  change: (field: string) => `Change: ${field}`,
  noFields: 'Tick at least one field.',
  toPreview: 'Preview',

  preview: 'Nothing has changed yet. This is what will happen:',
  counts: { changed: 'will change', unchanged: 'no change needed', refused: 'cannot be changed' },
  results: { changed: 'changed', unchanged: 'unchanged', refused: 'could not be changed' },
  willChange: 'What will change',
  willDelete: 'What will be deleted',
  deleted: { before: 'will be deleted', after: 'deleted', kept: 'cannot be deleted', left: 'could not be deleted' },
  more: (count: number) => plural(locale, count, { one: 'and # more', other: 'and # more' }),
  cannotChange: 'What cannot be changed',
  reasons: {
    gone: 'It has been deleted.',
    changed_since: 'It was changed after you opened this preview.',
    unfit: 'Not possible with its current status.',
    in_use: 'Other records still refer to it. Move or delete those first.',
    holds_items: 'This person still holds equipment. Return it to stock or hand it over first.',
    left: 'The person who would receive it has left.',
  },
  nothingToDo: 'There is nothing to change.',
  newStock: (branch: string) => `Stock · ${branch}`,
  back: 'Back to the list',

  checking: 'The records are being checked. Nothing has changed yet.',
  running: 'The records are being changed. This continues if you leave the page.',
  progress: (done: string, all: string) => `${done} of ${all}`,
  stop: 'Stop',
  stopHelp: 'Changes made so far are kept, and can be undone.',
  done: 'All done.',
  cancelled: 'Stopped. The changes made until then have been kept.',
  failed: 'Stopped because of an error. The changes made until then have been kept.',
  undone: 'This has been undone.',
  changes: 'Show or undo the changes',
}

// English texts of the page that closes a branch. Counts are numbers with their nouns.

export const closeBranch = {
  link: 'Close branch',
  title: (branch: string) => `Close ${branch}`,
  intro:
    'Its people move to another branch with everything they hold, and its stock goes to the stock of that branch. Nothing is deleted.',
  target: 'Move everything to',
  chooseTarget: 'Choose an active branch.',
  toPreview: 'Preview',
  preview: (target: string) => `Nothing has changed yet. Everything will move to ${target}:`,
  willMove: { people: 'will move with what they hold', items: 'in stock will move to its stock' },
  people: 'People who move',
  items: 'Equipment that moves to stock',
  more: (count: number) => `and ${count} more`,
  thenInactive: 'Then the branch becomes inactive. People who have left and hold nothing stay listed there.',
  empty: 'Nothing has to move. The branch becomes inactive.',
  confirm: (branch: string) => `Close ${branch}`,
  back: 'Choose another branch',
  changed: 'This branch has changed since the preview. This is the current state.',
  alreadyClosed: 'This branch is already closed.',
  done: (branch: string) => `${branch} is closed.`,
  moved: { people: 'moved', items: 'moved to stock' },
}

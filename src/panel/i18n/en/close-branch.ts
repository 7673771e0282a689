// English texts for the page that closes a branch. Counts are numbers with their nouns.

export const closeBranchTexts = {
  link: 'Close branch',
  title: (branch: string) => `Close ${branch}`,
  intro:
    'The people move to another branch with everything they hold, and the stock moves to that branch’s stock. Nothing is deleted.',
  alsoMove: (lists: string) => `These move too: ${lists}.`,
  insteadOfDeleting:
    'You can close this branch instead: its people and stock move to another branch, and its history is kept.',
  target: 'Move everything to',
  chooseTarget: 'Choose an active branch.',
  preview: (target: string) => `Nothing has changed yet. Everything will move to ${target}:`,
  willMove: { people: 'will move with what they hold', items: 'in stock will move', others: 'will move' },
  people: 'People who move',
  items: 'Equipment that moves to stock',
  more: (count: number) => `and ${count} more`,
  thenInactive: 'The branch then becomes inactive. People who have left and hold nothing stay at the closed branch.',
  empty: 'There is nothing to move. The branch will become inactive.',
  confirm: (branch: string) => `Close ${branch}`,
  back: 'Choose another branch',
  changed: 'This branch has changed since the preview. This is the current state.',
  alreadyClosed: 'This branch is already closed.',
  done: (branch: string) => `${branch} is closed.`,
  moved: { people: 'moved', items: 'moved to stock', others: 'moved' },
}

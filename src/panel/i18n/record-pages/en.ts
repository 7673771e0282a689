// English texts of the pages and forms of records.

export const recordPages = {
  kept: {
    signIn: 'Your session has ended. Sign in to continue: what you entered is kept.',
    reopen: 'Open the form again, with what you entered',
    filledIn: 'What you entered before you signed in is filled in below. It is not saved yet.',
  },
  back: 'Back',
  delete: {
    help: 'Its history is kept, and you can undo this in Activity.',
    changed: 'Someone else has just changed this record. Check whether it should still be deleted.',
    refused: (name: string) => `${name} can’t be deleted yet`,
    /** By the resource of the records that are in the way. */
    wayOut: {
      employees: 'They belong here. Move them to another branch or delete them first.',
      hardware: 'They are assigned here. Return them to stock, hand them over or delete them first.',
    },
  },
  deleted: (moment: string, actor: string) => `Deleted on ${moment} by ${actor}.`,
  restore: 'Restore',
  showAll: (count: string) => `Show all: ${count}`,
}

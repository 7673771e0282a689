// English texts of the pages and forms of records.

export const recordPages = {
  kept: {
    signIn: 'Your session has ended. Sign in to continue: what you entered is kept.',
    reopen: 'Open the form again, with what you entered',
    filledIn: 'What you entered before you signed in is filled in below. It is not saved yet.',
  },
}

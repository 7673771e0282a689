// English texts of the search, and of fields that choose a record.

export const search = {
  button: 'Search',
  none: 'No matches',
  first: (count: string) => `${count}, or more. Type more to narrow the list.`,
  /** Why a form chose no record. */
  choose: {
    employees: {
      empty: 'Choose a person.',
      unknown: 'No person matches. Check the spelling, or enter only part of the name.',
      ambiguous: 'Several people match. Choose one of them.',
    },
    customers: {
      empty: 'Choose a branch.',
      unknown: 'No branch matches. Check the spelling, or enter only part of the name.',
      ambiguous: 'Several branches match. Choose one of them.',
    },
    hardware: {
      empty: 'Choose an asset.',
      unknown: 'No asset matches. Check the spelling, or enter only part of the tag or serial number.',
      ambiguous: 'Several assets match. Choose one of them.',
    },
  },
}

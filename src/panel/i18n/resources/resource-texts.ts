/** The texts about one resource. Sentences are never built from its name: nouns have genders, cases and suffixes. */
export type ResourceTexts = {
  /** One record, before its title. */
  one: string
  /** The list, in headings and menus. */
  many: string
  new: string
  add: string
  delete: string
  search: string
  all: string
  empty: string
  emptyHelp: string
  noMatch: string
  import: string
  importColumns: string
  /** What a record was assigned to in the past; empty if records of this resource are not assigned. */
  assignments: string
  count: (count: number) => string
}

/** The texts about one resource. Each text is a complete phrase, because in many languages a noun's gender and case
 *  affect the other words. */
export type ResourceTexts = {
  /** The noun before a record's title. */
  one: string
  /** The list's name, in headings and menus. */
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
  /** The heading above past assignments; empty if records of this resource are not assigned to anything. */
  assignments: string
  count: (count: number) => string
}

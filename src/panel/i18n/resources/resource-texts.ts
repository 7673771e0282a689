/** The texts about one resource. They are complete, because in many languages a noun's gender and case change the
 *  sentence. */
export type ResourceTexts = {
  /** The noun before the title of a record. */
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
  /** The heading above past assignments; empty if records of this resource are not assigned to anything. */
  assignments: string
  count: (count: number) => string
}

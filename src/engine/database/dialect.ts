// The differences between the two engines in SQL that defines tables.

import type { Database } from './database.ts'

/** Column types, and the options at the end of a table definition. Both engines compare text by its UTF-8 bytes. */
export type Dialect = {
  engine: Database['engine']
  integer: string
  boolean: string
  text: string
  tableEnd: string
}

// What the two engines write differently.

import type { Database } from './database.ts'

/** How an engine writes what the two write differently in tables. Text is compared by its bytes, as UTF-8, on both. */
export type Dialect = {
  engine: Database['engine']
  integer: string
  boolean: string
  text: string
  tableEnd: string
}

// The columns of an imported file, and what each of them can contain.

import type { AmountFormat, AmountUnit } from '../file/amounts.ts'

/** `map`: for each column title, the name of a target; an empty name skips the column. `set`: for each target, the value
 *  of rows that have none. `value`: for each column title, texts that replace cells of the column before they are read.
 *  `match`: the column that identifies a record; null for the default, which may be missing. `isDraft`: a person assigns
 *  the columns later, so columns are only suggested and problems are not reported. `amounts`: the unit of all amounts;
 *  null decides by the columns' titles. `charset`: how the text is encoded; null decides by its bytes. `isMatchOptional`:
 *  the file may lack the match column. */
export type ColumnOptions = {
  map: Record<string, string>
  set: Record<string, string>
  value: Record<string, Record<string, string>>
  match: string | null
  amounts: AmountUnit | null
  charset: string | null
  isDraft?: true
  isMatchOptional?: true
}

/** A field of the resource, or a reference with the field by which its record is found: `customer_code` sets
 *  `customer_id` to the id of the customer with this `code`. If several columns of a row set the same reference, the
 *  one with the lowest `rank` is used. `id` identifies the record itself. */
export type ColumnTarget = { kind: 'field'; name: string } | ReferenceTarget | { kind: 'id'; name: 'id' }

/** `readings`: the fields that a column may contain which is looked up by its contents; `by` is then the one that finds
 *  the most records. Imports of earlier versions have no such columns. */
export type ReferenceTarget = {
  kind: 'reference'
  name: string
  field: string
  to: string
  by: string
  rank: number
  readings?: readonly string[]
}

/** How the dates of a column are written that begin with the day or the month. `unclear`: no date shows which of them
 *  comes first, or some dates contradict others. */
export type DateFormat = 'day first' | 'month first' | 'unclear'

/** What a column's cells show about its dates. `hasTimes`: some date has a time other than midnight. `noDate`: a
 *  cell with a date that stands for a missing one, such as `0001-01-01`. */
export type DatesOfColumn = { dates?: DateFormat; hasTimes?: true; noDate?: string }

/** A column in the file, with how its cells are written. `target` is null if the column is ignored. `words`: the texts
 *  that replace these cells before they are read. `isBlankNo`: an empty cell means no. `samples`: some of its cells, until
 *  the import's failed rows are deleted. `hasOddCharacters`: its title or some cells have characters that a text does not
 *  contain on purpose. `hasDamagedCodes`: some codes are numbers such as 1.23E+11. */
export type FileColumn = DatesOfColumn & {
  title: string
  target: ColumnTarget | null
  words?: Record<string, string>
  samples?: string[]
  amounts?: AmountFormat
  isBlankNo?: true
  hasOddCharacters?: true
  hasDamagedCodes?: true
}

/** The value of rows that have none for a target: of all rows if the file has no column for it. `isForNew`: records that
 *  exist keep their own value. */
export type SetValue = { target: Exclude<ColumnTarget, { kind: 'id' }>; value: string; isForNew?: true }

/** The indexes of the columns that together identify a record in an export of this product. */
export type ExportKey = { id: number; createdAt: number }

/** `match`: the index of the column that identifies a record; null if there is none. `exportKey`: identifies the records
 *  that are not found by the match column. `set`: of several values for a reference, the one that counts is the first.
 *  `assignsTag`: new records without a tag get the next free one. `repeated`: the values that occur more than once
 *  (file/repeated-values.ts). Imports of earlier versions have none of these. */
export type FileColumns = {
  columns: FileColumn[]
  match: number | null
  exportKey?: ExportKey
  set?: SetValue[]
  assignsTag?: true
  repeated?: string
}

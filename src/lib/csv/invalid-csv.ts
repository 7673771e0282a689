import { csvLimits } from './limits.ts'

/** Where in a file the fault is. `column`: the number of the cell in its row, from 1. */
type Place = { row: number; column?: number }

const numbers = new Intl.NumberFormat('en')
const [columns, titleCharacters, cellCharacters, rows] = [
  csvLimits.columns,
  csvLimits.titleCharacters,
  csvLimits.cellCharacters,
  csvLimits.rows,
].map((limit) => numbers.format(limit))

/** A sentence for each reason. */
const sentences = {
  no_header: () => 'The first row of the file must contain the column titles, but it is empty.',
  open_quote: ({ row }: Place) => `A quotation mark in row ${row} is not closed.`,
  many_columns: ({ row }: Place) =>
    `Row ${row} has more than ${columns} cells; a file can have at most ${columns} columns.`,
  long_title: ({ column }: Place) =>
    `The title of column ${column} is longer than ${titleCharacters} characters, which is the limit for column titles.`,
  long_cell: ({ row, column }: Place) =>
    `The cell in row ${row}, column ${column} is longer than ${cellCharacters} characters, which is the limit; perhaps a quotation mark is not closed.`,
  many_rows: () => `The file has more than ${rows} rows, which is the limit; split it into several files.`,
}

export type CsvFault = keyof typeof sentences

/** The file cannot be read as CSV, or exceeds a limit. The message is a sentence. */
export class InvalidCsv extends Error {
  readonly reason: CsvFault
  readonly place: Place

  constructor(reason: CsvFault, place: Place) {
    super(sentences[reason](place))
    this.reason = reason
    this.place = place
  }
}

// English texts for the import.

import { plural } from '../plural.ts'

const locale = 'en-GB'

export const imports = {
  steps: ['Choose a file', 'Match columns', 'Answer questions', 'Check', 'Import'],
  link: 'Import CSV',
  intro:
    'Upload a CSV file with the column titles in the first row and one record in each row below. You will see what the import would do before anything is changed.',
  resource: 'What the file contains',
  byTitles: 'Find out from the titles',
  changeResource: 'Change',
  file: 'CSV file',
  fileHint: (limit: string) =>
    `Drop the file here, or choose it. At most ${limit} MB. In a spreadsheet program, save the sheet as CSV first.`,
  upload: 'Upload and continue',
  recent: 'Recent imports',
  author: 'By',
  created: 'Started',
  rows: 'Rows',
  state: 'Status',
  faults: {
    no_file: 'Choose a file.',
    too_large: (limit: string) =>
      `The file is larger than ${limit} MB. Split it into several files, each with the column titles in its first row.`,
    workbook: 'This is an Excel workbook, not a CSV file. Save the sheet as “CSV UTF-8” and upload that file.',
    not_text: 'This is not a text file. Save the data as CSV and upload that file.',
    invalid_utf8: 'The file is marked as UTF-8 but contains invalid characters. Save it again as “CSV UTF-8”.',
    no_header: 'The first row is empty. It must contain the column titles.',
    open_quote: (row: string) => `A quotation mark in row ${row} is never closed. Correct the row and try again.`,
    many_columns: (row: string) => `Row ${row} has more than 500 cells. A file can have at most 500 columns.`,
    long_title: (column: string) => `The title of column ${column} is longer than 200 characters. Shorten it.`,
    long_cell: (row: string, column: string) =>
      `The cell in row ${row}, column ${column} is longer than 32,000 characters. Perhaps a quotation mark is not closed.`,
    many_rows: 'The file has more than 1,000,000 rows. Split it into several files.',
    disk: 'The server has too little free disk space for uploads. Tell your administrator.',
    busy: 'Too many files are being uploaded at the moment. Try again in a few seconds.',
  },

  columnsIntro: (count: number) =>
    plural(locale, count, {
      one: 'The file has # row. Say what each column contains.',
      other: 'The file has # rows. Say what each column contains.',
    }),
  asked: 'Please look at these columns',
  recognized: 'Recognised columns',
  ignored: (count: number) =>
    plural(locale, count, { one: '# column is not imported', other: '# columns are not imported' }),
  doubts: {
    title: (target: string) => `The title sounds like “${target}”. Is that right?`,
    part: (target: string) => `Imported as “${target}” together with the other parts of the name.`,
    cells: (target: string) => `The values look like “${target}”. Is that right?`,
    unlikely: (target: string) => `The values do not look like “${target}”.`,
  },
  moreColumns: 'More columns. Tick those that you want to import.',
  chooseFields: 'Choose fields for the ticked columns',
  fromProgram: (program: string) => `This looks like an export from ${program}. The columns are matched accordingly.`,
  fromSaved: (name: string) => `The columns are matched as you saved them under “${name}”.`,
  fromLatest: 'The answers are proposed as in the last import of a file with these titles.',
  ignoreLatest: 'Match without these answers',
  ignoreMapping: 'Match without this mapping',
  forgetMapping: 'Delete this mapping',
  forgotten: (name: string) => `Mapping “${name}” deleted.`,
  keepTitle: 'Save these answers as a mapping',
  keepHint: 'It is proposed for files with the same column titles.',
  keepName: 'Name',
  keep: 'Save',
  kept: (name: string) => `Mapping “${name}” saved.`,
  notKept: 'The mapping cannot be saved under this name. Choose another one of at most 100 characters.',
  next: 'Continue',
  column: 'Column in the file',
  samples: 'First values',
  target: 'Import as',
  skip: 'Do not import',
  untitled: (number: string) => `Column ${number}`,
  id: 'ID',
  match: 'Find existing records by',
  matchHint: 'A row that matches an existing record updates it. Every other row creates a new record.',
  emptyCells: 'An empty cell clears the field. Fields without a column keep their values.',
  check: 'Check the file',
  assignment: {
    twice: (target: string) => `Two columns are imported as “${target}”. Choose “Do not import” for one of them.`,
    missing_match: (target: string) =>
      `Existing records are found by “${target}”, but no column is imported as “${target}”.`,
    required: (target: string) => `“${target}” is required, but no column is imported as “${target}”.`,
    unused_id: 'A column is imported as “ID”. Choose “ID” to find existing records by it, or do not import the column.',
    invalid_value: (target: string) => `“${target}” cannot have the value that is entered for all rows.`,
    nothing: 'Choose a field for at least one column.',
  },

  valuesIntro: 'Some questions that the file does not answer.',
  unknownWords: (column: string) => `Words in “${column}” that are not known`,
  rowCount: (count: number) => plural(locale, count, { one: '# row', other: '# rows' }),
  word: 'In the file',
  means: (field: string) => `Means (${field})`,
  undecided: 'Do not import these rows',
  leaveEmpty: 'Leave the field empty',
  notFound: (column: string) => `Values in “${column}” that are not found`,
  notFoundHelp: 'Choose what each value means. Rows with a value that you leave open are not imported.',
  notFoundMany: (list: string, examples: string) =>
    `Many values are not found under ${list}, such as ${examples}. Their rows are not imported. You may want to import that list first:`,
  newTab: 'in a new tab',
  similar: (titles: string) => `Similar: ${titles}`,
  notNamed: 'Other records have the same values, so the file cannot mean this one. Choose another record.',
  forAllRows: 'What the file does not say',
  forAllRowsHelp: 'New records get these values. Existing records keep theirs.',
  noHolder: 'Assigned to nobody: into the stock below',
  stockFor: 'Assets that are not assigned to anybody go into this stock.',
  stockHint: (count: number) =>
    plural(locale, count, {
      one: '# row names nobody. Its asset goes into this stock. If you leave this empty, the row is not imported.',
      other: '# rows name nobody. Their assets go into this stock. If you leave this empty, they are not imported.',
    }),
  emptyHint: (count: number) =>
    plural(locale, count, {
      one: '# row has an empty cell here and gets this value. If you choose none, the row is not imported.',
      other: '# rows have an empty cell here and get this value. If you choose none, the rows are not imported.',
    }),
  usual: (choice: string) => `${choice} (default)`,
  assignTags: (tag: string) => `Give each new asset without an asset tag the next one (${tag} and up)`,

  states: {
    draft: 'Not finished',
    checking: 'Checking',
    checked: 'Checked',
    running: 'Running',
    done: 'Done',
    failed: 'Failed',
    cancelled: 'Cancelled',
    undone: 'Undone',
  },
  checking: 'The file is being checked. Nothing has changed yet.',
  checkingAgain: 'The rows are being checked once more. They will then be imported.',
  running: 'The rows are being imported. The import continues if you leave this page.',
  progress: (done: string, all: string) => `${done} of ${all} rows`,
  reload: 'Refresh',

  ready: 'Every row can be imported.',
  nothingToDo: 'There is nothing to change: every row matches its record.',
  partly: 'Some rows have errors and cannot be imported.',
  none: 'No row can be imported.',
  empty: 'The file has no rows besides the column titles.',
  expired: 'The file has been deleted, because it was checked more than 24 hours ago. Upload it again to import it.',
  done: 'The import is complete.',
  failed: 'The import failed because of the errors below. Its changes were reverted.',
  failedKept: 'The import failed. The counts show the records that could not be reverted.',
  cancelled: 'The import was cancelled. The rows imported until then have been kept.',
  undone: 'The import has been undone.',
  counts: { created: 'new', updated: 'changed', unchanged: 'unchanged', invalid: 'with errors' },

  preview: 'The first rows',
  amounts: (column: string) => `Amounts in “${column}” are read as`,
  inRow: (row: string) => `Row ${row}`,
  outcomes: { created: 'New', updated: 'Changed', unchanged: 'Unchanged', invalid: 'Error' },

  assumptions: 'How the file was read',
  assumed: {
    encoding: (name: string) => `The text is encoded as ${name}.`,
    delimiter: (name: string) => `The columns are separated by ${name}.`,
    ignored_columns: (columns: string) => `Unknown columns, which are not imported: ${columns}.`,
    odd_characters: (columns: string) =>
      `Columns with characters that cannot be shown, or with letters that were read wrongly, such as Ã¼, so the file may be damaged: ${columns}.`,
    no_match_column: (target: string) => `No column is imported as “${target}”, so every row creates a new record.`,
    day_first: (column: string) => `Dates with slashes or hyphens in “${column}” begin with the day.`,
    month_first: (column: string) => `Dates with slashes or hyphens in “${column}” begin with the month.`,
    unclear_dates: (column: string) =>
      `It is unclear whether dates with slashes or hyphens in “${column}” begin with the day or the month. Write them as 2026-12-31 or 31.12.2026.`,
    times: (column: string) => `“${column}” has dates with times. Only the dates are stored.`,
    missing_dates: (column: string, date: string) => `A date such as ${date} in “${column}” means that there is none.`,
    looked_up_by: (column: string, field: string) => `“${column}” is looked up by: ${field}.`,
    own_export: () =>
      'Rows with an empty or new external ID update the record with the same ID and date of creation, if there is one, as in files that were exported from Tenantdesk.',
    existing_values: (column: string, count: string) =>
      `New records whose value in “${column}” an existing record already has: ${count}.`,
    damaged_codes: (columns: string) =>
      `A spreadsheet has changed codes to numbers such as 1.23E+11, and their last digits are lost: ${columns}.`,
    header_row: (row: string) => `The column titles are in row ${row}. The rows above it are not imported.`,
    total_row: (row: string) => `Row ${row} is not imported, because it holds only totals.`,
    kept_values: (column: string, count: string) =>
      `Cells in “${column}” that a spreadsheet has damaged: ${count}. The records keep their present values.`,
    blank_is_no: (column: string) => `An empty cell in “${column}” means no.`,
    major_units: (column: string) =>
      `The amounts in “${column}” are in whole units of the currency: 1.50 means one and a half.`,
    minor_units: (column: string) =>
      `The amounts in “${column}” are in cents, or the smallest unit of the currency: 150 means 1.50.`,
  },
  delimiters: { comma: 'commas', semicolon: 'semicolons', tab: 'tabs' },

  errors: 'Errors',
  inRows: (count: number, first: string) =>
    plural(locale, count, { one: `row ${first}`, other: `# rows, first in row ${first}` }),
  failedRows: 'Download failed rows',
  failedRowsKept: (limit: string) => `Only the first ${limit} rows with errors are kept.`,
  failedRowsHelp: 'Correct these rows and upload the downloaded file as a new import.',
  codes: {
    required: 'A value is required.',
    not_in_list: 'This value is unknown.',
    duplicate: 'Another record or row has the same value.',
    ambiguous: 'Several records have this value.',
    too_many_cells: 'The row has more cells than there are columns.',
    invalid_email: 'This is not a valid email address.',
    invalid_bool: 'Use yes or no.',
    invalid_int: 'Use a whole number or an unambiguous amount within the allowed range.',
    wrong_currency: 'The amount is in another currency. Convert it first.',
    invalid_date: 'Use an existing date such as 2026-12-31 or 31.12.2026.',
  },
  lookups: {
    not_in_list: (word: string, field: string, list: string) => `“${word}” is not found under ${list} (${field}).`,
    ambiguous: (word: string, field: string, list: string) =>
      `“${word}” is found more than once under ${list} (${field}).`,
  },
  noCountry: 'No country has this name or two-letter code.',
  knownWords: (word: string, choices: string) => `“${word}” is not known. Use one of these: ${choices}.`,
  answerAgain: 'Choose what the unknown values mean, or add what is missing and check the file again:',

  run: (count: number) => plural(locale, count, { one: 'Import # row', other: 'Import # rows' }),
  runValid: (count: number) =>
    plural(locale, count, { one: 'Import # row without errors', other: 'Import # rows without errors' }),
  changeColumns: 'Change columns',
  discard: 'Discard',
  cancelRun: 'Cancel the import',
  cancelRunHelp: 'Rows that have been imported are kept.',
  newRecords: 'Show the new records',
  another: 'Import another file',
  changes: 'Show the changes',
}

// The documentation of /imports.php.

import type { Resources } from '../../../domain/declarations/resource.ts'
import { defaultMatch } from '../../../domain/imports/columns/targets.ts'
import { sentenceOf } from '../../../domain/imports/file/assumptions.ts'
import { importModes, importStates } from '../../../domain/imports/import.ts'
import { defaultLimit } from '../../../domain/lists/request/request.ts'
import { InvalidCsv } from '../../../lib/csv.ts'
import { invalidRequest, Problem } from '../../../problem.ts'
import type { EndpointDocs, SuccessResponse } from '../../endpoint.ts'
import { exampleTimes, idRefusals, knownId, refused, unknownId } from '../examples.ts'
import {
  choiceSchema,
  countSchema,
  idSchema,
  integerSchema,
  limitParameter,
  listSchema,
  object,
  orNull,
  pageOfIdsSchema,
  queryParameter,
  textSchema,
  timestampSchema,
  uuidSchema,
} from '../schemas/kinds.ts'
import { type Exchange, type Parameter, ref, type Schema, type Tag } from '../types.ts'
import { startDescription, startParameters } from './import-parameters.ts'

const tag: Tag = {
  name: 'imports',
  description:
    'CSV files that are checked and imported in the background. Every row must pass the same validation as a JSON request.',
}

const exampleFile = 'name,country\r\nHead office,DE\r\nDepot,D\r\n'

export function startImportDocs(resources: Resources): EndpointDocs {
  return {
    id: 'start_import',
    tag,
    summary: 'Check a CSV file, import it, or run a checked import',
    description: startDescription(resources),
    parameters: startParameters(resources),
    body: { type: 'text/csv', schema: { type: 'string' }, examples: { checked: { value: exampleFile } } },
    responses: { 202: accepted },
    errors: ['invalid_request', 'payload_too_large'],
    exchanges: startExchanges(),
    components: { schemas: importSchemas() },
  }
}

const accepted: SuccessResponse = {
  description: 'The import, which continues in the background. Read it at `Location`.',
  schema: ref('schemas', 'ImportSummary'),
  headers: ['Location'],
}

export function runImportDocs(): EndpointDocs {
  return {
    id: 'run_import',
    tag,
    summary: 'Run a checked import',
    description: 'Runs an import that has been checked within the last 24 hours, without uploading the file again.',
    parameters: [
      requiredId('The checked import to run, instead of uploading a file.'),
      queryParameter('mode', 'As for a file.', choiceSchema(importModes.slice(1)), true),
    ],
    responses: { 202: accepted },
    errors: ['missing_id', 'invalid_request', 'not_found', 'conflict'],
    exchanges: [refused({ query: 'id=&mode=valid_rows' }, new Problem('missing_id')), notFound('mode=valid_rows&')],
  }
}

export function readImportsDocs(): EndpointDocs {
  return {
    id: 'read_imports',
    tag,
    summary: 'Read one import, its failed rows, or the list of imports',
    description:
      'With `id`, returns one import with how its columns were read, its errors in groups, and the first 100 of them. With `id` and `format=csv`, returns all failed rows as a file, with ' +
      'the errors in the last column. Rows are numbered as in a spreadsheet: the header is row 1. Up to 10,000 failed rows ' +
      'are kept, for 30 days. The last 1,000 imports that have finished are kept. An import can be read with `:read` or ' +
      '`:write` for its resource; the list leaves out other imports.',
    parameters: [
      queryParameter('id', 'The import to read.', idSchema('The id of the import.')),
      queryParameter('format', 'Only with `id`: returns the failed rows as a file.', choiceSchema(['csv'])),
      limitParameter('imports'),
      queryParameter('cursor', 'The `page.next_cursor` of the previous page.', { type: 'string' }),
    ],
    precondition: 'IfNoneMatch',
    responses: {
      200: {
        description: 'The import, its failed rows, or a page of imports, newest first.',
        schema: ref('schemas', 'ImportResult'),
        otherTypes: { 'text/csv': { type: 'string', description: 'The failed rows. UTF-8 with a byte order mark.' } },
        headers: ['ETag', 'Link', 'Content-Disposition'],
      },
      304: { description: 'Not modified: the caller has the current version.', headers: ['ETag', 'Link'] },
    },
    errors: ['missing_id', 'invalid_request', 'not_found'],
    exchanges: readExchanges(),
    components: { schemas: importSchemas() },
  }
}

export function discardImportDocs(): EndpointDocs {
  return {
    id: 'discard_import',
    tag,
    summary: 'Cancel or discard an import',
    description:
      'Cancels a running import; the rows it has already imported stay. Deletes any other import and its failed rows. The key ' +
      'also needs `:write` for the resource.',
    parameters: [requiredId('The import.')],
    responses: { 200: { description: 'The import was cancelled or deleted.', schema: ref('schemas', 'Deleted') } },
    errors: ['missing_id', 'invalid_request', 'not_found', 'conflict'],
    exchanges: [
      { name: 'discarded', request: { query: `id=${knownId}` }, status: 200, answer: { id: knownId, deleted: true } },
      ...idRefusals({}),
      notFound(),
    ],
  }
}

function requiredId(description: string): Parameter {
  return queryParameter('id', description, idSchema('The id of the import.'), true)
}

/** The mapping that the example of an upload saves. */
export const exampleSave = { name: 'Branches', map: { country: 'country' } }

const exampleImport = {
  id: knownId,
  resource: 'customers',
  mode: 'dry_run',
  match: defaultMatch,
  state: 'checked',
  rows: 2,
  processed: 2,
  created: 1,
  updated: 0,
  unchanged: 0,
  invalid: 1,
  assumptions: [sentenceOf({ code: 'no_match_column', value: defaultMatch })],
  change_set: null,
  columns: [
    { title: 'name', field: 'name', by: null, samples: ['Head office', 'Depot'] },
    { title: 'country', field: 'country', by: null, samples: ['DE', 'D'] },
  ],
  summary: [{ code: 'too_short', column: 'country', field: 'country', count: 1, first_row: 3 }],
  errors: [
    {
      row: 3,
      column: 'country',
      code: 'too_short',
      message: 'Must be a country or its two-letter code: Germany or DE.',
    },
  ],
  created_at: exampleTimes[0],
  finished_at: exampleTimes[1],
}

const { columns: _columns, summary: _summary, errors: _errors, ...exampleSummary } = exampleImport

function startExchanges(): Exchange[] {
  const started = { ...exampleSummary, state: 'checking', processed: 0, created: 0, invalid: 0, finished_at: null }
  const query = 'resource=customers'
  const saving = `${query}&map[country]=${exampleSave.map.country}&save_as=${exampleSave.name}`
  const headers = { 'content-type': 'text/csv' }
  const file = (text: string) => ({ query, headers, text })
  return [
    { name: 'checked', request: { ...file(exampleFile), query: saving }, status: 202, answer: started },
    refused(file(''), invalidRequest(new InvalidCsv('no_header', { row: 1 }).message)),
    refused(file('name\n"A'), invalidRequest('A quotation mark in row 2 is not closed.'), 'unclosed quote'),
  ]
}

function readExchanges(): Exchange[] {
  const page = { limit: defaultLimit, has_more: false, next_cursor: null }
  return [
    { name: 'checked', request: { query: `id=${knownId}` }, status: 200, answer: exampleImport },
    { name: 'list', request: {}, status: 200, answer: { data: [exampleSummary], page } },
    {
      name: 'failed rows',
      type: 'text/csv',
      request: { query: `id=${knownId}&format=csv` },
      status: 200,
      answer:
        '\ufeffname,country,error\r\nDepot,D,country: Must be a country or its two-letter code: Germany or DE.\r\n',
    },
    refused({ query: 'id=' }, new Problem('missing_id')),
    refused(
      { query: 'format=csv' },
      invalidRequest('format needs the id of an import: it returns the failed rows of that import.'),
    ),
    notFound(),
  ]
}

function notFound(query = ''): Exchange {
  const problem = new Problem('not_found', { message: 'There is no import with this id.' })
  return refused({ query: `${query}id=${unknownId}` }, problem)
}

function importSchemas(): Record<string, Schema> {
  const members = {
    id: idSchema(),
    resource: textSchema('The resource whose records the file contains.'),
    mode: choiceSchema(importModes),
    match: textSchema('The column that identifies existing records.'),
    state: choiceSchema(
      importStates,
      'The import is in progress while it is `checking` or `running`; all other states are final.',
    ),
    rows: countSchema('The number of rows in the file, without the header and empty rows.'),
    processed: countSchema('The number of rows checked or applied so far.'),
    created: countSchema('Records created; for a check, records that would be created.'),
    updated: countSchema('Records updated; for a check, records that would be updated.'),
    unchanged: countSchema('Rows whose records already have these values.'),
    invalid: countSchema('Rows that failed.'),
    assumptions: listSchema({ type: 'string' }, 'How ambiguous parts of the file were interpreted.'),
    change_set: orNull(uuidSchema('The change set of the import; null if it changed nothing.')),
  }
  const times = {
    created_at: timestampSchema,
    finished_at: { ...orNull(timestampSchema), description: 'When the check or the import ended.' },
  }
  const details = {
    columns: listSchema(ref('schemas', 'ImportColumn'), 'How each column of the file was read.'),
    summary: listSchema(ref('schemas', 'ErrorGroup'), 'Equal errors of all failed rows, the most frequent ones first.'),
    errors: listSchema(ref('schemas', 'RowError'), 'The first 100 errors.'),
  }
  return {
    ImportSummary: object({ ...members, ...times }),
    Import: object({ ...members, ...details, ...times }),
    ImportPage: pageOfIdsSchema({ type: 'array', items: ref('schemas', 'ImportSummary') }),
    ImportResult: { oneOf: [ref('schemas', 'Import'), ref('schemas', 'ImportPage')] },
    ImportColumn: object({
      title: textSchema('The title in the file.'),
      field: orNull(textSchema('The field that the column sets; null if the column is ignored.')),
      by: orNull(textSchema('The field by which a reference was looked up.')),
      samples: listSchema({ type: 'string' }, 'Up to three different cells, shortened to 100 characters, for 30 days.'),
    }),
    ErrorGroup: object({
      code: textSchema('As in the errors.'),
      column: orNull(textSchema('The column title; null if the errors are not about a column of the file.')),
      field: orNull(textSchema('The field that the errors are about; null if they are about the whole row.')),
      count: integerSchema(1),
      first_row: { ...integerSchema(2), description: 'The first row with the error.' },
    }),
    RowError: object({
      row: { ...integerSchema(2), description: 'Numbered as in a spreadsheet: the header is row 1.' },
      column: orNull(textSchema('The column title; null if the error is not about a column of the file.')),
      code: textSchema('A field code, `ambiguous` or `too_many_cells`.'),
      message: textSchema('For people. The wording may change.'),
    }),
  }
}

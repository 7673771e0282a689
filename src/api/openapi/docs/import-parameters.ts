// The documentation of the parameters and the format of a file that is imported.

import { importMappings } from '../../../domain/declarations/import-mappings.ts'
import type { Resources } from '../../../domain/declarations/resource.ts'
import { defaultMatch, matchColumnsOf, targetsOf } from '../../../domain/imports/columns/targets.ts'
import { columnTitlesOf } from '../../../domain/imports/columns/titles.ts'
import { amountUnits } from '../../../domain/imports/file/amounts.ts'
import { importModes } from '../../../domain/imports/import.ts'
import { choiceSchema, queryParameter } from '../schemas/kinds.ts'
import type { Parameter } from '../types.ts'

const fileDescription = `With \`resource\`, the body is a CSV file with columns separated by commas, semicolons or tabs. A \
charset in \`Content-Type\` is used; otherwise the file is read as UTF-8, as UTF-16 if it begins with a byte order mark, or as \
Windows-1252, 1254 or 1250, whichever has known titles and fits its letters. The file format is checked before the response; the \
rows are checked and imported in the background. Read the import at \`Location\` to follow its progress. An empty cell clears the \
field. To keep the values of a field, leave its column out. Dates can also be written as 31.12.2026, 2026/12/31 or 12/31/2026 and \
with a time, which is left out; booleans as yes/no, x/empty, active/inactive and in many other words; \
choices by their labels in English, German and Turkish. Amounts in a column with the \
name of the field, \`purchase_cost\`, are in minor units; in a column with any other title, they are in major units, such as \
1.299,90 or € 1249.0000. \`customer\` and \`employee\` are looked up by whatever their cells hold: ids, external ids, codes, \
numbers, e-mail addresses or names; a cell that means different records in two of these ways is \`ambiguous\`. Names and codes \
are compared exactly first, then without case, accents and further blanks. Hardware without a holder goes to the stock of its \
\`stock_customer\`, which a run creates if the customer has none. A last row that holds only totals is left out. Whatever is not \
certain is named in \`assumptions\`. The key also needs \`:write\` for the resource. A file from an export can be imported again: without \`match\`, a row whose external id is empty or unknown updates the record \
with its \`id\` and \`created_at\`, if both belong to the same record; read-only columns and \`error\` are ignored. A file can \
have at most 500 columns with titles of at most 200 characters, cells of at most 32,000 characters, and 1,000,000 rows. While the server has little free disk \
space, or a tenant's third file has waited 10 seconds to be checked, uploads are refused with 503 \`server_busy\`.`

export function startDescription(resources: Resources): string {
  return `${fileDescription} ${columnList(resources)}`
}

function columnList(resources: Resources): string {
  const lists = resources.map((resource) => {
    const columns = targetsOf(resource, resources).map((target) => {
      const labels = columnTitlesOf(resource, target)
      return labels.length > 0 ? `\`${target.name}\` (${labels.join(', ')})` : `\`${target.name}\``
    })
    return `Columns of ${resource.name}: ${columns.join(', ')}.`
  })
  return `Columns are recognized by their names or the titles in brackets, regardless of case, accents, spaces, punctuation and words in brackets. ${lists.join(' ')}`
}

export function startParameters(resources: Resources): Parameter[] {
  const names = resources.map(({ name }) => name)
  const matches = [...new Set(resources.flatMap(matchColumnsOf))]
  return [
    queryParameter('resource', 'The resource whose records the file contains.', choiceSchema(names)),
    queryParameter(
      'mode',
      '`dry_run` only checks the file; `all_or_nothing` imports it if every row is valid; `valid_rows` skips invalid rows.',
      { type: 'string', enum: importModes, default: 'dry_run' },
    ),
    queryParameter(
      'match',
      `The column that identifies existing records. A row that matches a record updates it; other rows create records. If \
the file does not have the default column, \`${defaultMatch}\`, and is not an export, every row creates a record.`,
      { type: 'string', enum: matches, default: defaultMatch },
    ),
    queryParameter(
      'amounts',
      'The unit of all amounts: `major` (12.50) or `minor` (1250). Without it, the titles of their columns decide.',
      choiceSchema(amountUnits),
    ),
    ...objectParameters(),
    queryParameter(
      'mapping',
      'A mapping by its name: one that was saved, or the one for the exports of a program. The other parameters take \
precedence, and columns that the file lacks are ignored. See `import_mappings.php`.',
      { type: 'string' },
    ),
    queryParameter(
      'save_as',
      'Keeps the assignments (`map`, `set`, `value`, `amounts`, `match`, with those of `mapping`) under this name, for \
further files of the resource.',
      { type: 'string', maxLength: importMappings.fields.name.max },
    ),
  ]
}

function objectParameters(): Parameter[] {
  const texts = { type: 'object', additionalProperties: { type: 'string' } }
  const map =
    '`map[Column title]=field` for each column that is not recognized. An empty field name skips the column. Several columns can be mapped to one text.'
  const set =
    '`set[field]=value` gives every row a value for a field or reference without a column, such as `set[customer_code]=HQ`, and fills the empty cells of a column. Amounts are in minor units. `set[assign_tag]=true` gives each new hardware record without a tag the next free one.'
  const value =
    '`value[Column title][cell]=text` replaces a cell before it is read, in any column: `value[Status][Suspended]=no`. Case does not matter.'
  return [
    { ...queryParameter('map', map, texts), style: 'deepObject' },
    { ...queryParameter('set', set, texts), style: 'deepObject' },
    {
      ...queryParameter('value', value, { type: 'object', additionalProperties: texts }),
      style: 'deepObject',
    },
  ]
}

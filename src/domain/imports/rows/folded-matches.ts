// Finds records by names and codes as people write them: without case and accents, like a search with `q`, and with any
// run of blanks counting as one (contract §17).

import { allOf, type Clause, type Database, type Row } from '../../../engine/database/database.ts'
import { padValues, placeholders } from '../../../engine/database/statements.ts'
import { isName, type Resource } from '../../declarations/resource.ts'
import { sortKeys } from '../../lists/order.ts'
import { hasDeferredIndexes } from '../../schema/derived.ts'
import { containsWord, fold, separatorOf } from '../../search/fold.ts'
import { anyOf, searchConditions } from '../../search/related.ts'

/** A record that has a value in the field `by`. */
export type FoldedMatch = { id: number; by: string }

export function foldValue(value: string): string {
  return fold(value).replaceAll(/\s+/g, ' ')
}

/** Returns the matches of each value in these fields, by the folded value. A large table is searched by its indexes, a
 *  small one is read. */
export async function findFolded(
  database: Database,
  resource: Resource,
  { fields, values }: { fields: readonly string[]; values: readonly string[] },
): Promise<Map<string, FoldedMatch[]>> {
  const texts = [...new Set(values.map(foldValue))].filter((text) => text !== '')
  const matches = new Map(texts.map((text): [string, FoldedMatch[]] => [text, []]))
  if (fields.length === 0 || texts.length === 0) return matches
  const select = `select ${['id', ...fields].join(', ')} from ${resource.name}`
  const add = (rows: readonly Row[], isSought = (text: string) => matches.has(text)) => {
    for (const row of rows)
      for (const by of fields) {
        const text = row[by] === null ? '' : foldValue(String(row[by]))
        if (isSought(text)) matches.get(text)!.push({ id: row.id as number, by })
      }
  }
  if (!(await hasDeferredIndexes(database, resource))) {
    add(await database.all(select))
    return matches
  }
  const name = fields.find((field) => isName(resource.fields[field]))
  if (name !== undefined) {
    const [folded] = sortKeys(database.engine, resource, name)
    add(await database.all(`${select} where ${folded} in (${placeholders(texts)})`, padValues(texts)))
  }
  const missing = texts.filter((text) => matches.get(text)!.length === 0)
  const find = async ({ sql, values: operands }: Clause, sought: readonly string[]) =>
    add(await database.all(`${select} where ${sql}`, operands), (text) => sought.includes(text))
  // The name or code may have other blanks, so that the index on names does not find it.
  for (const text of missing.filter(hasBlank))
    await find(await containsOneOf(database, resource, [text.split(' ')]), [text])
  const codes = fields.filter((field) => !isName(resource.fields[field])).map((field) => separatorOf(resource, field))
  const whole = codes.length > 0 ? missing.filter((text) => !hasBlank(text)) : []
  const atOnce = Math.max(1, Math.floor(codesAtOnce / codes.length))
  for (let start = 0; start < whole.length; start += atOnce) {
    const sought = whole.slice(start, start + atOnce)
    const alternatives = sought.flatMap((text) => codes.map((separator) => [separator + text + separator]))
    await find(await containsOneOf(database, resource, padValues(alternatives)), sought)
  }
  return matches
}

/** One statement looks for this many codes. On SQLite it takes half the time of eight statements; on PostgreSQL it saves
 *  seven of eight round trips. */
const codesAtOnce = 8

function hasBlank(text: string): boolean {
  return text.includes(' ')
}

/** The condition that a record contains all texts of one of the alternatives. */
async function containsOneOf(
  database: Database,
  resource: Resource,
  alternatives: readonly (readonly string[])[],
): Promise<Clause> {
  const distinct = [...new Set(alternatives)] // padValues repeats the last alternative itself
  const candidates = await searchConditions(database, resource, ...distinct.map(rarestParts))
  const tests = alternatives.map((texts) => allOf(texts.map((text) => containsWord(database.engine, text))))
  return allOf([...candidates, anyOf(tests)])
}

/** The parts of the texts by which the index finds the fewest records: of codes, the numbers, because they often begin
 *  alike. */
function rarestParts(texts: readonly string[]): readonly string[] {
  const numbers = texts.flatMap((text) => text.match(/\d{3,}/g) ?? [])
  return numbers.length > 0 ? numbers : texts
}

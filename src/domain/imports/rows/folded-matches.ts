// Finds records by names and codes as people write them: without case and accents, like a search with `q`, and with any
// run of blanks counting as one (contract §17).

import type { Clause, Database, Row } from '../../../engine/database/database.ts'
import { padValues, placeholders } from '../../../engine/database/statements.ts'
import { isName, type Resource } from '../../declarations/resource.ts'
import { sortKeys } from '../../lists/order.ts'
import { hasDeferredIndexes } from '../../schema/derived.ts'
import { containsWord, fold, separatorOf } from '../../search/fold.ts'
import { searchConditions } from '../../search/related.ts'

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
  for (const text of texts.filter((each) => matches.get(each)!.length === 0)) {
    for (const searched of searchedTexts(resource, fields, text)) {
      const { sql, values: operands } = await containsTexts(database, resource, searched)
      add(await database.all(`${select} where ${sql}`, operands), (each) => each === text)
    }
  }
  return matches
}

/** Returns the sets of texts that a record contains whose name or code is this text, as far as the index on names does not
 *  find it: a name or code with other blanks, or a whole code. */
function searchedTexts(resource: Resource, fields: readonly string[], text: string): string[][] {
  if (text.includes(' ')) return [text.split(' ')]
  const codes = fields.filter((field) => !isName(resource.fields[field])).map((field) => separatorOf(resource, field))
  return codes.map((separator) => [separator + text + separator])
}

async function containsTexts(database: Database, resource: Resource, texts: readonly string[]): Promise<Clause> {
  const conditions = [
    ...(await searchConditions(database, resource, rarestParts(texts))),
    ...texts.map((text) => containsWord(database.engine, text)),
  ]
  return {
    sql: conditions.map(({ sql }) => sql).join(' and '),
    values: conditions.flatMap(({ values }) => values),
  }
}

/** The parts of the texts by which the index finds the fewest records: of codes, the numbers, because they often begin
 *  alike. */
function rarestParts(texts: readonly string[]): readonly string[] {
  const numbers = texts.flatMap((text) => text.match(/\d{3,}/g) ?? [])
  return numbers.length > 0 ? numbers : texts
}

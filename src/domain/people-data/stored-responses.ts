// Removes a person's data from the responses stored for Idempotency-Keys.

import type { Awaitable, Database } from '../../engine/database/database.ts'
import { packedPrefix, packText, unpackText } from '../../engine/responses/idempotency.ts'
import type { Resource } from '../declarations/resource.ts'
import { erasedText, eraseValues } from '../fields/personal-fields.ts'
import type { Values } from '../fields/validate.ts'

/** How many rows one statement searches. Few of the rows contain the record. */
const pageSize = 500

/** `identifying`: the person's identifying values, in lower case. Error messages quote them. */
export type ErasedPerson = { resource: Resource; id: number; identifying: ReadonlySet<string> }

const positionIn = { sqlite: 'instr', postgres: 'strpos' } as const satisfies Record<Database['engine'], string>

/** Returns the number of responses that contained the record or quoted one of the identifying values. */
export async function eraseStoredResponses(
  database: Database,
  person: ErasedPerson,
  pause: () => Awaitable<void>,
): Promise<number> {
  const quotes = quotesOf(person.identifying)
  const hasQuotation = `${positionIn[database.engine]}(body, ?) > 0`
  const sql = `select seq, body from stored_responses where seq >= ? and seq < ?
    and (body like ? or body like ? or ${hasQuotation})`
  const bounds = await database.get('select min(seq) as first, max(seq) as last from stored_responses')
  let responses = 0
  for (let from = Number(bounds?.first ?? 0); from <= Number(bounds?.last ?? -1); from += pageSize) {
    const values = [from, from + pageSize, `%"id":${person.id},%`, `${packedPrefix}%`, '\\"']
    for (const { seq, body } of await database.all<{ seq: number; body: string }>(sql, values)) {
      const erased = eraseFrom(JSON.parse(unpackText(body)), person, quotes)
      if (!erased.isFound) continue
      responses++
      const text = packText(JSON.stringify(erased.value))
      database.runDeferred('update stored_responses set body = ? where seq = ?', [text, seq])
    }
    await pause()
  }
  return responses
}

/** Matches the values in quotation marks, as messages show them. Without the marks, a short personnel number could be
 *  part of any text. */
function quotesOf(identifying: ReadonlySet<string>): RegExp | null {
  if (identifying.size === 0) return null
  return new RegExp([...identifying].map((value) => RegExp.escape(JSON.stringify(value))).join('|'), 'giu')
}

type Erased = { value: unknown; isFound: boolean }

/** Copies the value without the person's data. The record may be nested at any depth. */
function eraseFrom(value: unknown, person: ErasedPerson, quotes: RegExp | null): Erased {
  if (typeof value === 'string') {
    const text = quotes ? value.replaceAll(quotes, JSON.stringify(erasedText)) : value
    return { value: text, isFound: text !== value }
  }
  if (typeof value !== 'object' || value === null) return { value, isFound: false }
  if (Array.isArray(value)) {
    const items = value.map((item) => eraseFrom(item, person, quotes))
    return { value: items.map((item) => item.value), isFound: items.some((item) => item.isFound) }
  }
  const { resource, id } = person
  if (isRecord(value, resource, id)) return { value: eraseValues(resource, id, value), isFound: true }
  const members = Object.entries(value).map(([name, member]) => [name, eraseFrom(member, person, quotes)] as const)
  return {
    value: Object.fromEntries(members.map(([name, member]) => [name, member.value])),
    isFound: members.some(([, member]) => member.isFound),
  }
}

/** Whether the value is the record. Checks the fields as well as the id, because records of other resources may have
 *  the same id. */
function isRecord(value: object, { fields }: Resource, id: number): value is Values {
  const required = Object.keys(fields).filter((name) => fields[name]!.required)
  return 'id' in value && value.id === id && required.every((name) => name in value)
}

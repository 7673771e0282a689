// Removes a record's personal fields from the responses stored for Idempotency-Keys.

import type { Awaitable, Database, Value } from '../../database/database.ts'
import { eraseValues } from '../../resources/erasure/personal-fields.ts'
import type { Resource } from '../../resources/resource.ts'
import type { Values } from '../../resources/validate.ts'
import { packedPrefix, packText, unpackText } from '../responses/packed-text.ts'

/** How many rows one statement searches. Few of the rows contain the record. */
const pageSize = 500

/** Returns the number of responses that contained the record. */
export async function eraseStoredResponses(
  database: Database,
  resource: Resource,
  id: number,
  pause: () => Awaitable<void>,
): Promise<number> {
  const bounds = await database.get('select min(seq) as first, max(seq) as last from stored_responses')
  let responses = 0
  for (let from = Number(bounds?.first ?? 0); from <= Number(bounds?.last ?? -1); from += pageSize) {
    const sql = 'select seq, body from stored_responses where seq >= ? and seq < ? and (body like ? or body like ?)'
    const values = [from, from + pageSize, `%"id":${id},%`, `${packedPrefix}%`]
    for (const { seq, body } of await database.all(sql, values)) {
      const erased = eraseFrom(JSON.parse(unpackText(body as string)), resource, id)
      if (!erased.hasRecord) continue
      responses++
      const text = packText(JSON.stringify(erased.value))
      database.runDeferred('update stored_responses set body = ? where seq = ?', [text, seq!])
    }
    await pause()
  }
  return responses
}

type Erased = { value: unknown; hasRecord: boolean }

/** Copies the value without the record's personal data. The record may be nested at any depth. */
function eraseFrom(value: unknown, resource: Resource, id: number): Erased {
  if (typeof value !== 'object' || value === null) return { value, hasRecord: false }
  if (Array.isArray(value)) {
    const items = value.map((item) => eraseFrom(item, resource, id))
    return { value: items.map((item) => item.value), hasRecord: items.some((item) => item.hasRecord) }
  }
  if (isRecord(value, resource, id)) return { value: eraseValues(resource, id, value), hasRecord: true }
  const members = Object.entries(value).map(([name, member]) => [name, eraseFrom(member, resource, id)] as const)
  return {
    value: Object.fromEntries(members.map(([name, member]) => [name, member.value])),
    hasRecord: members.some(([, member]) => member.hasRecord),
  }
}

/** Whether the value is the record. Checks the fields as well as the id, because records of other resources may have
 *  the same id. */
function isRecord(value: object, { fields }: Resource, id: number): value is Values {
  const required = Object.keys(fields).filter((name) => fields[name]!.required)
  return (value as Record<string, Value>).id === id && required.every((name) => name in value)
}

// Compares the search with the simplest model, which checks every record for every word in memory. A word can occur in
// a record's own text or in the title of a related record, and in few records or many.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { emptyValue, type Resource, resourceNamed } from '../../src/domain/declarations/resource.ts'
import { createDeferredIndexesIfLarge, derivedValues } from '../../src/domain/schema/derived.ts'
import { findMatches, maxMatches } from '../../src/domain/search/find.ts'
import { fold, searchText, wordsOf } from '../../src/domain/search/fold.ts'
import { countUnindexed, indexPending } from '../../src/domain/search/index.ts'
import type { Database, Value } from '../../src/engine/database/database.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { engine, type Json, makeTenant, temporaryDirectory, withEngineUrl } from '../support/service.ts'

const settings = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
await makeTenant(settings, 'acme')

const cities = ['Berlin', 'İzmir', 'Zürich']
const names = ['Jonas Weber', 'Zeynep Kaya', 'Chloé Müller', 'Ada Lovelace', 'Jonas Kaya']
const models = ['ThinkPad', 'MacBook', 'Galaxy Jonas']

/** More than 3,000 people belong to a branch with "GmbH" in its name, and 60 people to the branch with "AG". */
const records: Record<string, Json[]> = {
  customers: Array.from({ length: 60 }, (_, index) => ({
    name: `${cities[index % 3]} ${index} ${index === 7 ? 'AG' : 'GmbH'}`,
  })),
  employees: Array.from({ length: 3600 }, (_, index) => ({
    customer_id: 1 + (index % 60),
    name: index % 9 === 0 ? null : `${names[index % 5]}${index < 50 ? '' : ` ${index}`}`,
    email: `e${index}@example.com`,
  })),
  hardware: Array.from({ length: 5000 }, (_, index) => ({
    employee_id: 1 + ((index * 7) % 3600),
    name: index % 4 === 0 ? null : `${models[index % 3]} ${index}`,
    asset_tag: `TD-${String(index).padStart(5, '0')}`,
    notes: index % 50 === 0 ? 'Returned by Zeynep, GmbH' : null,
  })),
}

async function fill(database: Database, resource: Resource): Promise<void> {
  const empty = Object.entries(resource.fields).map(([name, field]) => [name, emptyValue(field)])
  const times = { created_at: '2026', updated_at: '2026' }
  const rows = records[resource.name]!.map((values, index): Json => {
    const members = { ...Object.fromEntries(empty), ...values, ...times }
    return { id: index + 1, ...members, ...derivedValues(database.engine, resource, members) }
  })
  for (let index = 0; index < rows.length; index += 300) {
    const batch = rows.slice(index, index + 300)
    const columns = Object.keys(batch[0])
    const places = `(${columns.map(() => '?').join(', ')})`
    const sql = `insert into ${resource.name} (${columns}) values ${batch.map(() => places).join(', ')}`
    await database.run(
      sql,
      batch.flatMap((row) => Object.values(row) as Value[]),
    )
  }
  await createDeferredIndexesIfLarge(database, resource)
}

/** Returns whether the record contains the word or refers to a record with the word in its title. */
function isMatch(resource: Resource, record: Json, word: string): boolean {
  return searchText(resource, record).includes(word) || hasRelatedMatch(resource, record, word)
}

/** Returns whether the record refers, directly or through other records, to a record with the word in its title. */
function hasRelatedMatch(resource: Resource, record: Json, word: string): boolean {
  return Object.entries(resource.fields).some(([name, field]) => {
    if (field.kind !== 'reference') return false
    const target = resourceNamed(resources, field.to)
    const related = records[field.to]![record[name] - 1]
    const isInTitle = target.title!.some((title) => fold(String(related[title] ?? '')).includes(word))
    return isInTitle || hasRelatedMatch(target, related, word)
  })
}

const texts = [
  'TD-00042',
  'td00042',
  'jonas',
  'jonas weber',
  'weber thinkpad',
  'izmir',
  'izmir macbook jonas',
  'zurich muller',
  'gmbh',
  'gmbh 4999',
  'gmbh jonas',
  'gmbh td-004',
  'ag',
  'ag galaxy',
  '7 ag',
  'zeynep returned',
  'zeynep gmbh berlin',
  'e77@example.com',
  'nowhere',
  'jonas nowhere',
  'lovelace 12 ber',
  'é',
  'a b',
]

test('the search finds exactly the records that contain all words in their text or in the titles of related records', async () => {
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, 'acme')
    await databases.write(tenant, async ({ database }) => {
      for (const resource of resources) await fill(database, resource)
      if (engine === 'sqlite') for (const each of resources.slice(1)) await indexRecords(database, each)
    })
    for (const text of texts) {
      await databases.read(tenant, async ({ database }) => {
        for (const resource of resources) await compare(database, resource, text)
      })
    }
  })
})

/** Indexes all records for the search. */
async function indexRecords(database: Database, resource: Resource): Promise<void> {
  while ((await countUnindexed(database, resource)) > 0) await indexPending(database, resource)
}

async function compare(database: Database, resource: Resource, text: string): Promise<void> {
  const found = await findMatches(database, resource, resources, { text, conditions: [], timeoutMs: 60_000 })
  const expected = records[resource.name]!.flatMap((record, index) =>
    wordsOf(text).every((word) => isMatch(resource, record, word)) ? [index + 1] : [],
  )
  const label = `${text} in ${resource.name}: ${found.ids.length} of ${expected.length}`
  if (expected.length <= maxMatches)
    return assert.deepEqual(
      found.ids.toSorted((a, b) => a - b),
      expected,
      label,
    )
  assert.deepEqual([found.ids.length, found.hasMore], [maxMatches, true], label)
  const all = new Set(expected)
  assert.ok(
    found.ids.every((id) => all.has(id)),
    label,
  )
}

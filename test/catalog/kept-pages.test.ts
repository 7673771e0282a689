// The pages that are kept because they answered a refused form.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteOldPages, findPage, keepPage } from '../../src/catalog/tables/kept-pages.ts'
import { catalogDatabaseOf } from '../support/databases/tenant-database.ts'
import { createInstallation, pepper, testTime } from '../support/people.ts'

const { environment, nodes } = await createInstallation()
const [node, other] = nodes.map((catalog) => ({ catalog, pepper }))
const hour = 60 * 60
const stored = async () => (await catalogDatabaseOf(environment)).all('select * from kept_pages')

test('every node finds a kept page for an hour; after that it is deleted', async () => {
  const id = await keepPage(node!, 'Söğüt Ada', testTime())
  assert.equal(await findPage(other!, id!, testTime(hour - 1)), 'Söğüt Ada')
  assert.equal(await findPage(node!, id!, testTime(hour)), undefined)
  await deleteOldPages(other!.catalog, testTime(hour - 1))
  assert.equal((await stored()).length, 1)
  await deleteOldPages(other!.catalog, testTime(hour))
  assert.equal((await stored()).length, 0)
})

test('a kept page is encrypted, and cannot be read without its pepper', async () => {
  const id = await keepPage(node!, 'Söğüt Ada'.repeat(100), testTime())
  assert.doesNotMatch(JSON.stringify(await stored()), /Ada/)
  const withOtherPepper = { catalog: node!.catalog, pepper: { current: 2, secrets: new Map([[2, 'q'.repeat(32)]]) } }
  assert.equal(await findPage(withOtherPepper, id!, testTime()), undefined)
})

test('long pages are not kept, and of more than a thousand pages the oldest are deleted', async () => {
  const incompressible = Array.from({ length: 100_000 }, () => String.fromCharCode(33 + Math.random() * 90)).join('')
  assert.equal(await keepPage(node!, incompressible, testTime()), undefined)
  const database = await catalogDatabaseOf(environment)
  await database.run('delete from kept_pages')
  const rows = Array.from(
    { length: 1000 },
    (_, second) => `('id ${second}', '1:', '${testTime(second).toISOString()}')`,
  )
  await database.run(`insert into kept_pages (id, encrypted_page, kept_at) values ${rows}`)
  const id = await keepPage(node!, 'the newest', testTime(1000))
  const ids = (await stored()).map((row) => row.id)
  assert.equal(ids.length, 1000)
  assert.deepEqual([ids.includes('id 0'), ids.includes('id 1'), ids.includes(id)], [false, true, true])
})

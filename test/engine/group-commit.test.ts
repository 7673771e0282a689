// Group commit: concurrent changes of a tenant share a transaction, but one change can fail without affecting the
// others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRefused } from '../support/api/shared-errors.ts'
import { skipWithoutTriggers } from '../support/databases/distributed.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { sendTogether } from '../support/databases/waiting-changes.ts'
import { engine, startService } from '../support/service.ts'

const { environment, service, tenant } = await startService({}, { nodes: 1 })

/** SQL that makes changes containing `text` fail at their last statement, which inserts the history row. */
const failOn = (text: string) =>
  ({
    sqlite: `create trigger fail before insert on changes when new.after like '%${text}%'
      begin select raise(abort, 'made to fail'); end`,
    postgres: `create function fail() returns trigger language plpgsql as
        'begin raise exception ''made to fail''; end';
      create trigger fail before insert on changes for each row when (new.after like '%${text}%')
        execute function fail()`,
  })[engine]

test('a change that fails with an internal error leaves nothing behind, and concurrent changes succeed', {
  skip: await skipWithoutTriggers(environment),
}, async () => {
  const client = await tenant('failing')
  const database = await tenantDatabaseOf(environment, 'failing')
  await database.run(failOn('Failing'))
  const names = Array.from({ length: 40 }, (_, index) => (index % 20 === 7 ? `Failing ${index}` : `Good ${index}`))
  const responses = await Promise.all(names.map((name) => client('POST', '/customers.php', { name })))
  for (const [index, response] of responses.entries()) {
    if (names[index]!.startsWith('Good')) assert.deepEqual([response.status, response.body.name], [201, names[index]])
    else assertRefused(response, 'internal_error')
  }
  const created = responses.flatMap(({ status, body }) => (status === 201 ? [{ id: body.id, name: body.name }] : []))
  assert.deepEqual(await database.all('select id, name from customers order by id'), created.sort(byId))
  const history = await database.all('select seq, record_id as id from changes order by seq')
  assert.deepEqual(
    history,
    created.map(({ id }) => ({ seq: id, id })),
  )
})

const byId = (a: { id: number }, b: { id: number }) => a.id - b.id

const onPostgres = { skip: engine === 'sqlite' && 'rows on SQLite do not show their transaction' }

test('concurrent changes share transactions', onPostgres, async () => {
  const client = await tenant('sharing')
  await client('POST', '/customers.php', { name: 'First' })
  const { id, all } = await tenantDatabaseOf(environment, 'sharing')
  const send = () => client('POST', '/customers.php', { name: 'Next' })
  await sendTogether(service, { url: environment.DATABASE_URL, id }, Array(60).fill(send))
  const [{ transactions }] = await all('select count(distinct xmin::text)::int as transactions from changes')
  assert.ok(transactions < 61, `61 changes took ${transactions} transactions`)
})

test('all changes of a bulk request are in one transaction', onPostgres, async () => {
  const client = await tenant('bulk')
  const create = () => client('POST', '/customers.php', { name: 'Single' })
  const operation = { method: 'POST', resource: 'customers', body: { name: 'Bulk' } }
  const bulk = () => client('POST', '/bulk.php', { operations: Array(3).fill(operation) })
  await Promise.all([create, create, create, bulk, create, create].map((send) => send()))
  const { all } = await tenantDatabaseOf(environment, 'bulk')
  const transactionOfBulk = `select xmin::text from changes where after like '%"Bulk"%'`
  const [{ size }] = await all(`select count(*)::int as size from changes where xmin::text in (${transactionOfBulk})`)
  assert.equal(size, 3)
})

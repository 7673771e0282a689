// Reads run on reader threads or on the main thread. They see every acknowledged write, and notice a replaced file.

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createAllDeferredIndexes } from '../../support/databases/deferred-indexes.ts'
import { countUnindexed } from '../../support/databases/search-index.ts'
import { insertRecords, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { boundedMs, eventually } from '../../support/eventually.ts'
import { isCheckpointed, openFilesOf, threadNames } from '../../support/faults/files.ts'
import { type Client, command, startService } from '../../support/service.ts'

const { tenant, environment } = await startService({}, { workers: 2 })

/** Creates a tenant with a running reader thread. */
const createWarmTenant = async (slug: string) => warmUp(await tenant(slug))

async function warmUp(client: Client): Promise<Client> {
  await client('POST', '/customers.php', { name: 'first' })
  for (let round = 0; round < 20; round++) {
    await client('GET', '/customers.php')
    await sleep(20)
  }
  return client
}

/** Inserts records directly, and creates the deferred indexes. */
async function fill(client: Client, slug: string, count: number): Promise<void> {
  const tenantDatabase = await tenantDatabaseOf(environment, slug)
  await insertRecords(tenantDatabase, 'customers', count, (n) => ({ name: 'N', notes: `x${n}` }))
  await createAllDeferredIndexes(environment, slug)
  await client('GET', '/customers.php') // makes the writer notice the external change
}

const longList = '/customers.php?sort=notes&notes[ne]=x&q=9+8+7'

/** The number of threads with this name in the process. */
function countThreads(name: string): number {
  return threadNames().filter((threadName) => threadName === name).length
}

/** Creates a tenant, and reads its data so often that the main thread takes over the tenant's reads. */
async function createTenantOnMainThread(slug: string): Promise<Client> {
  const client = await createWarmTenant(slug)
  await readOften(client)
  return client
}

async function readOften(client: Client): Promise<void> {
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 25 }, () => client('GET', '/customers.php?id=1')))
    await sleep(120)
  }
}

/** How long the process's threads with this name have run, in milliseconds. */
function processorTimeOf(name: string): number {
  const threads = globSync('/proc/self/task/*').filter(
    (thread) => readFileSync(`${thread}/comm`, 'utf8').trim() === name,
  )
  const times = threads.map((thread) => Number(readFileSync(`${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
  return times.reduce((sum, time) => sum + time, 0)
}

const readPaths = [
  { onMainThread: false, by: 'on a reader thread' },
  { onMainThread: true, by: 'on the main thread' },
]

test('sequential reads use one reader thread; a second thread starts when a read has to wait', {
  skip: !existsSync('/proc/self/task'),
}, async () => {
  const [client, other] = [await tenant('one-by-one'), await tenant('in-turn')]
  for (const reader of [client, other]) await reader('POST', '/customers.php', { name: 'first' })
  assert.equal(countThreads('reader'), 0)
  for (let round = 0; round < 20; round++) for (const reader of [client, other]) await reader('GET', '/customers.php')
  assert.equal(countThreads('reader'), 1)
  await fill(client, 'one-by-one', 300_000)
  let isListing = true
  const long = client('GET', longList).finally(() => {
    isListing = false
  })
  while (isListing) await other('GET', '/customers.php') // one of these reads waits for the long list
  assert.equal((await long).status, 200)
  await eventually('the second thread has started', () => countThreads('reader') === 2)
})

test('a tenant is read on the main thread, however many of its reads arrive at the same time', {
  skip: !existsSync('/proc/self/task'),
}, async () => {
  const client = await createTenantOnMainThread('together')
  const [before, startedAt] = [processorTimeOf('reader'), process.cpuUsage()]
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 300 }, () => client('GET', '/customers.php?id=1')))
  const { user, system } = process.cpuUsage(startedAt)
  const share = (processorTimeOf('reader') - before) / ((user + system) / 1000)
  assert.ok(share < 0.02, `reader threads have used ${(share * 100).toFixed(1)}% of the processor time`)
})

test('a read sees every acknowledged write, however many writes run concurrently', async () => {
  const client = await createWarmTenant('own-writes')
  await Promise.all(
    [1, 2, 3, 4].map(async (writer) => {
      for (let round = 0; round < 150; round++) {
        const { body } = await client('POST', '/customers.php', { name: `${writer}` })
        const found = await client('GET', `/customers.php?id=${body.id}`)
        assert.equal(found.status, 200)
        await client('PUT', `/customers.php?id=${body.id}`, { city: `${round}` })
        const list = await client('GET', `/customers.php?id[in]=${body.id}&q=${round}`)
        assert.equal(list.body.data.length, 1, list.text)
        await client('DELETE', `/customers.php?id=${body.id}`)
        assert.equal((await client('GET', `/customers.php?id=${body.id}`)).status, 404)
      }
    }),
  )
})

test('long lists do not delay writes of their own tenant or of another tenant', async () => {
  const [client, other] = [await createWarmTenant('long'), await createWarmTenant('other')]
  await fill(client, 'long', 300_000)
  let isListing = true
  const lists = Promise.all([1, 2].map(() => client('GET', longList))).then((responses) => {
    isListing = false
    return responses
  })
  let answered = 0 // would be 1 if the writes waited for the lists
  while (isListing) {
    assert.equal((await client('POST', '/customers.php', { name: 'meanwhile' })).status, 201)
    assert.equal((await other('POST', '/customers.php', { name: 'meanwhile' })).status, 201)
    answered++
  }
  for (const { status } of await lists) assert.equal(status, 200)
  assert.ok(answered >= 2, `${answered} rounds of writes during the lists`)
})

for (const { onMainThread, by } of readPaths) {
  const slugOf = (name: string) => (onMainThread ? `${name}-near` : name)

  test(`the next read ${by} notices that a file was moved away or put back`, async () => {
    const client = await (onMainThread ? createTenantOnMainThread : createWarmTenant)(slugOf('moved'))
    const tenantDatabase = await tenantDatabaseOf(environment, slugOf('moved'))
    for (let round = 0; round < 3; round++) {
      await tenantDatabase.hide()
      assert.equal((await client('GET', '/customers.php?id=1')).status, 503)
      assert.equal((await client('GET', '/customers.php')).status, 503)
      await tenantDatabase.show()
      assert.equal((await client('POST', '/customers.php', { name: `turn ${round}` })).status, 201)
      assert.equal((await client('GET', '/customers.php')).body.data.length, round + 2)
      if (onMainThread) await readOften(client)
      else await client('GET', '/customers.php')
    }
  })

  test(`a read ${by} sees changes made by another process`, async () => {
    const client = await (onMainThread ? createTenantOnMainThread : createWarmTenant)(slugOf('changed'))
    const tenantDatabase = await tenantDatabaseOf(environment, slugOf('changed'))
    await eventually('the WAL is checkpointed', () => isCheckpointed(fileOf(tenantDatabase.id)))
    await tenantDatabase.run(
      `update customers set name = 'external', json_tail = null; pragma wal_checkpoint(truncate)`,
    )
    for (let round = 0; round < 3; round++) {
      assert.equal((await client('GET', '/customers.php?id=1')).body.name, 'external')
    }
  })

  test(`a file that is read ${by} is checkpointed completely when idle, and closed when deleted`, {
    skip: !existsSync('/proc/self/fd'),
  }, async () => {
    const slug = slugOf('quiet')
    const client = await (onMainThread ? createTenantOnMainThread : createWarmTenant)(slug)
    await requireCompleteAndClosed(client, slug)
  })
}

function fileOf(id: string): string {
  return globSync(`${environment.DATA_DIR}/tenants/*/${id}.sqlite`)[0]!
}

async function requireCompleteAndClosed(client: Client, slug: string): Promise<void> {
  const { id } = await tenantDatabaseOf(environment, slug)
  const file = fileOf(id)
  await client('POST', '/customers.php', { name: 'second' })
  await client('GET', '/customers.php')
  await eventually('the WAL is checkpointed', () => isCheckpointed(file))
  const withoutWal = new DatabaseSync(`file:${file}?immutable=1`, { readOnly: true })
  assert.equal(withoutWal.prepare('select count(*) as count from customers').get()!.count, 2)
  withoutWal.close()
  await client('POST', '/customers.php', { name: 'third' })
  await client('GET', '/customers.php')
  await command(environment, 'tenant', 'delete', slug, '--yes')
  // At once if the writer has maintenance to do for the file, and otherwise when the file has been unused for a minute
  const withinMs = 60_000 + boundedMs
  const isClosed = () => !openFilesOf('self').some((path) => path.includes(`${id}.sqlite`))
  await eventually('the file is closed', isClosed, { withinMs })
}

test('the search index reflects records that were changed or deleted after they were indexed', async () => {
  const client = await tenant('indexed')
  await createAllDeferredIndexes(environment, 'indexed')
  await warmUp(client)
  const tenantDatabase = await tenantDatabaseOf(environment, 'indexed')
  const waitUntilIndexed = () =>
    eventually('the search index is complete', async () => (await countUnindexed(tenantDatabase)) === 0)
  const forEachId = (send: (id: number) => Promise<unknown>) =>
    Promise.all(Array.from({ length: 150 }, (_, index) => send(index + 2)))
  await forEachId((id) => client('POST', '/customers.php', { name: `number ${id}` }))
  await waitUntilIndexed()
  await client('PUT', '/customers.php?id=1', { name: 'changed since' })
  await forEachId((id) => client('DELETE', `/customers.php?id=${id}`))
  await waitUntilIndexed()
  const found = await client('GET', '/customers.php?q=changed')
  assert.deepEqual(
    found.body.data.map(({ id }: { id: number }) => id),
    [1],
  )
  assert.equal((await client('GET', '/customers.php?q=number')).body.data.length, 0)
})

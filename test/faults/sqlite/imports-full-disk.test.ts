// The disk of a tenant's database is full while a file is uploaded, checked and applied: the import waits and continues as
// soon as there is space, other tenants are served, and nothing is half done.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { countsOf, importFile, uploadImport, waitForImport } from '../../support/api/imports.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { createNeighbour, createTenantLoad } from '../../support/faults/load.ts'
import { fillDisk, mountSmall, unmount } from '../../support/faults/small-disk.ts'
import { type Client, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

const environment = { DATA_DIR: temporaryDirectory() } // outside of the test, so that it is deleted after unmounting

const rows = 20_000

function fileOf(mark: string): string {
  return ['external_id,name', ...Array.from({ length: rows }, (_, index) => `${mark}-${index},Branch`)].join('\n')
}

/** Cannot be compressed to the size of the space that a write-ahead log leaves free on a full disk. */
const largeFile = `name,notes\n${Array.from({ length: 20_000 }, () => `A,${randomBytes(300).toString('base64')}`).join('\n')}`

/** Fills the disk as soon as the import has made some progress in this state. Returns what empties the disk again. */
async function fillDuring(state: string, client: Client, id: number, directory: string): Promise<() => void> {
  await eventually(
    `the import is ${state}`,
    async () => {
      const { body } = await client('GET', `/imports.php?id=${id}`)
      return body.state === state && body.processed > 0
    },
    { everyMs: 2 },
  )
  const filler = join(directory, 'filler')
  fillDisk(filler)
  return () => rmSync(filler)
}

test('an import whose disk is full waits, and continues as soon as there is space', async (context) => {
  const victim = await createTenantLoad(environment, 'victim', 1)
  const neighbour = await createNeighbour(environment, victim, 'neighbour', 1)
  const { id: tenantId, all } = await tenantDatabaseOf(environment, 'victim')
  const directory = dirname(join(environment.DATA_DIR, 'tenants', tenantId.slice(0, 2), tenantId))
  renameSync(directory, `${directory}.original`)
  mkdirSync(directory)
  if (!mountSmall(directory, 64)) return context.skip('mounting is not permitted')
  context.after(() => unmount(directory))
  spawnSync('cp', ['-r', `${directory}.original/.`, directory])
  const server = await startProcess(environment, { nodes: 1 })
  context.after(() => server.end('SIGKILL'))
  const [client, other] = [victim, neighbour].map(({ token }) => networkClient(server.url, token)) as [Client, Client]

  for (const state of ['checking', 'running']) {
    const { body } = await uploadImport(client, 'resource=customers&mode=valid_rows', fileOf(state))
    const empty = await fillDuring(state, client, body.id, directory)
    assert.equal((await importFile(other, 'resource=customers&mode=valid_rows', 'name\nServed\n')).created, 1)
    const { status, body: unfinished } = await client('GET', `/imports.php?id=${body.id}`)
    // A check may end within the space that the write-ahead log already has; then the run waits.
    assert.deepEqual([status, unfinished.finished_at], [200, null], unfinished.state)
    empty()
    const done = await waitForImport(client, body.id, { withinMs: 90_000 })
    assert.deepEqual([done.state, countsOf(done)], ['done', `${rows} 0 0 0`])
    const [changes] = await all(`select count(*) as rows, count(distinct record_id) as records from changes
      where change_set = '${done.change_set}'`)
    assert.deepEqual([Number(changes!.rows), Number(changes!.records)], [rows, rows])
  }

  const filler = join(directory, 'filler')
  fillDisk(filler)
  const { body: before } = await client('GET', '/imports.php')
  const refused = await uploadImport(client, 'resource=customers', largeFile)
  assert.deepEqual([refused.status, (await client('GET', '/imports.php')).body.data], [503, before.data])
  assert.ok(refused.headers['retry-after'])
  rmSync(filler)
  const again = await eventually('the file is accepted', async () => {
    const { status, body } = await uploadImport(client, 'resource=customers', fileOf('accepted'))
    return status === 202 && body
  })
  assert.equal((await waitForImport(client, again.id, { withinMs: 60_000 })).created, rows)
})

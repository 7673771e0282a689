// Other programs change a tenant's files while the service writes to them, or while it is stopped.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { random, withSeed } from '../../support/faults/exactly-once.ts'
import {
  createNeighbour,
  createTenantLoad,
  isFullRun,
  requireChangesAppliedOnce,
  requireServedAgain,
  runDuringFault,
  runLoadDuring,
  sample,
  type TenantLoad,
} from '../../support/faults/load.ts'
import {
  type Client,
  type Environment,
  type Json,
  networkClient,
  startProcess,
  temporaryDirectory,
} from '../../support/service.ts'

/** A change to a tenant's files, and how to undo it. `causesRefusals`: whether requests are refused until the change is
 *  undone. `isPermitted`: whether this machine allows the change. */
type ExternalChange = {
  what: string
  apply: (path: string, other: string) => void
  undo?: (path: string) => void
  causesRefusals?: true
  isPermitted?: () => boolean
}

/** Moves the file away and optionally puts something else in its place. `undo` moves the file back. */
function replacement(what: string, replace: (path: string, other: string) => void): ExternalChange {
  return {
    what,
    apply(path, other) {
      renameSync(path, `${path}.away`)
      replace(path, other)
    },
    undo(path) {
      rmSync(path, { recursive: true, force: true })
      renameSync(`${path}.away`, path)
    },
    causesRefusals: true,
  }
}

const externalChanges: ExternalChange[] = [
  replacement("a tenant's file is moved away", () => {}),
  replacement("a tenant's file is replaced by a directory", (path) => mkdirSync(path)),
  replacement("a tenant's file is replaced by a link to another tenant's file", (path, other) =>
    symlinkSync(other, path),
  ),
  replacement("a tenant's file is replaced by another tenant's file", (path, other) => copyFileSync(other, path)),
  { what: "a tenant's WAL index is removed", apply: (path) => rmSync(`${path}-shm`, { force: true }) },
  {
    what: "a tenant's directory is read-only",
    apply: (path) => makeReadOnly(dirname(path)),
    undo: (path) => void spawnSync('umount', ['-l', dirname(path)]),
    isPermitted: canMount,
  },
  {
    what: "a tenant's file is immutable",
    apply: (path) => void makeImmutable(path),
    undo: (path) => void makeImmutable(path, false),
    isPermitted: canMakeImmutable,
  },
  { what: "a tenant's WAL is removed", apply: (path) => rmSync(`${path}-wal`, { force: true }) },
]

/** Makes a file immutable, even for the superuser, or mutable again. Returns whether this succeeded. */
function makeImmutable(path: string, isImmutable = true): boolean {
  return spawnSync('chattr', [isImmutable ? '+i' : '-i', path]).status === 0
}

function canMakeImmutable(): boolean {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, '')
  return makeImmutable(path) && makeImmutable(path, false)
}

function canMount(): boolean {
  const directory = temporaryDirectory()
  makeReadOnly(directory)
  return spawnSync('umount', [directory]).status === 0
}

/** Makes the directory read-only: no file in it can be created, removed or opened for writing. */
function makeReadOnly(directory: string): void {
  spawnSync('mount', ['--bind', directory, directory])
  spawnSync('mount', ['-o', 'remount,ro,bind', directory])
}

async function fileOf(environment: Environment, { slug }: TenantLoad): Promise<string> {
  const { id } = await tenantDatabaseOf(environment, slug)
  return join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`)
}

test("external changes to a tenant's files under load", async (context) => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const server = await startProcess(environment)
  const clientOf = (token: string) => networkClient(server.url, token)
  for (const [index, { what, apply, undo, causesRefusals, isPermitted }] of sample([...externalChanges.entries()], 1)) {
    const skip = isPermitted !== undefined && !isPermitted() && 'this machine does not permit it'
    await context.test(`${what}: no change is lost or repeated; no other tenant is affected`, { skip }, async () => {
      const victim = await createTenantLoad(environment, `a-${index}`, 4)
      const loads: [TenantLoad, TenantLoad] = [victim, await createNeighbour(environment, victim, `b-${index}`, 2)]
      const [path, other] = [await fileOf(environment, loads[0]), await fileOf(environment, loads[1])]
      await runDuringFault(environment, clientOf, loads, async (progress) => {
        await eventually('clients are sending requests', () => progress.responses >= 20, { everyMs: 1 })
        await wait(random() * 20)
        apply(path, other)
        try {
          await wait(200 + random() * 200)
          progress.isPaused = true
          await wait(random() * 400)
          progress.isPaused = false
          if (causesRefusals) await eventually('a request is refused', () => progress.refused > 0)
        } finally {
          undo?.(path)
        }
        await wait(100)
      })
    })
  }
})

test('a change acknowledged after the WAL was removed survives a crash', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const load = await createTenantLoad(environment, 'acme', 1)
  const path = await fileOf(environment, load)
  const server = await startProcess(environment)
  const client = networkClient(server.url, load.token)
  for (const name of ['A', 'B', 'C']) {
    assert.equal((await client('POST', '/customers.php', { name })).status, 201)
    if (name !== 'C') rmSync(`${path}-wal`, { force: true })
  }
  await server.end('SIGKILL')
  const restarted = await startProcess(environment)
  const { body } = await networkClient(restarted.url, load.token)('GET', '/customers.php')
  assert.deepEqual(
    body.data.map(({ name }: Json) => name),
    ['A', 'B', 'C'],
  )
})

/** Damage to a WAL or its index between a crash and the next start. */
const crashDamages: { what: string; apply: (path: string) => void; losesChanges?: true }[] = [
  { what: 'the WAL index is removed', apply: (path) => rmSync(`${path}-shm`) },
  { what: 'the WAL index is truncated', apply: (path) => truncateSync(`${path}-shm`, 100) },
  {
    what: 'the WAL index is overwritten with random bytes',
    apply: (path) => writeFileSync(`${path}-shm`, randomBytes(32768)),
  },
  { what: 'the WAL is removed', apply: (path) => rmSync(`${path}-wal`), losesChanges: true },
  {
    what: 'the WAL and its index are removed',
    apply: (path) => removeWalAndIndex(path),
    losesChanges: true,
  },
  {
    what: 'the WAL is truncated',
    apply: (path) => cut(`${path}-wal`, random()),
    losesChanges: true,
  },
  { what: 'the WAL ends in random bytes', apply: (path) => corruptEnd(`${path}-wal`), losesChanges: true },
]

function removeWalAndIndex(path: string): void {
  for (const each of globSync(`${path}-*`)) rmSync(each)
}

/** Truncates a file, if it exists, to a part of its size. */
function cut(path: string, part: number): void {
  if (existsSync(path)) truncateSync(path, Math.floor(part * statSync(path).size))
}

function corruptEnd(path: string): void {
  const from = Math.floor(random() * statSync(path).size)
  const descriptor = openSync(path, 'r+')
  writeSync(descriptor, randomBytes(statSync(path).size - from), 0, null, from)
  closeSync(descriptor)
}

for (const [index, { what, apply, losesChanges }] of sample([...crashDamages.entries()], 1)) {
  test(`${what} after a crash: ${losesChanges ? 'the remaining data is consistent' : 'nothing is lost'}`, async () => {
    const environment = { DATA_DIR: temporaryDirectory() }
    const loads: [TenantLoad, TenantLoad] = [
      await createTenantLoad(environment, `a-${index}`, 4),
      await createTenantLoad(environment, `b-${index}`, 2),
    ]
    const path = await fileOf(environment, loads[0])
    const server = await startProcess(environment)
    const clientOf = ({ token }: TenantLoad) => networkClient(server.url, token)
    await runLoadDuring(loads[1], clientOf(loads[1]), async () => {
      await runLoadDuring(loads[0], clientOf(loads[0]), async (progress) => {
        // Few enough changes that SQLite runs no checkpoint. After a checkpoint, a truncated WAL could contain older
        // pages than the file.
        const enough = 10 + random() * 15
        await eventually('clients are sending requests', () => progress.responses >= enough, { everyMs: 1 })
        await server.end('SIGKILL')
      })
    })
    apply(path)
    const restarted = await startProcess(environment)
    const [victim, other] = loads.map(({ token }) => networkClient(restarted.url, token))
    await requireChangesAppliedOnce(environment, other!, loads[1])
    if (losesChanges) await requireConsistentHistory(environment, victim!, loads[0])
    else await requireChangesAppliedOnce(environment, victim!, loads[0])
  })
}

/** Asserts that each change is either stored completely or lost completely. The last changes may be lost with the
 *  WAL. */
async function requireConsistentHistory(environment: Environment, client: Client, { slug }: TenantLoad): Promise<void> {
  assert.equal((await client('POST', '/customers.php', { name: 'Afterwards' })).status, 201)
  const { all } = await tenantDatabaseOf(environment, slug)
  assert.equal((await all('pragma integrity_check'))[0].integrity_check, 'ok', withSeed('integrity'))
  const [{ changes, last, records, kept }] = await all(`select count(*) as changes, max(seq) as last,
    (select count(*) from customers) as records,
    (select sum(case action when 'create' then 1 when 'delete' then -1 else 0 end) from changes) as kept from changes`)
  assert.deepEqual([changes, records], [last, kept], withSeed('one row per change, without gaps'))
}

/** A truncated WAL can leave the database inconsistent. The test therefore only requires that other tenants are
 *  unaffected, and that the service serves a copy that replaces the database. */
test('truncating a WAL under load does not affect other tenants, and the database can be restored from a copy', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const [victim, neighbour] = [
    await createTenantLoad(environment, 'victim', 1),
    await createTenantLoad(environment, 'neighbour', 2),
  ]
  const path = await fileOf(environment, victim)
  const copy = join(temporaryDirectory(), 'copy')
  copyFileSync(path, copy)
  const server = await startProcess(environment)
  const [client, other] = [victim, neighbour].map(({ token }) => networkClient(server.url, token)) as [Client, Client]
  const { refused } = await runLoadDuring(neighbour, other, async () => {
    for (let index = 0; index < (isFullRun ? 500 : 50); index++) {
      if (random() < 0.1) cut(`${path}-wal`, random() < 0.5 ? 0 : random())
      const burst = Array.from({ length: 3 }, () => client('POST', '/customers.php', { name: `${index}` }))
      const responses = await Promise.all([...burst, client('GET', '/customers.php')])
      for (const { status } of responses) assert.ok([200, 201, 503].includes(status), withSeed(String(status)))
      if (random() < 0.02) await wait(300)
    }
  })
  assert.equal(refused, 0, withSeed('no request of the other tenant is refused'))
  await requireChangesAppliedOnce(environment, other, neighbour)
  removeWalAndIndex(path)
  rmSync(path)
  assert.equal((await client('GET', '/customers.php')).status, 503)
  copyFileSync(copy, path)
  await requireServedAgain(client)
  await runLoadDuring(victim, client, (progress) => until(() => progress.responses > 10))
  await requireChangesAppliedOnce(environment, client, victim)
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await wait(1)
}

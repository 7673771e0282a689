// What others do to a tenant's files while it is written to, or while the server is down.

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
import { eventually } from '../support/eventually.ts'
import { random, withSeed } from '../support/exactly-once.ts'
import {
  createTenantLoad,
  isFull,
  requireChangesAppliedOnce,
  requireServedAgain,
  runDuringFault,
  runLoadDuring,
  sample,
  type TenantLoad,
} from '../support/load.ts'
import {
  type Client,
  type Environment,
  type Json,
  networkClient,
  startProcess,
  temporaryDirectory,
} from '../support/service.ts'
import { tenantDatabaseOf } from '../support/tenant-database.ts'

/** Something that is done to the files of a tenant, and undone. `isFelt`: requests are refused meanwhile. `needs`: whether it
 *  can be done here. */
type Harm = {
  what: string
  strike: (path: string, other: string) => void
  mend?: (path: string) => void
  isFelt?: true
  needs?: () => boolean
}

/** The file moves away, something else may take its place; later it moves back. */
function replaced(what: string, impostor: (path: string, other: string) => void): Harm {
  return {
    what,
    strike(path, other) {
      renameSync(path, `${path}.away`)
      impostor(path, other)
    },
    mend(path) {
      rmSync(path, { recursive: true, force: true })
      renameSync(`${path}.away`, path)
    },
    isFelt: true,
  }
}

const harms: Harm[] = [
  replaced('its file is away', () => {}),
  replaced('a directory is in the place of its file', (path) => mkdirSync(path)),
  replaced("a link to another tenant's file is in the place of its file", (path, other) => symlinkSync(other, path)),
  replaced("another tenant's file is in the place of its file", (path, other) => copyFileSync(other, path)),
  { what: 'its index is removed', strike: (path) => rmSync(`${path}-shm`, { force: true }) },
  {
    what: 'its directory is read-only',
    strike: (path) => makeReadOnly(dirname(path)),
    mend: (path) => void spawnSync('umount', ['-l', dirname(path)]),
    needs: canMount,
  },
  {
    what: 'its file is immutable',
    strike: (path) => void makeImmutable(path),
    mend: (path) => void makeImmutable(path, false),
    needs: canMakeImmutable,
  },
  { what: 'its log is removed', strike: (path) => rmSync(`${path}-wal`, { force: true }) },
]

/** Lets nobody change a file, not even the superuser, for whom permissions are no hindrance; whether that is possible. */
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

/** Nothing can be made, removed or opened for writing in the directory. */
function makeReadOnly(directory: string): void {
  spawnSync('mount', ['--bind', directory, directory])
  spawnSync('mount', ['-o', 'remount,ro,bind', directory])
}

async function fileOf(environment: Environment, { slug }: TenantLoad): Promise<string> {
  const { id } = await tenantDatabaseOf(environment, slug)
  return join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`)
}

test('external changes to the files of a tenant under load', async (context) => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const server = await startProcess(environment)
  const clientOf = (token: string) => networkClient(server.url, token)
  for (const [at, { what, strike, mend, isFelt, needs }] of sample([...harms.entries()], 1)) {
    const skip = needs !== undefined && !needs() && 'this is not permitted here'
    await context.test(`${what}: nothing lost, nothing twice, no other disturbed`, { skip }, async () => {
      const crews: [TenantLoad, TenantLoad] = [
        await createTenantLoad(environment, `a-${at}`, 4),
        await createTenantLoad(environment, `b-${at}`, 2),
      ]
      const [path, other] = [await fileOf(environment, crews[0]), await fileOf(environment, crews[1])]
      const course = await runDuringFault(environment, clientOf, crews, async (course) => {
        await eventually('clients are at work', () => course.answered >= 20, { everyMs: 1 })
        await wait(random() * 20)
        strike(path, other)
        try {
          await wait(200 + random() * 200)
          course.isPaused = true
          await wait(random() * 400)
          course.isPaused = false
          await wait(100)
        } finally {
          mend?.(path)
        }
        await wait(100)
      })
      if (isFelt) assert.ok(course.refused > 0, withSeed('requests met it'))
    })
  }
})

test('a change acknowledged after its log was removed survives a crash', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const crew = await createTenantLoad(environment, 'acme', 1)
  const path = await fileOf(environment, crew)
  const server = await startProcess(environment)
  const client = networkClient(server.url, crew.token)
  for (const name of ['A', 'B', 'C']) {
    assert.equal((await client('POST', '/customers.php', { name })).status, 201)
    if (name !== 'C') rmSync(`${path}-wal`, { force: true })
  }
  await server.end('SIGKILL')
  const again = await startProcess(environment)
  const { body } = await networkClient(again.url, crew.token)('GET', '/customers.php')
  assert.deepEqual(
    body.data.map(({ name }: Json) => name),
    ['A', 'B', 'C'],
  )
})

/** What is done to a log or its index after a crash, before the next start. */
const aftermaths: { what: string; strike: (path: string) => void; isLoss?: true }[] = [
  { what: 'the index is removed', strike: (path) => rmSync(`${path}-shm`) },
  { what: 'the index is cut', strike: (path) => truncateSync(`${path}-shm`, 100) },
  { what: 'the index is noise', strike: (path) => writeFileSync(`${path}-shm`, randomBytes(32768)) },
  { what: 'the log is removed', strike: (path) => rmSync(`${path}-wal`), isLoss: true },
  {
    what: 'the log and the index are removed',
    strike: (path) => removeBeside(path),
    isLoss: true,
  },
  {
    what: 'the log is cut',
    strike: (path) => cut(`${path}-wal`, random()),
    isLoss: true,
  },
  { what: 'the log ends in noise', strike: (path) => spoilEnd(`${path}-wal`), isLoss: true },
]

function removeBeside(path: string): void {
  for (const each of globSync(`${path}-*`)) rmSync(each)
}

/** Leaves so much of a file, if there is one. */
function cut(path: string, part: number): void {
  if (existsSync(path)) truncateSync(path, Math.floor(part * statSync(path).size))
}

function spoilEnd(path: string): void {
  const from = Math.floor(random() * statSync(path).size)
  const descriptor = openSync(path, 'r+')
  writeSync(descriptor, randomBytes(statSync(path).size - from), 0, null, from)
  closeSync(descriptor)
}

for (const [at, { what, strike, isLoss }] of sample([...aftermaths.entries()], 1)) {
  test(`${what} after a crash: ${isLoss ? 'what is left is whole' : 'nothing is lost'}`, async () => {
    const environment = { DATA_DIR: temporaryDirectory() }
    const crews: [TenantLoad, TenantLoad] = [
      await createTenantLoad(environment, `a-${at}`, 4),
      await createTenantLoad(environment, `b-${at}`, 2),
    ]
    const path = await fileOf(environment, crews[0])
    const server = await startProcess(environment)
    const clientOf = ({ token }: TenantLoad) => networkClient(server.url, token)
    await runLoadDuring(crews[1], clientOf(crews[1]), async () => {
      await runLoadDuring(crews[0], clientOf(crews[0]), async (course) => {
        const enough = 10 + random() * 15 // before SQLite moves the log by itself: then its beginning is older than the file
        await eventually('clients are at work', () => course.answered >= enough, { everyMs: 1 })
        await server.end('SIGKILL')
      })
    })
    strike(path)
    const again = await startProcess(environment)
    const [struck, other] = crews.map(({ token }) => networkClient(again.url, token))
    await requireChangesAppliedOnce(environment, other!, crews[1])
    if (isLoss) await requireWholeHistory(environment, struck!, crews[0])
    else await requireChangesAppliedOnce(environment, struck!, crews[0])
  })
}

/** Changes may be lost with the log they were in: the last ones, and each of them whole. */
async function requireWholeHistory(environment: Environment, client: Client, { slug }: TenantLoad): Promise<void> {
  assert.equal((await client('POST', '/customers.php', { name: 'Afterwards' })).status, 201)
  const { all } = await tenantDatabaseOf(environment, slug)
  assert.equal((await all('pragma integrity_check'))[0].integrity_check, 'ok', withSeed('integrity'))
  const [{ changes, last, records, kept }] = await all(`select count(*) as changes, max(seq) as last,
    (select count(*) from customers) as records,
    (select sum(case action when 'create' then 1 when 'delete' then -1 else 0 end) from changes) as kept from changes`)
  assert.deepEqual([changes, records], [last, kept], withSeed('one row per change, without a gap'))
}

/** What is cut off is lost, and what is left may not fit together: nothing can be said of the tenant but that it does not
 *  disturb others, and that a copy put in its place is served. */
test('a log truncated under load affects no other tenant, and the database can be restored from a copy', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const [victim, beside] = [
    await createTenantLoad(environment, 'victim', 1),
    await createTenantLoad(environment, 'beside', 2),
  ]
  const path = await fileOf(environment, victim)
  const copy = join(temporaryDirectory(), 'copy')
  copyFileSync(path, copy)
  const server = await startProcess(environment)
  const [client, other] = [victim, beside].map(({ token }) => networkClient(server.url, token)) as [Client, Client]
  const { refused } = await runLoadDuring(beside, other, async () => {
    for (let at = 0; at < (isFull ? 500 : 50); at++) {
      if (random() < 0.1) cut(`${path}-wal`, random() < 0.5 ? 0 : random())
      const burst = Array.from({ length: 3 }, () => client('POST', '/customers.php', { name: `${at}` }))
      const answers = await Promise.all([...burst, client('GET', '/customers.php')])
      for (const { status } of answers) assert.ok([200, 201, 503].includes(status), withSeed(String(status)))
      if (random() < 0.02) await wait(300)
    }
  })
  assert.equal(refused, 0, withSeed('the other was refused'))
  await requireChangesAppliedOnce(environment, other, beside)
  removeBeside(path)
  rmSync(path)
  assert.equal((await client('GET', '/customers.php')).status, 503)
  copyFileSync(copy, path)
  await requireServedAgain(client)
  await runLoadDuring(victim, client, (course) => until(() => course.answered > 10))
  await requireChangesAppliedOnce(environment, client, victim)
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await wait(1)
}

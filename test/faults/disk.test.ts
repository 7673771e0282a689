// A disk that fails or is full, under load: what was answered is there, what was refused is not, and the tenant comes back by
// itself when the disk does.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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
import { type Environment, networkClient, startProcess, temporaryDirectory } from '../support/service.ts'
import { inject, straceMissing } from '../support/strace.ts'
import { insertRecords, tenantDatabaseOf } from '../support/tenant-database.ts'

/** What fails on which of a tenant's files: all three, unless said. Whoever changes something feels it, or nobody need. */
type Fault = { on: string; fails: string[]; isFelt?: true }

const [file, log, index, all] = ['', '-wal', '-shm', '*']

const faults: Fault[] = [
  { on: log, fails: ['fsync:error=EIO'], isFelt: true },
  { on: log, fails: ['fsync:error=EIO:when=1'], isFelt: true },
  { on: log, fails: ['fsync:error=EIO:when=2+5'], isFelt: true },
  { on: log, fails: ['fsync:error=ENOSPC:when=3+2'], isFelt: true },
  { on: log, fails: ['pwrite64:error=ENOSPC'], isFelt: true },
  { on: log, fails: ['pwrite64:error=ENOSPC:when=7+31'], isFelt: true },
  { on: log, fails: ['pwrite64:error=EIO:when=2+40'], isFelt: true },
  { on: log, fails: ['pread64:error=EIO:when=1+3'] },
  { on: log, fails: ['ftruncate:error=EIO'] },
  { on: log, fails: ['unlink:error=EIO', 'fsync:error=EIO:when=2+3'], isFelt: true },
  { on: file, fails: ['fsync:error=EIO'] },
  { on: file, fails: ['pwrite64:error=ENOSPC'] },
  { on: file, fails: ['pwrite64:error=EIO:when=3+2'] },
  { on: file, fails: ['pread64:error=EIO'] },
  { on: file, fails: ['fcntl:error=ENOLCK'] },
  { on: index, fails: ['pwrite64:error=ENOSPC', 'openat:error=ENOSPC:when=1+2'] },
  { on: all, fails: ['fsync:error=EIO:when=1+3', 'openat:error=EMFILE:when=1+2'], isFelt: true },
  { on: all, fails: ['pwrite64:error=ENOSPC'], isFelt: true },
  { on: all, fails: ['fsync:error=EIO', 'pwrite64:error=EIO:when=9+'], isFelt: true },
]

function pathsOf(path: string, on: string): string[] {
  return on === all ? [file, log, index].map((end) => path + end) : [path + on]
}

async function fileOf(environment: Environment, { slug }: TenantLoad): Promise<string> {
  const { id } = await tenantDatabaseOf(environment, slug)
  return join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`)
}

test('a disk that fails under load', { skip: straceMissing }, async (context) => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const server = await startProcess(environment)
  const clientOf = (token: string) => networkClient(server.url, token)

  async function newCrews(name: string): Promise<[TenantLoad, TenantLoad]> {
    return [
      await createTenantLoad(environment, `victim-${name}`, 4),
      await createTenantLoad(environment, `beside-${name}`, 2),
    ]
  }

  for (const [at, { on, fails, isFelt }] of sample([...faults.entries()], 1)) {
    const where = `${fails.join(' and ')} on the tenant's ${on === all ? 'files' : `file${on}`}`
    await context.test(`${where}: nothing lost, nothing twice, no other disturbed`, async () => {
      const crews = await newCrews(String(at))
      const paths = pathsOf(await fileOf(environment, crews[0]), on)
      const { refused } = await runDuringFault(environment, clientOf, crews, async (course) => {
        await eventually('clients are at work', () => course.answered >= 5, { everyMs: 1 })
        const failing = await inject(server.process.pid!, paths, fails)
        await wait(200 + random() * 200)
        course.isPaused = true // the log is moved, the file closed
        await wait(random() * 500)
        course.isPaused = false
        await wait(random() * 200)
        await failing.end()
      })
      if (isFelt) assert.ok(refused > 0, withSeed('requests met the fault'))
    })
  }
})

test('a change refused because the log could not be synced is never applied', {
  skip: straceMissing,
}, async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const crew = await createTenantLoad(environment, 'victim', 1)
  const server = await startProcess(environment)
  const client = networkClient(server.url, crew.token)
  assert.equal((await client('POST', '/customers.php', { name: 'Before' })).status, 201)
  const failing = await inject(server.process.pid!, [`${await fileOf(environment, crew)}-wal`], ['fsync:error=EIO'])
  for (let times = 0; times < 3; times++) {
    assert.equal((await client('POST', '/customers.php', { name: 'Refused' })).status, 503)
    assert.equal((await client('GET', '/customers.php')).body.data.length, 1, 'what is refused is not seen')
  }
  await server.end('SIGKILL')
  await failing.end()
  const again = await startProcess(environment)
  const { body } = await networkClient(again.url, crew.token)('GET', '/customers.php')
  assert.equal(body.data.length, 1, 'nor after a crash')
})

test('a disk that is slow to read delays the reads of its tenant but not the whole server', {
  skip: straceMissing,
}, async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const crew = await createTenantLoad(environment, 'slow', 0)
  const inside = await tenantDatabaseOf(environment, crew.slug)
  const count = 4000
  await insertRecords(inside, 'customers', count, { name: `'N'`, notes: `printf('%.2000c', 'x')` })
  const server = await startProcess(environment)
  const client = networkClient(server.url, crew.token)
  let isOver = false
  const readAll = async () => {
    while (!isOver) {
      const id = 1 + Math.floor(random() * count)
      assert.equal((await client('GET', `/customers.php?id=${id}`)).status, 200)
    }
  }
  const failing = await inject(server.process.pid!, pathsOf(await fileOf(environment, crew), all), [
    'pread64:delay_enter=20000',
  ])
  const reads = Promise.all(Array.from({ length: 16 }, readAll))
  const times: number[] = []
  for (let turn = 0; turn < 60; turn++) {
    const begun = performance.now()
    assert.equal((await fetch(new URL('/healthz', server.url))).status, 200)
    times.push(performance.now() - begun)
    await wait(20)
  }
  isOver = true
  await failing.end()
  await reads
  const median = times.sort((one, other) => one - other)[30]!
  assert.ok(median < 40, withSeed(`the server answered after ${median} ms`)) // a turn of the slow reads takes hundreds
})

const lasting = faults.filter(({ isFelt, fails }) => isFelt && !fails.includes('fsync:error=EIO:when=1'))

for (const { on, fails } of sample(lasting, 1)) {
  test(`kill -9 while ${fails.join(' and ')}: as if the disk had not failed`, { skip: straceMissing }, async () => {
    const environment = { DATA_DIR: temporaryDirectory() }
    const crew = await createTenantLoad(environment, 'victim', 4)
    const server = await startProcess(environment)
    const failing = await inject(server.process.pid!, pathsOf(await fileOf(environment, crew), on), fails)
    await runLoadDuring(crew, networkClient(server.url, crew.token), async (course) => {
      await eventually('requests are refused', () => course.refused >= 3)
      await wait(random() * 200)
      await server.end('SIGKILL')
    })
    await failing.end()
    const again = await startProcess(environment)
    await requireChangesAppliedOnce(environment, networkClient(again.url, crew.token), crew)
  })
}

/** Mounts a small file system in memory, with room for a log as long as it gets; whether that is permitted. */
function mountSmall(directory: string): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m,mode=700', 'tmpfs', directory]).status === 0
}

test('a full disk refuses changes, and the tenant works again once there is space', async (context) => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const crews: [TenantLoad, TenantLoad] = [
    await createTenantLoad(environment, 'victim', 4),
    await createTenantLoad(environment, 'neighbour', 2),
  ]
  const path = await fileOf(environment, crews[0])
  const directory = dirname(path)
  renameSync(directory, `${directory}.whole`)
  mkdirSync(directory)
  if (!mountSmall(directory)) return context.skip('mounting is not permitted')
  try {
    spawnSync('cp', ['-r', `${directory}.whole/.`, directory])
    await requireRefusalsWhileFull(environment, crews, path)
  } finally {
    spawnSync('umount', ['-l', directory])
  }
})

async function requireRefusalsWhileFull(
  environment: Environment,
  crews: [TenantLoad, TenantLoad],
  path: string,
): Promise<void> {
  const directory = dirname(path)
  assert.notEqual(directory, dirname(await fileOf(environment, crews[1])), withSeed('the neighbour is elsewhere'))
  const server = await startProcess(environment)
  const clientOf = (token: string) => networkClient(server.url, token)
  const rounds = isFull ? 10 : 1
  const { refused } = await runDuringFault(environment, clientOf, crews, async (course) => {
    for (let times = 0; times < rounds; times++) {
      const [done, met] = [course.answered, course.refused]
      await eventually('clients are at work', () => course.answered >= done + 20, { everyMs: 1 })
      fill(join(directory, 'filler'))
      for (let turn = 0; turn < 1000 && course.refused < met + 10; turn++) await wait(5)
      rmSync(join(directory, 'filler'))
      await requireServedAgain(clientOf(crews[0].token))
    }
  })
  assert.ok(refused >= 10 * rounds, withSeed('requests met the full disk'))
}

/** Writes until nothing more fits. */
function fill(path: string): void {
  for (const size of [65536, 4096, 512]) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' })
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
    }
  }
}

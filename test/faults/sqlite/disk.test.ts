// A disk fails or is full under load. Acknowledged changes are stored, refused ones are not, and the tenant recovers as
// soon as the disk works again. A slow disk delays only the tenant stored on it.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createLogger } from '../../../src/lib/log.ts'
import { insertRecords, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { random, withSeed } from '../../support/faults/exactly-once.ts'
import { sizeOf } from '../../support/faults/files.ts'
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
import { fillDisk, mountSmall, unmount } from '../../support/faults/small-disk.ts'
import { injectFaults, straceSkipReason } from '../../support/faults/strace.ts'
import { createPanelUser, signIn } from '../../support/panel/panel-client.ts'
import {
  command,
  type Environment,
  type Json,
  makeTenant,
  networkClient,
  startProcess,
  startService,
  temporaryDirectory,
} from '../../support/service.ts'

/** System calls that fail, on one or all of a tenant's files. `causesRefusals`: whether changes are refused during the
 *  fault. */
type Fault = { on: string; fails: string[]; causesRefusals?: true }

const [file, log, index, all] = ['', '-wal', '-shm', '*']

const faults: Fault[] = [
  { on: log, fails: ['fsync:error=EIO'], causesRefusals: true },
  { on: log, fails: ['fsync:error=EIO:when=1'] }, // may hit a checkpoint's fsync; then no change is refused
  { on: log, fails: ['fsync:error=EIO:when=2+5'], causesRefusals: true },
  { on: log, fails: ['fsync:error=ENOSPC:when=3+2'], causesRefusals: true },
  { on: log, fails: ['pwrite64:error=ENOSPC'], causesRefusals: true },
  { on: log, fails: ['pwrite64:error=ENOSPC:when=7+31'], causesRefusals: true },
  { on: log, fails: ['pwrite64:error=EIO:when=2+40'], causesRefusals: true },
  { on: log, fails: ['pread64:error=EIO:when=1+3'] },
  { on: log, fails: ['ftruncate:error=EIO'] },
  { on: log, fails: ['unlink:error=EIO', 'fsync:error=EIO:when=2+3'], causesRefusals: true },
  { on: file, fails: ['fsync:error=EIO'] },
  { on: file, fails: ['pwrite64:error=ENOSPC'] },
  { on: file, fails: ['pwrite64:error=EIO:when=3+2'] },
  { on: file, fails: ['pread64:error=EIO'] },
  { on: file, fails: ['fcntl:error=ENOLCK'] },
  { on: index, fails: ['pwrite64:error=ENOSPC', 'openat:error=ENOSPC:when=1+2'] },
  { on: all, fails: ['fsync:error=EIO:when=1+3', 'openat:error=EMFILE:when=1+2'], causesRefusals: true },
  { on: all, fails: ['pwrite64:error=ENOSPC'], causesRefusals: true },
  { on: all, fails: ['fsync:error=EIO', 'pwrite64:error=EIO:when=9+'], causesRefusals: true },
]

function pathsOf(path: string, on: string): string[] {
  return on === all ? [file, log, index].map((end) => path + end) : [path + on]
}

async function fileOf(environment: Environment, { slug }: TenantLoad): Promise<string> {
  const { id } = await tenantDatabaseOf(environment, slug)
  return join(environment.DATA_DIR!, 'tenants', id.slice(0, 2), `${id}.sqlite`)
}

test('a disk that fails under load', { skip: straceSkipReason }, async (context) => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const server = await startProcess(environment)
  const clientOf = (token: string) => networkClient(server.url, token)

  async function createLoads(name: string): Promise<[TenantLoad, TenantLoad]> {
    return [
      await createTenantLoad(environment, `victim-${name}`, 4),
      await createTenantLoad(environment, `neighbour-${name}`, 2),
    ]
  }

  for (const [index, { on, fails, causesRefusals }] of sample([...faults.entries()], 1)) {
    const where = `${fails.join(' and ')} on the tenant's ${on === all ? 'files' : `file${on}`}`
    await context.test(`${where}: no change is lost or applied twice, and no other tenant is affected`, async () => {
      const loads = await createLoads(String(index))
      const paths = pathsOf(await fileOf(environment, loads[0]), on)
      await runDuringFault(environment, clientOf, loads, async (progress) => {
        await eventually('clients are sending requests', () => progress.responses >= 5, { everyMs: 1 })
        const failing = await injectFaults(server.process.pid!, paths, fails)
        await wait(200 + random() * 200)
        progress.isPaused = true // the service checkpoints the WAL and closes the file
        await wait(random() * 500)
        progress.isPaused = false
        await wait(random() * 200)
        if (causesRefusals) await eventually(withSeed('a request is refused'), () => progress.refused > 0)
        await failing.end()
      })
    })
  }
})

test('a change that is refused because the WAL cannot be synced is never applied', {
  skip: straceSkipReason,
}, async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const load = await createTenantLoad(environment, 'victim', 1)
  const server = await startProcess(environment)
  const client = networkClient(server.url, load.token)
  assert.equal((await client('POST', '/customers.php', { name: 'Before' })).status, 201)
  const failing = await injectFaults(
    server.process.pid!,
    [`${await fileOf(environment, load)}-wal`],
    ['fsync:error=EIO'],
  )
  for (let times = 0; times < 3; times++) {
    assert.equal((await client('POST', '/customers.php', { name: 'Refused' })).status, 503)
    assert.equal((await client('GET', '/customers.php')).body.data.length, 1, 'the refused change is not visible')
  }
  await server.end('SIGKILL')
  await failing.end()
  const restarted = await startProcess(environment)
  const { body } = await networkClient(restarted.url, load.token)('GET', '/customers.php')
  assert.equal(body.data.length, 1, 'the refused changes are not visible after a crash')
})

test('a disk with slow reads delays its tenant but not the whole server', {
  skip: straceSkipReason,
}, async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const load = await createTenantLoad(environment, 'slow', 0)
  const tenantDatabase = await tenantDatabaseOf(environment, load.slug)
  const count = 4000
  await insertRecords(tenantDatabase, 'customers', count, () => ({ name: 'N', notes: 'x'.repeat(2000) }))
  const server = await startProcess(environment)
  const client = networkClient(server.url, load.token)
  let isOver = false
  const readTimes: number[] = []
  const readAll = async () => {
    while (!isOver) {
      const id = 1 + Math.floor(random() * count)
      readTimes.push(await timeOf(async () => (await client('GET', `/customers.php?id=${id}`)).status))
    }
  }
  const failing = await injectFaults(server.process.pid!, pathsOf(await fileOf(environment, load), all), [
    'pread64:delay_enter=20000',
  ])
  const reads = Promise.all(Array.from({ length: 16 }, readAll))
  const times: number[] = []
  for (let round = 0; round < 60; round++) {
    times.push(await timeOf(async () => (await fetch(new URL('/healthz', server.url))).status))
    await wait(20)
  }
  isOver = true
  await failing.end()
  await reads
  const [median, readMedian] = [medianOf(times), medianOf(readTimes)]
  assert.ok(median < readMedian / 4, withSeed(`the server answered after ${median} ms, reads after ${readMedian} ms`))
})

/** Sends a request, which must succeed, and returns its duration in milliseconds. */
async function timeOf(request: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  assert.equal(await request(), 200)
  return performance.now() - startedAt
}

function medianOf(times: number[]): number {
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)]!
}

const lastingFaults = faults.filter(({ causesRefusals }) => causesRefusals)

for (const { on, fails } of sample(lastingFaults, 1)) {
  test(`kill -9 during ${fails.join(' and ')}: no change is lost or applied twice`, {
    skip: straceSkipReason,
  }, async () => {
    const environment = { DATA_DIR: temporaryDirectory() }
    const load = await createTenantLoad(environment, 'victim', 4)
    const server = await startProcess(environment)
    const failing = await injectFaults(server.process.pid!, pathsOf(await fileOf(environment, load), on), fails)
    await runLoadDuring(load, networkClient(server.url, load.token), async (progress) => {
      await eventually('requests are refused', () => progress.refused >= 3)
      await wait(random() * 200)
      await server.end('SIGKILL')
    })
    await failing.end()
    const restarted = await startProcess(environment)
    await requireChangesAppliedOnce(environment, networkClient(restarted.url, load.token), load)
  })
}

test('changes are refused while the disk is full, and the tenant works again once there is space', async (context) => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const victim = await createTenantLoad(environment, 'victim', 4)
  const loads: [TenantLoad, TenantLoad] = [victim, await createNeighbour(environment, victim, 'neighbour', 2)]
  const path = await fileOf(environment, victim)
  const directory = dirname(path)
  renameSync(directory, `${directory}.original`)
  mkdirSync(directory)
  if (!mountSmall(directory, 32)) return context.skip('mounting is not permitted')
  try {
    spawnSync('cp', ['-r', `${directory}.original/.`, directory])
    await requireRefusalsWhileFull(environment, loads, path)
  } finally {
    unmount(directory)
  }
})

async function requireRefusalsWhileFull(
  environment: Environment,
  loads: [TenantLoad, TenantLoad],
  path: string,
): Promise<void> {
  const directory = dirname(path)
  const server = await startProcess(environment)
  const clientOf = (token: string) => networkClient(server.url, token)
  const rounds = isFullRun ? 10 : 1
  await runDuringFault(environment, clientOf, loads, async (progress) => {
    for (let times = 0; times < rounds; times++) {
      const [responsesBefore, refusedBefore] = [progress.responses, progress.refused]
      await eventually('clients are sending requests', () => progress.responses >= responsesBefore + 20, { everyMs: 1 })
      fillDisk(join(directory, 'filler'))
      await eventually(withSeed('requests are refused'), () => progress.refused >= refusedBefore + 10)
      rmSync(join(directory, 'filler'))
      await requireServedAgain(clientOf(loads[0].token))
    }
  })
}

test('a server that is restarted on a full disk starts, and serves reads again as soon as there is room', async (context) => {
  const directory = temporaryDirectory()
  if (!mountSmall(directory, 6)) return context.skip('mounting a file system is not permitted')
  try {
    const environment = { DATA_DIR: join(directory, 'data'), MIN_FREE_DISK_BYTES: '0' }
    const first = await startProcess(environment)
    const token = await makeTenant(environment, 'acme')
    assert.equal((await networkClient(first.url, token)('POST', '/customers.php', { name: 'Kept' })).status, 201)
    fillDisk(join(directory, 'fill'))
    await first.end('SIGTERM')
    fillDisk(join(directory, 'fill'))
    const second = await startProcess(environment)
    assert.equal((await fetch(new URL('/healthz', second.url))).status, 200)
    rmSync(join(directory, 'fill'))
    const client = networkClient(second.url, token)
    const { body } = await eventually('reads are served', async () => {
      const response = await client('GET', '/customers.php')
      return response.status === 200 && response
    })
    assert.equal(body.data[0].name, 'Kept')
    await second.end('SIGTERM')
  } finally {
    unmount(directory)
  }
})

test('a form that is refused while the disk is full is shown again with its input and its errors', async (context) => {
  const directory = temporaryDirectory()
  if (!mountSmall(directory, 40)) return context.skip('mounting a file system is not permitted')
  try {
    const environment = { DATA_DIR: join(directory, 'data'), MIN_FREE_DISK_BYTES: '0' }
    const server = await startProcess(environment)
    await makeTenant(environment, 'acme')
    await createPanelUser(environment, 'desk@example.com', 'acme')
    const person = await signIn(new URL(server.url).origin, 'desk@example.com')
    const send = () =>
      person.submit('records.php?resource=customers&new=1', { name: '', city: 'Bonn' }, /^records/, {
        accept: 'text/html',
      })
    assert.equal((await send()).status, 303)
    const fill = () => fillDisk(join(directory, 'fill'))
    fill()
    const { html } = await eventually('the page cannot be kept', async () => {
      fill() // the server removes its reserve
      const response = await send()
      assert.ok([303, 422].includes(response.status), `${response.status}: ${response.html}`)
      return response.status === 422 && response
    })
    assert.match(html, /id="name-error".*value="Bonn"/s)
    rmSync(join(directory, 'fill'))
    await eventually('pages are kept again', async () => (await send()).status === 303)
    await server.end('SIGTERM')
  } finally {
    unmount(directory)
  }
})

/** Starts a server in this process. `warnings`: what it logs. */
async function startKeepingReserve(environment: Environment) {
  const warnings: string[] = []
  const log = createLogger('warn', { write: (line) => void warnings.push(JSON.parse(line).msg) })
  const started = await startService(environment, { nodes: 1, reserveIntervalMs: 20, log })
  return { ...started, warnings }
}

test('a server starts on a full disk and serves reads, because it removes the reserve until there is room', async (context) => {
  const directory = temporaryDirectory()
  if (!mountSmall(directory, 40)) return context.skip('mounting a file system is not permitted')
  try {
    const environment = { DATA_DIR: join(directory, 'data'), MIN_FREE_DISK_BYTES: '0' }
    const reserve = join(environment.DATA_DIR, 'disk-reserve')
    const hasReserve = () => sizeOf(reserve) === 8 * 1024 * 1024
    const first = await startKeepingReserve(environment)
    const tokens = [await makeTenant(environment, 'acme'), await makeTenant(environment, 'globex')]
    for (const token of tokens)
      assert.equal((await first.client(token)('POST', '/customers.php', { name: 'Kept' })).status, 201)
    await eventually('the reserve is created', hasReserve)
    await first.service.close()
    assert.deepEqual(globSync(`${directory}/**/*-{wal,shm}`), [], 'the server has closed every file')
    writeFileSync(join(directory, 'spare'), Buffer.alloc(512 * 1024))
    fillDisk(join(directory, 'fill'))
    assert.match(
      (await command(environment, 'tenant', 'list')).stderr,
      /catalog\.sqlite: disk/,
      'a command cannot open the catalog',
    )
    assert.ok(hasReserve(), 'only a server removes the reserve')

    const second = await startKeepingReserve(environment)
    for (const token of tokens) {
      const { status, body } = await second.client(token)('GET', '/customers.php')
      assert.deepEqual([status, body.data[0]?.name], [200, 'Kept'])
    }
    assert.equal(second.warnings.filter((text) => /^the disk is full: its reserve was removed/.test(text)).length, 1)
    rmSync(join(directory, 'spare'))
    await wait(200)
    assert.equal(sizeOf(reserve), undefined, 'the reserve does not take the space that was just released')
    rmSync(join(directory, 'fill'))
    await eventually('the reserve is created again', hasReserve)
    await second.service.close()
  } finally {
    unmount(directory)
  }
})

test('the reserve is accessible to its owner only, and backups and doctor ignore it', async () => {
  const environment = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }
  const started = await startKeepingReserve(environment)
  const reserve = join(environment.DATA_DIR, 'disk-reserve')
  await eventually('the reserve is created', () => sizeOf(reserve))
  assert.equal(statSync(reserve).mode & 0o777, 0o600)
  await makeTenant(environment, 'acme')
  const backups = join(temporaryDirectory(), 'backups')
  assert.equal((await command(environment, 'backup', '--to', backups)).exitCode, 0)
  assert.equal((await command(environment, 'tenant', 'delete', 'acme', '--yes')).exitCode, 0)
  await started.service.close()
  const findings: Json[] = JSON.parse((await command(environment, 'doctor', '--json')).stdout)
  assert.deepEqual(
    findings.filter(({ status }) => status === 'error'),
    [],
  )
  const restored = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '', API_KEY_PEPPER: '' }
  assert.equal((await command(restored, 'restore', backups, '--all')).exitCode, 0)
  assert.equal(sizeOf(join(restored.DATA_DIR, 'disk-reserve')), undefined)
})

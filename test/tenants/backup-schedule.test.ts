// Scheduled backups (BACKUP_EVERY).

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { StartError } from '../../src/tenants/databases/open-databases.ts'
import { catalogDatabaseOf } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { command, type Environment, type Json, startService, temporaryDirectory } from '../support/service.ts'

const directory = join(temporaryDirectory(), 'backups')
const clock = { offsetMs: 0 }
const now = () => new Date(Date.now() + clock.offsetMs)
const dayMs = 86_400_000
const { environment, service, tenant } = await startService(
  { BACKUP_EVERY: '24h', BACKUP_DIR: directory, BACKUP_KEEP: '2' },
  { now, backupPollIntervalMs: 50 },
)

const listManifests = () => {
  try {
    return readdirSync(directory).filter((name) => name.endsWith('.json'))
  } catch {
    return []
  }
}

async function backupComponent(): Promise<Json> {
  const { body } = await service.server.inject('/readyz')
  return JSON.parse(body).components.find((component: Json) => component.component === 'backups')
}

/** The time when the last backup run ended. */
async function lastRun(): Promise<string | undefined> {
  return (await (await catalogDatabaseOf(environment)).all('select finished_at from backup_runs'))[0]?.finished_at
}

test('the server creates a backup whenever one is due, and removes old backups', async () => {
  const client = await tenant('acme')
  await client('POST', '/customers.php', { name: 'Head office' })
  await eventually('the first backup is finished', lastRun, { withinMs: 120_000 })
  for (let index = 1; index <= 2; index++) {
    const before = await lastRun()
    clock.offsetMs += dayMs
    await eventually('the next backup is finished', async () => (await lastRun()) !== before, { withinMs: 120_000 })
  }
  await eventually('old backups are removed', () => listManifests().length === 2)
  const verified = await command(environment, 'verify', directory)
  assert.equal(verified.exitCode, 0, verified.stderr)
  assert.equal((await backupComponent()).status, 'ok')
})

test('a metric reports when the oldest backup was made, and `tenant list` reports it for each backup', async () => {
  const { body } = await service.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1])
  assert.ok(figure('tenantdesk_oldest_tenant_backup_timestamp_seconds') * 1000 > Date.now() - dayMs)
  assert.equal(figure('tenantdesk_tenants_never_backed_up'), 0)
  const [{ backed_up_at: time }] = JSON.parse((await command(environment, 'tenant', 'list', '--json')).stdout)
  assert.ok(Date.parse(time) > Date.now() - dayMs)
})

test('a scheduled backup copies a lost file anew, and metrics report it and when all files were read', async () => {
  const gauge = async (name: string) => {
    const { body } = await service.server.inject({ url: '/metrics', remoteAddress: '127.0.0.1' })
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1])
  }
  assert.equal(await gauge('tenantdesk_backup_lost_files'), 0)
  for (const name of readdirSync(join(directory, 'databases')))
    if (!name.startsWith('catalog')) rmSync(join(directory, 'databases', name))
  const before = await lastRun()
  clock.offsetMs += dayMs
  await eventually('the next backup is finished', async () => (await lastRun()) !== before, { withinMs: 120_000 })
  assert.equal(await gauge('tenantdesk_backup_lost_files'), 1)
  assert.ok((await gauge('tenantdesk_backup_read_timestamp_seconds')) * 1000 > Date.now() - 60_000)
  const [newest] = JSON.parse((await command(environment, 'backup', 'list', directory, '--json')).stdout)
  assert.deepEqual([newest.tenants, newest.complete], [1, true])
})

test('a failed backup is recorded, and once backups are too old /readyz warns but the node stays ready', async () => {
  renameSync(directory, `${directory}.away`)
  writeFileSync(directory, 'no directory')
  const before = await backupComponent()
  assert.equal(before.status, 'ok')
  clock.offsetMs += 3 * dayMs
  const lastRunRow = async () =>
    (await (await catalogDatabaseOf(environment)).all('select failure from backup_runs'))[0]
  await eventually('the failure is recorded', async () => /EEXIST|ENOTDIR/.test((await lastRunRow()).failure ?? ''), {
    withinMs: 60_000,
  })
  assert.match(
    (await backupComponent()).message,
    /^1 of 1 tenants have had no backup since .*; 0 have never been backed up\.$/,
  )
  assert.equal((await service.server.inject('/readyz')).statusCode, 200)
  assert.match(await doctorOf(environment), /^error: \S+ cannot be written to: /)
})

/** What `tenantdesk doctor` says about the backup directory. */
async function doctorOf(settings: Environment): Promise<string> {
  const findings: Json[] = JSON.parse((await command(settings, 'doctor', '--json')).stdout)
  const about = findings.filter(({ check }) => check === 'backup_directory')
  return about.map(({ status, message, advice }) => `${status}: ${message} ${advice}`).join()
}

test('a directory that was never usable stops the start, and doctor names the problem and the remedy', async () => {
  const parent = temporaryDirectory()
  writeFileSync(join(parent, 'file'), '')
  const wrong = {
    [join(parent, 'file')]: /cannot be written to: \S+.*ReadWritePaths=/,
    [join(parent, 'unmounted', 'backups')]: /There is no directory \S+unmounted\. Mount the disk for the backups/,
  }
  const installed = { DATA_DIR: environment.DATA_DIR!, DATABASE_URL: environment.DATABASE_URL ?? '' }
  for (const [path, problem] of Object.entries(wrong)) {
    const settings = { BACKUP_EVERY: '24h', BACKUP_DIR: path }
    await assert.rejects(startService(settings), (error: Error) => {
      assert.match(error.message, /^BACKUP_DIR: /)
      assert.match(error.message, problem)
      return error instanceof StartError
    })
    const finding = await doctorOf({ ...installed, ...settings })
    assert.match(finding, /^error: /)
    assert.match(finding, problem)
  }
  assert.deepEqual(readdirSync(parent), ['file'])
})

test('the server starts without the disk of its earlier backups, warns, and makes no backup elsewhere', async () => {
  const settings = { ...environment, DATA_DIR: temporaryDirectory(), BACKUP_DIR: join(temporaryDirectory(), 'mount') }
  delete (settings as Environment).DATABASE_URL
  mkdirSync(settings.BACKUP_DIR)
  const overrides = { backupPollIntervalMs: 50, nodes: 1 }
  const first = await startService(settings, overrides)
  const row = async () => (await (await catalogDatabaseOf(settings)).all('select * from backup_runs'))[0]
  await eventually('the first backup is finished', async () => (await row())?.finished_at, { withinMs: 120_000 })
  await first.service.close()
  renameSync(settings.BACKUP_DIR, `${settings.BACKUP_DIR}.disk`)
  mkdirSync(settings.BACKUP_DIR)
  let offsetMs = 60_000
  const now = () => new Date(Date.now() + offsetMs)
  const second = await startService(settings, { ...overrides, now })
  assert.match(second.service.warnings.join(), /No backup can be made\. There was a backup in \S+.*Mount its disk/)
  assert.match((await row()).failure, /Mount its disk/) // recorded at the start, and not only when a backup is due
  assert.deepEqual(readdirSync(settings.BACKUP_DIR), [])
  const { body } = await second.service.server.inject('/readyz')
  const component = JSON.parse(body).components.find((each: Json) => each.component === 'backups')
  assert.match(component.message, /^The backup at \S+ failed\.$/)
  assert.match(await doctorOf(settings), /^error: There was a backup in/)
  rmSync(settings.BACKUP_DIR, { recursive: true })
  renameSync(`${settings.BACKUP_DIR}.disk`, settings.BACKUP_DIR)
  assert.match(await doctorOf(settings), /^error: The backup at \S+ failed: .* The server retries it/)
  offsetMs += 15 * 60_000
  await eventually('the backup is retried', async () => !(await row()).failed_at, { withinMs: 60_000 })
  assert.match(await doctorOf(settings), /^ok: /)
})

test('the server refuses to start if BACKUP_EVERY is set without BACKUP_DIR or is not a valid interval', async () => {
  await assert.rejects(startService({ BACKUP_EVERY: '1h' }), /BACKUP_EVERY requires BACKUP_DIR/)
  await assert.rejects(startService({ BACKUP_EVERY: 'daily', BACKUP_DIR: directory }), /BACKUP_EVERY must be/)
})

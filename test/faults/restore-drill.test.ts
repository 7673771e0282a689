// The restore drill makes backups during writes, kills the server and some backup commands with kill -9, and fills up
// the disk. After a restore on another machine, the records must match the history.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { createClientModels, random, sendUntilServerIsGone, withSeed } from '../support/faults/exactly-once.ts'
import { isFullRun } from '../support/faults/load.ts'
import { fillDisk, mountSmall, unmount } from '../support/faults/small-disk.ts'
import {
  command,
  type Environment,
  type Json,
  makeTenant,
  networkClient,
  startProcess,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'

const rounds = Number(process.env.FAULT_ROUNDS ?? (isFullRun ? 20 : 1))

test(`a backup made during writes can be restored elsewhere, up to its last change (${rounds} rounds)`, async () => {
  for (let round = 0; round < rounds; round++) {
    const environment = { DATA_DIR: temporaryDirectory() }
    const directory = join(temporaryDirectory(), 'backups')
    const token = await makeTenant(environment, 'acme')
    const models = createClientModels(4)
    const changes = () => models.reduce((sum, { changes: { length } }) => sum + length, 0)
    const server = await startProcess(environment, { nodes: 1 })
    const writing = Promise.all(models.map((model) => sendUntilServerIsGone(networkClient(server.url, token), model)))
    await eventually('clients write', () => changes() >= 30, { everyMs: 1, withinMs: 60_000 })
    if (isFullRun) await backUpAndKill(environment, directory)
    const created = await command(environment, 'backup', '--to', directory, '--json')
    assert.equal(created.exitCode, 0, withSeed(created.stderr))
    const [{ seq }] = JSON.parse(created.stdout).manifest.tenants
    const before = changes()
    await eventually('clients continue to write', () => changes() > before + 10, { everyMs: 1, withinMs: 60_000 })
    await server.end('SIGKILL')
    await writing
    await requireRestored(environment, directory, seq)
  }
})

/** Starts a backup, and kills it at a random moment. Its temporary files must not affect later backups. */
async function backUpAndKill(environment: Environment, directory: string): Promise<void> {
  const env = { ...process.env, ...(await withEngineUrl(environment)) }
  const child = spawn(process.execPath, ['src/main.ts', 'backup', '--to', directory], { env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await wait(300 + random() * 700)
  child.kill('SIGKILL')
  await ended
}

/** Restores all tenants into another data directory. Asserts that the result matches the original history up to the
 *  last change in the backup. */
async function requireRestored(environment: Environment, directory: string, seq: number): Promise<void> {
  const elsewhere = { DATA_DIR: temporaryDirectory() }
  const restored = await command(elsewhere, 'restore', directory, '--all')
  assert.equal(restored.exitCode, 0, withSeed(restored.stderr))
  assert.match(restored.stderr, /The server cannot start yet: Pepper 1 is /)
  const [original, copy] = [await tenantDatabaseOf(environment, 'acme'), await tenantDatabaseOf(elsewhere, 'acme')]
  const history = await original.all(`select * from changes where seq <= ${seq} order by seq`)
  assert.equal(history.length, seq)
  assert.deepEqual(await copy.all('select * from changes order by seq'), history, withSeed('the history'))
  const found = await copy.all('select id, name, city, external_id from customers order by id')
  assert.deepEqual(found, replay(history), withSeed('the records'))
  const verified = await command(environment, 'verify', directory)
  assert.equal(verified.exitCode, 0, withSeed(verified.stderr))
}

/** Returns the customers that result from applying these changes. */
function replay(history: Json[]): Json[] {
  const records = new Map<number, Json>()
  for (const { record_id: id, action, after } of history) {
    if (action === 'delete') records.delete(id)
    else records.set(id, { ...records.get(id), ...JSON.parse(after) })
  }
  const ids = [...records.keys()].sort((one, other) => one - other)
  return ids.map((id) => {
    const { name, city = null, external_id = null } = records.get(id)
    return { id, name, city, external_id }
  })
}

test('a backup to a full disk fails with a one-sentence message, and earlier backups are unaffected', async (context) => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const directory = join(temporaryDirectory(), 'disk')
  mkdirSync(directory)
  await makeTenant(environment, 'acme')
  if (!mountSmall(directory, 4)) return context.skip('mounting is not permitted')
  try {
    const backUp = () => command(environment, 'backup', '--to', directory)
    const files = () => readdirSync(directory, { recursive: true }).filter((name) => name !== 'filler')
    assert.equal((await backUp()).exitCode, 0)
    const before = files()
    fillDisk(join(directory, 'filler'))
    const failed = await backUp()
    assert.deepEqual([failed.exitCode, failed.stdout], [1, ''], failed.stderr)
    assert.match(failed.stderr, /^The backup to \S+ failed: [^\n]+\. Earlier backups are unchanged\.\n$/)
    assert.deepEqual(files(), before)
    assert.equal((await command(environment, 'verify', directory)).exitCode, 0)
    rmSync(join(directory, 'filler'))
    assert.equal((await backUp()).exitCode, 0)
    assert.equal((await command(environment, 'verify', directory)).exitCode, 0)
  } finally {
    unmount(directory)
  }
})

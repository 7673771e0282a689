// A tenant's file that is replaced under a running server, as when its tenant moves away and back: the write-ahead log
// beside the new file belongs to the new file, and the server must not use it with the old one.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import { openFilesOf } from '../../support/files.ts'
import { makeTenant, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'
import { tenantDatabaseOf } from '../../support/tenant-database.ts'

/** Opens the file as a command does, commits a row on request and keeps running; reports each step on standard
 *  output. */
const writer = `
  import { connect } from '${new URL('../../../src/database/sqlite/connection.ts', import.meta.url)}'
  process.stdout.write('ready')
  process.stdin.once('data', () => {
    const connection = connect(process.argv[1])
    connection.run("insert into customers (name, created_at, updated_at) values ('By another process', ?, ?)", ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'])
    process.stdout.write('committed')
  })`

/** Starts another process with a connection to the file at `path`. */
async function startWriter(path: string): Promise<{ commit(): Promise<void>; kill(): Promise<void> }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return {
    async commit() {
      child.stdin.write('go')
      await once(child.stdout, 'data')
    },
    kill: () => kill(child),
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Whether the server process still has deleted files open. */
function holdsRemoved(process: number, path: string): boolean {
  return openFilesOf(process).some((each) => each.startsWith(path) && each.endsWith('(deleted)'))
}

const triggers = [
  { by: 'a request', isQuiet: false },
  { by: 'idle maintenance', isQuiet: true },
]

/** How long the server keeps an unused file open. On a slow machine, maintenance may have finished before the file is
 *  replaced; then nothing else notices the change. */
const closeAfterMs = 60_000

/** A server that has a tenant's file open when another file takes its place, into which another process commits a row.
 *  Returns once the server has noticed. */
async function replace(isQuiet: boolean) {
  const environment = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(environment, 'acme')
  const { id } = await tenantDatabaseOf(environment, 'acme')
  const path = join(environment.DATA_DIR, 'tenants', id.slice(0, 2), `${id}.sqlite`)
  copyFileSync(path, `${path}.other`)
  const server = await startProcess(environment)
  const client = networkClient(server.url, token)
  const other = await startWriter(path)
  assert.equal((await client('POST', '/customers.php', { name: 'In the old file' })).status, 201)
  for (const name of globSync(`${path}{,-wal,-shm}`)) rmSync(name)
  renameSync(`${path}.other`, path)
  await other.commit()
  const log = statSync(`${path}-wal`).ino
  if (!isQuiet) await client('GET', '/customers.php')
  const isClosed = () => !holdsRemoved(server.process.pid!, path)
  await eventually('the server closes the old file', isClosed, { withinMs: 2 * closeAfterMs })
  return { environment, token, path, server, other, log, client }
}

function customersIn(path: string): string[] {
  const database = new DatabaseSync(path)
  const rows = database.prepare('select name from customers').all()
  database.close()
  return rows.map(({ name }) => name as string)
}

const committed = ['By another process']
const skip = !existsSync('/proc/self/fd')

for (const { by, isQuiet } of triggers) {
  test(`the WAL of a replacing file stays in place when ${by} notices the replacement`, { skip }, async () => {
    const { path, log } = await replace(isQuiet)
    assert.equal(statSync(`${path}-wal`).ino, log)
    assert.deepEqual(
      globSync(`${path}*`).sort(),
      ['', '-shm', '-wal'].map((end) => path + end),
    )
  })

  test(`a commit of another process to a replacing file is visible when ${by} notices the replacement`, {
    skip,
  }, async () => {
    const { path, client } = await replace(isQuiet)
    const list = await client('GET', '/customers.php')
    assert.equal(list.status, 200, list.text)
    assert.deepEqual(
      list.body.data.map(({ name }: { name: string }) => name),
      committed,
    )
    assert.deepEqual(customersIn(path), committed)
  })

  test(`a commit of another process to a replacing file survives kill -9 when ${by} notices the replacement`, {
    skip,
  }, async () => {
    const { path, server, other } = await replace(isQuiet)
    await other.kill()
    await server.end('SIGKILL')
    assert.deepEqual(customersIn(path), committed)
  })
}

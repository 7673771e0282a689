// A tenant's file is replaced while a server runs, as when the tenant moves away and back. The write-ahead log next to
// the new file belongs to the new file, and the server must not use that log with the old file.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, globSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { openFilesOf } from '../../support/faults/files.ts'
import { makeTenant, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

/** A program that opens the file as a command does, commits a row on request and keeps running. It reports each step on
 *  standard output. */
const writer = `
  import { connect } from '${new URL('../../../src/engine/database/sqlite/connection.ts', import.meta.url)}'
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
function holdsDeletedFile(process: number, path: string): boolean {
  return openFilesOf(process).some((each) => each.startsWith(path) && each.endsWith('(deleted)'))
}

const triggers = [
  { by: 'a request', isQuiet: false },
  { by: 'idle maintenance', isQuiet: true },
]

/** How long the server keeps an unused file open. If maintenance has finished before the file is replaced, as on a slow
 *  machine, the server closes the old file only after this time. */
const closeAfterMs = 60_000

/** Replaces a tenant's file while a server has it open. Another process then commits a row to the new file. Returns
 *  after the server has closed the old file. */
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
  const walInode = statSync(`${path}-wal`).ino
  if (!isQuiet) await client('GET', '/customers.php')
  const isClosed = () => !holdsDeletedFile(server.process.pid!, path)
  await eventually('the server closes the old file', isClosed, { withinMs: 2 * closeAfterMs })
  return { environment, token, path, server, other, walInode, client }
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
  test(`when ${by} notices that a file was replaced, the new file's WAL stays in place`, { skip }, async () => {
    const { path, walInode } = await replace(isQuiet)
    assert.equal(statSync(`${path}-wal`).ino, walInode)
    assert.deepEqual(
      globSync(`${path}*`).sort(),
      ['', '-shm', '-wal'].map((end) => path + end),
    )
  })

  test(`when ${by} notices that a file was replaced, a commit by another process to the new file is visible`, {
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

  test(`when ${by} notices that a file was replaced, a commit by another process to the new file survives kill -9`, {
    skip,
  }, async () => {
    const { path, server, other } = await replace(isQuiet)
    await other.kill()
    await server.end('SIGKILL')
    assert.deepEqual(customersIn(path), committed)
  })
}

// tenantdesk export: writes a whole tenant to a zip file.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js'
import { serve } from '../../src/app/serve.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { fillDisk, mountSmall, unmount } from '../support/faults/small-disk.ts'
import { command, engine, type Json, startService, temporaryDirectory, withEngineUrl } from '../support/service.ts'

const service = await startService()
const { environment } = service
const acme = await service.tenant('acme')
const directory = temporaryDirectory()
await acme('POST', '/customers.php', { name: 'Müller; "Söhne"', notes: '=1+1' })
await acme('POST', '/employees.php', { customer_id: 1, email: 'ada@b.c', name: 'Ada' })
await acme('POST', '/hardware.php', { employee_id: 1, name: 'Laptop' })
await acme('PUT', '/hardware.php?id=1', { status: 'lost', name: '日本' })

async function exportTo(name: string, ...options: string[]) {
  return command(environment, 'export', 'acme', '--to', join(directory, name), ...options)
}

/** The contents of the files in a zip archive. */
async function unzip(name: string): Promise<Map<string, Buffer>> {
  const zip = new ZipReader(new Uint8ArrayReader(readFileSync(join(directory, name))))
  const files = new Map<string, Buffer>()
  for (const entry of await zip.getEntries()) {
    if (!entry.directory) files.set(entry.filename, Buffer.from(await entry.getData(new Uint8ArrayWriter())))
  }
  return files
}

const linesOf = (file: Buffer) => file.toString().split('\n').slice(0, -1)
const rows: Record<string, number> = {
  customers: 1,
  employees: 1,
  hardware: 1,
  settings: 0,
  views: 0,
  hand_over_forms: 0,
  import_mappings: 0,
  changes: 4,
}
const parts = Object.keys(rows).flatMap((name) => [`${name}.ndjson`, `${name}.csv`])

test('an exported tenant has its records and history as NDJSON and CSV, and a manifest with each file’s row count and SHA-256', async () => {
  const { exitCode, stdout, stderr } = await exportTo('acme.zip')
  assert.deepEqual([exitCode, stdout], [0, `${join(directory, 'acme.zip')}\n`])
  assert.equal(
    stderr,
    `Exported tenant acme (${Object.entries(rows)
      .map(([name, count]) => `${name}: ${count}`)
      .join(', ')}).\n`,
  )
  assert.equal(statSync(join(directory, 'acme.zip')).mode & 0o777, 0o600)
  const files = await unzip('acme.zip')
  const manifest: Json = JSON.parse(files.get('manifest.json')!.toString())
  const expected = [...parts, ...(engine === 'sqlite' ? ['database.sqlite'] : [])]
  assert.deepEqual([...files.keys()], [...expected, 'manifest.json'])
  assert.deepEqual(manifest.tenant, { slug: 'acme', name: 'acme' })
  assert.deepEqual(
    manifest.files.map(({ name }: Json) => name),
    expected,
  )
  for (const { name, rows: rowCount, bytes, sha256 } of manifest.files) {
    const content = files.get(name)!
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'), name)
    assert.deepEqual([bytes, rowCount], [content.length, rows[name.split('.')[0]]])
  }
})

test('an export contains the same records and changes as the API', async () => {
  const files = await unzip('acme.zip')
  for (const resource of ['customers', 'employees', 'hardware']) {
    for (const format of ['ndjson', 'csv']) {
      const { text } = await acme('GET', `/${resource}.php?format=${format}`)
      assert.equal(files.get(`${resource}.${format}`)!.toString(), text)
    }
  }
  const changes: Json[] = (await acme('GET', '/changes.php')).body.data
  assert.deepEqual(
    linesOf(files.get('changes.ndjson')!).map((line) => JSON.parse(line)),
    changes,
  )
  const [head, , , , last] = files.get('changes.csv')!.toString().split('\r\n')
  assert.equal(
    head,
    `\ufeff${['seq', 'at', 'resource', 'id', 'action', 'before', 'after', 'api_key_id', 'user_id', 'request_id', 'change_set']}`,
  )
  assert.match(last!, /^4,[\dT:.Z-]+,hardware,1,update,"\{""/)
})

test('on SQLite, an export contains an intact copy of the database file', { skip: engine !== 'sqlite' }, async () => {
  const path = join(directory, 'copy.sqlite')
  writeFileSync(path, (await unzip('acme.zip')).get('database.sqlite')!)
  const database = new DatabaseSync(path, { readOnly: true })
  assert.equal(database.prepare('pragma integrity_check').get()!.integrity_check, 'ok')
  assert.equal(database.prepare('select name from hardware').get()!.name, '日本')
  assert.equal(database.prepare('select count(*) as count from changes').get()!.count, 4)
  database.close()
})

test('all files of an export show the same state while the server continues to write', async () => {
  const busy = await service.tenant('busy')
  await busy('POST', '/customers.php', { name: 'First' })
  let isOver = false
  const writes = (async () => {
    for (let index = 0; !isOver; index++) {
      await busy('POST', '/customers.php', { name: `Customer ${index}` })
      await busy('DELETE', `/customers.php?id=${index + 1}`)
    }
  })()
  const path = join(directory, 'busy.zip')
  const { exitCode, stdout } = await command(environment, 'export', 'busy', '--to', path, '--json')
  isOver = true
  await writes
  assert.equal(exitCode, 0)
  const manifest: Json = JSON.parse(stdout)
  const files = await unzip('busy.zip')
  assert.deepEqual(manifest, JSON.parse(files.get('manifest.json')!.toString()))
  const liveIds = new Set<number>()
  for (const line of linesOf(files.get('changes.ndjson')!)) {
    const { action, id } = JSON.parse(line)
    if (action === 'create') liveIds.add(id)
    else liveIds.delete(id)
  }
  const ids = linesOf(files.get('customers.ndjson')!).map((line) => JSON.parse(line).id)
  assert.deepEqual(ids, [...liveIds])
  assert.equal(linesOf(files.get('customers.csv')!).length, ids.length + 1)
})

test('export replaces an existing file, and refuses a directory as its target', async () => {
  writeFileSync(join(directory, 'old.zip'), 'old')
  assert.equal((await exportTo('old.zip')).exitCode, 0)
  assert.ok((await unzip('old.zip')).has('manifest.json'))
  mkdirSync(join(directory, 'folder'))
  const refused = await exportTo('folder')
  assert.deepEqual([refused.exitCode, refused.stderr], [1, `${join(directory, 'folder')} is not a regular file.\n`])
})

test('export without --to is a usage error; an unknown tenant or folder is refused', async () => {
  assert.equal((await command(environment, 'export', 'acme')).exitCode, 2)
  const unknown = await command(environment, 'export', 'nobody', '--to', join(directory, 'nobody.zip'))
  assert.deepEqual([unknown.exitCode, unknown.stderr], [1, 'There is no tenant nobody.\n'])
  const missingFolder = await exportTo('no-folder/acme.zip')
  assert.equal(missingFolder.exitCode, 1)
  assert.match(missingFolder.stderr, /no-folder\/acme\.zip.* cannot be written: ENOENT/)
})

test('export shows its progress on a terminal, and clears it at the end', async () => {
  const progress: string[] = []
  const terminal = {
    stdout() {},
    stderr() {},
    readLine: async () => '',
    progress: (text: string) => progress.push(text),
  }
  const application = { serve, scopes: async () => [] }
  const line = ['export', 'acme', '--to', join(directory, 'shown.zip')]
  assert.equal(await runCommand(line, terminal, application, await withEngineUrl(environment)), 0)
  assert.ok(progress.includes('hardware.csv  1'))
  assert.equal(progress.at(-1), '')
})

test('if the disk is full, export leaves no partial file and does not change an existing file', async (context) => {
  const small = join(directory, 'small')
  mkdirSync(small)
  if (!mountSmall(small, 1)) return context.skip('mounting is not permitted')
  after(() => unmount(small))
  const path = join(small, 'acme.zip')
  writeFileSync(path, 'old')
  fillDisk(join(small, 'filler'))
  const { exitCode, stdout, stderr } = await command(environment, 'export', 'acme', '--to', path)
  assert.deepEqual([exitCode, stdout], [1, ''])
  assert.match(stderr, /cannot be written: (ENOSPC|.*full)/)
  assert.deepEqual([readdirSync(small).toSorted(), readFileSync(path, 'utf8')], [['acme.zip', 'filler'], 'old'])
})

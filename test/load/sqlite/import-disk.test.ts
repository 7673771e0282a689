// How much an import makes the files of a server grow: less than twice the upload plus 5 MB.

import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { uploadImport, waitForImport } from '../../support/api/imports.ts'
import { makeTenant, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

const environment = { DATA_DIR: temporaryDirectory() }
const server = await startProcess(environment, { nodes: 1 })
after(() => server.end('SIGKILL'))

const rows = 200_000

function lines(lineOf: (index: number) => string, count = rows): string {
  return Array.from({ length: count }, (_, index) => lineOf(index)).join('\n')
}

/** A different number below `rows` for each row, in no order. */
function shuffled(index: number): number {
  return (index * 61_803) % rows
}

const choicesAndDates =
  'type,status,condition,purchase_date,purchase_cost,warranty_end,retired_on,due_back,reserved_from,employee_id,asset_tag'

type File = { query: string; file: () => string | Buffer }

/** By what makes it costly to store. */
const files: Record<string, File> = {
  'a key in each row': {
    query: 'resource=customers',
    file: () => `external_id,name\n${lines((n) => `key-${shuffled(n).toString(36)},A`)}`,
  },
  'nothing but short keys': {
    query: 'resource=customers&set[name]=A',
    file: () => `external_id\n${lines((n) => (shuffled(n) + 36 ** 3).toString(36))}`,
  },
  'two keys in each row': {
    query: 'resource=hardware&set[employee_id]=1',
    file: () => `external_id,asset_tag\n${lines((n) => `${shuffled(n)},T${n}`)}`,
  },
  'keys of which some occur twice': {
    query: 'resource=customers',
    file: () => `external_id,name\n${lines((n) => `key-${n % (rows * 0.95)},A`)}`,
  },
  'one letter in each row': { query: 'resource=customers', file: () => `name\n${lines(() => 'x')}` },
  'invalid rows': {
    query: 'resource=employees',
    file: () => `external_id,email,name,customer_id,title,phone\n${lines(() => 'x')}`,
  },
  'many errors in each row': {
    query: 'resource=hardware',
    file: () => `${choicesAndDates}\n${lines(() => 'x,x,x,x,x,x,x,x,x,x', 10_000)}`,
  },
  'control characters': {
    query: 'resource=customers',
    file: () => `name\n${lines(() => `x${'\u0001'.repeat(40)}`)}`,
  },
  'euro signs in Windows-1252': {
    query: 'resource=customers',
    file: () => Buffer.from(`name\n${lines(() => `x${'\x80'.repeat(40)}`)}`, 'latin1'),
  },
}

/** Returns the sizes of the files in the data directory. */
function fileSizes(): Map<string, number> {
  const paths = readdirSync(environment.DATA_DIR, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [path, statSync(path, { throwIfNoEntry: false })?.size ?? 0]))
}

/** Returns by how many bytes files have grown, other than the files of earlier tenants, which still grow when they are
 *  checkpointed, and the reserve for a full disk, which a server creates in its first minute. */
function growthSince(before: ReadonlyMap<string, number>, earlier: ReadonlyMap<string, number>): number {
  const sizes = [...fileSizes()].filter(([path]) => !earlier.has(path) && !path.endsWith('disk-reserve'))
  return sizes.reduce((sum, [path, size]) => sum + Math.max(0, size - (before.get(path) ?? 0)), 0)
}

for (const [name, { query, file }] of Object.entries(files)) {
  test(`checking a file with ${name} takes less than twice its size plus 5 MB on the disk`, async (t) => {
    const earlier = fileSizes()
    const client = networkClient(server.url, await makeTenant(environment, `t${Object.keys(files).indexOf(name)}`))
    await client('POST', '/customers.php', { name: 'Head office' })
    await client('POST', '/employees.php', { customer_id: 1, email: 'ida@example.com' })
    const upload = Buffer.from(file())
    const before = fileSizes()
    let grown = 0
    const timer = setInterval(() => {
      grown = Math.max(grown, growthSince(before, earlier))
    }, 20)
    t.after(() => clearInterval(timer))
    const { status, body } = await uploadImport(client, query, upload)
    assert.equal(status, 202, JSON.stringify(body))
    const { state } = await waitForImport(client, body.id, { withinMs: 300_000 })
    assert.equal(state, 'checked')
    const allowed = 2 * upload.length + 5_000_000
    assert.ok(grown < allowed, `${grown} bytes for a file of ${upload.length} bytes`)
  })
}

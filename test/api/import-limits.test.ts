// What limits imports: the size of a file beyond its bytes, what is kept of an import, and how many files a tenant can
// have checked at the same time (contract §17).

import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { countsOf, importFile, uploadImport, waitForImport } from '../support/api/imports.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { filesIn } from '../support/faults/files.ts'
import { createPanelUser, signIn } from '../support/panel/panel-client.ts'
import { type Client, createKey, type Json, startService, temporaryDirectory } from '../support/service.ts'

const service = await startService({}, { jobPollIntervalMs: 20, uploadWaitMs: 600_000, nodes: 1 })
const acme = await service.tenant('acme')
const base = new URL(await service.listen())
await createPanelUser(service.environment, 'limits@example.com', 'acme')
const manager = await signIn(base.origin, 'limits@example.com')

const repeat = (text: string, count: number) => Array.from({ length: count }, () => text).join(',')

async function countImports(client: Client = acme): Promise<number> {
  return (await client('GET', '/imports.php?limit=200')).body.data.length
}

test('a file with more than 500 columns, a title of more than 200 characters or a cell of more than 32,000 is refused', async () => {
  const before = await countImports()
  const refusals: [file: string, reason: RegExp][] = [
    [`name,${repeat('x', 500)}\nA\n`, /Row 1 has more than 500 cells; a file can have at most 500 columns/],
    [`name,notes\nA,B\nA,${repeat('x', 500)}\n`, /Row 3 has more than 500 cells/],
    [`name\n${','.repeat(3_500_000)}\n`, /Row 2 has more than 500 cells/],
    [`name,${'x'.repeat(201)}\nA,B\n`, /title of column 2 is longer than 200 characters/],
    [`name,"${'!'.repeat(1_000_000)}"\nA,B\n`, /title of column 2 is longer than 200 characters/],
    [`name,notes\nA,B\nA,${'x'.repeat(32_001)}\n`, /cell in row 3, column 2 is longer than 32,000 characters/],
    [`name,notes\nA,"${'x\n'.repeat(2_000_000)}"\n`, /cell in row 2, column 2 is longer than 32,000/],
    [`name,notes\nA,"${'x\n'.repeat(2_000_000)}`, /cell in row 2, column 2.*perhaps a quotation mark is not closed/],
    [`name\n${'x\n'.repeat(1_000_001)}`, /more than 1,000,000 rows/],
    [`name\n${'""\n'.repeat(1_000_001)}`, /more than 1,000,000 rows/],
    ['\n'.repeat(1_000_000), /first row/],
  ]
  for (const [file, reason] of refusals) {
    const response = await uploadImport(acme, 'resource=customers', file)
    assertRefused(response, 'invalid_request', String(reason))
    assert.match(response.body.error.message, reason)
  }
  assert.equal(await countImports(), before)
})

test('a file at the limits is accepted: 500 columns, titles of 200 characters, cells of 32,000, empty lines beyond counting', async () => {
  const titles = Array.from({ length: 498 }, (_, at) => `${'😀'.repeat(190)}${String(at).padStart(10, 'a')}`)
  const header = `name,notes,${titles.join(',')}`
  const row = `A,${repeat('', 498)},${'é'.repeat(32_000)}`
  const checked = await importFile(acme, 'resource=customers', `${header}\n${'\n'.repeat(1_000_001)}${row}\n`)
  assert.deepEqual([countsOf(checked), checked.rows], ['1 0 0 0', 1])
  const [, ...ignored] = checked.assumptions
  assert.equal(ignored.length, 1)
  assert.match(ignored[0], /aaaaaaaaa0", .* and \d+ more are unknown and ignored/)
  assert.ok(ignored[0].length < 5000)
})

test('the panel refuses a file beyond the limits with a sentence that says where', async () => {
  const refusals: [file: string, reason: RegExp][] = [
    [`name,${repeat('x', 100_000)}\nA\n`, /Row 1 has more than 500 cells/],
    [`name,${'x'.repeat(201)}\nA,B\n`, /title of column 2 is longer than 200 characters/],
    [`name\n${'x'.repeat(32_001)}\n`, /cell in row 2, column 1 is longer than 32,000 characters/],
    [`name\n${'x\n'.repeat(1_000_001)}`, /more than 1,000,000 rows/],
  ]
  for (const [file, reason] of refusals) {
    const response = await manager.upload('import.php?resource=customers', {}, file)
    assert.deepEqual([response.status, reason.test(response.html)], [422, true], String(reason))
  }
})

test('up to 10,000 failed rows are kept, and the others are counted', async () => {
  const checked = await importFile(acme, 'resource=customers', `name,country\n${'x,D\n'.repeat(10_050)}`)
  assert.deepEqual([checked.invalid, checked.errors.length], [10_050, 100])
  const page = await manager.get(`import.php?id=${checked.id}`)
  assert.match(page.html, /Only the first 10,000 rows with errors are kept/)
  const { text } = await acme('GET', `/imports.php?id=${checked.id}&format=csv`)
  const [, ...failed] = text.trim().split('\r\n')
  assert.equal(failed.length, 10_000)
  assert.deepEqual(
    new Set(failed.map((line) => line.replace(/^x,D,/, ''))),
    new Set([checked.errors[0].message].map((message) => `country: ${message}`)),
  )
  const { all } = await tenantDatabaseOf(service.environment, 'acme')
  const [{ bytes }] = (await all(
    'select sum(octet_length(cells) + octet_length(errors)) as bytes from job_failures',
  )) as Json
  assert.ok(bytes < 10_000 * 20, `${bytes} bytes`)
})

test('an error names its column by the title, which is not stored with the row', async () => {
  const title = `E-Mail ${'!'.repeat(190)}`
  const checked = await importFile(acme, 'resource=employees', `name,customer_id,${title}\nA,1,no address\n`)
  const error = checked.errors.find(({ code }: Json) => code === 'invalid_email')
  assert.equal(error.column, title)
  const { all } = await tenantDatabaseOf(service.environment, 'acme')
  const rows = (await all('select errors from job_failures')) as Json
  assert.ok(rows.every(({ errors }: Json) => !errors.includes('!')))
})

test('a tenant keeps 1,000 finished imports; the oldest are deleted first, with their failed rows', async () => {
  const client = await service.tenant('many')
  const oldest = await importFile(client, 'resource=customers', 'name,country\nA,D\n')
  const { run, all } = await tenantDatabaseOf(service.environment, 'many')
  await run(`insert into jobs (id, kind, state, input, cursor, progress, created_at, finished_at)
    select n + 1, kind, 'done', input, cursor, progress, created_at, finished_at from jobs, (
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 999) select n from numbers
    ) as numbers`)
  await run(`update counters set last = 1000 where name = 'jobs'`)
  assert.equal((await client('GET', `/imports.php?id=${oldest.id}`)).status, 200)
  const newest = await importFile(client, 'resource=customers', 'name,country\nA,D\n')
  const count = async (table: string) => Number((await all(`select count(*) as count from ${table}`))[0]!.count)
  await eventually('the oldest import is deleted', async () => (await count('jobs')) === 1000)
  assertRefused(await client('GET', `/imports.php?id=${oldest.id}`), 'not_found')
  const failures = await all('select distinct job_id from job_failures')
  assert.deepEqual(
    failures.map((row) => Number(row.job_id)),
    [newest.id],
  )
})

test('with less free disk space than MIN_FREE_DISK_BYTES, uploads are refused as server_busy in the API and the panel', async () => {
  const full = await startService({ MIN_FREE_DISK_BYTES: String(2 ** 50) }, { nodes: 1 })
  const client = await full.tenant('full')
  const refused = await uploadImport(client, 'resource=customers', 'name\nA\n')
  assertRefused(refused, 'server_busy')
  assert.match(refused.body.error.message, /too little free disk space/)
  assert.equal(refused.headers['retry-after'], '5')
  await createPanelUser(full.environment, 'full@example.com', 'full')
  const manager = await signIn(new URL(await full.listen()).origin, 'full@example.com')
  const page = await manager.upload('import.php?resource=customers', {}, 'name\nA\n')
  assert.deepEqual([page.status, /too little free disk space/.test(page.html)], [503, true])
})

/** Sends the start of files, each on a connection of its own. `refusals`: the responses that arrived so far. */
function startUploads(url: URL, key: string, starts: readonly string[]): { refusals: string[]; stop: () => void } {
  const refusals: string[] = []
  const sockets = starts.map((start) => {
    const head = `POST ${url.pathname}/imports.php?resource=customers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: text/csv\r\nContent-Length: ${start.length + 1000}\r\n\r\n`
    const socket = connect(Number(url.port), url.hostname)
    socket.on('data', (chunk) => refusals.push(String(chunk)))
    socket.write(head + start)
    return socket
  })
  return { refusals, stop: () => sockets.forEach((socket) => void socket.destroy()) }
}

/** Starts uploads, and waits until the server stores all of them. */
async function startSlowUploads(key: string, count: number) {
  const start = `name\n${'x\n'.repeat(50_000)}` // more than is kept in memory
  const uploads = startUploads(base, key, Array(count).fill(start))
  const isStored = () => filesIn(join(service.environment.DATA_DIR!, 'uploads')).length === count
  await eventually('all uploads are stored, or one is refused', async () => uploads.refusals.length > 0 || isStored())
  return uploads
}

test('uploads that arrive slowly hold up nobody, not even their own tenant', async () => {
  const key = await createKey(service.environment, 'acme')
  const slow = await startSlowUploads(key, 30)
  for (const client of [acme, await service.tenant('other')]) {
    const { body, status } = await uploadImport(client, 'resource=customers', 'name\nFast\n')
    assert.equal(status, 202)
    await waitForImport(client, body.id)
  }
  assert.deepEqual(slow.refusals, [])
  slow.stop()
})

test('the files that a tenant is uploading may together be four times as large as the limit; more are refused as server_busy', async () => {
  const small = await startService({ IMPORT_LIMIT_BYTES: '100000' }, { nodes: 1 })
  const url = new URL(await small.listen())
  const [client, other] = [await small.tenant('filling'), await small.tenant('other')]
  const start = `name\n${'x\n'.repeat(45_000)}`
  const slow = startUploads(url, await createKey(small.environment, 'filling'), Array(5).fill(start))
  const refusal = /^HTTP\/1\.1 503 .*"server_busy".*Too many files of this tenant/s
  await eventually('one of the files is refused', () => refusal.test(slow.refusals.join('')))
  const upload = (sender: Client) => uploadImport(sender, 'resource=customers', `name\n${'x\n'.repeat(49_000)}`)
  assertRefused(await upload(client), 'server_busy')
  assert.equal((await upload(other)).status, 202)
  slow.stop()
  await eventually('uploads are accepted again', async () => (await upload(client)).status === 202, { everyMs: 50 })
})

test('files of uploads that a crash left behind are deleted at the next start, unless they may still be in use', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const directory = join(environment.DATA_DIR, 'uploads')
  mkdirSync(directory)
  for (const [name, minutesAgo] of Object.entries({ 'old.upload': 6, 'new.upload': 4, 'old.other': 6 })) {
    const lastWritten = new Date(Date.now() - minutesAgo * 60_000)
    writeFileSync(join(directory, name), 'name\n')
    utimesSync(join(directory, name), lastWritten, lastWritten)
  }
  await startService(environment, { nodes: 1 })
  await eventually('the old file is deleted', () => !readdirSync(directory).includes('old.upload'))
  assert.deepEqual(readdirSync(directory).sort(), ['new.upload', 'old.other'])
})

test("a tenant's third concurrent check waits for a place, and is refused as server_busy if none becomes free in time", async () => {
  const file = `name\n${'x\n'.repeat(100_000)}`
  const sendSix = (client: Client) =>
    Promise.all(Array.from({ length: 6 }, () => uploadImport(client, 'resource=customers', file)))
  for (const response of await sendSix(await service.tenant('patient'))) assert.equal(response.status, 202)

  const impatient = await startService({}, { uploadWaitMs: 1, nodes: 1 })
  const [busy, quiet] = [await impatient.tenant('busy'), await impatient.tenant('quiet')]
  const [responses, other] = await Promise.all([sendSix(busy), uploadImport(quiet, 'resource=customers', 'name\nA\n')])
  assert.equal(other.status, 202)
  const refused = responses.filter(({ status }) => status !== 202)
  assert.ok(refused.length > 0 && refused.length < 6, `${refused.length} were refused`)
  for (const response of refused) {
    assertRefused(response, 'server_busy')
    assert.match(response.body.error.message, /Too many files are being checked/)
  }
})

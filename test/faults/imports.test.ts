// Tests imports, which run as background jobs: what happens after kill -9, concurrent changes and cancellation, and
// at what point uploaded files are deleted.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, importFile, uploadImport, waitForImport } from '../support/api/imports.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { random, withSeed } from '../support/faults/exactly-once.ts'
import { isFullRun } from '../support/faults/load.ts'
import { createPanelUser, signIn } from '../support/panel/panel-client.ts'
import {
  type Client,
  engine,
  type Json,
  makeTenant,
  networkClient,
  startProcess,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'

/** Enough rows that the import is still running when the test reads its state. */
const manyRows = engine === 'postgres' ? 300 : 1500

/** Returns an employee file in which every tenth row is invalid. */
function fileOf(rows: number, mark: string): string {
  const lines = Array.from(
    { length: rows },
    (_, index) => `${mark}-${index},b-1,${index % 10 === 9 ? 'x' : `p${index}@${mark}.test`}`,
  )
  return ['external_id,customer_external_id,email', ...lines].join('\n')
}

/** Repeats a request until a server responds. */
async function retryUntilResponse(client: Client, method: string, path: string): Promise<Json> {
  const response = await eventually('a server responds', () => client(method, path).catch(() => null))
  return response.body
}

test('after kill -9, an unfinished import in the panel still has its file and its answers', async () => {
  const environment = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const token = await makeTenant(environment, 'desk')
  await createPanelUser(environment, 'desk@example.com', 'desk')
  const start = async () => {
    const server = await startProcess(environment, { nodes: 1 })
    return {
      server,
      client: networkClient(server.url, token),
      desk: await signIn(new URL(server.url).origin, 'desk@example.com'),
    }
  }
  const action = /import\.php\?id/

  const first = await start()
  await first.client('POST', '/customers.php', { name: 'Head office' })
  const file = 'Contact;Standort\r\nida@desk.test;HO\r\n'
  const { location: path } = await first.desk.upload('import.php?resource=employees', {}, file)
  const { location: questions } = await first.desk.submit(path!, { 'column.0': 'email' }, action)
  assert.equal(questions, `${path}&step=values`)
  await first.server.end('SIGKILL')

  const second = await start()
  assert.match((await second.desk.get(path!)).html, /<select id="column\.0".*?value="email" selected/s)
  const answers = { 'find.record.1.0.customer_id': 'Head office' }
  assert.equal((await second.desk.submit(questions!, answers, action)).location, path)
  await second.server.end('SIGKILL')

  const third = await start()
  const checked = await eventually('the file has been checked', async () => {
    const { html } = await third.desk.get(path!)
    return html.includes('name="run"') ? html : undefined
  })
  assert.match(checked, /data-count="created"><b>1<\/b>/)
  assert.match((await third.desk.get(questions!)).html, /name="find\.record\.1\.0\.customer_id" value="Head office"/)
  assert.equal((await third.desk.submit(path!, {}, action)).status, 303)
  await eventually('the person has been imported', async () => {
    const { body } = await third.client('GET', '/employees.php?email=ida@desk.test')
    return body.data.length === 1
  })
  await third.server.end('SIGTERM')
})

test('after its node is killed, an import continues and applies every row exactly once', async () => {
  const [rows, rounds] = isFullRun ? [10_000, 20] : [manyRows, engine === 'postgres' ? 1 : 2]
  const environment = { DATA_DIR: temporaryDirectory() }
  const server = await startProcess(environment, { nodes: 2 })
  const client = networkClient(server.url, await makeTenant(environment, 'acme'))
  await client('POST', '/customers.php', { name: 'B', external_id: 'b-1' })
  for (let round = 0; round < rounds; round++) {
    const { body } = await uploadImport(client, 'resource=employees&mode=valid_rows', fileOf(rows, `r${round}`))
    for (let kill = 0; kill < 2; kill++) {
      const minProcessed = Math.floor(random() * rows)
      const isRunning = kill === 1 // the first kill happens during the check, the second one during the run
      await eventually('the import has made progress', async () => {
        const { state, processed } = await retryUntilResponse(client, 'GET', `/imports.php?id=${body.id}`)
        return state === 'done' || (processed >= minProcessed && isRunning === (state === 'running'))
      })
      await server.crash((round + kill) % server.nodes.length)
    }
    await retryUntilResponse(client, 'GET', `/imports.php?id=${body.id}`)
    const done = await waitForImport(client, body.id)
    assert.deepEqual([done.state, countsOf(done)], ['done', `${(rows / 10) * 9} 0 0 ${rows / 10}`], withSeed(''))
    const database = await tenantDatabaseOf(environment, 'acme')
    const sql = 'select count(*) as rows, count(distinct record_id) as records from changes where change_set = ?'
    const { rows: changes, records } = (await database.all(sql.replace('?', `'${done.change_set}'`)))[0]!
    assert.deepEqual([Number(changes), Number(records)], [(rows / 10) * 9, (rows / 10) * 9], withSeed(''))
    const failed = await client('GET', `/imports.php?id=${body.id}`)
    assert.equal(failed.body.errors.length, Math.min(100, rows / 10))
  }
  await server.end('SIGKILL')
})

test('a node that is killed while it applies rows creates each record, the stock and the saved mapping once', async () => {
  const rows = engine === 'postgres' ? 3000 : 20_000
  const environment = { DATA_DIR: temporaryDirectory() }
  const server = await startProcess(environment, { nodes: 1 })
  const client = networkClient(server.url, await makeTenant(environment, 'acme'))
  await client('POST', '/customers.php', { name: 'Branch', code: 'B1' })
  const lines = Array.from({ length: rows }, (_, index) => `a-${index},B1,T-${index}`)
  const query = 'resource=hardware&mode=all_or_nothing&map[Place]=stock_customer_code&save_as=Kept'
  const { body } = await uploadImport(client, query, ['external_id,Place,asset_tag', ...lines].join('\n'))
  let kills = 0
  for (const share of [0.01, 0.4, 0.7]) {
    const { state, processed } = await eventually(
      'rows have been applied',
      async () => {
        const found = await retryUntilResponse(client, 'GET', `/imports.php?id=${body.id}`)
        return found.finished_at || (found.state === 'running' && found.processed >= share * rows) ? found : null
      },
      { withinMs: 60_000, everyMs: 2 },
    )
    if (state === 'running' && processed < rows) kills++
    await server.crash(0)
  }
  await retryUntilResponse(client, 'GET', `/imports.php?id=${body.id}`)
  const done = await waitForImport(client, body.id, { withinMs: 60_000 })
  assert.deepEqual([done.state, countsOf(done)], ['done', `${rows} 0 0 0`])
  assert.ok(kills > 0)
  const total = async (path: string) => (await client('GET', `${path}&total=true&limit=1`)).body.page.total
  const stocks = await total('/employees.php?kind=storage')
  assert.deepEqual([stocks, await total('/hardware.php?customer_id=1')], [1, rows])
  const { all } = await tenantDatabaseOf(environment, 'acme')
  const [changes] = await all(`select count(*) as rows, count(distinct record_id) as records from changes
    where resource = 'hardware' and change_set = '${done.change_set}'`)
  assert.deepEqual([Number(changes!.rows), Number(changes!.records)], [rows, rows])
  const { body: mappings } = await client('GET', '/import_mappings.php')
  assert.equal(mappings.data.filter(({ name }: Json) => name === 'Kept').length, 1)
  await server.end('SIGKILL')
})

test("an import's file is deleted when the import ends or is discarded", async () => {
  const { tenant, environment } = await startService({}, { jobPollIntervalMs: 20 })
  const acme = await tenant('acme')
  const done = await importFile(acme, 'resource=customers&mode=valid_rows', 'external_id,name\n1,A\n2,\n')
  const checked = await importFile(acme, 'resource=customers', 'external_id,name\n3,A\n4,\n')
  const database = await tenantDatabaseOf(environment, 'acme')
  const count = async (table: string) =>
    Number((await database.all(`select count(*) as count from ${table}`))[0]!.count)
  await eventually('the file is deleted', async () => (await count('job_parts')) === 1)
  assert.equal(await count('job_failures'), 2) // the failures that the check found before the run are deleted
  await acme('DELETE', `/imports.php?id=${checked.id}`)
  await eventually(
    'all data of the discarded import is deleted',
    async () => (await count('jobs')) === 1 && (await count('import_values')) === 0,
  )
  assert.equal((await acme('GET', `/imports.php?id=${done.id}`)).body.errors.length, 1)
})

test('an all_or_nothing import is undone, with the stock that it created, if one row fails because of a concurrent change', async () => {
  const { tenant } = await startService({}, { jobPollIntervalMs: 20 })
  const acme = await tenant('acme')
  await acme('POST', '/customers.php', { name: 'B' })
  await acme('POST', '/employees.php', { customer_id: 1, email: 'a@b.test' })
  await acme('POST', '/hardware.php', { employee_id: 1, external_id: 'known', name: 'before' })
  const total = async () => (await acme('GET', '/hardware.php?total=true&limit=1')).body.page.total as number
  for (let attempt = 0; ; attempt++) {
    const before = await total()
    const places = (index: number) => (index === 0 ? ',1' : '1,') // the first one goes into a new stock
    const rows = Array.from(
      { length: manyRows },
      (_, index) => `${attempt}-${index},${places(index)},new,${attempt}-${index}`,
    )
    const file = ['external_id,employee_id,stock_customer_id,name,asset_tag', 'known,1,,after,', ...rows].join('\n')
    const { body } = await uploadImport(acme, 'resource=hardware&mode=all_or_nothing', file)
    await eventually('the import is running', async () => {
      const { state } = (await acme('GET', `/imports.php?id=${body.id}`)).body
      return state !== 'checking'
    })
    const taken = await acme('POST', '/hardware.php', { employee_id: 1, asset_tag: `${attempt}-${manyRows - 1}` })
    const ended = await waitForImport(acme, body.id)
    if (taken.status === 422 && attempt < 5) continue // the import had already used this asset tag
    assert.deepEqual([ended.state, countsOf(ended), ended.errors.length], ['failed', '0 0 0 1', 1])
    assert.deepEqual([ended.errors[0].row, ended.errors[0].code], [manyRows + 2, 'duplicate'])
    assert.equal(await total(), before + 1)
    const [known] = (await acme('GET', '/hardware.php?external_id[in]=known')).body.data
    assert.equal(known.name, attempt === 0 ? 'before' : 'after')
    const stocks = (await acme('GET', '/employees.php?kind=storage')).body.data
    assert.equal(stocks.length, attempt === 0 ? 0 : 1)
    const { data } = (await acme('GET', '/changes.php?resource=employees&order=desc')).body
    if (attempt === 0) assert.deepEqual([data[0].action, data[1].action], ['delete', 'create'])
    return
  }
})

test('if a running import is cancelled, the rows already applied are kept', async () => {
  const { tenant } = await startService({}, { jobPollIntervalMs: 20 })
  const acme = await tenant('acme')
  const file = ['name', ...Array.from({ length: 4000 }, (_, index) => `n${index}`)].join('\n')
  const { body } = await uploadImport(acme, 'resource=customers&mode=valid_rows', file)
  await eventually('the import is running', async () => {
    const { state, processed } = (await acme('GET', `/imports.php?id=${body.id}`)).body
    return state !== 'checking' && processed > 0
  })
  assert.equal((await acme('DELETE', `/imports.php?id=${body.id}`)).status, 200)
  const { state, created, change_set } = (await acme('GET', `/imports.php?id=${body.id}`)).body
  if (state === undefined) return // the import had already ended
  assert.equal(state, 'cancelled')
  assert.equal((await acme('GET', '/customers.php?total=true')).body.page.total, created)
  assert.match(change_set, /^[0-9a-f-]{36}$/)
  assertRefused(await acme('POST', `/imports.php?id=${body.id}&mode=valid_rows`), 'conflict')
})

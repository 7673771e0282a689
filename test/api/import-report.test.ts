// What GET imports.php?id= says of a file: how its columns were read, and its errors in groups (contract §17).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importFile, uploadImport, waitForImport } from '../support/api/imports.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { command, type Json, startService } from '../support/service.ts'

let now = Date.parse('2026-11-22T10:00:00Z')
const { tenant, environment } = await startService({}, { jobPollIntervalMs: 50, now: () => new Date(now) })
const acme = await tenant('acme')
await acme('POST', '/customers.php', { name: 'Head office', code: 'HQ' })

const samplesOf = ({ columns }: Json) => columns.map(({ samples }: Json) => samples)

test('an import names the field of each column, the field by which a reference is found, and three samples', async () => {
  const file = [
    'email,Full name of the person,customer_code,Colour,phone',
    'one@a.test,One,HQ,red,',
    'two@a.test,  Two ,HQ,red,',
    `three@a.test,${'x'.repeat(99)}😀y,HQ,"'=1+1",`,
    'four@a.test,Four,HQ,blue,',
  ].join('\n')
  const { columns } = await importFile(acme, 'resource=employees&map[Full name of the person]=name', file)
  assert.deepEqual(columns, [
    { title: 'email', field: 'email', by: null, samples: ['one@a.test', 'two@a.test', 'three@a.test'] },
    { title: 'Full name of the person', field: 'name', by: null, samples: ['One', 'Two', `${'x'.repeat(99)}😀`] },
    { title: 'customer_code', field: 'customer_id', by: 'code', samples: ['HQ'] },
    { title: 'Colour', field: null, by: null, samples: ['red', '=1+1', 'blue'] },
    { title: 'phone', field: 'phone', by: null, samples: [] },
  ])
})

test('equal errors of all failed rows are counted together, the most frequent ones first', async () => {
  const rows = Array.from({ length: 150 }, (_, at) => `b${at}@a.test,${at % 3 === 0 ? 'HQ' : 'XX'},not a date`)
  const file = `email,customer_code,start_date\nnobody,HQ,2026-01-31\n${rows.join('\n')}\nbad@a.test,,2026-01-31`
  const report = await importFile(acme, 'resource=employees&mode=valid_rows', file)
  assert.deepEqual([report.invalid, report.errors.length], [152, 100])
  assert.deepEqual(report.summary, [
    { code: 'invalid_date', column: 'start_date', field: 'start_date', count: 150, first_row: 3 },
    { code: 'not_in_list', column: 'customer_code', field: 'customer_id', count: 100, first_row: 4 },
    { code: 'invalid_email', column: 'email', field: 'email', count: 1, first_row: 2 },
    { code: 'required', column: 'customer_code', field: 'customer_id', count: 1, first_row: 153 },
  ])
})

test('errors that are not about a column are grouped by their field, or by their code alone', async () => {
  const file = 'external_id,name,code\nr-1,One,R1,extra\nr-2,Two,R2,extra\n'
  const { summary } = await importFile(acme, 'resource=customers', file)
  assert.deepEqual(summary, [{ code: 'too_many_cells', column: null, field: null, count: 2, first_row: 2 }])
  const update = await importFile(acme, 'resource=customers&match=code', 'code,city\nZZ,Berlin\nYY,Berlin\n')
  assert.deepEqual(update.summary, [{ code: 'required', column: null, field: 'name', count: 2, first_row: 2 }])
})

test('columns, summary and errors come with one import, not with the list or the response to an upload', async () => {
  const { body: uploaded } = await uploadImport(acme, 'resource=customers', 'name\nA\n')
  const report = await waitForImport(acme, uploaded.id)
  const listed = (await acme('GET', '/imports.php?limit=1')).body.data[0]
  const started = (await acme('POST', `/imports.php?id=${report.id}&mode=valid_rows`)).body
  for (const member of ['columns', 'summary', 'errors'])
    assert.deepEqual(
      [uploaded, listed, started, report].map((each) => member in each),
      [false, false, false, true],
    )
})

test('an import without these members, from an earlier version, has none', async () => {
  const { id } = await importFile(acme, 'resource=customers', 'name,country\nA,D\n')
  const database = await tenantDatabaseOf(environment, 'acme')
  const [job] = await database.all(`select input, progress from jobs where id = ${id}`)
  const [input, progress] = [JSON.parse(job.input), JSON.parse(job.progress)]
  for (const column of input.columns.columns) delete column.samples
  delete progress.errors
  const texts = [input, progress].map((value) => `'${JSON.stringify(value).replaceAll("'", "''")}'`)
  await database.run(`update jobs set input = ${texts[0]}, progress = ${texts[1]} where id = ${id}`)
  const { body } = await acme('GET', `/imports.php?id=${id}`)
  assert.deepEqual([body.columns, body.summary, body.errors.length], [[], [], 1])
})

test('the samples of a file are kept for 30 days, and until a person is erased', async () => {
  const person = (await acme('POST', '/employees.php', { customer_id: 1, email: 'gone@a.test' })).body
  const erased = await importFile(acme, 'resource=employees', 'email,name,customer_code\ngone@a.test,Gone Girl,HQ\n')
  assert.deepEqual(samplesOf(erased)[1], ['Gone Girl'])
  const { exitCode, stderr } = await command(
    environment,
    'erase-person',
    String(person.id),
    '--tenant',
    'acme',
    '--yes',
  )
  assert.equal(exitCode, 0, stderr)
  const read = async (id: number) => samplesOf((await acme('GET', `/imports.php?id=${id}`)).body)
  assert.deepEqual(await read(erased.id), [[], [], []])

  const { id } = await importFile(acme, 'resource=customers&mode=valid_rows', 'name\nKept\n')
  assert.deepEqual(await read(id), [['Kept']])
  now += 31 * 24 * 60 * 60 * 1000
  await eventually('the samples are deleted', async () => (await read(id))[0].length === 0)
})

// CSV imports through the API (contract §17): accepted formats, each row's outcome, and refusals.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { countsOf, importFile, uploadImport, waitForImport } from '../support/api/imports.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { type Client, createKey, type Json, startService } from '../support/service.ts'

let now = Date.parse('2026-11-22T10:00:00Z')
const service = await startService(
  { IMPORT_LIMIT_BYTES: '3000000' },
  { jobPollIntervalMs: 50, now: () => new Date(now) },
)
const acme = await service.tenant('acme')
const headOffice = (await acme('POST', '/customers.php', { name: 'Head office', code: 'HQ', external_id: 'b-1' })).body
await acme('POST', '/customers.php', { name: 'Depot', code: 'D1' })
await acme('POST', '/customers.php', { name: 'Depot', code: 'D2' })

const errorsOf = ({ errors }: Json) => errors.map(({ row, column, code }: Json) => `${row} ${column} ${code}`)

async function employees(query: string): Promise<Json[]> {
  return (await acme('GET', `/employees.php?${query}`)).body.data
}

test('a dry run of an import counts the changes without making them, and can then be executed without another upload', async () => {
  const file = 'email,customer_code,name\ndry1@a.test,HQ,One\ndry2@a.test,HQ,\ndry3@a.test,XX,Three\n'
  const { status, headers, body } = await uploadImport(acme, 'resource=employees', file)
  assert.deepEqual([status, headers.location], [202, `/api/v1/imports.php?id=${body.id}`])
  assert.deepEqual([body.state, body.mode, body.match, body.rows], ['checking', 'dry_run', 'external_id', 3])
  const checked = await waitForImport(acme, body.id)
  assert.deepEqual([checked.state, checked.processed, countsOf(checked)], ['checked', 3, '2 0 0 1'])
  assert.deepEqual(errorsOf(checked), ['4 customer_code not_in_list'])
  assert.equal(checked.change_set, null)
  assert.deepEqual(await employees('q=dry1'), [])

  const running = await acme('POST', `/imports.php?id=${body.id}&mode=valid_rows`)
  assert.deepEqual([running.status, running.body.state, running.body.mode], [202, 'running', 'valid_rows'])
  const report = await waitForImport(acme, body.id)
  assert.deepEqual([report.state, countsOf(report)], ['done', '2 0 0 1'])
  const [one] = await employees('email=dry1@a.test')
  assert.deepEqual([one.name, one.customer_id], ['One', headOffice.id])
  const changes = (await acme('GET', `/changes.php?change_set=${report.change_set}`)).body.data
  assert.deepEqual([changes.length, changes[0].request_id], [2, running.headers['x-request-id']])
  assertRefused(await acme('POST', `/imports.php?id=${body.id}&mode=valid_rows`), 'conflict')
})

test('an imported row updates the matching record, leaves it unchanged if all values are equal, or creates a record', async () => {
  const header = 'external_id,customer_external_id,email,name,notes\n'
  await importFile(
    acme,
    'resource=employees&mode=valid_rows',
    `${header}m1,b-1,m1@a.test,One,\nm2,b-1,m2@a.test,Two,x\n`,
  )
  const file = `${header}m1,b-1,m1@a.test,One,\nm2,b-1,m2@a.test,Zwei,\n,b-1,m3@a.test,,\nm4,b-1,m4@a.test,,\nm4,b-1,m5@a.test,,\n`
  const report = await importFile(acme, 'resource=employees&mode=valid_rows', file)
  assert.deepEqual([report.state, countsOf(report), errorsOf(report)], ['done', '2 1 1 1', ['6 external_id duplicate']])
  const [two] = await employees('external_id[in]=m2')
  assert.deepEqual([two.name, two.notes], ['Zwei', null])

  const existingId = (await employees('email=m3@a.test'))[0].id
  const byId = await importFile(
    acme,
    'resource=employees&match=id&mode=valid_rows',
    `id,name\n${existingId},Three\n987654,X\nx,Y\n`,
  )
  assert.deepEqual([countsOf(byId), errorsOf(byId).slice(0, 1)], ['0 1 0 2', ['3 id not_in_list']])
  const byEmail = await importFile(
    acme,
    'resource=employees&match=email',
    'email,name\nm1@a.test,Uno\nnew@a.test,New\n',
  )
  assert.deepEqual([countsOf(byEmail), errorsOf(byEmail)], ['0 1 0 1', ['3 null required']])
})

test('an all_or_nothing import with an invalid row fails and changes nothing', async () => {
  const file = 'email,customer_code\nall1@a.test,HQ\nnot an address,HQ\n'
  const failed = await importFile(acme, 'resource=employees&mode=all_or_nothing', file)
  assert.deepEqual([failed.state, countsOf(failed)], ['failed', '0 0 0 1'])
  assert.deepEqual(errorsOf(failed), ['3 email invalid_email'])
  assert.deepEqual(await employees('email=all1@a.test'), [])
  const report = await importFile(
    acme,
    'resource=employees&mode=all_or_nothing',
    file.replace('not an address', 'all2@a.test'),
  )
  assert.deepEqual([report.state, countsOf(report)], ['done', '2 0 0 0'])
})

test('an import resolves a reference by id, external id, code or name, in this order', async () => {
  const header = 'email,customer_id,customer_external_id,customer_code,customer_name\n'
  const rows = [
    `r1@a.test,${headOffice.id},zz,zz,zz`,
    'r2@a.test,,b-1,zz,zz',
    'r3@a.test,,,D1,zz',
    'r4@a.test,,,,Head office',
    'r5@a.test,,,,Depot',
    'r6@a.test,,,,Nowhere',
    'r7@a.test,987654,,,',
    'r8@a.test,,,,',
    'r9@a.test,seven,,,',
  ]
  const checked = await importFile(acme, 'resource=employees', header + rows.join('\n'))
  assert.deepEqual(errorsOf(checked), [
    '6 customer_name ambiguous',
    '7 customer_name not_in_list',
    '8 customer_id not_in_list',
    '9 customer_id required',
    '10 customer_id invalid_int',
  ])
  assert.equal(countsOf(checked), '4 0 0 5')
  await acme('POST', '/employees.php', { customer_id: headOffice.id, email: 'ref@a.test', employee_no: '77' })
  const hardware = await importFile(
    acme,
    'resource=hardware',
    'employee_no,employee_email\n77,\n,ref@a.test\n88,ref@a.test\n',
  )
  assert.deepEqual([countsOf(hardware), errorsOf(hardware)], ['3 0 0 0', []])
})

test('a German spreadsheet can be imported: Windows-1252, semicolons, labels, dates, booleans and amounts', async () => {
  const text =
    'Name;Personalnummer;E-Mail;Kürzel des Kunden;Eintrittsdatum;Arbeitet remote;Abteilung;\r\n' +
    'Jürgen Groß – "Jupp";7;juergen@a.test;HQ;01.02.2024;ja;"Ein\r\nkauf";\r\n;;;;;;;\r\n\r\n' +
    'Ayşe;8;ayse@a.test;HQ;2024-03-04;Nein;;\r\n'
  const bytes = Buffer.from(text.replace('ş', 's').replace('–', '\x96'), 'latin1')
  const report = await importFile(
    acme,
    'resource=employees&mode=valid_rows&map[Kürzel des Kunden]=customer_code',
    bytes,
  )
  assert.deepEqual([report.state, report.rows, countsOf(report), errorsOf(report)], ['done', 2, '2 0 0 0', []])
  assert.match(report.assumptions.join(), /Windows-1252.*semicolon/)
  const [jupp] = await employees('email=juergen@a.test')
  assert.deepEqual([jupp.name, jupp.department], ['Jürgen Groß – "Jupp"', 'Ein\r\nkauf'])
  assert.deepEqual([jupp.start_date, jupp.is_remote, jupp.employee_no], ['2024-02-01', true, '7'])

  const hardware =
    'employee_email;Inventarnummer;Kaufpreis;Kaufdatum;Leihgerät\r\njuergen@a.test;L-1;1.299,90 €;1.2.2024;WAHR\r\n'
  const assets = await importFile(
    acme,
    'resource=hardware&mode=valid_rows',
    `${hardware}juergen@a.test;L-2;1.500;;FALSCH\r\n`,
  )
  assert.deepEqual([countsOf(assets), errorsOf(assets)], ['2 0 0 0', []])
  const { data } = (await acme('GET', '/hardware.php?asset_tag[in]=L-1,L-2&sort=asset_tag')).body
  assert.deepEqual(
    data.map(({ purchase_cost }: Json) => purchase_cost),
    [129990, 150000],
  )
  assert.match(assets.assumptions.join(), /Kaufpreis\\?" are in major units/)
})

test('an import rejects ambiguous amounts and ambiguous dates with slashes', async () => {
  const dates = await importFile(
    acme,
    'resource=employees',
    'email,customer_code,start_date,end_date\ns1@a.test,HQ,3/4/2024,31/12/2024\ns2@a.test,HQ,5/6/2024,1/2/2025\ns3@a.test,HQ,2024-01-01,1.1.24\n',
  )
  assert.deepEqual(errorsOf(dates), [
    '2 start_date invalid_date',
    '3 start_date invalid_date',
    '4 end_date invalid_date',
  ])
  assert.match(dates.assumptions.join(), /"start_date" can be read in two ways.*"end_date" begin with the day/)
  const amounts = await importFile(
    acme,
    'resource=hardware',
    'employee_email,purchase_cost\nref@a.test,1.299\nref@a.test,1299\nref@a.test,12x\nref@a.test,-5\n',
  )
  assert.deepEqual(errorsOf(amounts), [
    '2 purchase_cost invalid_int',
    '4 purchase_cost invalid_int',
    '5 purchase_cost invalid_int',
  ])
})

test('imported amounts cannot have more decimals than the tenant’s currency, unless these are zeros', async () => {
  for (const [currency, expectedCost] of Object.entries({ EUR: 150050, JPY: null, KWD: 1500500 })) {
    const client = await service.tenant(`in-${currency.toLowerCase()}`)
    assert.equal((await client('PUT', '/settings.php', { currency })).status, 200)
    await client('POST', '/customers.php', { name: 'x' })
    await client('POST', '/employees.php', { customer_id: 1, email: 'a@b.test' })
    const file = 'employee_id,name,Purchase cost\n1,whole,"1,500.00"\n1,part,1500.50\n'
    const report = await importFile(client, 'resource=hardware&mode=valid_rows', file)
    assert.equal(report.invalid, currency === 'JPY' ? 1 : 0)
    const { data } = (await client('GET', '/hardware.php')).body
    const costs = Object.fromEntries(data.map(({ name, purchase_cost }: Json) => [name, purchase_cost]))
    assert.equal(costs.whole, { EUR: 150000, JPY: 1500, KWD: 1500000 }[currency], currency)
    assert.equal(costs.part ?? null, expectedCost, currency)
  }
})

test('the row numbers in the errors of an import match a spreadsheet, even if there are empty lines or line breaks in cells', async () => {
  const file =
    '\ufeffemail,customer_code\r\n"n1@a.test","HQ"\r\n\r\nbad1,HQ\n,\r"b\nad2",HQ\r\nbad3,HQ,,\r\nbad4,HQ,,x\r\nshort'
  const checked = await importFile(acme, 'resource=employees', file)
  assert.deepEqual(errorsOf(checked), [
    '4 email invalid_email',
    '6 email invalid_email',
    '7 email invalid_email',
    '8 null too_many_cells',
    '9 email invalid_email',
    '9 customer_code required',
  ])
  assert.equal(checked.rows, 6)
})

test('an import accepts UTF-16 with tabs as delimiters, and removes the apostrophes that exports put before formulas', async () => {
  const text = "\ufeffname\tnotes\n'=1+1\t'hello\nÜnal\t'-5\n"
  const swapped = Buffer.from(text, 'utf16le').swap16()
  for (const file of [Buffer.from(text, 'utf16le'), swapped]) {
    const report = await importFile(acme, 'resource=customers&mode=valid_rows', file)
    assert.equal(countsOf(report), '2 0 0 0')
    const { data } = (await acme('GET', '/customers.php?sort=-id&limit=2')).body
    assert.deepEqual(
      data.map(({ name, notes }: Json) => [name, notes]),
      [
        ['Ünal', '-5'],
        ['=1+1', "'hello"],
      ],
    )
  }
})

test('an import ignores unknown and read-only columns, and names the unknown columns in one sentence', async () => {
  const wide = Array.from({ length: 200 }, (_, index) => `extra ${index}`)
  const file = `name,id,created_at,error,${wide.join(',')},notes\nWide,5,x,y,${wide.join(',')},n\n`
  const checked = await importFile(acme, 'resource=customers&map[notes]=', file)
  assert.equal(countsOf(checked), '1 0 0 0')
  const ignored = checked.assumptions.filter((sentence: string) => sentence.includes('unknown and ignored'))
  assert.deepEqual(ignored, [`The columns ${wide.map((title) => `"${title}"`).join(', ')} are unknown and ignored.`])
  const one = await importFile(acme, 'resource=customers', 'name,colour\nOne,red\n')
  assert.ok(one.assumptions.includes('The column "colour" is unknown and ignored.'))
})

test('an import checks unique values within the file and against existing records', async () => {
  await acme('POST', '/hardware.php', { employee_id: 1, asset_tag: 'U-1' })
  const file = 'employee_id,asset_tag\n1,U-1\n1,U-2\n1,U-2\n'
  for (const mode of ['dry_run', 'valid_rows']) {
    const checked = await importFile(acme, `resource=hardware&mode=${mode}`, file)
    assert.deepEqual(
      [countsOf(checked), errorsOf(checked)],
      ['1 0 0 2', ['2 asset_tag duplicate', '4 asset_tag duplicate']],
    )
  }
})

test('the failed rows of an import can be downloaded with the file’s own columns, corrected and imported again', async () => {
  const checked = await importFile(acme, 'resource=customers', 'Land;name\nDE;Fine\n"D;x";\'=x\n')
  const { status, headers, text } = await acme('GET', `/imports.php?id=${checked.id}&format=csv`)
  assert.deepEqual([status, headers['content-type']], [200, 'text/csv; charset=utf-8'])
  assert.match(headers['content-disposition']!, /^attachment; filename="/)
  const corrected = text.replace('"D;x"', 'TR')
  assert.match(corrected, /^\ufeffLand;name;error\r\nTR;'=x;Land: /)
  assert.equal(countsOf(await importFile(acme, 'resource=customers', corrected)), '1 0 0 0')
})

test('an uploaded file that is not text, is too large or has no usable columns is refused, and nothing is stored', async () => {
  const before = (await acme('GET', '/imports.php')).body.data.length
  const refusals: [file: string | Buffer, reason: RegExp, query?: string][] = [
    ['', /first row/],
    ['\n;;\n', /first row/],
    ['name\n"A', /row 2 is not closed/],
    ['name,Name\nA,B\n', /Two columns/],
    ['colour\nred\n', /none of "colour" is known/],
    ['name\nA\n', /no column of the file contains code/, '&match=code'],
    ['name\nA\n', /map names the column "Titel"/, '&map[Titel]=notes'],
    ['name,A\nB,C\n', /^map\[A\] is given more than once/, '&map[A]=notes&map[A%20]=city'],
    [Buffer.from('PK\x03\x04\x14\x00\x06\x00', 'latin1'), /Excel workbook \(\.xlsx\)/],
    [Buffer.from('name\nA\0B\n'), /is not text/],
    [Buffer.from([0xef, 0xbb, 0xbf, 0x6e, 0xff]), /not valid UTF-8/],
  ]
  for (const [file, reason, query = ''] of refusals) {
    const response = await uploadImport(acme, `resource=customers${query}`, file)
    assertRefused(response, 'invalid_request', String(reason))
    assert.match(response.body.error.message, reason)
  }
  assertRefused(await uploadImport(acme, 'resource=customers', 'x'.repeat(3_000_001)), 'payload_too_large')
  assert.equal((await acme('GET', '/imports.php')).body.data.length, before)
})

test('an upload with an invalid parameter or Content-Type is refused; text/plain and application/octet-stream are accepted', async () => {
  const queries = [
    '',
    'resource=pens',
    'resource=customers&mode=all',
    'resource=customers&match=name',
    'resource=customers&colour=red',
  ]
  for (const query of [
    ...queries,
    'resource=customers&map[A]=colour',
    'resource=customers&resource=employees',
    'id=x',
    'id=1&resource=customers',
  ])
    assertRefused(await uploadImport(acme, query, 'name\nA\n'), 'invalid_request', query)
  assertRefused(await acme('POST', '/imports.php?id=1&mode=dry_run'), 'invalid_request')
  assertRefused(
    await acme('POST', '/imports.php?resource=customers', 'name\nA\n', { 'content-type': 'application/json' }),
    'invalid_request',
  )
  assertRefused(
    await acme('POST', '/imports.php?resource=customers', 'name\nA\n', { 'content-encoding': 'gzip' }),
    'invalid_request',
  )
  for (const query of ['format=csv', 'id=1&format=xml', 'limit=0', 'cursor=x', 'id=1&format=csv&limit=5', 'colour=red'])
    assertRefused(await acme('GET', `/imports.php?${query}`), 'invalid_request', query)
  for (const query of ['id=987654', 'id=987654&format=csv'])
    assertRefused(await acme('GET', `/imports.php?${query}`), 'not_found')
  for (const type of ['text/plain; charset=utf-8', 'application/octet-stream'])
    assert.equal(
      (await acme('POST', '/imports.php?resource=customers', 'name\n', { 'content-type': type })).status,
      202,
    )
})

test('a file with only a header can be imported, with zero rows', async () => {
  const report = await importFile(acme, 'resource=customers&mode=all_or_nothing', 'name\r\n')
  assert.deepEqual([report.state, report.rows, report.change_set], ['done', 0, null])
})

test('an import requires imports:write and the create, update and delete scopes for its resource', async () => {
  const client = async (...scopes: string[]) => service.client(await createKey(service.environment, 'acme', scopes))
  const importer = await client('imports:write', 'customers:write')
  const { status, body } = await uploadImport(importer, 'resource=customers', 'name\nA\n')
  assert.equal(status, 202)
  await waitForImport(acme, body.id)
  assertRefused(await uploadImport(importer, 'resource=employees', 'email\nA\n'), 'forbidden')
  assertRefused(await importer('GET', `/imports.php?id=${body.id}`), 'forbidden')
  const insufficientKeys = [
    await client('customers:write'),
    await client('imports:write', 'customers:create', 'customers:update'),
  ]
  for (const insufficient of insufficientKeys) {
    assertRefused(await uploadImport(insufficient, 'resource=customers', 'name\nA\n'), 'forbidden')
    assertRefused(await insufficient('POST', `/imports.php?id=${body.id}&mode=valid_rows`), 'forbidden')
    assertRefused(await insufficient('DELETE', `/imports.php?id=${body.id}`), 'forbidden')
  }
})

test('an import and its failed rows can be read only with the scope to read or write its resource', async () => {
  const checked = await importFile(acme, 'resource=employees', 'email,name,customer_id\nnot an address,Secret name,1\n')
  const other = await importFile(acme, 'resource=customers', 'name\nA\n')
  const client = async (...scopes: string[]) => service.client(await createKey(service.environment, 'acme', scopes))
  const idsFor = async (reader: Client) =>
    (await reader('GET', '/imports.php?limit=2')).body.data.map(({ id }: Json) => id)
  for (const scopes of [[], ['hardware:write', 'imports:write'], ['employees:create', 'employees:update']]) {
    const reader = await client('imports:read', ...scopes)
    for (const path of [`id=${checked.id}`, `id=${checked.id}&format=csv`]) {
      const refused = await reader('GET', `/imports.php?${path}`)
      assertRefused(refused, 'forbidden', path)
      assert.match(refused.body.error.message, /employees:read or employees:write/)
    }
    assert.ok(!(await idsFor(reader)).some((id: number) => [checked.id, other.id].includes(id)), scopes.join())
  }
  for (const scope of ['employees:read', 'employees:write']) {
    const reader = await client('imports:read', scope)
    assert.equal((await reader('GET', `/imports.php?id=${checked.id}`)).body.errors[0].column, 'email')
    assert.match((await reader('GET', `/imports.php?id=${checked.id}&format=csv`)).text, /Secret name/)
    assert.equal((await idsFor(reader))[0], checked.id)
    assertRefused(await reader('GET', `/imports.php?id=${other.id}`), 'forbidden')
  }
  assert.deepEqual(await idsFor(await client('*:read')), [other.id, checked.id])
})

test('discarding an import deletes its failed rows', async () => {
  const checked = await importFile(acme, 'resource=customers', 'name,country\nA,D\n')
  const { status, body } = await acme('DELETE', `/imports.php?id=${checked.id}`)
  assert.deepEqual([status, body], [200, { id: checked.id, deleted: true }])
  for (const path of [`id=${checked.id}`, `id=${checked.id}&format=csv`])
    assertRefused(await acme('GET', `/imports.php?${path}`), 'not_found')
  assertRefused(await acme('DELETE', `/imports.php?id=${checked.id}`), 'not_found')
})

test('imports are listed newest first, in pages', async () => {
  const all = (await acme('GET', '/imports.php?limit=200')).body.data.map(({ id }: Json) => id)
  assert.deepEqual(
    all,
    all.toSorted((one: number, other: number) => other - one),
  )
  const first = (await acme('GET', '/imports.php?limit=3')).body
  const next = (await acme('GET', `/imports.php?limit=3&cursor=${first.page.next_cursor}`)).body
  assert.deepEqual(
    [...first.data, ...next.data].map(({ id }: Json) => id),
    all.slice(0, 6),
  )
  for (const cursor of [all[2], `${first.page.next_cursor}x`])
    assert.equal((await acme('GET', `/imports.php?cursor=${cursor}`)).status, 400)
})

test('the change set of a running import cannot be undone until the import is cancelled', async () => {
  const rows = Array.from({ length: 4000 }, (_, index) => `Running ${index}`)
  const { id } = (await uploadImport(acme, 'resource=customers&mode=valid_rows', `name\n${rows.join('\n')}\n`)).body
  let running: Json
  await eventually('the import has changed a record', async () => {
    running = (await acme('GET', `/imports.php?id=${id}`)).body
    return running.state === 'running' && running.change_set
  })
  const undo = (dryRun: boolean) => acme('POST', '/undo.php', { change_set: running.change_set, dry_run: dryRun })
  for (const refused of [await undo(true), await undo(false)]) {
    assertRefused(refused, 'conflict')
    assert.match(refused.body.details, /still running/)
    assert.deepEqual(refused.body.records, [])
  }
  await acme('DELETE', `/imports.php?id=${id}`)
  const { created } = (await acme('GET', `/imports.php?id=${id}`)).body
  const undone = await undo(false)
  assert.deepEqual([undone.status, undone.body.undone], [200, created])
  assert.equal((await acme('GET', `/imports.php?id=${id}`)).body.state, 'undone')
})

test('undoing an import’s change set undoes all changes and sets the import’s state to undone', async () => {
  const report = await importFile(acme, 'resource=customers&mode=valid_rows', 'name\nUndone 1\nUndone 2\n')
  const undo = await acme('POST', '/undo.php', { change_set: report.change_set })
  assert.deepEqual([undo.status, undo.body.undone], [200, 2])
  assert.equal((await acme('GET', `/imports.php?id=${report.id}`)).body.state, 'undone')
  assert.deepEqual((await acme('GET', '/customers.php?q=Undone')).body.data, [])
})

test('undoing the change set of a failed import sets the import’s state to undone', async () => {
  const report = await importFile(acme, 'resource=customers&mode=valid_rows', 'name\nFailed 1\n')
  const { run } = await tenantDatabaseOf(service.environment, 'acme')
  await run(`update jobs set state = 'failed' where id = ${report.id}`) // as if it had failed with an unexpected error
  const undo = await acme('POST', '/undo.php', { change_set: report.change_set })
  assert.deepEqual([undo.status, undo.body.undone], [200, 1])
  assert.equal((await acme('GET', `/imports.php?id=${report.id}`)).body.state, 'undone')
})

test('importing an exported file leaves every record unchanged', async () => {
  await acme('POST', '/customers.php', { name: '=1+1', notes: '\'+ \r\n"x", y', contract_end: '2028-02-29' })
  for (const resource of ['customers', 'employees', 'hardware']) {
    const { text } = await acme('GET', `/${resource}.php?format=csv`)
    const checked = await importFile(acme, `resource=${resource}&match=id`, text)
    assert.equal(countsOf(checked), `0 0 ${checked.rows} 0`, JSON.stringify(checked.errors))
    assert.ok(checked.rows > 0)
  }
})

test('a repeated upload with the same Idempotency-Key does not start a second import', async () => {
  const headers = { 'idempotency-key': randomUUID(), 'content-type': 'text/csv' }
  const send = (file: string) => acme('POST', '/imports.php?resource=customers&mode=valid_rows', file, headers)
  const first = await send('name\nKeyed\n')
  await waitForImport(acme, first.body.id)
  const replay = await send('name\nKeyed\n')
  assert.deepEqual([replay.status, replay.text, replay.headers.location], [202, first.text, first.headers.location])
  assert.equal(replay.headers['idempotent-replayed'], 'true')
  assert.equal((await acme('GET', '/customers.php?name=Keyed&total=true')).body.page.total, 1)
})

test('a checked import can be executed for 24 hours, and failed rows are kept for 30 days', async () => {
  const checked = await importFile(acme, 'resource=customers', 'name,country\nLate,DE\nLate,D\n')
  const dayMs = 24 * 60 * 60 * 1000
  now += dayMs + 1000
  const refused = await acme('POST', `/imports.php?id=${checked.id}&mode=valid_rows`)
  assertRefused(refused, 'conflict')
  assert.match(refused.body.details, /24 hours/)
  const countErrors = async () => (await acme('GET', `/imports.php?id=${checked.id}`)).body.errors.length
  assert.equal(await countErrors(), 1)
  now += 30 * dayMs
  await eventually('the failed rows are deleted', async () => (await countErrors()) === 0)
})

test('after an upload that is too large is refused, its connection accepts the next request', async () => {
  const { origin, port } = new URL(await service.listen())
  const socket = connect(Number(port), '127.0.0.1')
  const key = await createKey(service.environment, 'acme', ['*:write'])
  const size = 20_000_000
  socket.write(
    `POST /api/v1/imports.php?resource=customers HTTP/1.1\r\nhost: ${new URL(origin).host}\r\n` +
      `authorization: Bearer ${key}\r\ncontent-length: ${size}\r\n\r\n`,
  )
  socket.write(Buffer.alloc(size, 'x'))
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  const responses = (await text(socket)).match(/HTTP\/1\.1 \d+/g)
  assert.deepEqual(responses, ['HTTP/1.1 413', 'HTTP/1.1 200'])
})

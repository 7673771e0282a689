// Exporting whole lists as files: GET /{resource}.php?format=csv and format=ndjson (contract §17).

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { pino } from 'pino'
import { customers } from '../../src/domain/declarations/customers.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { insertRecords, tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { command, createKey, type Json, makeTenant, startService } from '../support/service.ts'

let time = '2026-11-22T23:30:00.000Z'
const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line) => void lines.push(line) })
const service = await startService({}, { log, now: () => new Date(time) })
const acme = await service.tenant('acme')
const customer = (await acme('POST', '/customers.php', { name: 'Müller; "Söhne", Bau', notes: 'one\ntwo' })).body
const [ada] = [
  (await acme('POST', '/employees.php', { customer_id: customer.id, email: 'ada@b.c', name: '=1+1' })).body,
  (await acme('POST', '/employees.php', { customer_id: customer.id, email: 'bob@b.c', is_remote: true })).body,
]
await acme('POST', '/hardware.php', { employee_id: ada.id, name: 'Laptop', purchase_cost: 149900, asset_tag: 'TD-1' })

const bom = '\ufeff'
const csvOf = async (query: string, resource = 'employees') =>
  (await acme('GET', `/${resource}.php?format=csv&${query}`)).text.slice(bom.length).split('\r\n').slice(0, -1)

test('a CSV export has a byte order mark, a header row with field names and reference titles, and CRLF line breaks', async () => {
  const { status, headers, text } = await acme('GET', '/customers.php?format=csv')
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal(headers['content-disposition'], 'attachment; filename="customers-2026-11-22.csv"')
  assert.deepEqual([headers.etag, headers.link, headers['cache-control']], [undefined, undefined, 'no-store'])
  const names = ['id', ...Object.keys(customers.fields), 'created_at', 'updated_at']
  assert.ok(text.startsWith(`${bom}${names.join(',')}\r\n1,"Müller; ""Söhne"", Bau",`), text)
  assert.match(text, /,"one\ntwo",/)
  const [head = '', first = ''] = await csvOf('')
  assert.match(head, /^id,customer_id,email,.*,created_at,updated_at,customer_name$/)
  assert.ok(first.endsWith(',"Müller; ""Söhne"", Bau"'), first)
  const hardware = await csvOf('fields=name,purchase_cost,is_loaner,due_back,employee_name', 'hardware')
  assert.deepEqual(hardware, ['name,purchase_cost,is_loaner,due_back,employee_name', "Laptop,149900,false,,'=1+1"])
})

test('if a referenced record has no name, a CSV export shows the next of its title fields that has a value', async () => {
  const bob = (await acme('GET', '/employees.php?email=bob@b.c')).body.data[0]
  await acme('POST', '/hardware.php', { employee_id: bob.id, name: 'Phone' })
  assert.deepEqual(await csvOf('fields=employee_name,name&name=Phone', 'hardware'), [
    'employee_name,name',
    'bob@b.c,Phone',
  ])
})

test('in a CSV export, text that starts with an apostrophe, or that a spreadsheet would run as a formula, gets a leading apostrophe', async () => {
  const names = ['=1+1', '+49 30 1', '-5', '@SUM(A1)', '`=1', '`x', "'quoted", "'=1", 'a=1', ' =1', '"=1']
  const ids: number[] = []
  for (const name of names) ids.push((await acme('POST', '/customers.php', { name })).body.id)
  const cells = (await csvOf(`fields=name&id[in]=${ids}`, 'customers')).slice(1)
  assert.deepEqual(cells, [
    "'=1+1",
    "'+49 30 1",
    "'-5",
    "'@SUM(A1)",
    "'`=1",
    '`x',
    "''quoted",
    "''=1",
    'a=1',
    "'=1",
    '"""=1"',
  ])
  for (const id of ids) await acme('DELETE', `/customers.php?id=${id}`)
})

/** What Excel or LibreOffice changes in English, German or Turkish when it opens and saves a file, and what both keep. */
const changedTexts =
  "00123 007 0800555 123456789012 1E5 1e5 12E3 1E+05 1.5 1,5 1.50 .5 5. 1.234 1,234.56 1'000 1-2 3/4 1.2.3 12/13 2026-01 " +
  '2026-01-31 31.01.2026 1:30 00:11:22 50% $5 5€ (5) 5- TRUE true Wahr falsch DOĞRU yanlış MAR1 Mar-01 DEC-12 SEPT2 ' +
  '1-Mar 5-Ocak 192.168.100.200'
const changedPhrases = ['1 1/2', 'Mar 3', '5. Mai 2020', 'Jan 5, 2026', '9 AM', '12:30 PM', '5 €', '2026-01-31 10:00']
const keptTexts =
  '0 7 10 123 12345678901 KW-0007 4F2A e5 2e E5X 10.0.0.1 089/1234567 1_000 0x1F 1st v1.5 Q1 MARS1 truely May ü . , € – () 1;2'
const keptPhrases = [
  'MacBook Pro 14',
  '030 12345-6',
  '089 123456',
  'May not',
  'in 3 days',
  '2026-01-31 or so',
  '1 of 2',
]

test('a CSV export for spreadsheets puts an apostrophe before text that they would change, and a plain one does not', async () => {
  const [changed, kept] = [
    [...changedTexts.split(' '), ...changedPhrases],
    [...keptTexts.split(' '), ...keptPhrases],
  ]
  const ids: number[] = []
  for (const name of [...changed, ...kept]) ids.push((await acme('POST', '/customers.php', { name })).body.id)
  const namesIn = async (query: string) => {
    const { text } = await acme('GET', `/customers.php?format=csv&fields=name&id[in]=${ids}&delimiter=tab${query}`)
    return parseCsv(text.slice(bom.length), '\t').slice(1).flat()
  }
  assert.deepEqual(await namesIn(''), [...changed, ...kept])
  assert.deepEqual(await namesIn('&for=spreadsheet'), [...changed.map((text) => `'${text}`), ...kept])
  for (const id of ids) await acme('DELETE', `/customers.php?id=${id}`)
})

test('a CSV export for spreadsheets leaves numbers, dates, times and truth values alone, and protects names of related records', async () => {
  const branch = (await acme('POST', '/customers.php', { name: '0815', contract_end: '2027-01-31', notes: '-1' })).body
  const employee = { customer_id: branch.id, email: 'num@b.c', employee_no: '00031', start_date: '2026-01-31' }
  const { body } = await acme('POST', '/employees.php', employee)
  const columns = 'customer_name,employee_no,start_date,is_active,customer_id,created_at'
  assert.deepEqual(await csvOf(`for=spreadsheet&fields=${columns}&email=num@b.c`), [
    columns,
    `'0815,'00031,2026-01-31,true,${branch.id},${body.created_at}`,
  ])
  const end = (purpose: string) => csvOf(`fields=contract_end,notes&id[in]=${branch.id}${purpose}`, 'customers')
  assert.deepEqual(await end(''), ['contract_end,notes', "2027-01-31,'-1"])
  assert.deepEqual(await end('&for=spreadsheet'), await end(''))
  await acme('DELETE', `/employees.php?id=${body.id}`)
  await acme('DELETE', `/customers.php?id=${branch.id}`)
})

test('in a CSV export, a cell with a line feed or carriage return is quoted, and so is an empty cell that is the only one in its row', async () => {
  const customer_id = customer.id
  const ids: number[] = []
  for (const notes of ['a\nb', 'a\rb', 'a\r\nb', null])
    ids.push((await acme('POST', '/employees.php', { customer_id, email: 'x@y.z', notes })).body.id)
  const { text } = await acme('GET', `/employees.php?format=csv&fields=notes&id[in]=${ids}`)
  assert.equal(text, `${bom}notes\r\n"a\nb"\r\n"a\rb"\r\n"a\r\nb"\r\n""\r\n`)
  for (const id of ids) await acme('DELETE', `/employees.php?id=${id}`)
})

/** Parses CSV by RFC 4180, independently of the service's code. */
function parseCsv(text: string, delimiter: string): string[][] {
  const cell = new RegExp(`("(?:[^"]|"")*"|[^"${delimiter}\\r\\n]*)(${delimiter}|\\r\\n)`, 'y')
  const rows: string[][] = [[]]
  for (let found = cell.exec(text); found; found = cell.exec(text)) {
    const [, value = '', end] = found
    rows.at(-1)!.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value)
    if (end === '\r\n') rows.push([])
  }
  assert.deepEqual(rows.pop(), [], 'the file ends with CRLF, as RFC 4180 requires')
  return rows
}

test('a CSV export contains the records’ values, apart from the apostrophes added before formulas', async () => {
  const notes = ['=1', "'=1", "''", '"', '"",', ';\t,', 'a\r\n"b"\n', '-', 'ünï😀', '\u2028', '\ufeff=', 'null', null]
  const ids: number[] = []
  for (const note of notes) ids.push((await acme('POST', '/customers.php', { name: 'x', notes: note })).body.id)
  const listed: Json[] = (await acme('GET', `/customers.php?id[in]=${ids}`)).body.data
  assert.deepEqual(listed.map(({ notes }) => notes).at(-1), null)
  for (const [name, delimiter] of Object.entries({ comma: ',', semicolon: ';', tab: '\t' })) {
    const { text } = await acme('GET', `/customers.php?format=csv&delimiter=${name}&id[in]=${ids}`)
    const [head = [], ...rows] = parseCsv(text.slice(bom.length), delimiter)
    const records = rows.map((row) =>
      Object.fromEntries(row.map((cell, index) => [head[index], cell.replace(/^'(?=[=+\-@'])/, '')])),
    )
    const expected = listed.map((record) =>
      Object.fromEntries(Object.entries(record).map(([key, value]) => [key, String(value ?? '')])),
    )
    assert.deepEqual(records, expected)
  }
  for (const id of ids) await acme('DELETE', `/customers.php?id=${id}`)
})

test('the delimiter of a CSV export can be a semicolon or a tab, and cells that contain the delimiter are quoted', async () => {
  const fields = 'fields=id,name'
  assert.deepEqual(await csvOf(`${fields}&delimiter=semicolon`, 'customers'), ['id;name', '1;"Müller; ""Söhne"", Bau"'])
  assert.deepEqual(await csvOf(`${fields}&delimiter=tab`, 'customers'), ['id\tname', '1\t"Müller; ""Söhne"", Bau"'])
})

test('a cell with any of the delimiters is quoted, because a spreadsheet may expect another delimiter and run the rest as a formula', async () => {
  const ids: number[] = []
  for (const name of ['a;=1+1', 'a,=1+1', 'a\t=1+1']) ids.push((await acme('POST', '/customers.php', { name })).body.id)
  for (const delimiter of ['comma', 'semicolon', 'tab']) {
    const rows = await csvOf(`fields=name&delimiter=${delimiter}&id[in]=${ids}`, 'customers')
    assert.deepEqual(rows.slice(1), ['"a;=1+1"', '"a,=1+1"', '"a\t=1+1"'], delimiter)
  }
  for (const id of ids) await acme('DELETE', `/customers.php?id=${id}`)
})

test('an NDJSON export has one record per line, with the same members and included records as in a list', async () => {
  const { headers, text } = await acme('GET', '/hardware.php?format=ndjson&include=employee.customer')
  assert.equal(headers['content-type'], 'application/x-ndjson')
  assert.equal(headers['content-disposition'], 'attachment; filename="hardware-2026-11-22.ndjson"')
  const listed = (await acme('GET', '/hardware.php?include=employee.customer')).body.data
  assert.equal(text, listed.map((record: Json) => `${JSON.stringify(record)}\n`).join(''))
  const some = await acme('GET', '/employees.php?format=ndjson&fields=email,id&include=customer&email=ada@b.c')
  assert.equal(some.text, `${JSON.stringify({ email: 'ada@b.c', id: ada.id, customer })}\n`)
})

test('the columns of an export may be given as repeated parameters', async () => {
  assert.deepEqual(
    await csvOf('fields=name&fields=id&id[in]=1&id[in]=2', 'customers'),
    await csvOf('fields=name,id&id[in]=1,2', 'customers'),
  )
  assert.deepEqual((await csvOf('fields[]=name&fields[]=id', 'customers'))[0], 'name,id')
})

test('an export of an empty list has no records', async () => {
  assert.deepEqual(await csvOf('fields=id&q=nothing', 'customers'), ['id'])
  const { status, text } = await acme('GET', '/customers.php?format=ndjson&q=nothing')
  assert.deepEqual([status, text], [200, ''])
})

test('an export contains every record in the list, whatever the filter, the sort order or the time given by as_of', async () => {
  const reader = await service.tenant('many')
  for (const name of ['First', 'Second']) await reader('POST', '/customers.php', { name })
  const tenantDatabase = await tenantDatabaseOf(service.environment, 'many')
  await insertRecords(tenantDatabase, 'employees', 1100, (n) => ({
    customer_id: 1 + (n % 2),
    email: `e${n}@b.c`,
    name: `Name ${n % 7}`,
    department: `d${n % 3}`,
  }))
  time = '2026-11-23T00:30:00.000Z'
  const moment = time
  time = '2026-11-23T00:31:00.000Z'
  await reader('PUT', '/employees.php?id=3', { name: 'Renamed' })
  await reader('DELETE', '/employees.php?id=4')
  for (const query of [
    '',
    'sort=-name',
    'department=d1&sort=email',
    `as_of=${moment}`,
    'customer_id=2&sort=-department',
  ]) {
    const listed: Json[] = []
    for (let cursor = ''; ; ) {
      const { body } = await reader('GET', `/employees.php?limit=200&${query}${cursor && `&cursor=${cursor}`}`)
      listed.push(...body.data)
      if (!body.page.has_more) break
      cursor = body.page.next_cursor
    }
    const { text } = await reader('GET', `/employees.php?format=ndjson&${query}`)
    const exported = text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
    assert.ok(listed.length > 100, query)
    assert.deepEqual(exported, listed, query)
  }
})

test('an export refuses the parameters that select a page or a single record', async () => {
  const wrong = ['limit=5', 'cursor=x', 'id=1', 'external_id=x', 'total=true', 'history=assignments', 'id=']
  for (const query of wrong) {
    for (const format of ['csv', 'ndjson']) {
      const response = await acme('GET', `/employees.php?format=${format}&${query}`)
      assertRefused(response, 'invalid_request', query)
      const message = `${query.split('=')[0]} cannot be combined with format=${format}, which returns the whole list; leave it out.`
      assert.equal(response.body.error.message, message)
    }
  }
})

test('an invalid parameter of an export is refused, and the message lists the valid values', async () => {
  const refusals: [query: string, message: RegExp][] = [
    ['format=xlsx', /^format "xlsx" is unknown; allowed: csv, ndjson\.$/],
    ['format=', /^format "" is unknown/],
    ['format=csv&format=csv', /format is given more than once/],
    ['fields=id', /^fields applies only to exports; add format=csv or format=ndjson\.$/],
    ['delimiter=tab', /^delimiter applies only to exports/],
    ['format=csv&fields=colour', /^fields "colour" is unknown; allowed: id, customer_id, .*, customer_name\.$/],
    ['format=csv&fields=', /^fields "" is unknown/],
    ['format=csv&fields=id,name,id', /^fields names "id" twice/],
    ['format=ndjson&fields=customer_name', /^fields "customer_name" is unknown; allowed: .*updated_at\.$/],
    ['format=csv&delimiter=pipe', /^delimiter "pipe" is unknown; allowed: comma, semicolon, tab\.$/],
    ['format=csv&delimiter=toString', /^delimiter "toString" is unknown/],
    ['format=ndjson&delimiter=comma', /^delimiter applies only to format=csv/],
    ['for=spreadsheet', /^for applies only to exports/],
    ['format=csv&for=program', /^for "program" is unknown; allowed: spreadsheet\.$/],
    ['format=csv&for=', /^for "" is unknown/],
    ['format=csv&for=spreadsheet&for=spreadsheet', /^for is given more than once/],
    ['format=ndjson&for=spreadsheet', /^for applies only to format=csv/],
    ['format=csv&include=customer', /^include cannot be combined with format=csv/],
    ['format=csv&colour=red', /^There is no parameter "colour"/],
    ['format=csv&sort=colour', /^sort "colour" is unknown/],
    ['format=csv&as_of=2020-01-01T00:00:00Z&q=x', /searches only current records/],
  ]
  for (const [query, message] of refusals) {
    const response = await acme('GET', `/employees.php?${query}`)
    assertRefused(response, 'invalid_request', query)
    assert.match(response.body.error.message, message)
  }
})

test('an export omits columns of resources that the key may not read; a request for one of these columns is refused', async () => {
  const reader = service.client(await createKey(service.environment, 'acme', ['employees:read']))
  const { text } = await reader('GET', '/employees.php?format=csv')
  assert.doesNotMatch(text, /customer_name|Müller/)
  for (const query of ['format=csv&fields=id,customer_name', 'format=ndjson&include=customer']) {
    const response = await reader('GET', `/employees.php?${query}`)
    assertRefused(response, 'forbidden', query)
    assert.match(response.body.error.message, /customers:read/)
  }
  assertRefused(await reader('GET', '/customers.php?format=csv'), 'forbidden')
})

test('a HEAD request for an export has the same checks and headers as GET but no body', async () => {
  const { status, headers, text } = await acme('HEAD', '/employees.php?format=csv')
  assert.deepEqual([status, text, headers['content-type']], [200, '', 'text/csv; charset=utf-8'])
  assert.match(headers['content-disposition']!, /employees-.*\.csv/)
  assert.equal((await acme('HEAD', '/employees.php?format=xlsx')).status, 400)
})

test('an export counts as one request against the rate limit', async () => {
  const line = ['key', 'create', 'acme', '--scope', '*:read', '--rate-limit', '2']
  const client = service.client((await command(service.environment, ...line)).stdout.trim())
  const { headers } = await client('GET', '/customers.php?format=csv')
  assert.equal(headers['x-ratelimit-remaining'], '1')
  await client('GET', '/customers.php?format=csv')
  assertRefused(await client('GET', '/customers.php?format=csv'), 'rate_limited')
})

const url = await service.listen()

/** Creates a tenant whose export does not fit into a connection's buffers, even compressed, and starts to read that
 *  export. */
async function startLargeExport(slug: string, encoding = 'identity') {
  const token = await makeTenant(service.environment, slug)
  const client = service.client(token)
  await client('POST', '/customers.php', { name: 'First' })
  const notesOf = (
    n: number, // 6 kB, or 1 kB compressed
  ) => (encoding === 'identity' ? `${'漢'.repeat(1990)}${n}` : randomBytes(992).toString('hex'))
  await insertRecords(
    await tenantDatabaseOf(service.environment, slug),
    'customers',
    encoding === 'identity' ? 6000 : 12_000,
    (n) => ({ name: `Name ${n}`, notes: notesOf(n) }),
  )
  for (const name of ['Second', 'Third']) await client('POST', '/customers.php', { name })
  const headers = { authorization: `Bearer ${token}`, connection: 'close', 'accept-encoding': encoding }
  const {
    body,
    status,
    headers: sent,
  } = await fetch(`${url}/customers.php?format=ndjson&fields=id,name,notes`, { headers })
  assert.deepEqual([status, sent.get('content-encoding')], [200, encoding === 'identity' ? null : encoding])
  const reader = body!.getReader()
  let text = ''
  const decoder = new TextDecoder()
  const read = async () => {
    const { value, done } = await reader.read()
    text += decoder.decode(value, { stream: true })
    return done
  }
  await read()
  const rest = async () => {
    while (!(await read())) {}
    return text
  }
  return { token, client, rest, cancel: () => reader.cancel() }
}

/** Waits until the tenant's aborted export is logged, and returns the log line. Asserts that the service logged no
 *  error. */
async function findLoggedExport(tenant: string): Promise<Json> {
  const isExport = (line: Json) => line.tenant === tenant && line.method === 'GET' && line.milliseconds > 0
  const find = () => lines.map((line): Json => JSON.parse(line)).find((line) => isExport(line) && line.status === 499)
  const line = await eventually(`the export of ${tenant} is in the log`, find)
  assert.deepEqual(
    lines.filter((line) => JSON.parse(line).level >= 50),
    [],
  )
  return line
}

test('an export that is read slowly contains the records as they were at its start, and does not block changes', async () => {
  const { client, rest } = await startLargeExport('slow')
  assert.equal((await client('PUT', '/customers.php?id=6002', { name: 'Renamed' })).status, 200)
  assert.equal((await client('DELETE', '/customers.php?id=6003')).status, 200)
  assert.equal((await client('POST', '/customers.php', { name: 'New' })).status, 201)
  const lines = (await rest()).split('\n').slice(0, -1)
  const names = lines.map((line) => JSON.parse(line).name)
  assert.equal(names.length, 6003)
  assert.deepEqual(names.slice(-3), ['Name 6000', 'Second', 'Third'])
})

test('revoking the API key aborts a running export and leaves its response incomplete', async () => {
  const { token, client, rest } = await startLargeExport('revoked', 'gzip')
  assert.equal((await command(service.environment, 'key', 'revoke', token.slice(4, 14))).exitCode, 0)
  assertRefused(await client('GET', '/customers.php'), 'key_revoked')
  await assert.rejects(rest, /terminated/)
  assert.equal((await findLoggedExport('revoked')).code, 'key_revoked')
})

test('if the client aborts an export, the export stops, and its log entry is not an error', async () => {
  for (const [slug, encoding] of [
    ['left', 'identity'],
    ['left-early', 'br'],
  ] as const) {
    const { cancel } = await startLargeExport(slug, encoding)
    await cancel()
    assert.equal((await findLoggedExport(slug)).code, undefined)
  }
})

test('suspending the tenant aborts a running export and leaves its response incomplete', async () => {
  const { client, rest } = await startLargeExport('suspended')
  assert.equal((await command(service.environment, 'tenant', 'suspend', 'suspended')).exitCode, 0)
  assertRefused(await client('GET', '/customers.php'), 'tenant_suspended')
  await assert.rejects(rest, /terminated/)
})

test('an unavailable database aborts a running export and leaves its response incomplete', async () => {
  const { rest } = await startLargeExport('lost')
  const tenantDatabase = await tenantDatabaseOf(service.environment, 'lost')
  await tenantDatabase.hide()
  await assert.rejects(rest, /terminated/)
  assert.equal((await findLoggedExport('lost')).code, 'tenant_unavailable')
  await tenantDatabase.show()
})

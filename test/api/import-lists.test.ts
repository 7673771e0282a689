// Lists as people have them: how their text, dates, amounts and words are read (contract §17).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uploadImport, waitForImport } from '../support/api/imports.ts'
import { type Client, startService } from '../support/service.ts'

const { tenant } = await startService()
const client = await tenant('acme')
await client('POST', '/customers.php', { name: 'Büro München', external_id: 'hq', code: 'MUC' })
await client('POST', '/employees.php', {
  customer_external_id: 'hq',
  email: 'ida.holm@kestrel.example',
  external_id: 'e1',
})

type Report = {
  state: string
  created: number
  invalid: number
  assumptions: string[]
  errors: { code: string; message: string }[]
}

/** Imports the valid rows of a file. */
async function load(to: Client, query: string, content: string | Buffer, contentType?: string): Promise<Report> {
  const { body } = await uploadImport(to, `${query}&mode=valid_rows`, content, contentType)
  return (await waitForImport(to, body.id)) as Report
}

let imported = 0

/** Imports assets with one more column, and returns its values and the report. */
async function readColumn(
  title: string,
  field: string,
  cells: readonly string[],
  query = '',
): Promise<[unknown[], Report]> {
  const prefix = `c${imported++}-`
  const rows = cells.map((cell, index) => `${prefix}${index},e1,"${cell.replaceAll('"', '""')}"`)
  const report = await load(
    client,
    `resource=hardware${query}`,
    `external_id,employee_external_id,${title}\n${rows.join('\n')}\n`,
  )
  const ids = cells.map((_, index) => `${prefix}${index}`)
  const { body } = await client('GET', `/hardware.php?external_id[in]=${ids.join(',')}&limit=100`)
  const valueIn = (id: string) =>
    body.data.find((record: Record<string, unknown>) => record.external_id === id)?.[field]
  return [ids.map(valueIn), report]
}

test('a date may have a time: the date in the file counts, and a time other than midnight is an assumption', async () => {
  const dates = [
    '2026-01-31 00:00:00',
    '2026-01-31T00:00:00Z',
    '31.01.2026 00:00',
    '1/31/2026 12:00:00 AM',
    '2026/01/31',
    '2026-1-31',
    '31. 1. 2026',
  ]
  const [values, { assumptions }] = await readColumn('purchase_date', 'purchase_date', dates)
  assert.deepEqual(
    values,
    dates.map(() => '2026-01-31'),
  )
  assert.doesNotMatch(assumptions.join('\n'), /times/)
  const times = [
    '2024-03-11T08:22:10.0000000Z',
    '2024-03-11 07:31:22 UTC',
    '3/11/2024 9:05:00 AM',
    '11.03.2024, 23:59',
    '2024-03-11 08:22:10.12+01',
    '2024-03-11 08:22:10 +0000 UTC',
    '11.03.2024, 08:22 Uhr',
    '3/13/2024 1:25:31 p.m.',
    '2024-03-11 25:00',
  ]
  const [timed, report] = await readColumn('purchase_date', 'purchase_date', times)
  assert.deepEqual(timed, [...Array(7).fill('2024-03-11'), '2024-03-13', undefined])
  assert.match(report.assumptions.join('\n'), /times in "purchase_date" are left out/)
})

test('the month of a date may be a word in English, German or Turkish', async () => {
  const dates = [
    '31-Jan-2026',
    '31. Januar 2026',
    '31 Ocak 2026',
    'Jan 31, 2026',
    'January 31st, 2026',
    'Samstag, 31. Jänner 2026',
    'Saturday, January 31, 2026',
    'Sat Jan 31, 2026',
    'Sat Jan 31 2026 00:00:00 GMT+0100',
    '2026.01.31.',
    'Sa. 31.01.2026',
    '31 Ocak 2026 Cumartesi',
    '31/jan/2026 00:00',
    '31.Jan.2026',
    '20260131',
  ]
  const [values, { assumptions }] = await readColumn('purchase_date', 'purchase_date', dates)
  assert.deepEqual(
    values,
    dates.map(() => '2026-01-31'),
  )
  assert.doesNotMatch(assumptions.join(' '), /times|slashes/)
  const others = [
    '1 Mrz 2026',
    '1. Mai 2026',
    '1 Ağustos 2026',
    '20240311082210.0Z',
    '31-Jan-26',
    '31 Marketing 2026',
    'bis 31. Januar 2026',
  ]
  assert.deepEqual((await readColumn('purchase_date', 'purchase_date', others))[0], [
    '2026-03-01',
    '2026-05-01',
    '2026-08-01',
    '2024-03-11',
    undefined,
    undefined,
    undefined,
  ])
})

test('the mark with which old programs end a file is not a row', async () => {
  const report = await load(await tenant('old-programs'), 'resource=customers', 'name\r\nKestrel\r\n\x1a')
  assert.deepEqual([report.created, report.assumptions.join().includes('damaged')], [1, false])
})

test('the dates that programs and spreadsheets write for a missing one are empty, with an assumption', async () => {
  const missing = [
    ...['0000-00-00', '0000-00-00 00:00:00', '0001-01-01T00:00:00Z', '1/1/0001 12:00:00 AM'],
    ...['1899-12-30', '30.12.1899', '12/30/1899', '1/0/1900', '00.01.1900', '1900-01-01 00:00:00.000', ''],
  ]
  const [values, { assumptions }] = await readColumn('purchase_date', 'purchase_date', missing)
  assert.deepEqual(values, Array(missing.length).fill(null))
  assert.ok(assumptions.includes('A date such as "0000-00-00" in "purchase_date" means that there is none.'))
  assert.doesNotMatch(assumptions.join(' '), /slashes/)
  assert.deepEqual((await readColumn('purchase_date', 'purchase_date', ['1900-01-02', '0001-01-02']))[0], [
    '1900-01-02',
    '0001-01-02',
  ])
})

test('days and months are told apart by the whole column, with slashes and with hyphens', async () => {
  assert.deepEqual((await readColumn('purchase_date', 'purchase_date', ['01-07-2022', '13-07-2022']))[0], [
    '2022-07-01',
    '2022-07-13',
  ])
  assert.deepEqual((await readColumn('purchase_date', 'purchase_date', ['01/07/2022', '07/13/2022']))[0], [
    '2022-01-07',
    '2022-07-13',
  ])
  assert.deepEqual((await readColumn('purchase_date', 'purchase_date', ['5/5/2022', '06-06-2022']))[0], [
    '2022-05-05',
    '2022-06-06',
  ])
  const [values, { errors, assumptions }] = await readColumn('purchase_date', 'purchase_date', [
    '01-07-2022',
    '2022-13-01',
    '31.12.22',
    'soon',
  ])
  assert.deepEqual(values, [undefined, undefined, undefined, undefined])
  assert.deepEqual(
    errors.map(({ code }) => code),
    ['invalid_date', 'invalid_date', 'invalid_date', 'invalid_date'],
  )
  assert.match(assumptions.join('\n'), /can be read in two ways/)
})

test('yes and no are read in the spellings that lists have', async () => {
  const yes = [
    'y',
    'X',
    'aktiv',
    'Aktif',
    'wahr',
    'ON',
    '1',
    'EVET',
    'Active',
    'oui',
    '1.0',
    '[x]',
    'Aktiv (ja)',
    '✔\ufe0f',
    '✅',
    'Verdadero',
  ]
  const no = [
    'n',
    '0.0',
    'Inaktiv (nein)',
    'inactive',
    'inaktiv',
    'PASİF',
    'pasif',
    'falsch',
    'off',
    '0',
    'hayır',
    'non',
    'nee',
    '❌',
    'not active',
    'Aktif değil',
    'passiv',
  ]
  const [values] = await readColumn('is_loaner', 'is_loaner', [...yes, ...no])
  assert.deepEqual(values, [...yes.map(() => true), ...no.map(() => false)])
  const [, { errors }] = await readColumn('is_loaner', 'is_loaner', ['maybe'])
  assert.equal(errors[0]!.code, 'invalid_bool')
})

test('in a column whose only word is x, an empty cell means no', async () => {
  const [values, { assumptions }] = await readColumn('is_loaner', 'is_loaner', ['x', '', 'X', ' ', '✔\ufe0f'])
  assert.deepEqual(values, [true, false, true, false, true])
  assert.match(assumptions.join('\n'), /An empty cell in "is_loaner" means no/)
})

test('amounts are in minor units if their column has the name of the field, otherwise in major units', async () => {
  const minor = await readColumn('purchase_cost', 'purchase_cost', ['129990', '49.90', '1.299.000', '1,00'])
  assert.deepEqual(minor[0], [129990, undefined, 1299000, undefined])
  assert.deepEqual(
    minor[1].errors.map(({ code }) => code),
    ['invalid_int', 'invalid_int'],
  )
  const major = [
    '1299',
    '1249.0000',
    '€ 1,299.90',
    '1.299,90 EUR',
    '12,-',
    '1249.5500',
    '1.299,- €',
    '12,50 Euro',
    '.50',
  ]
  assert.deepEqual(
    (await readColumn('Kaufpreis', 'purchase_cost', major))[0],
    [129900, 124900, 129990, 129990, 1200, 124955, 129900, 1250, 50],
  )
  assert.deepEqual(
    (await readColumn('Cost', 'purchase_cost', ['12,34,567.80', '1,234,567.80']))[0],
    [123456780, 123456780],
  )
  const [values, { errors }] = await readColumn('Kaufpreis', 'purchase_cost', ['1249.5555', '1.00005', 'much'])
  assert.deepEqual(values, [undefined, undefined, undefined])
  assert.match(errors[0]!.message, /an amount such as 1299\.90/)
})

test('amounts=major and amounts=minor decide the unit of all amounts', async () => {
  assert.deepEqual(
    (await readColumn('purchase_cost', 'purchase_cost', ['1299', '100'], '&amounts=major'))[0],
    [129900, 10000],
  )
  assert.deepEqual((await readColumn('Kaufpreis', 'purchase_cost', ['129900'], '&amounts=minor'))[0], [129900])
  const set = '&set[purchase_cost]=12,50&amounts=major'
  assert.deepEqual((await readColumn('Kaufpreis', 'purchase_cost', ['3', ''], set))[0], [300, 1250])
  for (const amount of ['1.299', '$5', 'much']) {
    const query = `resource=hardware&amounts=major&set[purchase_cost]=${amount}`
    const { body } = await uploadImport(client, query, 'employee_external_id\ne1\n')
    assert.match(body.error.message, /^set\[purchase_cost\] is not valid: /, amount)
  }
  const refused = await uploadImport(client, 'resource=hardware&amounts=cents', 'type\n')
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_request'])
})

test('an amount in another currency than the tenant’s is refused', async () => {
  const [values, { errors }] = await readColumn(
    'Cost',
    'purchase_cost',
    ['$1,299.90', '1299.90 USD', '£5', '5.00 €', '12,50 zł', '12 Kč', 'SFr. 12.50', '12.50 US$', '5 tl'],
    '&map[Cost]=purchase_cost',
  )
  assert.deepEqual(values, [undefined, undefined, undefined, 500, ...Array(5).fill(undefined)])
  assert.deepEqual(
    errors.map(({ code }) => code),
    Array(8).fill('wrong_currency'),
  )
})

test('in a currency without decimals, separators are between thousands', async () => {
  const yen = await tenant('yen')
  assert.equal((await yen('PUT', '/settings.php', { currency: 'JPY' })).status, 200)
  await yen('POST', '/customers.php', { name: 'Tokyo', code: 'TYO' })
  const file = 'name;Price\nA;1,299\nB;¥198,000\nC;￥500\nD;much\n'
  const report = await load(yen, 'resource=hardware&set[stock_customer_code]=TYO', file)
  assert.deepEqual([report.created, report.invalid], [3, 1], JSON.stringify(report.errors))
  const { body } = await yen('GET', '/hardware.php?sort=id')
  const costs = body.data.map((asset: Record<string, unknown>) => asset.purchase_cost)
  assert.deepEqual(costs, [1299, 198_000, 500])
})

test('what programs add to a cell does not belong to its text', async () => {
  const cells = [
    '="00123"',
    '="a""b"',
    '\u061cletter',
    '`- lid scratched',
    "'=1+1",
    '\u200bvisible\ufeff',
    '\u202aleft\u202c',
    "plain 'quotes'",
  ]
  const expected = ['00123', 'a"b', 'letter', '- lid scratched', '=1+1', 'visible', 'left', "plain 'quotes'"]
  assert.deepEqual((await readColumn('notes', 'notes', cells))[0], expected)
})

/** Imports customers into a tenant of its own, and returns their names, cities and notes. */
async function readCustomers(
  slug: string,
  content: string | Buffer,
  contentType?: string,
): Promise<[unknown[][], Report]> {
  const to = await tenant(slug)
  const report = await load(to, 'resource=customers', content, contentType)
  const { body } = await to('GET', '/customers.php?sort=id')
  return [body.data.map(({ name, city, notes }: Record<string, unknown>) => [name, city, notes]), report]
}

/** Encodes a text in which each of these characters is one byte. */
function encode(text: string, bytes: Record<string, number>): Buffer {
  return Buffer.from(Array.from(text, (character) => bytes[character] ?? character.charCodeAt(0)))
}

const turkish = { ğ: 0xf0, Ğ: 0xd0, ı: 0xfd, İ: 0xdd, ş: 0xfe, Ş: 0xde }
const polish = { ą: 0xb9, ć: 0xe6, ę: 0xea, ł: 0xb3, ń: 0xf1, ó: 0xf3, ś: 0x9c, ź: 0x9f, ż: 0xbf, Ł: 0xa3 }

test('a file that is not UTF-8 is read in the encoding whose titles are known and whose letters fit', async () => {
  const lines = 'Ad;Şehir;Notlar\r\nIşık Sanayi;Eskişehir;Görüşme yapıldı\r\n'
  const [rows, { assumptions }] = await readCustomers('turkish', encode(lines, turkish))
  assert.deepEqual(rows, [['Işık Sanayi', 'Eskişehir', 'Görüşme yapıldı']])
  assert.match(assumptions.join('\n'), /Windows-1254/)
  const german = Buffer.from('Name;Ort;Notizen\r\nBüro Süd;Köln;groß\r\n', 'latin1')
  assert.deepEqual((await readCustomers('german', german))[0], [['Büro Süd', 'Köln', 'groß']])
  const central = encode('name,city,notes\nŁódź Zakład,Łódź,wąż\n', polish)
  assert.deepEqual((await readCustomers('polish', central))[0], [['Łódź Zakład', 'Łódź', 'wąż']])
  const hungarian = encode('name,city,notes\nTőzsér Kft,Győr,\n', { ő: 0xf5, é: 0xe9 })
  assert.deepEqual((await readCustomers('hungarian', hungarian))[0], [['Tőzsér Kft', 'Győr', null]])
  const onlyOne = encode('name,city,notes\nErnő,Pest,\n', { ő: 0xf5 })
  assert.deepEqual((await readCustomers('only-one', onlyOne))[0], [['Ernő', 'Pest', null]])
  const estonian = Buffer.from('name,city,notes\nPõhja Teenindus,Pärnu,Võru mnt\n', 'latin1')
  assert.deepEqual((await readCustomers('estonian', estonian))[0], [['Põhja Teenindus', 'Pärnu', 'Võru mnt']])
  const portuguese = Buffer.from('name,city,notes\nSimoes Lda,Porto,inspeções\n', 'latin1')
  assert.deepEqual((await readCustomers('portuguese', portuguese))[0], [['Simoes Lda', 'Porto', 'inspeções']])
  const few = encode('name,city,notes\nMagazyn,Gdańsk,\n', polish)
  assert.deepEqual((await readCustomers('few', few))[0], [['Magazyn', 'Gdańsk', null]])
  const western = 'name,city,notes\nCompañía Peña,Coruña,João Simões\nCrème Père,Besançon,più città\n'
  const [[spanish, french]] = (await readCustomers('western', Buffer.from(western, 'latin1'))) as [unknown[][], Report]
  assert.deepEqual(spanish, ['Compañía Peña', 'Coruña', 'João Simões'])
  assert.deepEqual(french, ['Crème Père', 'Besançon', 'più città'])
  const icelandic = Buffer.from('name,city,notes\nÞór ehf,Hafnarfjörður,með ábyrgð\n', 'latin1')
  assert.deepEqual((await readCustomers('icelandic', icelandic))[0], [['Þór ehf', 'Hafnarfjörður', 'með ábyrgð']])
})

test('the charset in Content-Type is used; one that is unknown, or that the bytes contradict, is 400', async () => {
  const content = encode('name,city\nŞirket,Muş\n', turkish)
  const [rows] = await readCustomers('charset', content, 'text/csv; charset=windows-1254')
  assert.deepEqual(rows, [['Şirket', 'Muş', null]])
  const marked = Buffer.from('\ufeffname,city\nŞirket,Muş\n', 'utf16le')
  const bigEndian = Buffer.from(marked).swap16()
  assert.deepEqual((await readCustomers('big-endian', bigEndian, 'text/csv; charset=utf-16'))[0], rows)
  for (const [charset, bytes] of [
    ['utf-8', content],
    ['us-ascii', content],
    ['klingon', content],
    ['windows-1252', Buffer.from('\ufeffname,city\nŞirket,Muş\n')],
    ['windows-1254', marked.subarray(2)],
    ['utf-8', marked],
    ['utf-16be', marked],
  ] as const) {
    const refused = await uploadImport(client, 'resource=customers', bytes, `text/csv; charset=${charset}`)
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_request'], charset)
  }
})

test('a first line sep=; sets the delimiter and is not counted', async () => {
  const [rows] = await readCustomers('sep', 'sep=;\r\nname;city\r\n"A, B";Bremen\r\n')
  assert.deepEqual(rows, [['A, B', 'Bremen', null]])
  const [resaved] = await readCustomers('resaved', '"sep=,",\r\nname,city\r\nA,Bremen\r\n')
  assert.deepEqual(resaved, [['A', 'Bremen', null]])
  const report = await load(client, 'resource=hardware', 'sep=,\nemployee_external_id,type\ne1,spaceship\n')
  assert.equal((report.errors[0] as unknown as { row: number }).row, 2)
})

test('a heading and blank lines above the titles are left out, and rows keep their numbers', async () => {
  const headings = [
    'Kundenliste 2026\r\n\r\n',
    'Standorte;;\r\nStand:;01.02.2026;\r\n;;\r\n',
    'Standort: Berlin\r\n',
    '\r\n;;\r\n',
  ]
  for (const [index, heading] of headings.entries()) {
    const content = `${heading}Name;Ort;Aktiv\r\nA;Bremen;ja\r\nB;Bonn;vielleicht\r\n`
    const [rows, report] = await readCustomers(`heading-${index}`, content)
    assert.deepEqual(rows, [['A', 'Bremen', null]], heading)
    const row = heading.split('\r\n').length
    assert.match(report.assumptions.join(' '), new RegExp(`The column titles are in row ${row};`))
    assert.equal((report.errors[0] as unknown as { row: number }).row, row + 2)
  }
  const [rows, { assumptions }] = await readCustomers('no-heading', 'Name;Bereich\r\nName;Ort\r\n')
  assert.deepEqual(rows, [['Name', null, null]])
  assert.doesNotMatch(assumptions.join(' '), /titles are in row/)
  const long = await uploadImport(client, 'resource=customers', `Liste\nname,city,${'x'.repeat(201)}\nA,B,C\n`)
  assert.equal(long.status, 400)
  assert.match(long.body.error.message, /title of column 3 is longer/)
})

test('the delimiter is the one with which the titles are known', async () => {
  const semicolons = 'name;notes, internal, long, and more;city\nA;x, y;Bremen\n'
  assert.deepEqual((await readCustomers('semicolons', semicolons))[0], [['A', 'Bremen', null]])
})

test('a country may be given by its name in English, German or Turkish', async () => {
  const names = [
    'DE',
    'tr',
    'Germany',
    'Deutschland',
    'ALMANYA',
    'Türkei',
    'turkiye',
    'USA',
    'Fransa',
    'Vereinigtes Königreich',
    'Große',
    'Österreich',
    'UK',
  ]
  const rows = names.map((name, index) => `land-${index},Land ${index},${name}`)
  const to = await tenant('countries')
  const { errors } = await load(to, 'resource=customers', `external_id,name,Land\n${rows.join('\n')}\n`)
  const { body } = await to('GET', '/customers.php?sort=id')
  assert.deepEqual(
    body.data.map(({ country }: Record<string, unknown>) => country),
    ['DE', 'tr', 'DE', 'DE', 'DE', 'TR', 'TR', 'US', 'FR', 'GB', 'AT', 'GB'],
  )
  assert.deepEqual(
    errors.map(({ message }) => message),
    ['Must be a country or its two-letter code: Germany or DE.'],
  )
})

test('a choice may be given as a label in any language of the panel, in any spelling, or as an earlier label', async () => {
  const types = ['Laptop', 'MONITOR', 'Bildschirm', 'Dizüstü bilgisayar', 'netzwerk gerät']
  const [values, { errors }] = await readColumn('Type', 'type', types)
  assert.deepEqual(values, ['laptop', 'monitor', 'monitor', 'laptop', 'network'], JSON.stringify(errors))
  const statuses = ['In use', 'in-use', 'IN_USE', 'In Verwendung', 'kullanımda', 'Verfügbar', 'Auf Lager', 'Depoda']
  const expected = [...Array(5).fill('in_use'), 'spare', 'spare', 'spare']
  assert.deepEqual((await readColumn('status', 'status', statuses))[0], expected)
  assert.equal((await readColumn('status', 'status', ['broken']))[1].errors[0]!.code, 'not_in_list')
})

test('email addresses are matched without the case of their letters, and a matched record keeps its spelling', async () => {
  const people = 'email,customer_code,name\nIda.Holm@Kestrel.example,MUC,\n'
  const report = await load(client, 'resource=employees&match=email', people)
  assert.deepEqual([report.created, (report as unknown as { unchanged: number }).unchanged], [0, 1])
  const twice = 'email,customer_code\nnew@kestrel.example,MUC\nNEW@kestrel.example,MUC\n'
  assert.equal((await load(client, 'resource=employees&match=email', twice)).errors[0]!.code, 'duplicate')
  const assets = 'employee_email,external_id\nIDA.HOLM@KESTREL.EXAMPLE,held\n'
  assert.equal((await load(client, 'resource=hardware', assets)).created, 1)
  await client('POST', '/employees.php', { customer_external_id: 'hq', email: 'Mixed@Kestrel.example' })
  const mixed = await load(
    client,
    'resource=employees&match=email',
    'email,customer_code,title\nmixed@kestrel.example,MUC,Chef\n',
  )
  assert.deepEqual([mixed.created, mixed.invalid], [0, 0])
  const { body } = await client('GET', '/employees.php?email=mixed@kestrel.example')
  assert.deepEqual([body.data[0].email, body.data[0].title], ['Mixed@Kestrel.example', 'Chef'])
})

test('hardware can be matched by its serial number; a serial number that several records have is ambiguous', async () => {
  const add = 'external_id,employee_external_id,serial_number\ns1,e1,SN-1\ns2,e1,SN-2\ns3,e1,SN-2\n'
  assert.equal((await load(client, 'resource=hardware', add)).created, 3)
  const change = 'Serial,employee_external_id,notes\nSN-1,e1,found\nSN-2,e1,which?\nSN-3,e1,new\n'
  const report = await load(client, 'resource=hardware&match=serial_number', change)
  assert.deepEqual([report.created, report.invalid, report.errors[0]!.code], [1, 1, 'ambiguous'])
})

test('several columns can be mapped to one text: names are joined with a blank, and notes have a line for each column', async () => {
  const file =
    'Vorname;Nachname;E-Mail;customer_code;Raum;Telefonnotiz\nJörg;Weiß;jw@kestrel.example;MUC;12;\n;Öz;oz@kestrel.example;MUC;;privat\n'
  const map = '&map[Vorname]=name&map[Nachname]=name&map[Raum]=notes&map[Telefonnotiz]=notes'
  assert.equal((await load(client, `resource=employees${map}`, file)).created, 2)
  const read = async (email: string) => (await client('GET', `/employees.php?email=${email}`)).body.data[0]
  const [first, second] = [await read('jw@kestrel.example'), await read('oz@kestrel.example')]
  assert.deepEqual([first.name, first.notes], ['Jörg Weiß', 'Raum: 12'])
  assert.deepEqual([second.name, second.notes], ['Öz', 'Telefonnotiz: privat'])
  const known = 'Vorname,Name,email,customer_code\nEva,Berg,eva@kestrel.example,MUC\n'
  assert.equal((await load(client, 'resource=employees&map[Vorname]=name', known)).created, 1)
  assert.equal((await read('eva@kestrel.example')).name, 'Eva Berg')
  const refusals = [
    await uploadImport(
      client,
      'resource=employees&map[A]=email&map[B]=email',
      'A,B,customer_code\na@b.test,b@b.test,MUC\n',
    ),
    await uploadImport(client, 'resource=employees', 'Name,name,email,customer_code\nA,B,a@b.test,MUC\n'),
  ]
  for (const { status, body } of refusals) assert.match(`${status} ${body.error.message}`, /^400 Two columns contain/)
})

test('a file without a column for a required field is refused as a whole, unless it may only update records', async () => {
  const refused = await uploadImport(client, 'resource=employees', 'email,Telefon\na@b.test,+49 1234567\n')
  assert.equal(refused.status, 400)
  assert.match(
    refused.body.error.message,
    /needs customer_id, but no column .* customer_id, customer_external_id, customer_code/,
  )
  const update = await load(
    client,
    'resource=employees&match=email',
    'email,title\nida.holm@kestrel.example,Boss\nnobody@b.test,x\n',
  )
  assert.deepEqual([update.invalid, update.errors[0]!.code], [1, 'required'])
})

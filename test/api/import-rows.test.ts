// Which records the rows of an import mean: the records that they refer to, and those that they update (contract §17).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importFile, uploadImport, waitForImport } from '../support/api/imports.ts'
import { type Client, createKey, type Json, startService } from '../support/service.ts'

const service = await startService()
const { tenant } = service

/** A tenant with two branches and three people. */
async function kestrel(slug: string): Promise<Client> {
  const client = await tenant(slug)
  await client('POST', '/customers.php', { name: 'Büro München', external_id: 'hq', code: 'MUC' })
  await client('POST', '/customers.php', { name: 'Kestrel  Works', external_id: 'kw', code: 'KW' })
  const ida = { name: 'Ida Holm', email: 'ida.holm@kestrel.example', employee_no: '00031', external_id: 'e1' }
  await client('POST', '/employees.php', { customer_external_id: 'kw', ...ida })
  await client('POST', '/employees.php', { customer_external_id: 'kw', name: 'Jo Weiß', email: 'jo1@kestrel.example' })
  await client('POST', '/employees.php', { customer_external_id: 'kw', name: 'Jo Weiß', email: 'jo2@kestrel.example' })
  return client
}

/** Imports the valid rows of a file. */
function load(client: Client, query: string, lines: readonly string[]): Promise<Json> {
  return importFile(client, `${query}&mode=valid_rows`, lines.join('\n'))
}

const codesOf = ({ errors }: Json): string[] => errors.map(({ row, code }: Json) => `${row} ${code}`)

let imported = 0

/** Imports an asset for each cell of a column, and returns the ids of the holders and the report. */
async function holdersOf(client: Client, title: string, cells: readonly string[]): Promise<[unknown[], Json]> {
  const prefix = `h${imported++}-`
  const report = await load(client, 'resource=hardware', [
    `external_id,${title}`,
    ...cells.map((cell, index) => `${prefix}${index},"${cell}"`),
  ])
  const { body } = await client('GET', '/hardware.php?limit=200')
  const holderOf = (id: string) => body.data.find((record: Json) => record.external_id === id)?.employee_id
  return [cells.map((_, index) => holderOf(prefix + index)), report]
}

test('a column titled with a reference’s label is looked up by whatever its cells hold', async () => {
  const client = await kestrel('contents')
  const cells = ['1', 'e1', 'IDA.HOLM@kestrel.example', '00031', 'Ida Holm', 'ida  HOLM', '']
  const [holders, { errors, assumptions }] = await holdersOf(client, 'Assigned to', cells)
  assert.deepEqual(holders, [1, 1, 1, 1, 1, 1, undefined], JSON.stringify(errors))
  assert.equal(errors[0].code, 'required')
  assert.match(assumptions.join('\n'), /"Assigned to" is looked up by name\./)
  const branches = ['MUC', 'hq', '1', 'Büro München', 'BURO MÜNCHEN', 'muc']
  const report = await load(client, 'resource=employees', [
    'email,Standort',
    ...branches.map((cell, index) => `b${index}@kestrel.example,${cell}`),
  ])
  assert.equal(report.created, branches.length, JSON.stringify(report.errors))
  const { body } = await client('GET', '/employees.php?customer_id=1')
  assert.equal(body.data.length, branches.length)
})

test('the reading that finds most of a column’s values is an assumption', async () => {
  const client = await kestrel('majority')
  for (const [cells, by] of [
    [['hq', 'kw', 'MUC'], 'external_id'],
    [['MUC', 'KW', 'hq'], 'code'],
    [['1', '2'], 'id'],
    [['nobody', 'nowhere'], 'name'],
  ] as const) {
    const lines = ['email,Şube', ...cells.map((cell, index) => `${by}${index}@kestrel.example,${cell}`)]
    const { assumptions } = await importFile(client, 'resource=employees', lines.join('\n'))
    assert.match(assumptions.join('\n'), new RegExp(`"Şube" is looked up by ${by}\\.`))
  }
})

test('a cell that finds different records by two readings is ambiguous until a map decides', async () => {
  const client = await kestrel('readings')
  await client('POST', '/customers.php', { name: 'Two', code: '02', external_id: '1' })
  const [row, ...rows] = ['email,Branch', 'a@kestrel.example,1', 'b@kestrel.example,2', 'c@kestrel.example,02']
  const report = await load(client, 'resource=employees', [row!, ...rows])
  assert.deepEqual(codesOf(report), ['2 ambiguous'])
  assert.match(report.errors[0].message, /Different customers have this as id and external_id: map the column/)
  const found = async (email: string) => (await client('GET', `/employees.php?email=${email}`)).body.data[0].customer_id
  assert.deepEqual([await found('b@kestrel.example'), await found('c@kestrel.example')], [2, 3])
  for (const [field, id] of [
    ['customer_external_id', 3],
    ['customer_id', 1],
  ] as const) {
    const mapped = await load(client, `resource=employees&map[Branch]=${field}`, [row!, `${field}@kestrel.example,1`])
    assert.equal(mapped.created, 1)
    assert.equal(await found(`${field}@kestrel.example`), id)
  }
})

test('a name that several people have is ambiguous, and a value that nobody has says what is accepted', async () => {
  const client = await kestrel('several')
  const [, report] = await holdersOf(client, 'Holder', ['Jo Weiß', 'JO WEISS', 'Nobody'])
  assert.deepEqual(codesOf(report), ['2 ambiguous', '3 ambiguous', '4 not_in_list'])
  assert.match(report.errors[0].message, /2 employees have this name/)
  assert.match(report.errors[2].message, /None of the employees has this id, external_id, email, employee_no, or name/)
})

test('names and codes are compared exactly first, then without case, accents and further blanks', async () => {
  const client = await kestrel('folded')
  await client('POST', '/customers.php', { name: 'buro munchen', code: 'muc', external_id: 'low' })
  const lines = ['Büro München', 'buro munchen', 'BÜRO MÜNCHEN', 'kestrel works', 'KESTREL   WORKS']
  const named = await load(client, 'resource=employees', [
    'email,customer_name',
    ...lines.map((name, index) => `n${index}@kestrel.example,${name}`),
  ])
  assert.deepEqual(codesOf(named), ['4 ambiguous'])
  const coded = await load(client, 'resource=employees', [
    'email,customer_code',
    ...['MUC', 'muc', 'Muc', 'kw', 'KW'].map((code, index) => `c${index}@kestrel.example,${code}`),
  ])
  assert.deepEqual(codesOf(coded), ['4 ambiguous'])
  const { body } = await client('GET', '/employees.php?limit=100')
  const branchOf = (email: string) => body.data.find((record: Json) => record.email === email)?.customer_id
  assert.deepEqual(
    [0, 1, 3, 4].map((n) => branchOf(`n${n}@kestrel.example`)),
    [1, 3, 2, 2],
  )
  assert.deepEqual(
    [0, 1, 3, 4].map((n) => branchOf(`c${n}@kestrel.example`)),
    [1, 3, 2, 2],
  )
})

test('a name that nobody has is also found if its last name comes first, before a comma, or a user name follows', async () => {
  const client = await kestrel('swapped')
  await client('POST', '/employees.php', { customer_id: 2, name: 'Roe, Jane', email: 'jane@kestrel.example' })
  await client('POST', '/employees.php', { customer_id: 2, name: 'Jane Roe', email: 'other@kestrel.example' })
  const cells = [
    'Holm, Ida',
    'HOLM,ida',
    'Roe, Jane',
    'Ida, Holm',
    'Holm Ida',
    'Holm, Ida, Dr.',
    'Ida Holm (iholm)',
    'Holm, Ida <i@x.test>',
  ]
  const [holders, report] = await holdersOf(client, 'Assigned to', cells)
  assert.deepEqual(holders.slice(0, 2), [1, 1])
  assert.equal(await client('GET', `/employees.php?id=${holders[2]}`).then(({ body }) => body.name), 'Roe, Jane')
  assert.deepEqual(codesOf(report), ['5 not_in_list', '6 not_in_list', '7 not_in_list'])
  assert.deepEqual(holders.slice(6), [1, 1])
})

test('names and codes are found in large tables, too', async () => {
  const client = await kestrel('large')
  const people = Array.from({ length: 2500 }, (_, n) => `p${n}@kestrel.example,KW,Pérson  ${n},N-${n}`)
  const others = ['q1@kestrel.example,KW,Twin,n-2345', 'q2@kestrel.example,KW,Accents,ÑÜ-4567']
  const { change_set } = await load(client, 'resource=employees', [
    'email,customer_code,name,employee_no',
    ...people,
    ...others,
  ])
  const cells = ['PERSON 77', 'person  78', 'n-79', 'p80@KESTREL.example', 'ida HOLM', 'person 9999', 'x']
  const [holders, report] = await holdersOf(client, 'Zimmetli', [...cells, 'n-1234', 'nu-4567', 'N-2345', 'n-4567'])
  assert.deepEqual(
    holders,
    [81, 82, 83, 84, 1, undefined, undefined, 1238, 2505, 2349, undefined],
    JSON.stringify(report.errors),
  )
  assert.deepEqual(codesOf(report), ['7 not_in_list', '8 not_in_list', '12 not_in_list'])
  for (const [query, total] of [
    ['sort=-id', 2502],
    ['sort=name&q=person', 2500],
    ['q=twin', 1],
  ] as const) {
    const { body } = await client('GET', `/employees.php?created_in=${change_set}&total=true&limit=1&${query}`)
    assert.equal(body.page.total, total, query)
  }
  const [, twins] = await holdersOf(client, 'Zimmetli', ['n-2345', 'Ñ-2345'])
  assert.deepEqual(codesOf(twins), ['3 ambiguous'])
  const numbers = Array.from({ length: 20 }, (_, n) => 100 + 7 * n)
  const [found, mixed] = await holdersOf(client, 'Zimmetli', [...numbers.map((n) => `n-${n}`), 'Ñ-2345', 'n-9999'])
  assert.deepEqual(found, [...numbers.map((n) => n + 4), undefined, undefined])
  assert.deepEqual(codesOf(mixed), ['22 ambiguous', '23 not_in_list'])
})

test('the columns of a reference take precedence in this order: id, external id, others, and by contents', async () => {
  const client = await kestrel('precedence')
  const report = await load(client, 'resource=employees', [
    'email,Branch,customer_code,customer_external_id,customer_id',
    'a@kestrel.example,Kestrel Works,KW,hq,2',
    'b@kestrel.example,Kestrel Works,KW,hq,',
    'c@kestrel.example,Kestrel Works,MUC,,',
    'd@kestrel.example,Kestrel Works,,,',
  ])
  assert.equal(report.created, 4, JSON.stringify(report.errors))
  const { body } = await client('GET', '/employees.php?sort=id&limit=100')
  assert.deepEqual(
    body.data.slice(-4).map((record: Json) => record.customer_id),
    [2, 1, 1, 2],
  )
})

test('a column can be mapped to a reference by contents', async () => {
  const client = await kestrel('mapped')
  const report = await load(client, 'resource=employees&map[Office]=customer', ['email,Office', 'a@b.test,muc'])
  assert.equal(report.created, 1)
  const refused = await uploadImport(client, 'resource=employees', 'email,Branch,Standort\na@b.test,hq,hq\n')
  assert.match(`${refused.status} ${refused.body.error.message}`, /^400 Two columns contain customer/)
})

test('a row that no external id matches means the record with its id and created_at, both together', async () => {
  const client = await kestrel('exported')
  const { body } = await client('GET', '/customers.php?sort=id')
  const [hq, kw] = body.data
  const third = (await client('POST', '/customers.php', { name: 'No external id' })).body
  const report = await load(client, 'resource=customers', [
    'name,external_id,city,id,Created',
    `Büro München,hq,Pasing,${kw.id},${kw.created_at}`, // the external id counts
    `No external id,,Augsburg,${third.id},${third.created_at}`,
    `Kestrel Works,new,Bremen,${kw.id},${kw.created_at}`,
    `Another,,Bonn,${third.id},2020-01-01T00:00:00.000Z`,
    `Unknown,,Kiel,999,${third.created_at}`,
  ])
  assert.equal(`${report.created} ${report.updated} ${report.invalid}`, '2 3 0', JSON.stringify(report.errors))
  assert.match(report.assumptions.join('\n'), /update the record that has their id and created_at/)
  assert.doesNotMatch(report.assumptions.join('\n'), /unknown and ignored|every row creates/)
  const after = (await client('GET', '/customers.php?sort=id')).body.data
  assert.deepEqual(
    after.map(({ id, external_id, city }: Json) => [id, external_id, city]),
    [
      [hq.id, 'hq', 'Pasing'],
      [kw.id, 'new', 'Bremen'],
      [third.id, null, 'Augsburg'],
      [after[3].id, null, 'Bonn'],
      [after[4].id, null, 'Kiel'],
    ],
  )
})

test('a record that one row names by its external id and another by its id is duplicate', async () => {
  const client = await kestrel('twice')
  const [hq] = (await client('GET', '/customers.php?sort=id')).body.data
  const lines = ['name,external_id,id,created_at', `A,hq,,`, `B,,${hq.id},${hq.created_at}`, `C,hq,,`]
  const report = await load(client, 'resource=customers', lines)
  assert.deepEqual(codesOf(report), ['3 duplicate', '4 duplicate'])
  assert.match(report.errors[0].message, /Row 2 is about the same record/)
  const many = Array.from({ length: 120 }, (_, n) => `New ${n},n${n},,`) // the rows are in several parts
  const far = await load(client, 'resource=customers', [lines[0]!, lines[1]!, ...many, lines[2]!])
  assert.deepEqual(codesOf(far), ['123 duplicate'])
})

/** Returns a file of `count` rows in which only the given rows have other cells. */
function longFile(
  titles: string,
  rowOf: (row: number) => string,
  others: Record<number, string>,
  count = 300,
): string[] {
  return [titles, ...Array.from({ length: count }, (_, index) => others[index + 2] ?? rowOf(index + 2))]
}

test('a value that occurs in two distant rows is duplicate, however it is spelled', async () => {
  const acme = await kestrel('distant')
  const assets = longFile('external_id,asset_tag,name', (row) => `k-${row},T-${row},A`, {
    200: '="k-10",T-200,A',
    210: 'same,T-210,A',
    220: 'k-220,T-e\u0301,A',
    230: 'k-230, T-\u00e9 ,A',
    240: 'k-240,\u200bT-12,A',
  })
  const query = 'resource=hardware&set[employee_id]=1&value[external_id][same]=k-11'
  const checked = await importFile(acme, query, assets.join('\n'))
  const repeated = ['200 duplicate', '210 duplicate', '230 duplicate', '240 duplicate']
  assert.deepEqual([checked.created, codesOf(checked)], [296, repeated])
  assert.equal(checked.errors[0].message, 'Row 10 has the same value.')
  assert.equal((await acme('POST', `/imports.php?id=${checked.id}&mode=valid_rows`)).status, 202)
  const done = await waitForImport(acme, checked.id)
  assert.deepEqual([done.created, codesOf(done)], [296, repeated])

  const people = longFile('id,name', (row) => `${row + 1000},A`, { 5: '1,A', 300: '001,B' })
  const known = await importFile(acme, 'resource=employees&match=id', people.join('\n'))
  const duplicates = known.summary.find(({ code }: Json) => code === 'duplicate')
  assert.deepEqual([duplicates.count, duplicates.first_row], [1, 300])
  const mails = longFile('email,name', (row) => `p${row}@x.example,A`, { 300: 'P7@X.example,B' })
  const checkedMails = await importFile(acme, 'resource=employees&match=email&set[customer_id]=1', mails.join('\n'))
  assert.deepEqual([checkedMails.created, codesOf(checkedMails)], [299, ['300 duplicate']])
})

test('the default export comes back unchanged, also without external ids and with times as spreadsheets write them', async () => {
  const client = await kestrel('back')
  await client('POST', '/customers.php', { name: 'No external id' })
  const { text } = await client('GET', '/customers.php?format=csv')
  const unchanged = await importFile(client, 'resource=customers&mode=valid_rows', text)
  assert.equal(`${unchanged.created} ${unchanged.updated} ${unchanged.unchanged}`, '0 0 3')
  for (const form of ['$1-$2-$3 $4', '$3.$2.$1 $4', '$1-$2-$3T$4+00:00']) {
    const rewritten = text.replaceAll(/(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)\.\d+Z/g, form)
    assert.notEqual(rewritten, text)
    const again = await importFile(client, 'resource=customers&mode=valid_rows', rewritten)
    assert.equal(`${again.created} ${again.updated} ${again.unchanged}`, '0 0 3', form)
  }
})

test('an export comes back unchanged although the stocks of two branches have the same name', async () => {
  const client = await kestrel('same-stocks')
  await client('POST', '/customers.php', { name: 'Kestrel  Works', code: 'KW2' })
  for (const id of [2, 3, 3]) await client('POST', '/hardware.php', { stock_customer_id: id, name: `At ${id}` })
  const assets: Json[] = (await client('GET', '/hardware.php?sort=id')).body.data
  const fileOf = (cells: (asset: Json) => string) => [
    'name,Assigned to,In stock at,id,created_at',
    ...assets.map(cells),
  ]
  const asExported = fileOf(({ id, name, created_at }) => `${name},,Kestrel Works,${id},${created_at}`)
  const report = await load(client, 'resource=hardware', asExported)
  assert.deepEqual([report.unchanged, report.invalid], [3, 0], JSON.stringify(report.errors))
  await client('PUT', `/hardware.php?id=${assets[2]!.id}`, { employee_id: 1 })
  assert.deepEqual(codesOf(await load(client, 'resource=hardware', asExported)), ['4 ambiguous'])
  assert.deepEqual(codesOf(await load(client, 'resource=hardware', ['name,In stock at', 'New,Kestrel Works'])), [
    '2 ambiguous',
  ])
})

test('with an explicit match, only that column identifies a record', async () => {
  const client = await kestrel('explicit')
  const [hq] = (await client('GET', '/customers.php?sort=id')).body.data
  const line = `Copy,,${hq.id},${hq.created_at}`
  const report = await load(client, 'resource=customers&match=external_id', ['name,external_id,id,created_at', line])
  assert.equal(report.created, 1)
})

test('new records with the serial number or email address of an existing record are counted in an assumption', async () => {
  const client = await kestrel('existing')
  const people = [
    'email,customer_code',
    'IDA.HOLM@kestrel.example,KW',
    'jo1@kestrel.example,KW',
    'new@kestrel.example,KW',
  ]
  const report = await importFile(client, 'resource=employees', people.join('\n'))
  assert.equal(report.created, 3)
  const sentence = '2 new records have a value in "email" that an existing record already has.'
  assert.equal(report.assumptions.filter((each: string) => each === sentence).length, 1, report.assumptions.join('\n'))
  await client('POST', `/imports.php?id=${report.id}&mode=all_or_nothing`)
  const { body } = await client('GET', `/imports.php?id=${report.id}`)
  assert.equal(body.assumptions.filter((each: string) => each === sentence).length, 1)
  const add = ['Serial,employee_external_id', 'SN-1,e1', 'SN-2,e1']
  await load(client, 'resource=hardware', add)
  const again = await load(client, 'resource=hardware', [...add, 'SN-3,e1', ',e1'])
  assert.match(again.assumptions.join('\n'), /2 new records have a value in "Serial"/)
  const matched = await load(client, 'resource=hardware&match=serial_number', ['Serial,notes', 'SN-3,x'])
  assert.doesNotMatch(matched.assumptions.join('\n'), /existing record/)
})

/** Each asset's external id, status, and its holder's kind, branch and name. */
async function placesOf(client: Client): Promise<string[]> {
  const { body } = await client('GET', '/hardware.php?sort=id&include=employee&limit=100')
  return body.data.map(({ external_id, status, employee: { kind, customer_id, name } }: Json) =>
    [external_id, status, kind, customer_id, name].join(' '),
  )
}

test('a row without a holder goes to the stock of its branch, which a run creates and a dry run does not', async () => {
  const client = await kestrel('stock')
  const lines = [
    'external_id,Assigned to,In stock at,Status',
    'a1,,MUC,',
    'a2,,büro münchen,In repair',
    'a3,Ida Holm,MUC,',
    'a4,,hq,',
    'a5,,,',
  ]
  const checked = await importFile(client, 'resource=hardware', lines.join('\n'))
  assert.deepEqual([checked.created, codesOf(checked)], [4, ['6 required']])
  assert.equal((await client('GET', '/employees.php?kind=storage')).body.data.length, 0)
  const report = await load(client, 'resource=hardware', lines)
  assert.deepEqual([report.created, codesOf(report)], [4, ['6 required']], JSON.stringify(report.errors))
  const places = [
    'a1 spare storage 1 Büro München',
    'a2 in_repair storage 1 Büro München',
    'a3 in_use person 2 Ida Holm',
    'a4 spare storage 1 Büro München',
  ]
  assert.deepEqual(await placesOf(client), places)
  assert.equal((await client('GET', '/employees.php?kind=storage')).body.data.length, 1)
  const again = await load(client, 'resource=hardware', lines.slice(0, 5))
  assert.deepEqual([again.created, again.updated, again.unchanged], [0, 0, 4])
  const moved = await load(client, 'resource=hardware', ['external_id,stock_customer_code', 'a3,kw', 'a2,MUC'])
  assert.deepEqual([moved.updated, moved.unchanged], [1, 1])
  assert.equal((await placesOf(client))[2], 'a3 spare storage 2 Kestrel  Works')
})

test('a stock that is set for all rows moves no record, unless the file says who holds the records', async () => {
  const client = await kestrel('set-stock')
  await load(client, 'resource=hardware', ['external_id,employee_external_id', 'a1,e1'])
  const without = await load(client, 'resource=hardware&set[stock_customer_code]=MUC', [
    'external_id,name',
    'a1,A',
    'a2,B',
  ])
  assert.deepEqual([without.created, without.updated, without.invalid], [1, 1, 0], JSON.stringify(without.errors))
  const places = ['a1 in_use person 2 Ida Holm', 'a2 spare storage 1 Büro München']
  assert.deepEqual(await placesOf(client), places)
  const columns = 'external_id,employee_external_id'
  const held = await load(client, 'resource=hardware&set[stock_customer]=muc', [columns, 'a1,e1', 'a2,e1', 'a3,'])
  assert.equal(held.invalid, 0, JSON.stringify(held.errors))
  assert.deepEqual((await placesOf(client))[1], 'a2 spare person 2 Ida Holm')
  const moved = await load(client, 'resource=hardware&set[stock_customer_code]=MUC', [columns, 'a1,'])
  assert.equal(moved.updated, 1)
  assert.equal((await placesOf(client))[0], 'a1 spare storage 1 Büro München')
})

test('a row that needs a stock which the key may not create is forbidden, also in the check', async () => {
  const client = await kestrel('forbidden')
  const scopes = ['imports:read', 'imports:write', 'hardware:write', 'hardware:read']
  const limited = service.client(await createKey(service.environment, 'forbidden', scopes))
  const lines = ['external_id,Depo', 'a1,MUC', 'a2,KW']
  await client('POST', '/hardware.php', { stock_customer_external_id: 'kw' })
  assert.deepEqual(codesOf(await importFile(limited, 'resource=hardware', lines.join('\n'))), ['2 forbidden'])
  const report = await load(limited, 'resource=hardware', lines)
  assert.deepEqual([report.created, codesOf(report)], [1, ['2 forbidden']])
  const checked = await importFile(client, 'resource=hardware', lines.join('\n'))
  await limited('POST', `/imports.php?id=${checked.id}&mode=valid_rows`)
  assert.deepEqual(codesOf(await waitForImport(limited, checked.id)), ['2 forbidden'])
})

test('undoing an import leaves a stock that it created in place while the stock holds anything else', async () => {
  const client = await kestrel('undo-stock')
  const first = await load(client, 'resource=hardware', ['external_id,Lager', 'a1,MUC'])
  const second = await load(client, 'resource=hardware', ['external_id,Lager', 'a2,MUC', 'a3,KW'])
  const undone = await client('POST', '/undo.php', { change_set: first.change_set })
  assert.deepEqual([undone.status, undone.body.undone], [200, 1], undone.text)
  assert.deepEqual(await placesOf(client), ['a2 spare storage 1 Büro München', 'a3 spare storage 2 Kestrel  Works'])
  const all = await client('POST', '/undo.php', { change_set: second.change_set })
  assert.deepEqual([all.status, all.body.undone], [200, 3])
  const { body } = await client('GET', '/employees.php?kind=storage')
  assert.deepEqual(
    body.data.map((record: Json) => record.customer_id),
    [1],
  )
})

test('columns of codes and numbers that a spreadsheet has changed are named in an assumption', async () => {
  const client = await kestrel('damaged')
  const report = await load(client, 'resource=hardware', [
    'Asset tag;Serial;notes;Holder',
    '1,23E+11;SN1E5;1.23E+11;00031',
    'TD-2;1E5;;00031',
  ])
  assert.equal(report.created, 2)
  const sentences = report.assumptions.filter((each: string) => each.includes('1.23E+11'))
  assert.deepEqual(sentences.length, 1)
  assert.match(sentences[0], /codes in "Asset tag" to numbers/)
  const people = await load(client, 'resource=employees', [
    'email,customer_code,Phone,employee_no',
    'a@b.test,KW,4.9301E+011,3.1E+04',
  ])
  assert.match(people.assumptions.join('\n'), /codes in "Phone", "employee_no" to numbers/)
})

test('a last row that holds only a word for the total and amounts is left out', async () => {
  const client = await kestrel('totals')
  const head = 'Seriennummer;Zugewiesen an;Kaufpreis;Währung;Menge'
  const rows = ['SN-1;00031;1.299,90;EUR;1', 'SN-2;00031;49,90;EUR;2']
  for (const total of [
    'Summe:;;1.349,80;EUR;3',
    ';Gesamt;1349,80;;',
    'GENEL TOPLAM;;;;3',
    'Summe (EUR);;5;;',
    'Total cost;;5;;',
  ]) {
    const report = await importFile(client, 'resource=hardware', [head, ...rows, total, ''].join('\n'))
    assert.deepEqual([report.rows, report.created, report.invalid], [2, 2, 0], JSON.stringify(report.errors))
    assert.match(report.assumptions.join('\n'), /Row 4 is left out, because it holds only totals\./)
  }
  for (const other of ['Total;00031;49,90;EUR;1', 'Total;;;;', 'SN-3;;49,90;;']) {
    const report = await importFile(client, 'resource=hardware', [head, ...rows, other].join('\n'))
    assert.equal(report.rows, 3, other)
  }
  const middle = await importFile(client, 'resource=hardware', [head, 'Total;;1;;', ...rows].join('\n'))
  assert.equal(middle.rows, 3)
  const branches = await importFile(client, 'resource=customers', 'name,phone\nA,0301234567\nTotal,0301234567\n')
  assert.equal(branches.created, 2)
})

test('a large file is stored without its total, too', async () => {
  const client = await kestrel('large-total')
  const notes = 'x'.repeat(2000)
  const rows = Array.from({ length: 1000 }, (_, n) => `SN-${n},00031,1.50,${notes}`)
  const report = await load(client, 'resource=hardware', ['Serial,Holder,Cost,notes', ...rows, 'Total,,1500.00,'])
  assert.deepEqual([report.rows, report.created, report.invalid], [1000, 1000, 0])
})

test('errors say what is accepted, and name the field if there is no column for it', async () => {
  const client = await kestrel('messages')
  const report = await load(client, 'resource=hardware&match=external_id', [
    'external_id,purchase_date,is_loaner,Status',
    'x1,soon,perhaps,gone',
  ])
  const messages = Object.fromEntries(report.errors.map(({ column, message }: Json) => [column, message]))
  assert.match(messages.purchase_date, /^Must be a date such as 2026-01-31 or 31\.01\.2026\.$/)
  assert.match(messages.is_loaner, /^Must be yes or no, for example yes\/no, ja\/nein/)
  assert.match(messages.Status, /^Must be one of in_use \(In use, In Verwendung, Kullanımda\), spare \(/)
  assert.match(messages.null, /^employee_id: This field is required\.$/)
})

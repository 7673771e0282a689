// Which records the rows of an import mean: the records that they refer to, and those that they update (contract §17).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { importFile, uploadImport } from '../support/api/imports.ts'
import { type Client, type Json, startService } from '../support/service.ts'

const { tenant } = await startService()

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

test('names and codes are found in large tables, too', async () => {
  const client = await kestrel('large')
  const people = Array.from({ length: 2500 }, (_, n) => `p${n}@kestrel.example,KW,Pérson  ${n},N-${n}`)
  await load(client, 'resource=employees', ['email,customer_code,name,employee_no', ...people])
  const cells = ['PERSON 77', 'person  78', 'n-79', 'p80@KESTREL.example', 'ida HOLM', 'person 9999', 'x']
  const [holders, report] = await holdersOf(client, 'Zimmetli', cells)
  assert.deepEqual(holders, [81, 82, 83, 84, 1, undefined, undefined], JSON.stringify(report.errors))
  assert.deepEqual(codesOf(report), ['7 not_in_list', '8 not_in_list'])
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

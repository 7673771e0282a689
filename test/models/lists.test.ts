// Compares lists with the simplest model: an array that is filtered and sorted in memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hardware } from '../../src/domain/declarations/hardware.ts'
import { type Client, type Json, runs, startService } from '../support/service.ts'

const acme = await (await startService()).tenant('acme')
const fields: Record<string, Json> = hardware.fields
const textFields = Object.keys(fields).filter((name) => fields[name].kind === 'text')

/** Texts that sort differently by bytes, by UTF-16 code units, and case-insensitively. */
const texts = [
  'a',
  'A',
  'b',
  'ab',
  'ABC laptop',
  'abc Laptop x',
  'zebra',
  'é',
  'É',
  'straße',
  'STRASSE',
  'İzmir',
  'izmir',
  'ılık',
  'ILIK',
  '￮',
  '😀',
  '😀a',
  '100%',
  '1_0',
  '10',
  "o'brien",
  '"quoted"',
  'back\\slash',
  '日本語テキスト',
  'ΣΊΣΥΦΟΣ',
  'σίσυφος',
]
const text = fc.constantFrom(null, ...texts)
const day = fc.constantFrom(null, '2024-02-29', '2025-01-01', '2025-01-02', '2031-12-31')
const record = fc.record({
  name: text,
  type: fc.constantFrom('laptop', 'phone', 'other'),
  status: fc.constantFrom('in_use', 'spare', 'lost'),
  serial_number: text,
  model: text,
  purchase_date: day,
  purchase_cost: fc.constantFrom(null, 0, 5, 10, 2 ** 53 - 1),
  is_loaner: fc.boolean(),
  notes: text,
})

const people: { id: number; customer_id: number }[] = []
for (const name of ['one', 'two']) {
  const customer_id = (await acme('POST', '/customers.php', { name })).body.id
  for (const email of ['a@b.c', 'd@e.f']) {
    people.push((await acme('POST', '/employees.php', { customer_id, email })).body)
  }
}
const all: Json[] = []
for (const [index, values] of fc.sample(record, { numRuns: 300, seed: 7 }).entries()) {
  const body = {
    ...values,
    employee_id: people[index % people.length]!.id,
    asset_tag: index % 3 ? `TD-${index}` : null,
  }
  const created = await acme('POST', '/hardware.php', body)
  assert.equal(created.status, 201, created.text)
  all.push(created.body)
}

const compareText = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

function compare(a: Json, b: Json): number {
  return typeof a === 'string' ? compareText(a, b) : Number(a) - Number(b)
}

/** Compares values with nulls first. */
function ascending(a: Json, b: Json): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1
  return compare(a, b)
}

/** Folds case and accents, independently of the service's code. */
const fold = (value: string) =>
  value
    .replace('￮', '○')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')

const comparisons: Record<string, (value: Json, given: Json) => boolean> = {
  eq: (value, given) => value !== null && compare(value, given) === 0,
  ne: (value, given) => value !== null && compare(value, given) !== 0,
  gte: (value, given) => value !== null && compare(value, given) >= 0,
  gt: (value, given) => value !== null && compare(value, given) > 0,
  lte: (value, given) => value !== null && compare(value, given) <= 0,
  lt: (value, given) => value !== null && compare(value, given) < 0,
  in: (value, given) => given.some((item: Json) => value !== null && compare(value, item) === 0),
  null: (value, given) => (value === null) === given,
  contains: (value, given) => value !== null && fold(value).includes(fold(given)),
}

type Filter = { name: string; operator: string; given: Json }
const ranges = ['eq', 'ne', 'gte', 'gt', 'lte', 'lt']

function filterOn(name: string, operators: string[], value: fc.Arbitrary<Json>): fc.Arbitrary<Filter> {
  const single = fc.record({ name: fc.constant(name), operator: fc.constantFrom(...operators), given: value })
  const several = fc.array(value, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    single,
    fc.record({ name: fc.constant(name), operator: fc.constant('in'), given: several }),
    fc.record({ name: fc.constant(name), operator: fc.constant('null'), given: fc.boolean() }),
  )
}

const someText = fc.constantFrom(...texts)
const filter = fc.oneof(
  ...['name', 'model', 'serial_number', 'notes'].map((name) => filterOn(name, [...ranges, 'contains'], someText)),
  filterOn('status', ['eq', 'ne'], fc.constantFrom('in_use', 'spare', 'lost', 'retired')),
  filterOn('is_loaner', ['eq', 'ne'], fc.boolean()),
  filterOn('purchase_date', ranges, fc.constantFrom('2025-01-01', '2025-01-02', '2026-01-01')),
  filterOn('purchase_cost', ranges, fc.constantFrom(-1, 0, 5, 2 ** 53 - 1)),
  filterOn('employee_id', ['eq', 'ne'], fc.constantFrom(...people.map(({ id }) => id), 99)),
  filterOn('id', ['ne', 'gt', 'lte'], fc.integer({ min: -1, max: 310 })),
  fc.record({
    name: fc.constant('customer_id'),
    operator: fc.constantFrom('eq', 'ne'),
    given: fc.constantFrom(1, 2, 3),
  }),
)
const sorts = ['id', 'employee_id', ...Object.keys(fields), 'created_at', 'updated_at']
const list = fc.record({
  filters: fc.uniqueArray(filter, { maxLength: 3, selector: ({ name, operator }) => `${name} ${operator}` }),
  sort: fc.constantFrom(...sorts.flatMap((name) => [name, `-${name}`])),
  limit: fc.constantFrom(1, 7, 50, 200),
  q: fc.option(
    fc.constantFrom('a', 'lap', 'ABC', 'laptop x', 'x laptop', 'strasse', 'IZMIR', 'ılı', '%', '_', 'テキスト', '😀'),
    {
      freq: 3,
      nil: undefined,
    },
  ),
})
type List = typeof list extends fc.Arbitrary<infer T> ? T : never

function expectedIdsOf({ filters, sort, q }: List): number[] {
  const [field, sign] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1]
  const fieldOf = (record: Json, name: string) =>
    name === 'customer_id' ? people.find(({ id }) => id === record.employee_id)!.customer_id : record[name]
  const words = q === undefined ? [] : fold(q).split(' ')
  return all
    .filter((item) => filters.every(({ name, operator, given }) => comparisons[operator]!(fieldOf(item, name), given)))
    .filter((item) => words.every((word) => textFields.some((name) => fold(item[name] ?? '').includes(word))))
    .sort((a, b) => sign * (byLetters(field, a, b) || ascending(a[field], b[field]) || a.id - b.id))
    .map(({ id }) => id)
}

/** Compares names without case and accents. */
function byLetters(field: string, a: Json, b: Json): number {
  const [one, other] = [a, b].map((record) => (field === 'name' ? record.name && fold(record.name) : null))
  return ascending(one, other)
}

function queryOf({ filters, sort, limit, q }: List): URLSearchParams {
  const query = new URLSearchParams({ sort, limit: String(limit), total: 'true', ...(q !== undefined && { q }) })
  for (const { name, operator, given } of filters) query.set(operator === 'eq' ? name : `${name}[${operator}]`, given)
  return query
}

/** Reads a whole list page by page. Returns its ids, and each page's total. */
async function readList(client: Client, query: URLSearchParams): Promise<{ ids: number[]; totals: Set<number> }> {
  const [ids, totals] = [[] as number[], new Set<number>()]
  for (let cursor: string | null = ''; cursor !== null; ) {
    if (cursor) query.set('cursor', cursor)
    const { status, text, body } = await client('GET', `/hardware.php?${query}`)
    assert.equal(status, 200, `${query} ${text}`)
    ids.push(...body.data.map(({ id }: Json) => id))
    totals.add(body.page.total)
    assert.equal(body.page.has_more, body.page.next_cursor !== null)
    assert.ok(body.data.length === Number(query.get('limit')) || !body.page.has_more)
    cursor = body.page.next_cursor
  }
  return { ids, totals }
}

test('any list has the same records and total as an array that is filtered and sorted in memory', async () => {
  await fc.assert(
    fc.asyncProperty(list, async (request) => {
      const expectedIds = expectedIdsOf(request)
      const limit = expectedIds.length > 60 && request.limit < 50 ? 50 : request.limit
      const { ids, totals } = await readList(acme, queryOf({ ...request, limit }))
      assert.deepEqual(ids, expectedIds)
      assert.deepEqual([...totals], [expectedIds.length])
    }),
    { numRuns: runs(300) },
  )
})

test('a record in a list has the same bytes as in the responses to POST and GET ?id=', async () => {
  const control = Array.from({ length: 0x1f }, (_, index) => String.fromCharCode(index + 1)).join('')
  const unusualTexts = [
    '\u007f\u0080\u2028\u2029\ufeff',
    '"\\/\'`',
    `x${control}x`,
    '\u{1f3e2}\u{10ffff}\ufffd',
    '<>&\u00a0',
  ]
  for (const notes of unusualTexts) {
    const body = { employee_id: 1, notes, is_loaner: true, purchase_cost: Number.MAX_SAFE_INTEGER }
    const created = await acme('POST', '/hardware.php', body)
    const page = await acme('GET', `/hardware.php?id[in]=${created.body.id}`)
    const single = await acme('GET', `/hardware.php?id=${created.body.id}`)
    assert.deepEqual([single.text, single.headers.etag], [created.text, created.headers.etag])
    assert.ok(page.text.startsWith(`{"data":[${single.text}],"page":`), page.text)
    await acme('DELETE', `/hardware.php?id=${created.body.id}`)
  }
})

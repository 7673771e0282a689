import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoint } from '../../support/code-points.ts'
import { runs, startService } from '../../support/service.ts'

const acme = await (await startService()).tenant('acme')
await acme('POST', '/customers.php', { name: 'A' })
await acme('POST', '/employees.php', { customer_id: 1, email: 'a@b.c' })
await acme('POST', '/hardware.php', { employee_id: 1, name: `100% "Quoted" \\ it's AND_OR NEAR(a*)` })

const refusals: [query: string, message: RegExp][] = [
  ...['0', '-1', '201', '1.5', '1e2', '', 'ten', ' 5', '99999999999999999999'].map((limit): [string, RegExp] => [
    `limit=${limit}`,
    /^limit must be a whole number from 1 to 200/,
  ]),
  ['limit=1&limit=2', /^limit is given more than once/],
  ['sort=colour', /^sort "colour" is unknown.*allowed: id, employee_id, name, .*updated_at\.$/],
  ['sort=', /^sort/],
  ['sort=--name', /^sort/],
  ['sort=name,-id', /^sort/],
  ['sort=customer_id', /^sort/],
  [
    'colour=red',
    /^There is no parameter "colour"; allowed: limit, cursor, sort, q, total, include, as_of, format, .*status/,
  ],
  [
    'status[gte]=lost',
    /^There is no parameter "status\[gte\]"; allowed: status, status\[ne\], status\[in\], status\[null\]\.$/,
  ],
  ['employee_id[contains]=1', /employee_id\[in\]/],
  ['name[like]=x', /^There is no parameter/],
  ['name[eq]=x', /^There is no parameter "name\[eq\]"; allowed: name, name\[ne\], /],
  ['name[]=x', /^There is no parameter/],
  ['name[gte=x', /^There is no parameter/],
  ['name[gte][gte]=x', /^There is no parameter/],
  ['constructor=x', /^There is no parameter/],
  ['__proto__=x', /^There is no parameter/],
  ['__proto__[gte]=x', /^There is no parameter/],
  ['=x', /^There is no parameter ""/],
  ['limit[gte]=3', /^There is no parameter/],
  ['status=broken', /^status does not take "broken": Must be one of in_use, spare/],
  ['status[in]=lost,broken', /^status\[in\] does not take "broken"/],
  ['status[in]=lost,', /^status\[in\] has an empty value/],
  [
    'status=lost&status=spare',
    /^status is given more than once; give it once, or give several values as status\[in\]=a,b\.$/,
  ],
  ['status[in]=lost&status[in][]=broken', /^status\[in\] does not take "broken"/],
  ['status[in][]=', /^status\[in\] is empty/],
  ['status[in]=lost&status[in]=', /^status\[in\] has an empty value/],
  [
    Array.from({ length: 201 }, (_, index) => `id[in]=${index}`).join('&'),
    /^id\[in\] has 201 values; at most 200 are allowed/,
  ],
  ['limit[]=1', /^There is no parameter "limit\[\]"/],
  ['status[ne]=lost&status[ne]=spare', /^status\[ne\] is given more than once; give it once\.$/],
  ['missing=name&missing=colour', /^missing does not take "colour"/],
  ['employee_id=ada', /^employee_id does not take "ada": Must be an integer/],
  ['employee_id=9007199254740992', /^employee_id/],
  ['customer_id[gte]=1', /^There is no parameter/],
  ['purchase_cost[gte]=1.5', /^purchase_cost\[gte\] does not take "1.5"/],
  ['purchase_date=2026-02-30', /^purchase_date does not take "2026-02-30": Must be a date/],
  ['created_at[gte]=yesterday', /^created_at\[gte\] does not take "yesterday": Must be a time/],
  ['created_at[gte]=2026-02-30T00:00:00Z', /^created_at/],
  ['is_loaner=yes', /^is_loaner does not take "yes": Must be true or false/],
  ['is_loaner[null]=maybe', /^is_loaner\[null\] must be true or false/],
  ['total=yes', /^total must be true or false/],
  ['name=', /^name is empty/],
  ['name[contains]=+', /^name\[contains\] is empty/],
  ['q=', /^q is empty/],
  ['q=%20', /^q is empty/],
  ['q=%00', /^q must be text without U\+0000/],
  ['name=a%00b', /^name must be text without U\+0000/],
  [`q=${Array.from({ length: 21 }, (_, index) => `w${index}`).join('+')}`, /^q has 21 words; at most 20 are allowed/],
  [
    `id[in]=${Array.from({ length: 201 }, (_, index) => index).join(',')}`,
    /^id\[in\] has 201 values; at most 200 are allowed/,
  ],
  [Array.from({ length: 200 }, (_, index) => `name[x${index}]=1`).join('&'), /^There is no parameter "name\[x0\]"/],
  ['include=', /^include "" is unknown; allowed: employee, employee\.customer\.$/],
  ['include=customer', /^include "customer" is unknown/],
  ['include=employee&include[]=customer', /^include "customer" is unknown/],
]

test('a list refuses invalid parameters with a 400 that names the mistake and the valid values', async () => {
  for (const [query, message] of refusals) {
    const { status, body } = await acme('GET', `/hardware.php?${query}`)
    assert.deepEqual([status, body.error?.code], [400, 'invalid_request'], query.slice(0, 80))
    assert.match(body.error.message, message)
    assert.ok(body.error.message.length < 1200)
  }
})

test('quotes, wildcards and search operators in a value have no special meaning in a search', async () => {
  const searchTexts = [
    '%',
    '_',
    '\\',
    '"',
    "'",
    '"Quoted"',
    "it's",
    'AND_OR',
    'NEAR(',
    'a*)',
    '100%',
    '"Quoted" \\',
    'name[gte]=x',
  ]
  for (const text of searchTexts) {
    const expected = text === 'name[gte]=x' ? 0 : 1
    const word = encodeURIComponent(text)
    for (const query of [`q=${word}`, `name[contains]=${word}`]) {
      const { status, body } = await acme('GET', `/hardware.php?${query}`)
      assert.deepEqual([status, body.data?.length], [200, expected], query)
    }
  }
  for (const text of [
    '"',
    '""',
    'x" OR "y',
    '*',
    'name:*',
    '-',
    '(',
    "');--",
    '100_',
    '%%',
    'NOT',
    'a'.repeat(10_000),
    '{1,2}',
  ]) {
    const { status, body } = await acme('GET', `/hardware.php?q=${encodeURIComponent(text)}&sort=name&total=true`)
    assert.equal(status, 200, text.slice(0, 20))
    assert.ok(body.data.length <= 1)
  }
})

test('a list accepts 200 values and all kinds of filters in one request', async () => {
  const values = Array.from({ length: 200 }, (_, index) => index).join(',')
  const everything = [
    ...['gte=a', 'gt=a', 'lte=z', 'lt=z', 'ne=q', 'contains=0', 'null=false'].map(
      (filter) => `name[${filter.replace('=', ']=')}`,
    ),
    'status=in_use',
    'status[ne]=lost',
    'type[in]=laptop,other',
    'is_loaner=0',
    'customer_id=1',
    'employee_id=1',
    'id[gte]=1',
    'created_at[gte]=2000-01-01',
    'notes[null]=true',
    'model[null]=1',
    'purchase_cost[null]=true',
  ].join('&')
  assert.equal(
    (await acme('GET', `/hardware.php?id[in]=${values}&${everything.replace('name[gte]=a&name[gt]=a&', '')}`)).body.data
      .length,
    1,
  )
  assert.equal((await acme('GET', `/hardware.php?${everything}`)).body.data.length, 0)
})

test('a list responds to any query string with 200 or 400', async () => {
  const names = [
    'limit',
    'sort',
    'q',
    'total',
    'include',
    'cursor',
    'name',
    'status',
    'purchase_cost',
    'created_at',
    'id[in]',
    'x',
  ]
  const operator = fc.constantFrom('', '', '[gte]', '[in]', '[contains]', '[null]', '[ne]', '[', ']')
  const value = fc.oneof(
    fc.string({ unit: codePoint, maxLength: 12 }),
    fc.constantFrom('1', 'true', 'name', '-name', 'lost'),
  )
  const pair = fc.tuple(fc.constantFrom(...names), operator, value)
  await fc.assert(
    fc.asyncProperty(fc.array(pair, { minLength: 1, maxLength: 4 }), async (pairs) => {
      const query = pairs.map(([name, bracket, text]) => `${name}${bracket}=${encodeURIComponent(text.toWellFormed())}`)
      const { status, text } = await acme('GET', `/hardware.php?${query.join('&')}`)
      assert.ok(status === 200 || status === 400, `${status} ${text}`)
    }),
    { numRuns: runs(200) },
  )
})

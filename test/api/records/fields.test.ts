import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fieldTable, type Rule, readOnlyFields } from '../../support/api/field-table.ts'
import { codePoint } from '../../support/code-points.ts'
import { type Json, type Response, runs, startService } from '../../support/service.ts'

const resources = Object.keys(fieldTable)
const cells = resources.flatMap((resource) =>
  Object.entries(fieldTable[resource]!).map(([field, rule]) => ({ resource, field, rule })),
)

const acme = await (await startService()).tenant('acme')
/** Valid values for each resource's required fields. The tests update one record of each resource; all three records
 *  have the same id. */
const requiredFields: Record<string, Record<string, unknown>> = {
  customers: { name: 'A' },
  employees: {},
  hardware: {},
}
const id = (await create('customers')).body.id
requiredFields.employees = { customer_id: id, email: 'a@b.c' }
assert.equal((await create('employees')).body.id, id)
requiredFields.hardware = { employee_id: id }
assert.equal((await create('hardware')).body.id, id)

function create(resource: string, body: object = {}): Promise<Response> {
  return acme('POST', `/${resource}.php`, { ...requiredFields[resource], ...body })
}

function change(resource: string, json: string): Promise<Response> {
  return acme('PUT', `/${resource}.php?id=${id}`, json)
}

/** Returns the stored value of each field or, if the request was refused, the error code of each invalid field. */
function outcome({ status, body }: Response, fields: string[]): Json {
  if (status < 300) return Object.fromEntries(fields.map((field) => [field, body[field]]))
  assert.deepEqual([status, body.error.code, body.error.status], [422, 'validation_failed', 422])
  assert.deepEqual(Object.keys(body.errors), body.fields)
  for (const { message } of Object.values<Json>(body.errors)) assert.match(message, /\w/)
  return body.fields.map((field: string) => `${field} ${body.errors[field].code}`)
}

/** Whitespace, and marks without a width or that set the direction of text. */
const blanks = [
  ...'\t\n\v\f\r \u00a0\u1680\u2000\u2003\u200a\u2028\u2029\u202f\u205f\u3000',
  ...'\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\ufeff',
]
const whatwgEmail =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/
const invalidAddresses = [
  'plain',
  '@b.c',
  'a@',
  'a@@b.c',
  'a b@c.d',
  'a@b c',
  'a@-b.c',
  'a@b-.c',
  'a@b..c',
  'a@.b',
  'a@b.',
  'a@b_c.d',
  '"a b"@c.d',
  'ü@b.c',
  'a@bücher.de',
  `a@${'b'.repeat(64)}.c`,
  'a@[127.0.0.1]',
  'a(b)@c.d',
  'A <a@b.c>',
  'a@b.c,d@e.f',
  'a\n@b.c',
  'a@b.c\0',
  '\ud800@b.c',
  'mailto:a@b.c',
  'a@b.c;',
]
const invalidDays = [
  '2026-02-30',
  '2023-02-29',
  '1900-02-29',
  '2100-02-29',
  '2026-04-31',
  '2026-13-01',
  '2026-00-10',
  '2026-01-00',
  '2026-01-32',
  '0000-01-01',
  '0000-12-31',
  '2026-1-05',
  '26-01-05',
  '20260105',
  '2026/01/05',
  '05-01-2026',
  '2026-01-05T00:00:00Z',
  'today',
  '+002026-01-05',
  '-2026-01-05',
  '２０２６-０１-０５',
  '2026-01-05\0',
  '2026-W01-1',
  '10000-01-01',
]
const invalidIntegers = [
  '1.5',
  '1.0',
  '1e3',
  '+1',
  '0x1f',
  '1_000',
  '1,000',
  '--1',
  '-',
  '１２',
  '٣',
  'NaN',
  'Infinity',
  'one',
  '1\0',
  0.5,
  -1.5,
  2 ** 53,
  -(2 ** 53),
  1e300,
  '9007199254740992',
  '-9007199254740992',
  '9'.repeat(400),
  true,
  false,
]
const invalidBooleans = [
  'True',
  'TRUE',
  'False',
  'yes',
  'no',
  'on',
  't',
  '01',
  '00',
  '1.0',
  '-1',
  '2',
  'null',
  2,
  -1,
  0.5,
]
const structures = [[], {}, ['a'], { a: 1 }, [true], [1], [null], ['2026-01-05'], ['a@b.c'], ['other'], ['in_use']]

/** Generates pairs of a day that exists in the Gregorian calendar and a day that does not, without using Date. */
const days = fc.tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 12 })).chain(([year, month]) => {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const last = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  const write = (day: number) =>
    `${String(year).padStart(4, '0')}-${[month, day].map((part) => String(part).padStart(2, '0')).join('-')}`
  return fc.integer({ min: 1, max: last }).map((day) => ({ day: write(day), impossible: write(last + 1) }))
})

type Pair = [given: unknown, result: unknown]
const unchanged = (value: unknown): Pair => [value, value]
const pairsOf = (values: unknown[], code: string): Pair[] => values.map((value) => [value, code])

/** Returns valid inputs for a field, each with its stored value: examples at each boundary, and random inputs. */
function validInputs(rule: Rule): { examples: Pair[]; random?: fc.Arbitrary<Pair> } {
  switch (rule.kind) {
    case 'text': {
      const { min, max } = rule
      const lengths = ['a', '😀', '\u0301', 'é', '9'].flatMap((unit) => [unit.repeat(min), unit.repeat(max)])
      const padded = blanks.map((blank): Pair => [`${blank}${'a'.repeat(min)}${blank}${blank}`, 'a'.repeat(min)])
      const inner = `a${'\u3000'.repeat(max - 2)}a`
      const edge = new RegExp(`^[${blanks.join('')}\\p{White_Space}]|[${blanks.join('')}\\p{White_Space}]$|\\0`, 'u')
      const isWithin = ({ length }: string[]) => length >= min && length <= max
      const core = fc.string({ unit: codePoint, minLength: min, maxLength: max, size: 'medium' })
      const around = fc.string({ unit: fc.constantFrom(...blanks), maxLength: 3 })
      const random = fc
        .tuple(
          around,
          core.filter((value) => !edge.test(value) && isWithin([...value.normalize('NFC')])),
          around,
        )
        .map(([before, value, after]): Pair => [before + value + after, value.normalize('NFC')])
      return {
        examples: [
          ...[...lengths, inner].map(unchanged),
          ...padded,
          [` ${inner}\t`, inner],
          ['e\u0301'.repeat(max), 'é'.repeat(max)],
        ],
        random,
      }
    }
    case 'email': {
      const odd = ['a@b', '.a..b.@c.d', "o'hara+{tag}@x-y.example", `a@${'b'.repeat(63)}.c`, 'A@B.C', '1@2.3']
      const longest = `${'a'.repeat(186)}@b.c`
      const padded: Pair[] = [
        [' a@b.c\n', 'a@b.c'],
        [` ${longest}\u2003`, longest],
      ]
      const random = fc.stringMatching(whatwgEmail).filter((value) => value.length <= 190)
      return { examples: [...[...odd, longest].map(unchanged), ...padded], random: random.map(unchanged) }
    }
    case 'date': {
      const leap = ['2024-02-29', '2000-02-29', '2400-02-29', '1999-12-31', '9999-12-31', '0001-01-01']
      return { examples: leap.map(unchanged), random: days.map(({ day }) => unchanged(day)) }
    }
    case 'reference':
      return { examples: [unchanged(id), [String(id), id]] }
    case 'integer': {
      const numbers = [0, 1, 2 ** 31, 2 ** 53 - 1].flatMap((value): Pair[] => [
        unchanged(value),
        [String(value), value],
      ])
      const random = fc.maxSafeNat().chain((value) => fc.constantFrom<Pair[]>([value, value], [String(value), value]))
      return { examples: [...numbers, ['-0', 0]], random }
    }
    case 'boolean': {
      const forms = [
        [true, 1, 'true', '1'],
        [false, 0, 'false', '0'],
      ]
      return { examples: forms.flatMap((same) => same.map((form): Pair => [form, same[0]])) }
    }
    case 'choice':
      return { examples: rule.of.map(unchanged) }
  }
}

/** Returns invalid inputs for a field, each with its error code. */
function invalidInputs(rule: Rule): { examples: Pair[]; random?: fc.Arbitrary<Pair> } {
  switch (rule.kind) {
    case 'text': {
      const { min, max } = rule
      const tooLong = ['a', '😀', '\u0301', 'e\u0301'].map((unit) => unit.repeat(max + 1))
      const tooShort = min > 1 ? ['a', '😀'].flatMap((unit) => [unit.repeat(min - 1), ` ${unit.repeat(min - 1)} `]) : []
      const odd = [...structures, 0, 1.5, true, false, 'a\0b', '\0', '\ud83d', 'a\ude00b', '\ude00\ud83d', ' a\ud800']
      const examples = [
        ...pairsOf(tooLong, 'too_long'),
        ...pairsOf(tooShort, 'too_short'),
        ...pairsOf(odd, 'invalid_text'),
      ]
      return { examples, random: fc.nat(99).map((random) => ['é'.repeat(max + 1 + random), 'too_long']) }
    }
    case 'email': {
      const tooLong = [`${'a'.repeat(187)}@b.c`, `${'a'.repeat(9999)}@b.c`]
      const wrong = [...invalidAddresses, ...structures, 0, 1.5, true, false]
      return { examples: [...pairsOf(tooLong, 'too_long'), ...pairsOf(wrong, 'invalid_email')] }
    }
    case 'date': {
      const random = days.map(({ impossible }): Pair => [impossible, 'invalid_date'])
      return { examples: pairsOf([...invalidDays, ...structures, 0, 20260105, true, false], 'invalid_date'), random }
    }
    case 'reference':
      return { examples: pairsOf([...invalidIntegers, ...structures], 'invalid_int') }
    case 'integer': {
      const random = fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true })
      const below = [-1, '-1', -(2 ** 53 - 1), '-9007199254740991']
      const examples = pairsOf([...invalidIntegers, ...below, ...structures], 'invalid_int')
      return { examples, random: random.map((value) => [value, 'invalid_int']) }
    }
    case 'boolean':
      return { examples: pairsOf([...invalidBooleans, ...structures], 'invalid_bool') }
    case 'choice': {
      const near = rule.of.flatMap((word) => [word.toUpperCase(), `${word}s`, word.slice(0, -1), `${word}\0`])
      return {
        examples: pairsOf([...near, 'toString', 'in use', '\ud800', ...structures, 0, true, false], 'not_in_list'),
      }
    }
  }
}

/** For each field of the kind, sends each input with PUT and compares the outcome with the expected one. */
async function assertOutcomes(
  kind: Rule['kind'],
  selectPairs: (rule: Rule) => Pair[],
  expected: (pair: Pair, field: string) => unknown,
) {
  for (const { resource, field, rule } of cells.filter((cell) => cell.rule.kind === kind)) {
    const pairs = selectPairs(rule)
    const responses = await Promise.all(pairs.map(([given]) => change(resource, JSON.stringify({ [field]: given }))))
    for (const [index, pair] of pairs.entries()) {
      const name = `${resource}.${field} ${JSON.stringify(pair[0]).slice(0, 80)}`
      assert.deepEqual(outcome(responses[index]!, [field]), expected(pair, field), name)
    }
  }
}

const rules = {
  text: 'text without U+0000 or lone surrogates, with a trimmed length in code points within the limits',
  email: 'email addresses of at most 190 characters, as WHATWG defines them',
  integer: 'integers from 0 to 2^53−1, as a number or a string of digits',
  reference: 'integers, as a number or a string of digits',
  date: 'real calendar dates in the form YYYY-MM-DD',
  boolean: 'true, false, 1 or 0, or one of these as a string',
  choice: 'its listed words, exactly as written',
}
for (const [kind, rule] of Object.entries(rules) as [Rule['kind'], string][]) {
  test(`a field of kind ${kind} accepts only ${rule}`, async () => {
    await assertOutcomes(
      kind,
      (rule) => validInputs(rule).examples,
      ([, stored], field) => ({ [field]: stored }),
    )
    await assertOutcomes(
      kind,
      (rule) => invalidInputs(rule).examples,
      ([, code], field) => [`${field} ${code}`],
    )
  })
}

test('an integer that a JSON number cannot represent exactly is refused, and minus zero is stored as 0', async () => {
  for (const [json, expected] of [
    ['-0', { purchase_cost: 0 }],
    ['9007199254740991', { purchase_cost: 2 ** 53 - 1 }],
    ['9007199254740993', ['purchase_cost invalid_int']],
    ['1e400', ['purchase_cost invalid_int']],
    ['1e-1', ['purchase_cost invalid_int']],
  ] as const) {
    const response = await change('hardware', `{"purchase_cost":${json}}`)
    assert.deepEqual(outcome(response, ['purchase_cost']), expected, json)
  }
})

test('null, "" and blanks clear an optional field or restore its default; in a required field they are refused as `required`', async () => {
  for (const { resource, field, rule } of cells) {
    const other = validInputs(rule).examples.find(([, stored]) => stored !== rule.empty)![0]
    for (const nothing of [null, '', ' ', blanks.join('')]) {
      const expected = rule.required ? [`${field} required`] : { [field]: rule.empty }
      assert.equal((await change(resource, JSON.stringify({ [field]: other }))).status, 200)
      const changed = await change(resource, JSON.stringify({ [field]: nothing }))
      assert.deepEqual(outcome(changed, [field]), expected, `${resource}.${field}`)
      assert.deepEqual(outcome(await create(resource, { [field]: nothing }), [field]), expected, `${resource}.${field}`)
    }
  }
})

for (const resource of resources) {
  const fields = Object.keys(fieldTable[resource]!)
  const invalidExamples = Object.fromEntries(
    fields.map((field) => [field, invalidInputs(fieldTable[resource]![field]!).examples[0]!]),
  )

  test(`${resource}: a new record has all fields in table order, each empty or with its default value`, async () => {
    const { status, body } = await create(resource)
    assert.equal(status, 201)
    assert.deepEqual(
      Object.keys(body).sort(),
      ['id', ...fields, ...(readOnlyFields[resource] ?? []), 'created_at', 'updated_at'].sort(),
    )
    assert.deepEqual(
      Object.keys(body).filter((name) => fields.includes(name)),
      fields,
    )
    for (const field of fields) {
      assert.deepEqual(body[field], requiredFields[resource]![field] ?? fieldTable[resource]![field]!.empty, field)
    }
  })

  test(`${resource}: the fields that the table marks as required must be given, and all invalid fields are reported in table order`, async () => {
    const missing = fields.filter((field) => fieldTable[resource]![field]!.required).map((field) => `${field} required`)
    assert.deepEqual(outcome(await acme('POST', `/${resource}.php`, {}), []), missing)
    const body = JSON.stringify(
      Object.fromEntries(fields.toReversed().map((field) => [field, invalidExamples[field]![0]])),
    )
    const expected = fields.map((field) => `${field} ${invalidExamples[field]![1]}`)
    assert.deepEqual(outcome(await acme('POST', `/${resource}.php`, body), []), expected)
    assert.deepEqual(outcome(await change(resource, body), []), expected)
  })

  test(`${resource}: any mix of valid, invalid, empty and missing fields is stored or refused according to the table`, async () => {
    const arbitraryFor = (rule: Rule) => {
      const [good, bad] = [validInputs(rule), invalidInputs(rule)].map(({ examples, random }) =>
        fc.oneof(fc.constantFrom(...examples), random ?? fc.constantFrom(...examples)),
      ) as [fc.Arbitrary<Pair>, fc.Arbitrary<Pair>]
      const empty = fc.constantFrom(null, '', ' \u3000')
      return fc.oneof(
        { weight: 20, arbitrary: good.map(([given, stored]) => ({ given, stored })) },
        { weight: 1, arbitrary: bad.map(([given, code]) => ({ given, code })) },
        rule.required
          ? { weight: 1, arbitrary: empty.map((given) => ({ given, code: 'required' })) }
          : { weight: 6, arbitrary: empty.map((given) => ({ given, stored: rule.empty })) },
      )
    }
    const model = Object.fromEntries(fields.map((field) => [field, arbitraryFor(fieldTable[resource]![field]!)]))
    const mixes = fc.record(model, { requiredKeys: [] }) as fc.Arbitrary<Record<string, Json>>
    const clearUniqueFields = () => change(resource, '{"asset_tag":null,"external_id":null}')
    await clearUniqueFields()
    await fc.assert(
      fc.asyncProperty(mixes, async (mix) => {
        const named = fields.filter((field) => mix[field])
        const json = JSON.stringify(Object.fromEntries(named.toReversed().map((field) => [field, mix[field].given])))
        const bad = named.filter((field) => mix[field].code).map((field) => `${field} ${mix[field].code}`)
        const stored = Object.fromEntries(named.map((field) => [field, mix[field].stored]))
        const expected = bad.length > 0 ? bad : stored
        const created = await acme('POST', `/${resource}.php`, { ...requiredFields[resource], ...JSON.parse(json) })
        assert.deepEqual(outcome(created, named), expected)
        if (created.status === 201) await acme('DELETE', `/${resource}.php?id=${created.body.id}`)
        if (named.length > 0) assert.deepEqual(outcome(await change(resource, json), named), expected)
        await clearUniqueFields() // the next run may use the same values
      }),
      { numRuns: runs(150) },
    )
  })
}

test('last_seen_at of hardware is null in a new record, and requests cannot set it', async () => {
  const lastSeen = { last_seen_at: '2026-03-02T08:30:00.000Z' }
  assert.equal((await create('hardware', lastSeen)).body.last_seen_at, null)
  assert.equal((await change('hardware', JSON.stringify({ ...lastSeen, model: 'M' }))).body.last_seen_at, null)
  const alone = await change('hardware', JSON.stringify(lastSeen))
  assert.deepEqual([alone.status, alone.body.error.code], [400, 'no_fields'])
})

// Files that programs and spreadsheets write come in with the right values, as they are (contract §17). The README beside
// the files says which program wrote each of them.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { countsOf, importFile } from '../support/api/imports.ts'
import { type Json, startService } from '../support/service.ts'

const service = await startService({}, { jobPollIntervalMs: 20 })
const directory = 'test/fixtures/programs'

/** The people in each file; in files of the German and Turkish Excel they have other names. */
const people = [
  {
    external_id: '00042',
    name: 'Jörg Weiß',
    employee_no: '00031',
    start_date: '2026-01-31',
    is_active: true,
    notes: 'says "hi"; ok, fine\nsecond line',
  },
  {
    external_id: '1E5',
    name: "O'Hara, Zoë",
    employee_no: '7',
    start_date: '2024-02-29',
    is_active: false,
    notes: '=1+1',
  },
  {
    external_id: 'x-3',
    name: 'Işık İğdır 😀',
    employee_no: null,
    start_date: null,
    is_active: true,
    notes: 'tab\there',
  },
]

const names: Record<string, string[]> = {
  'excel-en': ['Jörg Weiß', "O'Hara, Zoë", 'Anna Smith'],
  'excel-de': ['Jörg Weiß', "O'Hara, Zoë", 'Anna Öz'],
  'excel-tr': ['Işık Şahin', 'Çağrı Öz, Ü', 'İğdır Öğe'],
}

/** Further people in the files of PHP, which does not double a quotation mark after a backslash. */
const backslashes = [
  { external_id: 'x-4', name: 'Backslash \\"quoted\\" name', notes: 'C:\\path to\\"here" and on' },
  { external_id: 'x-5', name: 'Ends in a backslash, C:\\', notes: 'one \\" quote' },
  { external_id: 'x-6', name: 'Ends in a quote, 19\\"', notes: 'flat, 19\\", \\"wide\\", new' },
]

for (const file of readdirSync(directory).filter((name) => name !== 'README.md'))
  test(`${file} comes in with the right values`, async () => {
    const client = await service.tenant(file.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 40))
    await client('POST', '/customers.php', { name: 'Head office', code: 'HQ' })
    const report = await importFile(
      client,
      'resource=employees&mode=all_or_nothing',
      readFileSync(`${directory}/${file}`),
    )
    const isPhp = file.startsWith('php')
    assert.deepEqual([report.errors, countsOf(report)], [[], `${isPhp ? 6 : 3} 0 0 0`])
    const own = names[file.slice(0, 8)]
    const expected = [
      ...people.map((person, index) => ({ ...person, ...(own && { name: own[index] }) })),
      ...(isPhp ? backslashes : []),
    ]
    const { data } = (await client('GET', '/employees.php')).body
    expected.forEach((person, index) => {
      const stored = Object.fromEntries(Object.keys(person).map((name) => [name, data[index][name]]))
      assert.deepEqual(stored, person)
    })
    assert.ok(data.every(({ customer_id }: Json) => customer_id === 1))
  })

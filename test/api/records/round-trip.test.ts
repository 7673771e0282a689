// An exported CSV file can be imported again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, importFile } from '../../support/api/imports.ts'
import { type Json, startService } from '../../support/service.ts'

const service = await startService({}, { jobPollIntervalMs: 50 })
const acme = await service.tenant('acme')
const hostile = [
  '=1+1',
  '+49 30 1',
  '-5',
  '@SUM(A1)',
  "'quoted",
  "'=1",
  "''",
  '"a";\tb,',
  'line\r\nbreak "x"',
  'ünï😀',
  'true',
  '01',
  '`=1',
  '``-1',
  "'01",
  "''3/4",
  "'90s",
  "'`x",
  '="00123"',
  '1E5',
  '123456789012345678',
  'MAR-1',
  'Iğdır’lı Çelik 👩‍💻',
]
const customer = {
  name: 'Müller; "Söhne", Bau',
  code: '=HQ',
  external_id: '+b-1',
  is_active: false,
  contract_end: '2028-02-29',
}
await acme('POST', '/customers.php', customer)
await acme('POST', '/customers.php', { name: 'Müller; "Söhne", Bau', code: '=HQ2' })
for (const [index, text] of hostile.entries()) {
  const external_id = index % 2 ? `=e-${index}` : null
  const person = {
    customer_id: 1 + (index % 2),
    email: `e${index}@b.c`,
    name: text,
    notes: text,
    external_id,
    is_remote: index % 3 === 0,
  }
  assert.equal((await acme('POST', '/employees.php', person)).status, 201)
  const item = {
    employee_id: index + 1,
    name: text,
    notes: text,
    asset_tag: `-TD-${index}`,
    purchase_cost: index * 100,
    due_back: '2027-01-31',
  }
  assert.equal((await acme('POST', '/hardware.php', item)).status, 201)
}

const resources = ['customers', 'employees', 'hardware']

async function exportCsv(resource: string, query = ''): Promise<string> {
  return (await acme('GET', `/${resource}.php?format=csv${query}`)).text
}

const layouts = ['comma', 'semicolon', 'tab'].flatMap((delimiter) =>
  ['', '&for=spreadsheet'].map((purpose) => `&delimiter=${delimiter}${purpose}`),
)

test('importing an exported file again reports every row as unchanged, whatever the delimiter, also if it was for a spreadsheet', async () => {
  for (const resource of resources) {
    for (const layout of layouts) {
      const file = await exportCsv(resource, layout)
      const rows = resource === 'customers' ? 2 : hostile.length
      const checked = await importFile(acme, `resource=${resource}&match=id`, file)
      assert.deepEqual([checked.errors, countsOf(checked)], [[], `0 0 ${rows} 0`], `${resource} ${layout}`)
    }
  }
})

test('importing an exported file into another tenant produces the same values, even if they look like formulas', async () => {
  const other = await service.tenant('other')
  for (const resource of resources) {
    const file = await exportCsv(resource)
    const report = await importFile(other, `resource=${resource}&mode=all_or_nothing`, file)
    assert.deepEqual([report.state, report.errors], ['done', []], resource)
    const list = async (client: typeof acme) =>
      (await client('GET', `/${resource}.php?limit=200`)).body.data.map(
        ({ created_at: _, updated_at: __, ...record }: Json) => record,
      )
    assert.deepEqual(await list(other), await list(acme))
  }
})

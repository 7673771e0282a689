// Files that the panel has exported and LibreOffice has opened and saved come back unchanged (contract §17). The README
// beside the files says how they were made.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { countsOf, importFile } from '../support/api/imports.ts'
import { startService } from '../support/service.ts'

const service = await startService({}, { jobPollIntervalMs: 20, now: () => new Date('2026-01-31T09:30:00.123Z') })
const acme = await service.tenant('acme')
const directory = 'test/fixtures/resaved'

async function create(resource: string, body: object): Promise<number> {
  const response = await acme('POST', `/${resource}.php`, body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body.id
}

const branch = await create('customers', { name: 'Büro "Öst"; 2', code: '007', external_id: '00042', phone: '0800555' })
const holder = {
  customer_id: branch,
  email: 'a@b.example',
  employee_no: '00031',
  phone: '+49 30 1',
  start_date: '2024-02-29',
}
const ada = await create('employees', { ...holder, name: 'Çiğdem Öz', is_remote: true, end_date: '2026-12-31' })
const twin = await create('employees', { ...holder, email: 'b@b.example', name: 'Çiğdem Öz', is_active: false })
const items = [
  { employee_id: ada, name: '00123', asset_tag: '1E5', serial_number: '356789012345678901', purchase_cost: 129_990 },
  { employee_id: twin, name: '=1+1', model: '3/4', notes: 'two\nlines; "quoted"', purchase_cost: 1_000 },
  { employee_id: ada, name: null, model: 'MAR1', is_loaner: true, due_back: '2027-01-02', status: 'reserved' },
  { stock_customer_id: branch, name: "'90s", model: '1.5', purchase_cost: 5, purchase_date: '2023-12-01' },
  { employee_id: twin, type: 'phone', status: 'in_repair', model: '192.168.100.200', warranty_end: '2028-02-29' },
]
for (const item of items) await create('hardware', item)

const listOf = async (resource: string) => (await acme('GET', `/${resource}.php?format=ndjson`)).text

for (const file of readdirSync(directory).filter((name) => name !== 'README.md'))
  test(`${file} comes back unchanged`, async () => {
    const [resource = ''] = file.split('-')
    const before = await listOf(resource)
    const parameters = `resource=${resource}&mode=valid_rows`
    const report = await importFile(acme, parameters, readFileSync(`${directory}/${file}`))
    const count = { customers: 1, employees: 2, hardware: 5 }[resource]!
    if (file === 'hardware-all-de-windows-1252.csv')
      assert.equal(report.summary[0].code, 'not_in_list') // Çi?dem Öz
    else assert.deepEqual([report.errors, countsOf(report)], [[], `0 0 ${count} 0`])
    assert.equal(await listOf(resource), before)
  })

// The files of the panel's lists come back unchanged when they are imported again: in every layout and language, with
// every kind of value (contract §17).

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customers } from '../../../src/domain/declarations/customers.ts'
import { hardware } from '../../../src/domain/declarations/hardware.ts'
import { countsOf, importFile } from '../../support/api/imports.ts'
import { createPanelUser, decodeHtml, signIn } from '../../support/panel/panel-client.ts'
import { type Json, startService } from '../../support/service.ts'

const service = await startService({}, { jobPollIntervalMs: 20 })
const acme = await service.tenant('acme')
const { origin } = new URL(await service.listen())
await createPanelUser(service.environment, 'lists@example.com', 'acme')
const manager = await signIn(origin, 'lists@example.com')

async function create(resource: string, body: object): Promise<Json> {
  const response = await acme('POST', `/${resource}.php`, body)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body
}

/** Text that spreadsheets or imports could change. */
const texts = [
  ...['=1+1', '+49 30 1', '-5', '@SUM(A1)', '`=1', "'quoted", "'=1", "''", "'90s", '="00123"', 'Total', 'x'],
  ...['00123', '1E5', '123456789012', '3/4', '1-2', '1.5', '1,5', 'TRUE', 'wahr', 'MAR1', '10', '1', '2026-01-31'],
  ...['"a";\tb,', 'a\nb', 'a\r\nb "c"', 'Jörg Weiß', 'Işık İğdır', '👩‍💻 ❤️', 'a\u00a0b', '10.000,50', '€ 5', 'null'],
]
const branches: Json[] = []
for (const [index, type] of customers.fields.type.of.entries()) {
  const isActive = index !== 1
  const end = isActive ? null : '2026-02-28'
  branches.push(await create('customers', { name: `Şube ${index}`, type, is_active: isActive, contract_end: end }))
}
for (const [index, text] of texts.entries()) {
  const external_id = index % 2 ? `${text}` : null
  branches.push(await create('customers', { name: text, city: text, notes: text, address: text, external_id }))
}
await create('customers', { name: texts[0], code: '007', phone: '0049301', tax_id: '1E5', country: 'DE' })
const people: Json[] = []
for (const [index, name] of [...texts, null, 'Ada', 'Ada', 'ADA'].entries())
  people.push(
    await create('employees', {
      customer_id: branches[index % branches.length]!.id,
      email: index % 7 ? `p${index}@example.com` : 'shared@example.com',
      name,
      title: name,
      employee_no: name && name.length <= 30 ? name : null,
      start_date: index % 3 ? '2026-03-04' : null,
      end_date: index % 5 ? null : '2026-12-31',
      is_active: index % 5 !== 1,
      is_remote: index % 2 === 0,
      notes: name,
    }),
  )
const shelf = await create('employees', {
  customer_id: branches[0]!.id,
  email: 's@example.com',
  name: 'A',
  kind: 'storage',
})
await create('employees', { customer_id: branches[0]!.id, email: 't@example.com', name: 'Shelf 2', kind: 'storage' })
const second = await create('employees', { customer_id: branches[0]!.id, email: 'u@example.com', kind: 'storage' })
const { of: types } = hardware.fields.type
const { of: statuses } = hardware.fields.status
for (const [index, text] of texts.entries())
  await create('hardware', {
    employee_id: people[index]!.id,
    name: index % 4 ? text : null,
    model: text,
    type: types[index % types.length],
    status: statuses[index % statuses.length],
    serial_number: text,
    asset_tag: text.length < 2 ? null : text,
    purchase_cost: index % 3 ? index * 12_345 : null,
    purchase_date: index % 3 ? '2024-02-29' : null,
    is_loaner: index % 2 === 0,
    due_back: index % 2 === 0 ? '2027-01-02' : null,
    notes: text,
  })
for (const name of ['one', null, 'two'])
  await create('hardware', { stock_customer_id: branches[1]!.id, name, model: '007', purchase_cost: 5 })
for (const { id } of [shelf, second, ...people.slice(-4)])
  await create('hardware', { employee_id: id, type: 'monitor' })

const resources = ['customers', 'employees', 'hardware']

/** The columns that a user has chosen for the list as shown, if not the standard ones. */
const chosen: Record<string, string> = {
  hardware:
    '&columns=name,asset_tag,serial_number,manufacturer,type,status,employee_name,customer_name,purchase_cost,purchase_date,is_loaner,due_back,notes,external_id,created_at,last_seen_at',
  employees:
    '&columns=name,email,customer_name,title,phone,is_active,is_remote,start_date,end_date,notes,updated_at,hardware_count',
  customers: '&columns=name,code,type,is_active,contract_end,city,country,tax_id,address,notes,employees_count',
}

/** Returns the files that a page offers: the list as shown, the one for accounting, and the one with all fields. */
async function filesOf(path: string, language: string): Promise<Record<string, string>> {
  const { html } = await manager.get(path, { 'accept-language': language })
  const urls = [...decodeHtml(html).matchAll(/href="(records\.php[^"]*format=csv[^"]*)"/g)].map(([, url]) => url!)
  const files = urls.map(async (url): Promise<[string, string]> => {
    return [/sheet=(\w+)/.exec(url)?.[1] ?? 'all', (await manager.get(url, { 'accept-language': language })).html]
  })
  return Object.fromEntries(await Promise.all(files))
}

const listOf = async (resource: string) => (await acme('GET', `/${resource}.php?format=ndjson`)).text

for (const resource of resources)
  for (const language of ['en', 'de', 'tr'])
    test(`the files of the list of ${resource} in the language ${language} come back unchanged`, async () => {
      const before = await listOf(resource)
      const records: Json[] = before
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const count = records.filter(({ kind }) => kind !== 'storage').length // the list of people has no places
      for (const columns of ['', chosen[resource]!]) {
        const files = await filesOf(`records.php?resource=${resource}&sort=name${columns}`, language)
        const layouts = resource === 'hardware' ? ['all', 'finance', 'shown'] : ['all', 'shown']
        assert.deepEqual(Object.keys(files).sort(), layouts)
        for (const [layout, file] of Object.entries(files)) {
          const [head = ''] = file.replace(/^\ufeff/, '').split('\r\n')
          const titles = head.split(language === 'en' ? ',' : ';')
          assert.deepEqual(titles.slice(-2), ['id', 'created_at'], `${layout} ${head}`)
          assert.equal(new Set(titles).size, titles.length, head)
          const report = await importFile(acme, `resource=${resource}&mode=valid_rows`, file)
          assert.deepEqual([report.errors, countsOf(report)], [[], `0 0 ${count} 0`], `${layout} ${head}`)
        }
      }
      assert.equal(await listOf(resource), before)
    })

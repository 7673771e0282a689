// Files with the titles of the programs that desks export their lists from (test/fixtures/lists): each comes in with a
// shipped mapping, by itself, or with `map`, `set` and `value`, and with the right values (contract §17).

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { countsOf, importFile } from '../support/api/imports.ts'
import { type Client, type Json, startService } from '../support/service.ts'

const { tenant } = await startService({}, { jobPollIntervalMs: 20 })

/** A tenant with two branches and one person. */
async function desk(name: string, currency = 'EUR'): Promise<Client> {
  const client = await tenant(name)
  await client('PUT', '/settings.php', { currency })
  await client('POST', '/customers.php', { external_id: 'hq', name: 'Büro München', code: 'MUC' })
  await client('POST', '/customers.php', { external_id: 'kw', name: 'Kestrel Works', code: 'KW' })
  const ida = { name: 'Ida Holm', email: 'ida.holm@kestrel.example', employee_no: '00031', external_id: 'e1' }
  await client('POST', '/employees.php', { ...ida, customer_external_id: 'kw' })
  return client
}

/** Imports the valid rows of a file. Returns the counts, and the errors as `row column code`. */
async function load(client: Client, query: string, name: string): Promise<[counts: string, ...errors: string[]]> {
  const parameters = query
    .split('&')
    .map((part) =>
      part
        .split(/=(?=[^=]*$)/)
        .map(encodeURIComponent)
        .join('='),
    )
    .join('&')
  const report = await importFile(client, `mode=valid_rows&${parameters}`, fileOf(name))
  return [countsOf(report), ...report.errors.map(({ row, column, code }: Json) => `${row} ${column} ${code}`)]
}

function fileOf(name: string): Buffer {
  return readFileSync(`test/fixtures/lists/${name}.csv`)
}

/** Returns these members of all records, as rows. `holder`, `branch`: names of references. */
async function rowsOf(client: Client, path: string, ...names: string[]): Promise<unknown[][]> {
  const include = path.startsWith('/hardware') ? 'employee.customer' : path.startsWith('/employees') ? 'customer' : ''
  const parameters = `sort=id${include && `&include=${include}`}`
  const { body } = await client('GET', `${path}${path.includes('?') ? '&' : '?'}${parameters}`)
  const read = (record: Json, name: string) => name.split('.').reduce((value, part) => value?.[part], record)
  return body.data.map((record: Json) => names.map((name) => read(record, name)))
}

test('Snipe-IT: locations, people, and the Custom Asset Report with dates at midnight and a backtick', async () => {
  const client = await tenant('snipe')
  assert.deepEqual(await load(client, 'resource=customers&mapping=snipe-it', 'snipe-locations'), ['1 0 0 0'])
  assert.deepEqual(await load(client, 'resource=employees&mapping=snipe-it', 'snipe-people'), ['1 0 0 0'])
  const report = 'snipe-custom-asset-report'
  assert.deepEqual(await load(client, 'resource=hardware&mapping=snipe-it', report), ['1 0 0 0'])
  assert.deepEqual(await rowsOf(client, '/customers.php', 'name', 'address', 'city', 'country'), [
    ['Harbour site', 'Pier 4', 'Bremen', 'DE'],
  ])
  assert.deepEqual(
    await rowsOf(client, '/employees.php', 'name', 'external_id', 'employee_no', 'title', 'customer.name'),
    [['Ida Holm', 'iholm', '00031', 'Engineer', 'Harbour site']],
  )
  const asset = ['name', 'asset_tag', 'type', 'status', 'manufacturer', 'model', 'serial_number', 'purchase_date']
  const more = ['purchase_cost', 'warranty_end', 'due_back', 'notes', 'employee.name']
  assert.deepEqual(await rowsOf(client, '/hardware.php', ...asset, ...more), [
    [
      ...['Ida laptop', 'KW-0001', 'laptop', 'in_use', 'Lenovo', 'ThinkPad T14', 'PF3XK0E9', '2026-01-31'],
      ...[149900, '2029-01-31', '2026-12-24', '- lid scratched', 'Ida Holm'],
    ],
  ])
  assert.deepEqual(await load(client, 'resource=hardware&mapping=snipe-it', report), ['0 0 1 0'])
})

test('Snipe-IT: the location of an asset that somebody has need not be a branch', async () => {
  const client = await desk('snipe-holder')
  const query = 'resource=hardware&mapping=snipe-it'
  assert.deepEqual(await load(client, query, 'snipe-custom-asset-report'), ['1 0 0 0'])
  assert.deepEqual(await rowsOf(client, '/hardware.php', 'employee.name'), [['Ida Holm']])
})

test('Snipe-IT: the list of assets as CSV, whose unused assets go into the stock of their location', async () => {
  const client = await desk('snipe-list')
  assert.deepEqual(await load(client, 'resource=hardware&mapping=snipe-it', 'snipe-asset-list'), [
    '3 0 0 1',
    '5 Status not_in_list',
  ])
  assert.deepEqual(await rowsOf(client, '/hardware.php', 'name', 'type', 'status', 'purchase_cost', 'employee.kind'), [
    ['Ida laptop', 'laptop', 'in_use', 149900, 'person'],
    ['Desk phone', 'phone', 'in_repair', 8900, 'person'],
    ['Spare laptop', 'laptop', 'spare', 149900, 'storage'],
  ])
})

test('GLPI: computers in English, French and German', async () => {
  const client = await desk('glpi')
  const user = (title: string, cell: string) => `value[${title}][${cell}]=ida.holm@kestrel.example`
  const english = `resource=hardware&mapping=glpi&${user('User', 'iholm')}`
  assert.deepEqual(await load(client, english, 'glpi-computers-en'), ['1 0 0 0'])
  const french = `resource=hardware&mapping=glpi&${user('Utilisateur', 'Holm Ida')}`
  assert.deepEqual(await load(client, french, 'glpi-computers-fr'), ['0 1 0 0'])
  assert.deepEqual(await load(client, 'resource=hardware&mapping=glpi', 'glpi-computers-de'), ['1 0 0 0'])
  const asset = ['name', 'asset_tag', 'type', 'status', 'serial_number', 'purchase_date', 'purchase_cost', 'notes']
  assert.deepEqual(await rowsOf(client, '/hardware.php', ...asset, 'employee.name'), [
    [
      ...['PC-01', 'INV-0001', 'laptop', 'in_use', '8CG1234567', '2024-02-01', 124900],
      ...['Bâtiment A > Bureau 021', 'Ida Holm'],
    ],
    ['PC-02', 'INV-0002', 'desktop', 'spare', '8CG7654321', '2024-02-01', 99950, 'Halle 2', 'Ida Holm'],
  ])
})

test('ITFlow: clients, contacts and assets, with quotation marks as PHP writes them', async () => {
  const client = await tenant('itflow')
  assert.deepEqual(await load(client, 'resource=customers&mapping=itflow', 'itflow-clients'), ['1 0 0 0'])
  const contacts = 'resource=employees&mapping=itflow&set[customer_name]=Globex'
  assert.deepEqual(await load(client, contacts, 'itflow-contacts'), ['1 0 0 0'])
  assert.deepEqual(await load(client, 'resource=hardware&mapping=itflow', 'itflow-assets'), ['1 0 0 0'])
  assert.deepEqual(
    await rowsOf(client, '/customers.php', 'name', 'code', 'city', 'country', 'phone', 'email', 'tax_id'),
    [['Globex', 'GLX', 'Hamburg', 'DE', '030 1234567', 'hank@example.com', 'DE123']],
  )
  assert.deepEqual(await rowsOf(client, '/employees.php', 'name', 'email', 'title', 'phone', 'customer.name'), [
    ['Ida Holm', 'ida.holm@kestrel.example', 'CEO', '030 1234567', 'Globex'],
  ])
  const asset = ['name', 'type', 'manufacturer', 'model', 'purchase_date', 'warranty_end', 'notes', 'employee.name']
  assert.deepEqual(await rowsOf(client, '/hardware.php', ...asset), [
    [
      ...['WS-1', 'laptop', 'Dell', 'Latitude 5540', '2026-01-31', '2029-01-31'],
      ...['Restore from "\\\\nas\\backup\\" first, see wiki', 'Ida Holm'],
    ],
  ])
})

test('Jamf: computers with amounts in dollars, and continuation rows that are named and create nothing', async () => {
  const client = await desk('jamf', 'USD')
  const rows = await load(client, 'resource=hardware&mapping=jamf', 'jamf-computers')
  assert.deepEqual(rows, ['1 0 0 2', '3 Email Address required', '4 Email Address required'])
  const asset = ['name', 'asset_tag', 'serial_number', 'manufacturer', 'model', 'purchase_date', 'warranty_end']
  assert.deepEqual(await rowsOf(client, '/hardware.php', ...asset, 'purchase_cost', 'employee.name'), [
    [
      ...['KW-MB-01', 'KW-0101', 'C02XG0AAJG5H', 'Apple', 'MacBook Pro (14-inch, M3, 2023)'],
      ...['2024-02-01', '2027-02-01', 249900, 'Ida Holm'],
    ],
  ])
  const again = 'resource=hardware&mapping=jamf&set[employee_external_id]=e1'
  assert.deepEqual(await load(client, again, 'jamf-computers'), ['1 0 1 1', '3 null required'])
  const phones = 'resource=hardware&mapping=jamf&set[employee_external_id]=e1'
  assert.deepEqual(await load(client, phones, 'jamf-mobile-devices'), ['2 0 0 0'])
  assert.deepEqual((await rowsOf(client, '/hardware.php', 'name', 'type', 'model')).slice(2), [
    ['iPad 12', 'tablet', 'iPad (9th generation)'],
    ['iPhone of Ida', 'phone', 'iPhone 13'],
  ])
})

test('Intune: devices whose users are written in another case, enrolled at a time with seven decimals', async () => {
  const client = await desk('intune')
  const mapping = 'resource=hardware&mapping=intune&map[Enrollment date]=purchase_date'
  const rows = await load(client, mapping, 'intune-devices')
  assert.deepEqual(rows, ['2 0 0 1', '4 Primary user UPN required'])
  const asset = ['name', 'serial_number', 'manufacturer', 'model', 'purchase_date', 'employee.email']
  assert.deepEqual(await rowsOf(client, '/hardware.php', ...asset), [
    ['KW-LT-001', 'PF3XK0E9', 'LENOVO', '21HD', '2024-03-11', 'ida.holm@kestrel.example'],
    ['iPhone von Ida', 'DX3H00E1', 'Apple', 'iPhone 13', '2023-09-02', 'ida.holm@kestrel.example'],
  ])
  const again = 'resource=hardware&mapping=intune&set[employee_external_id]=e1'
  assert.deepEqual(await load(client, again, 'intune-devices'), ['1 0 2 0'])
  assert.deepEqual((await rowsOf(client, '/hardware.php', 'name', 'purchase_date')).at(-1), ['KW-KIOSK', null])
})

test('Entra: users of whom some have no address, and devices', async () => {
  const client = await desk('entra')
  const query = 'resource=employees&mapping=entra&set[customer_code]=MUC'
  assert.deepEqual(await load(client, query, 'entra-users'), ['2 1 0 1', '3 mail required'])
  const person = ['name', 'email', 'title', 'department', 'phone', 'is_active', 'customer.code', 'employee_no']
  assert.deepEqual(await rowsOf(client, '/employees.php?kind=person', ...person), [
    [...['Ida Holm', 'ida.holm@kestrel.example', 'Engineer', 'R&D', '+49 421 5550101', true, 'KW', '00031']],
    ['Tom Falk', 'tom.falk@partner.example', null, null, null, true, 'MUC', null],
    ['Ole Brandt', 'ole.brandt@kestrel.example', null, null, null, false, 'KW', null],
  ])
  assert.deepEqual(await load(client, 'resource=hardware&mapping=entra', 'entra-devices'), ['1 0 0 0'])
  assert.deepEqual(await rowsOf(client, '/hardware.php', 'name', 'model', 'external_id', 'employee.name'), [
    ['KW-LT-001', 'ThinkPad T14', '9a1f0001-1111-4222-8333-000000000001', 'Ida Holm'],
  ])
  assert.deepEqual(await load(client, 'resource=employees&mapping=entra', 'm365-active-users'), ['0 1 0 0'])
})

test('Google Workspace: people whose names are in two columns, and ChromeOS devices', async () => {
  const client = await desk('google')
  const query = 'resource=employees&mapping=google-workspace&set[customer_code]=KW'
  assert.deepEqual(await load(client, query, 'google-workspace-users'), ['2 0 0 0'])
  const person = ['name', 'email', 'employee_no', 'title', 'department', 'phone', 'is_active']
  assert.deepEqual((await rowsOf(client, '/employees.php', ...person)).slice(1), [
    ['Mira Sundqvist', 'mira@kestrel.example', '00417', 'Designer', 'Design', '+46 8 555 0102', true],
    ['Jon Ek', 'jon@kestrel.example', '00418', null, null, null, false],
  ])
  const devices =
    'resource=hardware&mapping=google-workspace&set[employee_external_id]=e1&set[type]=laptop&map[enrollmentTime]=purchase_date'
  assert.deepEqual(await load(client, devices, 'chromeos-devices'), ['2 0 0 0'])
  const asset = ['asset_tag', 'serial_number', 'model', 'type', 'status', 'purchase_date', 'notes']
  assert.deepEqual(await rowsOf(client, '/hardware.php', ...asset), [
    [
      ...['000412', '5CD0123ABC', 'HP Chromebook 14 G7', 'laptop', 'in_use', '2023-08-14'],
      'annotatedLocation: Room 12',
    ],
    ['000413', '5CD0123ABD', 'HP Chromebook 14 G7', 'laptop', 'retired', null, null],
  ])
})

const employees = 'resource=employees&set[customer_code]=KW&match=email'
const hardware = 'resource=hardware&match=serial_number'

const others: { list: string; query: string; counts: string[]; path: string; members: string[]; rows: unknown[][] }[] =
  [
    {
      list: 'hr-german',
      query: 'resource=employees&match=email&map[Vorname]=name&map[Nachname]=name&map[Status]=is_active',
      counts: ['2 0 0 0'],
      path: '/employees.php?employee_no[in]=00031,00032',
      members: ['name', 'employee_no', 'title', 'department', 'start_date', 'end_date', 'is_active', 'customer.code'],
      rows: [
        ['Ida Holm', '00031', null, null, null, null, true, 'KW'],
        ['Jörg Weiß', '00031', 'Techniker', 'Werkstatt', '2024-02-01', null, true, 'KW'],
        ['Ana Öz', '00032', null, 'Einkauf', '2021-07-15', '2026-12-31', false, 'KW'],
      ],
    },
    {
      list: 'bamboohr',
      query:
        'resource=employees&map[Employee #]=employee_no&map[Last Name, First Name]=name&map[Work Email]=email&map[Location]=customer&map[Hire Date]=start_date&map[Status]=is_active&map[Mobile Phone]=phone',
      counts: ['2 0 0 0'],
      path: '/employees.php?employee_no[in]=104,105',
      members: ['name', 'email', 'title', 'start_date', 'is_active', 'customer.name'],
      rows: [
        ['Okafor, Nneka', 'nneka@kestrel.example', 'Analyst', '2023-02-01', true, 'Kestrel Works'],
        ['Ruiz, Pau', 'pau@kestrel.example', 'Analyst', '2022-11-14', false, 'Kestrel Works'],
      ],
    },
    {
      list: 'get-aduser',
      query: `${employees}&map[EmailAddress]=email&map[Enabled]=is_active&map[ObjectGUID]=external_id&map[whenCreated]=start_date`,
      counts: ['0 1 0 0'],
      path: '/employees.php',
      members: ['name', 'email', 'external_id', 'title', 'department', 'start_date'],
      rows: [
        [
          ...['Ida Holm', 'ida.holm@kestrel.example', '6a1e4f55-0000-4000-8000-000000000001'],
          ...['Engineer', 'R&D', '2022-03-14'],
        ],
      ],
    },
    {
      list: 'kandji-devices',
      query: `${hardware}&map[Device Name]=name&map[User Email]=employee_email&map[User]=&map[First Enrollment]=purchase_date`,
      counts: ['1 0 0 0'],
      path: '/hardware.php',
      members: ['name', 'serial_number', 'asset_tag', 'model', 'purchase_date', 'employee.name'],
      rows: [['Ida’s MacBook Pro', 'C02ABC00XYZ1', 'KW-0201', 'MacBook Pro (14-inch 2023)', '2024-02-01', 'Ida Holm']],
    },
    {
      list: 'mosyle-devices',
      query: `${hardware}&map[Device Name]=name&map[Name]=&map[Device Model Name]=model&map[E-mail]=employee_email&map[Status]=&set[type]=tablet`,
      counts: ['1 0 0 0'],
      path: '/hardware.php',
      members: ['name', 'serial_number', 'asset_tag', 'type', 'model', 'employee.name'],
      rows: [['iPad 12', 'DMP000000001', '00012', 'tablet', 'iPad (9th generation)', 'Ida Holm']],
    },
    {
      list: 'lansweeper',
      query:
        'resource=hardware&map[AssetName]=name&map[AssetTypename]=type&map[Warrantydate]=warranty_end&map[Purchasedate]=purchase_date&value[AssetTypename][Windows]=desktop&value[Serialnumber][To be filled by O.E.M.]=&map[State]=&map[Username]=&set[employee_external_id]=e1',
      counts: ['3 0 0 0'],
      path: '/hardware.php',
      members: ['name', 'type', 'manufacturer', 'model', 'serial_number', 'purchase_date', 'warranty_end'],
      rows: [
        ['KW-WS-07', 'desktop', 'HP', 'EliteDesk 800 G6', 'CZC0000001', '2022-01-15', '2025-01-15'],
        ['KW-WS-08', 'desktop', 'HP', 'EliteDesk 800 G6', null, null, '2025-01-15'],
        ['KW-PR-01', 'printer', 'Brother', 'HL-L2350DW', null, null, null],
      ],
    },
    {
      list: 'ocs-inventory',
      query: `${hardware}&map[Computer]=name&map[User]=employee&value[User][iholm]=Ida Holm&set[type]=desktop`,
      counts: ['1 0 0 0'],
      path: '/hardware.php',
      members: ['name', 'type', 'manufacturer', 'model', 'serial_number', 'employee.name'],
      rows: [['KW-WS-07', 'desktop', 'HP', 'EliteDesk 800 G6', 'CZC0000001', 'Ida Holm']],
    },
    {
      list: 'netbox-devices',
      query:
        'resource=hardware&map[Role]=type&map[Type]=model&map[Tenant]=&map[Site]=&map[Location]=&value[Role][Access Switch]=network&value[Status][Active]=in_use&value[Status][Offline]=spare&value[Asset tag][—]=&value[Serial number][—]=&set[employee_external_id]=e1',
      counts: ['2 0 0 0'],
      path: '/hardware.php',
      members: ['name', 'status', 'type', 'model', 'asset_tag', 'serial_number'],
      rows: [
        ['sw-01', 'in_use', 'network', 'C9300-48P', 'KW-SW-1', 'FCW0000A1B2'],
        ['sw-02', 'spare', 'network', 'C9300-48P', null, null],
      ],
    },
    {
      list: 'homebox-items',
      query:
        'resource=hardware&map[HB.import_ref]=external_id&map[HB.name]=name&map[HB.asset_id]=asset_tag&map[HB.notes]=notes&map[HB.purchase_price]=purchase_cost&map[HB.purchase_time]=purchase_date&map[HB.manufacturer]=manufacturer&map[HB.model_number]=model&map[HB.serial_number]=serial_number&set[employee_external_id]=e1',
      counts: ['1 0 0 0'],
      path: '/hardware.php',
      members: ['external_id', 'name', 'asset_tag', 'manufacturer', 'model', 'purchase_cost', 'purchase_date'],
      rows: [['a1', 'Dock', '000-002', 'Dell', 'WD19', 12990, '2024-02-01']],
    },
    {
      list: 'shelf-assets',
      query:
        'resource=hardware&map[title]=name&map[description]=notes&map[custodian]=employee&map[valuation]=purchase_cost&map[cf:serial number, type:text]=serial_number&map[cf:purchase date, type:date]=purchase_date&set[type]=laptop',
      counts: ['1 0 0 0'],
      path: '/hardware.php',
      members: ['name', 'notes', 'type', 'purchase_cost', 'serial_number', 'purchase_date', 'employee.name'],
      rows: [['Dell Laptop', 'for office use', 'laptop', 149999, 'SN-1', '2024-02-01', 'Ida Holm']],
    },
    {
      list: 'turkish-ansi-windows-1254',
      query: 'resource=customers',
      counts: ['1 0 0 0'],
      path: '/customers.php?country=TR',
      members: ['name', 'city', 'country', 'notes'],
      rows: [['Işık Sanayi', 'Eskişehir', 'TR', 'Görüşme yapıldı']],
    },
  ]

for (const { list, query, counts, path, members, rows } of others) {
  test(`${list}: comes in with the right values`, async () => {
    const client = await desk(list)
    assert.deepEqual(await load(client, query, list), counts)
    assert.deepEqual(await rowsOf(client, path, ...members), rows)
  })
}

// Runs the commands of the guides for lists from other programs, with files that have these programs' titles.

import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Client, command, type Json, startService, temporaryDirectory } from '../support/service.ts'

const directory = temporaryDirectory()

/** A running server executes the imports. If none were running, each command would first wait for a server. */
const { environment, tenant } = await startService({}, { jobPollIntervalMs: 20 })

/** Creates a tenant with the branch HQ and a person whose external id is a login name. */
async function desk(name: string, currency = 'EUR'): Promise<Client> {
  const client = await tenant(name)
  await client('PUT', '/settings.php', { currency })
  await client('POST', '/customers.php', { name: 'Kestrel Works', code: 'HQ' })
  const ida = { customer_id: 1, name: 'Ida Holm', email: 'ida.holm@kestrel.example', external_id: 'iholm' }
  await client('POST', '/employees.php', ida)
  return client
}

/** Runs a guide's commands in order for this tenant. `files`: the content of each file that a command names, or the list
 *  in test/fixtures. Returns the last line that each command wrote. */
async function runRecipe(recipe: string, slug: string, files: Record<string, string>): Promise<string[]> {
  const text = readFileSync(`docs/guide/recipes/${recipe}.md`, 'utf8')
  const lines = [...text.matchAll(/^tenantdesk (import .*)$/gm)].map(([, line]) => line!)
  assert.ok(lines.length > 0)
  for (const [name, content] of Object.entries(files)) {
    if (content.includes(',') || content.includes(';')) writeFileSync(join(directory, name), content)
    else copyFileSync(`test/fixtures/lists/${content}.csv`, join(directory, name))
  }
  const results: string[] = []
  for (const line of lines) {
    const words = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => {
      if (word === 'acme') return slug
      return word !== undefined && word in files ? join(directory, word) : (quoted ?? word!)
    })
    const { exitCode, stderr } = await command(environment, ...words)
    assert.equal(exitCode, 0, `${line}\n${stderr}`)
    results.push(
      stderr
        .trim()
        .split('\n')
        .at(-1)!
        .replace(/^.*imported: /, ''),
    )
  }
  return results
}

const created = (count: number, invalid = 0) => `${count} created, 0 updated, 0 unchanged, ${invalid} invalid.`

async function assets(client: Client): Promise<Json[]> {
  return (await client('GET', '/hardware.php?include=employee.customer&sort=id')).body.data
}

test('the guide for Snipe-IT imports locations, people and assets', async () => {
  const client = await tenant('snipe-it')
  const files = {
    'locations.csv': 'snipe-locations',
    'people.csv': 'snipe-people',
    'assets.csv': 'snipe-custom-asset-report',
  }
  assert.deepEqual(await runRecipe('snipe-it', 'snipe-it', files), [created(1), created(1), created(1)])
  const [asset] = await assets(client)
  assert.deepEqual(
    [asset!.asset_tag, asset!.purchase_cost, asset!.due_back, asset!.employee.name, asset!.employee.customer.city],
    ['KW-0001', 149900, '2026-12-24', 'Ida Holm', 'Bremen'],
  )
})

test('the guide for GLPI imports computers whose users have their login name as external id', async () => {
  const client = await desk('glpi')
  assert.deepEqual(await runRecipe('glpi', 'glpi', { 'glpi.csv': 'glpi-computers-en' }), [created(1)])
  const [asset] = await assets(client)
  assert.deepEqual([asset!.asset_tag, asset!.status, asset!.employee.name], ['INV-0001', 'in_use', 'Ida Holm'])
})

test('the guide for ITFlow imports clients, contacts and assets, and a second time only the differences', async () => {
  const client = await tenant('itflow')
  const files = { 'clients.csv': 'itflow-clients', 'contacts.csv': 'itflow-contacts', 'assets.csv': 'itflow-assets' }
  assert.deepEqual(await runRecipe('itflow', 'itflow', files), [created(1), created(1), created(1)])
  const unchanged = '0 created, 0 updated, 1 unchanged, 0 invalid.'
  assert.deepEqual(await runRecipe('itflow', 'itflow', files), [unchanged, unchanged, unchanged])
  const [asset] = await assets(client)
  assert.deepEqual([asset!.name, asset!.employee.customer.code], ['WS-1', 'GLX'])
})

test('the guide for Jamf Pro imports computers and mobile devices, and puts those without a user into stock', async () => {
  const client = await desk('jamf', 'USD')
  const files = { 'computers.csv': 'jamf-computers', 'mobile-devices.csv': 'jamf-mobile-devices' }
  assert.deepEqual(await runRecipe('jamf', 'jamf', files), [created(2, 1), created(2)])
  assert.deepEqual(
    (await assets(client)).map(({ name, type, status, employee }) => [name, type, status, employee.kind]),
    [
      ['KW-MB-01', 'laptop', 'in_use', 'person'],
      ['KW-MB-02', 'laptop', 'spare', 'storage'],
      ['iPad 12', 'tablet', 'spare', 'storage'],
      ['iPhone of Ida', 'phone', 'in_use', 'person'],
    ],
  )
})

test('the guide for Intune imports devices, and puts those without a user into stock', async () => {
  const client = await desk('intune')
  assert.deepEqual(await runRecipe('intune', 'intune', { 'intune.csv': 'intune-devices' }), [created(3)])
  assert.deepEqual(
    (await assets(client)).map(({ name, purchase_date, status, employee }) => [
      name,
      purchase_date,
      status,
      employee.kind,
    ]),
    [
      ['KW-LT-001', null, 'in_use', 'person'],
      ['iPhone von Ida', null, 'in_use', 'person'],
      ['KW-KIOSK', null, 'spare', 'storage'],
    ],
  )
})

test('the guide for Entra imports people by their addresses, and devices', async () => {
  const client = await desk('entra')
  const files = { 'users.csv': 'entra-users', 'devices.csv': 'entra-devices' }
  const results = await runRecipe('entra', 'entra', files)
  assert.deepEqual(results, ['2 created, 1 updated, 0 unchanged, 1 invalid.', created(1)])
  const people = (await client('GET', '/employees.php?sort=id')).body.data
  assert.deepEqual(
    people.map(({ name, is_active }: Json) => [name, is_active]),
    [
      ['Ida Holm', true],
      ['Tom Falk', true],
      ['Ole Brandt', false],
    ],
  )
})

test('the guide for Google Workspace imports people and Chromebooks', async () => {
  const client = await desk('google-workspace')
  const files = { 'users.csv': 'google-workspace-users', 'chromebooks.csv': 'chromeos-devices' }
  assert.deepEqual(await runRecipe('google-workspace', 'google-workspace', files), [created(2), created(2)])
  const [asset] = await assets(client)
  assert.deepEqual([asset!.asset_tag, asset!.type, asset!.employee.name], ['000412', 'laptop', 'Ida Holm'])
})

test('the guide for a list from HR imports it, and the next one with the saved mapping', async () => {
  const client = await desk('hr-list')
  const results = await runRecipe('hr-list', 'hr-list', { 'people.csv': 'hr-german' })
  assert.deepEqual(results, [created(2), '0 created, 0 updated, 2 unchanged, 0 invalid.'])
  const people = (await client('GET', '/employees.php?sort=id&customer_id=1')).body.data
  assert.deepEqual(
    people.map(({ name, is_active }: Json) => [name, is_active]),
    [
      ['Ida Holm', true],
      ['Jörg Weiß', true],
      ['Ana Öz', false],
    ],
  )
})

test('the guide for a spreadsheet imports known titles, a holder by name, and words of its own', async () => {
  const client = await desk('spreadsheet')
  const sheet =
    'Name;Gadget;Serial number;Holder;Purchase date;Purchase cost\n' +
    'Laptop of Ida;Notebook PC;00412;ida holm;31.01.2026;1.299,90\n' +
    'Screen;Monitor;00413;ida.holm@kestrel.example;;\n'
  const results = await runRecipe('spreadsheet', 'spreadsheet', { 'assets.csv': sheet })
  assert.deepEqual(results, [created(2)])
  assert.deepEqual(
    (await assets(client)).map((each) => [
      each.type,
      each.serial_number,
      each.purchase_date,
      each.purchase_cost,
      each.employee.name,
    ]),
    [
      ['laptop', '00412', '2026-01-31', 129990, 'Ida Holm'],
      ['monitor', '00413', null, null, 'Ida Holm'],
    ],
  )
})

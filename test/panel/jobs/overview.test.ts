// The installation's overview, which has a row for each tenant.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { recordRun } from '../../../src/catalog/tables/backup-records.ts'
import { requireTenant } from '../../../src/tenants/tenants.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { createPanelUser, decodeHtml, signIn, withCatalogOf } from '../../support/panel/panel-client.ts'
import { command, makeTenant, networkClient, startService, temporaryDirectory } from '../../support/service.ts'

const hourMs = 3_600_000
let clock = Date.now()
const directory = join(temporaryDirectory(), 'backups')
const { environment, listen } = await startService(
  { BACKUP_EVERY: '24h', BACKUP_DIR: directory },
  { now: () => new Date(clock), backupPollIntervalMs: 1_000_000 },
)
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'full'))
for (const slug of ['empty', 'away']) await makeTenant(environment, slug)
await createPanelUser(environment, 'root@example.com')
let root = await signIn(origin, 'root@example.com')

/** Advances the clock, and signs in again because the session has expired. */
async function advance(hours: number): Promise<void> {
  clock += hours * hourMs
  root = await signIn(origin, 'root@example.com')
}

/** Reads the rows of the overview. Returns the text of their cells by slug. */
async function readRows(path = ''): Promise<Map<string, string[]>> {
  const html = decodeHtml((await root.get(path)).html)
  const found = [...html.matchAll(/<tr>(<th scope="row"><a href=".*?)<\/tr>/gs)].map(([, row]): [string, string[]] => {
    const cells = row!.split(/<td/).map((cell) => cell.replaceAll(/^[^<]*>|<[^>]+>/g, ' ').trim())
    return [/tenant=([\w-]+)/.exec(row!)![1]!, cells.map((cell) => cell.replaceAll(/\s+/g, ' '))]
  })
  return new Map(found)
}

test('the overview shows each tenant’s assets, people and to-dos, or dashes if the tenant’s database is unavailable', async () => {
  await client('POST', '/customers.php', { name: 'Berlin' })
  await client('POST', '/employees.php', { customer_id: 1, email: 'a@example.com', is_active: false })
  await client('POST', '/employees.php', { customer_id: 1, email: 'stock@example.com', kind: 'storage' })
  await client('POST', '/hardware.php', { employee_id: 1, asset_tag: 'T1', serial_number: 'S1' })
  const away = await tenantDatabaseOf(environment, 'away')
  await away.hide()
  let overview = new Map<string, string[]>()
  const hasFigures = (slug: string) => overview.get(slug)![2] !== '–'
  await eventually('the overview shows the other tenants’ numbers', async () => {
    overview = await readRows()
    return hasFigures('full') && hasFigures('empty')
  })
  await away.show()
  const [, state, assets, people, toDos, , latest] = overview.get('full')!
  assert.deepEqual(
    [state, assets, people, toDos],
    ['Active', '1 1 asset', '0 0 people', '1 To do: 1'],
    'each cell has the text for tables and the text for phones; people who left are not counted',
  )
  assert.match(latest!, /\d\d:\d\d/)
  assert.deepEqual(overview.get('empty')!.slice(2), ['0 0 assets', '0 0 people', '0 To do: 0', '0', '–'])
  assert.deepEqual(overview.get('away')!.slice(2), ['–', '–', '–', '0', '–'])
  assert.equal([...overview.keys()][0], 'away', 'tenants with problems come first')
  await root.submit('tenants.php?tenant=empty', { suspend: '1' })
  assert.deepEqual([...(await readRows('?state=suspended')).keys()], ['empty'])
})

test('the overview marks tenants whose last backup is older than twice the interval, and shows a failed backup', async () => {
  await advance(47)
  assert.doesNotMatch((await readRows()).get('full')![0]!, /backup/i)
  await advance(2)
  assert.match((await readRows()).get('full')![0]!, /no backup yet/)
  await withCatalogOf(environment, async (catalog) => {
    const { id } = await requireTenant(catalog, 'full')
    const now = new Date(clock)
    await recordRun(catalog, { directory, backedUp: [id], failure: 'The disk is <full>.', checks: null, now })
  })
  assert.match(decodeHtml((await root.get('')).html), /The last backup failed \(.*\)\. The disk is <full>\./)
  assert.doesNotMatch((await readRows()).get('full')![0]!, /backup/i)
  await advance(49)
  assert.match((await readRows()).get('full')![0]!, /The last backup is from /)
})

test('a tenant’s page shows how long the history is kept and when the last backup was made', async () => {
  const facts = async (slug: string) => {
    const html = decodeHtml((await root.get(`tenants.php?tenant=${slug}`)).html)
    return html.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
  }
  assert.match(await facts('empty'), /History retention for ever \(system default\) Last backup never/)
  await command(environment, 'tenant', 'set', 'full', '--history-days', '400')
  assert.match(await facts('full'), /History retention 400 days Last backup \d+ \w+ \d{4}, \d\d:\d\d UTC/)
})

// Response times and sizes of the panel's pages in a large tenant.
// node bench/studies/panel.ts [--rows 100000]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openService } from '../../src/app/service.ts'
import { table, withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { hardware } from '../../src/resources/declarations/hardware.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { createPanelUser, signedIn } from '../../test/support/panel-client.ts'
import { indexAll, insertRecords } from '../harness/seed-database.ts'
import { makeTenants, tenantSlug } from '../harness/tenants.ts'

/** Requests per page, after some that do not count. */
const times = 50
const warmUp = 5

const { values } = parseArgs({ options: { rows: { type: 'string', default: '100000' } } })
const rows = Number(values.rows)
const employees = Math.ceil(rows / 20)
const customers = Math.ceil(employees / 50)
const slug = tenantSlug(1)
const list = `records.php?tenant=${slug}&resource=hardware`
const pages: Record<string, string> = {
  dashboard: '',
  'dashboard of the tenant': `?tenant=${slug}`,
  'hardware, first page': list,
  'hardware, q=lenovo': `${list}&q=lenovo`,
  'hardware, q=laptop 4711': `${list}&q=laptop+4711`,
  'hardware, lost, by date': `${list}&status=lost&sort=-purchase_date`,
  'hardware, 200 a page': `${list}&limit=200`,
  'one piece of hardware': `${list}&id=7`,
  'its form': `${list}&id=7&edit=1`,
  'one customer': `records.php?tenant=${slug}&resource=customers&id=7`,
  activity: `activity.php?tenant=${slug}`,
  'API keys': `api_keys.php?tenant=${slug}`,
  tenants: 'tenants.php',
}

const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-panel-'))
const unlimited = { RATE_LIMIT_PER_MINUTE: '0', PANEL_RATE_LIMIT_PER_MINUTE: '0' }
const settings = { DATA_DIR: directory, PORT: '0', ...unlimited, LOG_LEVEL: 'silent' }
await using opened = new AsyncDisposableStack()
opened.defer(() => rmSync(directory, { recursive: true, force: true }))
await makeTenants(settings, 1)
await createPanelUser(settings, 'root@example.com')
await fill()
const service = opened.use(await openService(readConfig(settings)))
const { origin } = new URL(await service.listen())
const person = await signedIn(origin, 'root@example.com')
const figures: string[][] = []
for (const [name, path] of Object.entries(pages)) figures.push([name, ...(await measure(path))])
console.log(table([['page', 'median ms', '95 %', 'kB'], ...figures]))

async function fill(): Promise<void> {
  await withCatalog(readConfig(settings), async (catalog, databases) => {
    const tenant = await requireTenant(catalog, slug)
    await databases.write(tenant, async ({ database }) => {
      await insertRecords(database, 'customers', customers, (at) => ({ name: `customer ${at}` }))
      await insertRecords(database, 'employees', employees, (at) => ({
        customer_id: 1 + (at % customers),
        email: `e${at}@example.com`,
      }))
      await insertRecords(database, 'hardware', rows, piece)
      for (const resource of resources) await indexAll(database, resource)
    })
  })
}

function piece(at: number) {
  const mixed = Math.imul(at, 0x9e3779b1) >>> 0
  const type = hardware.fields.type.of[mixed % 12]!
  return {
    employee_id: 1 + (mixed % employees),
    name: `${type} ${mixed.toString(36)}`,
    type,
    status: at % 1000 === 0 ? 'lost' : hardware.fields.status.of[mixed % 4]!,
    asset_tag: `TD-${at}`,
    manufacturer: ['Lenovo', 'Dell', 'HP', 'Apple'][mixed % 4]!,
    purchase_date: `20${10 + (mixed % 15)}-${10 + (mixed % 3)}-${10 + (mixed % 19)}`,
  }
}

async function measure(path: string): Promise<string[]> {
  let size = 0
  const taken: number[] = []
  for (let at = 0; at < warmUp + times; at++) {
    const begun = performance.now()
    const { status, html } = await person.get(path)
    if (status !== 200) throw new Error(`${path} was answered with ${status}`)
    if (at >= warmUp) taken.push(performance.now() - begun)
    size = Buffer.byteLength(html)
  }
  taken.sort((one, other) => one - other)
  const part = (share: number) => taken[Math.floor(taken.length * share)]!.toFixed(1)
  return [part(0.5), part(0.95), (size / 1000).toFixed(0)]
}

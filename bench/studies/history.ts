// The cost of reading the history: changes by filter, and records as of a time, in a tenant with many records and changes.
// node bench/studies/history.ts [--rows 100000] [--changes 300000] [--postgres]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { table, withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import type { Database, Value } from '../../src/database/database.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { hardware } from '../../src/resources/declarations/hardware.ts'
import { findAsOf, listAsOf } from '../../src/resources/history/as-of-lists.ts'
import { type ChangesQuery, listAssignments, listChanges } from '../../src/resources/history/history.ts'
import type { ListQuery } from '../../src/resources/lists/query.ts'
import { changeColumns } from '../../src/resources/records/changes.ts'
import { emptyValue, type Resource, resourceNamed } from '../../src/resources/resource.ts'
import { searchValues } from '../../src/resources/search/index.ts'
import type { TenantDatabases, TenantLocation } from '../../src/storage/storage.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { describeMachine } from '../harness/machine.ts'
import { indexAll } from '../harness/seed-database.ts'
import { makeTenants, tenantSlug } from '../harness/tenants.ts'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    changes: { type: 'string', default: '300000' },
    postgres: { type: 'boolean', default: false },
  },
})
const [rows, changes] = [Number(options.rows), Number(options.changes)]
const employees = 1000
const customers = 20
const beginning = 1.6e12
let seed = 1

/** The same numbers in every run, below `limit`. */
function random(limit: number): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return Math.floor((seed / 2 ** 32) * limit)
}

/** The time of a change: one per second. */
const at = (seq: number) => new Date(beginning + seq * 1000).toISOString()

const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-history-'))
await using started = new AsyncDisposableStack()
started.defer(() => rmSync(directory, { recursive: true, force: true }))
const server = options.postgres ? started.adopt(await startPostgres(), (each) => each.remove()) : undefined
const settings: Record<string, string> = {
  ...{ DATA_DIR: directory, LOG_LEVEL: 'warn' },
  ...(server && { DATABASE_URL: `${server.url}/postgres` }),
}
const { node, cores } = describeMachine(join(directory, 'sync'))
console.log(`Node ${node}, ${cores} cores, ${server ? 'PostgreSQL' : 'SQLite'}`)
console.log(`${rows.toLocaleString('en')} hardware records, ${changes.toLocaleString('en')} changes\n`)
await makeTenants(settings, 1)
await withCatalog(readConfig(settings), async (catalog, databases) => {
  const tenant = await requireTenant(catalog, tenantSlug(1))
  await fill(databases, tenant)
  await databases.read(tenant, ({ database }) => measure(database))
})

type Records = Map<number, Record<string, Value>>

/** Creates all records, then changes random ones; one change in 50 is a deletion. */
async function fill(databases: TenantDatabases, tenant: TenantLocation): Promise<void> {
  const history: Value[][] = []
  const remember = (resource: string, id: number, action: string, before: object | null, after: object | null) => {
    const seq = history.length + 1
    const [was, is] = [before, after].map((each) => each && JSON.stringify(each))
    history.push([seq, at(seq), resource, id, action, was!, is!, 'key', null, `request-${seq}`])
  }
  const make = (name: string, count: number, values: (id: number) => Record<string, Value>): Records => {
    const empty = Object.entries(resourceNamed(resources, name).fields).map(([field, each]) => [
      field,
      emptyValue(each),
    ])
    const records: Records = new Map()
    for (let id = 1; id <= count; id++) {
      const record = { ...Object.fromEntries(empty), ...values(id) }
      remember(name, id, 'create', null, record)
      records.set(id, { ...record, created_at: at(history.length), updated_at: at(history.length) })
    }
    return records
  }
  const all: [name: string, records: Records][] = [
    ['customers', make('customers', customers, (id) => ({ name: `customer ${id}` }))],
    ['employees', make('employees', employees, (id) => ({ customer_id: 1 + (id % customers), email: `e${id}@x.y` }))],
    ['hardware', make('hardware', rows, piece)],
  ]
  const pieces = all[2]![1]
  while (history.length < changes) {
    const id = 1 + random(rows)
    const record = pieces.get(id)
    if (!record) continue
    if (random(50) === 0) {
      const { created_at, updated_at, ...before } = record
      remember('hardware', id, 'delete', before, null)
      pieces.delete(id)
      continue
    }
    const field = ['employee_id', 'status', 'name', 'notes'][random(4)]!
    const value = piece(random(rows))[field]!
    remember('hardware', id, 'update', { [field]: record[field]! }, { [field]: value })
    Object.assign(record, { [field]: value, updated_at: at(history.length) })
  }
  for (const [name, records] of all) await insertRecords(databases, tenant, resourceNamed(resources, name), records)
  await insertAll(databases, tenant, 'changes', changeColumns, history)
  await databases.write(tenant, async ({ database }) => {
    if (server) await database.run('analyze')
    else for (const resource of resources) await indexAll(database, resource)
  })
}

function piece(id: number): Record<string, Value> {
  return {
    employee_id: 1 + random(employees),
    name: `${hardware.fields.type.of[random(12)]} ${random(20_000).toString(36)}`,
    type: hardware.fields.type.of[random(12)]!,
    status: random(1000) === 0 ? 'lost' : hardware.fields.status.of[random(4)]!,
    asset_tag: `TD-${id}`,
    notes: `bought ${random(1000)}`,
  }
}

async function insertRecords(
  databases: TenantDatabases,
  tenant: TenantLocation,
  resource: Resource,
  records: Records,
): Promise<void> {
  const engine = server ? 'postgres' : 'sqlite'
  const full = [...records].map(([id, values]) => ({ id, ...values, ...searchValues(engine, resource, values) }))
  await insertAll(databases, tenant, resource.name, Object.keys(full[0]!), full.map(Object.values))
}

async function insertAll(
  databases: TenantDatabases,
  tenant: TenantLocation,
  name: string,
  columns: string[],
  all: Value[][],
): Promise<void> {
  await databases.write(tenant, async ({ database }) => {
    for (let done = 0; done < all.length; done += 200) {
      const batch = all.slice(done, done + 200)
      const places = batch.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')
      const sql = `insert into ${name} (${columns.join(', ')}) values ${places}`
      await database.run(sql, batch.flat())
    }
  })
}

async function measure(database: Database): Promise<void> {
  const page = { limit: 50, since: 0, resource: null, id: null, action: null, timeoutMs: 60_000 }
  const list: ListQuery = {
    ...{ limit: 50, sort: { field: 'id', isDescending: false }, conditions: [], words: [], includes: {} },
    ...{ after: null, withTotal: false, timeoutMs: 60_000 },
  }
  const by = (field: string) => ({ sort: { field, isDescending: false } })
  const where = (filter: string, value: Value) => ({
    conditions: [{ filter, operator: 'eq' as const, values: [value] }],
  })
  const read = (query: Partial<ChangesQuery>) => () => listChanges(database, resources, { ...page, ...query })
  const works: [name: string, work: () => Promise<unknown>][] = [
    ['changes, the first', read({})],
    ['changes, deep', read({ since: changes - 60 })],
    ['changes, resource=hardware', read({ resource: 'hardware', since: changes / 2 })],
    ['changes, action=delete', read({ action: 'delete' })],
    ['changes, resource=customers&action=delete (none)', read({ resource: 'customers', action: 'delete' })],
    ['changes, resource=hardware&id=77', read({ resource: 'hardware', id: 77 })],
    ['changes, id=77', read({ id: 77 })],
    ['assignments', () => listAssignments(database, resources, { resource: 'hardware', id: 77, timeoutMs: 60_000 })],
  ]
  const first = customers + employees + rows
  for (const [share, seq] of [1, 0.999, 0.9, 0.5, 0].map((each) => [
    each,
    Math.floor(first + (changes - first) * each),
  ])) {
    const asOf = at(seq!)
    const after = { value: Math.floor(rows * 0.8), id: Math.floor(rows * 0.8), seq: seq! }
    const then = (query: Partial<ListQuery>) => () =>
      listAsOf(database, hardware, resources, { ...list, ...query, asOf })
    const name = `as_of ${changes - seq!} changes ago`
    if (share === 1) continue
    works.push(
      [`${name}: one`, () => findAsOf(database, hardware, resources, { id: 77, moment: asOf, includes: {} })],
      [`${name}: by id`, then({})],
      [`${name}: by id, deep`, then({ after })],
      [`${name}: by id, included`, then({ includes: { employee_id: { customer_id: {} } } })],
      [`${name}: by name`, then(by('name'))],
      [`${name}: by purchase_cost (no index)`, then(by('purchase_cost'))],
      [`${name}: status=lost, by name`, then({ ...by('name'), ...where('status', 'lost') })],
      [`${name}: customer_id=7, by name`, then({ ...by('name'), ...where('customer_id', 7) })],
      [`${name}: with the total`, then({ withTotal: true })],
    )
  }
  const lines: string[][] = []
  for (const [name, work] of works) {
    const times: number[] = []
    const until = performance.now() + 1500
    while (times.length < 3 || (times.length < 30 && performance.now() < until)) {
      const begun = performance.now()
      await work()
      times.push(performance.now() - begun)
    }
    lines.push([name, times.sort((one, other) => one - other)[Math.floor(times.length / 2)]!.toFixed(2)])
  }
  console.log(table([['in the engine', 'ms (median)'], ...lines]))
}

// Measures how long lists take in a tenant with many records, without HTTP. Ratios are relative to the first page
// sorted by id.
// node bench/studies/lists.ts [--rows 1000000] [--postgres]

import { parseArgs } from 'node:util'
import { table } from '../../src/cli/output.ts'
import type { Database, Value } from '../../src/database/database.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { hardware } from '../../src/resources/declarations/hardware.ts'
import { listRecords } from '../../src/resources/lists/page.ts'
import type { ListQuery, Position } from '../../src/resources/lists/query.ts'
import { wordsOf } from '../../src/resources/search/fold.ts'
import { indexAll, insertRecords } from '../harness/seed/seed-database.ts'
import { median, type StudiedTenant, withStudiedTenant } from './start.ts'

const { values: options } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, postgres: { type: 'boolean', default: false } },
})
const rows = Number(options.rows)
const employeeCount = Math.ceil(rows / 20)
const customerCount = Math.ceil(employeeCount / 50)

const words = Array.from({ length: 20_000 }, (_, index) => (((index + 1) * 2654435761) % 2 ** 32).toString(36))
let seed = 1

/** Returns a pseudo-random number below `limit`. The sequence is the same in every run. */
function random(limit: number): number {
  seed = (seed + 0x9e3779b9) >>> 0 // splitmix
  let mixed = Math.imul(seed ^ (seed >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return ((mixed ^ (mixed >>> 15)) >>> 0) % limit
}

await withStudiedTenant('lists', options.postgres, async (tenant) => {
  console.log(`${rows.toLocaleString('en')} hardware records\n`)
  await fill(tenant)
  await tenant.read(measure)
})

async function fill({ write }: StudiedTenant): Promise<void> {
  const start = performance.now()
  await write((database) => insertRecords(database, 'customers', customerCount, (id) => ({ name: `customer ${id}` })))
  await write((database) =>
    insertRecords(database, 'employees', employeeCount, (id) => ({
      customer_id: 1 + random(customerCount),
      email: `e${id}@example.com`,
    })),
  )
  for (let inserted = 0; inserted < rows; inserted += 50_000) {
    await write((database) =>
      insertRecords(database, 'hardware', Math.min(50_000, rows - inserted), asset, inserted + 1),
    )
  }
  if (options.postgres) await write(analyze)
  else for (const resource of resources) await write((database) => indexAll(database, resource))
  console.log(`filled in ${Math.round((performance.now() - start) / 1000)} s\n`)
}

/** Autovacuum would do this eventually. A single statement for all tables could exceed the statement timeout. */
async function analyze(database: Database): Promise<void> {
  for (const { name } of resources) await database.run(`analyze ${name}`)
}

function asset(id: number): Record<string, Value> {
  const day = `20${10 + random(20)}-${10 + random(3)}-${10 + random(19)}`
  const type = hardware.fields.type.of[random(12)]!
  return {
    employee_id: 1 + random(employeeCount),
    name: `${type} ${words[random(words.length)]}`,
    type,
    status: random(1000) === 0 ? 'lost' : hardware.fields.status.of[random(4)]!,
    asset_tag: `TD-${id}`,
    serial_number: `${words[random(words.length)]}-${id}`,
    manufacturer: ['Lenovo', 'Dell', 'HP', 'Apple'][random(4)]!,
    model: `model ${words[random(300)]}`,
    purchase_date: random(10) === 0 ? null : day,
    purchase_cost: random(500_000),
    notes: random(4) === 0 ? `bought for ${words[random(words.length)]}` : null,
  }
}

async function measure(database: Database): Promise<void> {
  const base: ListQuery = {
    limit: 50,
    sort: { field: 'id', isDescending: false },
    conditions: [],
    words: [],
    includes: {},
    after: null,
    withTotal: false,
    timeoutMs: 60_000,
  }
  const sortedBy = (field: string, isDescending = false) => ({ sort: { field, isDescending } })
  const where = (filter: string, value: Value) => ({
    conditions: [{ filter, operator: 'eq' as const, values: [value] }],
  })
  const deepPosition = async (sort: string): Promise<{ after: Position }> => {
    const sql = `select ${sort} as value, id from hardware where ${sort} is not null order by ${sort}, id limit 1 offset ?`
    const row = (await database.get(sql, [Math.floor(rows * 0.85)]))!
    return { after: { value: row.value!, id: row.id as number } }
  }
  const lists: [name: string, query: Partial<ListQuery>][] = [
    ['first page by id', {}],
    ['page at the end by id', { after: { value: rows - 60, id: rows - 60 } }],
    ['first page by name', sortedBy('name')],
    ['deep page by name', { ...sortedBy('name'), ...(await deepPosition('name')) }],
    ['first page by purchase_date', sortedBy('purchase_date')],
    ['deep page by purchase_date', { ...sortedBy('purchase_date'), ...(await deepPosition('purchase_date')) }],
    ['status=lost (1 in 1000), by name', { ...sortedBy('name'), ...where('status', 'lost') }],
    ['status=spare (1 in 4), by -purchase_date', { ...sortedBy('purchase_date', true), ...where('status', 'spare') }],
    ['customer_id=7, by name', { ...sortedBy('name'), ...where('customer_id', 7) }],
    ['employee_id=7, by -updated_at', { ...sortedBy('updated_at', true), ...where('employee_id', 7) }],
    ['manufacturer=Dell (1 in 4), by name', { ...sortedBy('name'), ...where('manufacturer', 'Dell') }],
    ['q=laptop (1 in 12), by name', { ...sortedBy('name'), words: wordsOf('laptop') }],
    ['q=laptop (1 in 12), by -purchase_date', { ...sortedBy('purchase_date', true), words: wordsOf('laptop') }],
    ['q=lenovo laptop bought, by id', { words: wordsOf('lenovo laptop bought') }],
    [`q=${words[7]} (rare), by name`, { ...sortedBy('name'), words: wordsOf(words[7]!) }],
    ['q=TD-777777 (one match), by id', { words: wordsOf('TD-777777') }],
    ['q=nowhere (no match), by name', { ...sortedBy('name'), words: wordsOf('nowhere') }],
    ['q=x1 (two letters), by name', { ...sortedBy('name'), words: wordsOf('x1') }],
    ['q=-z (two characters without a match), by name', { ...sortedBy('name'), words: wordsOf('-z') }],
    ['q=ap (two letters with many matches), by name', { ...sortedBy('name'), words: wordsOf('ap') }],
    ['with employee and customer included', { includes: { employee_id: { customer_id: {} } } }],
    ['first page by purchase_cost', sortedBy('purchase_cost')],
    ['first page by -is_loaner', sortedBy('is_loaner', true)],
    ['first page by notes', sortedBy('notes')],
    ['first page by -notes', sortedBy('notes', true)],
    ['status=lost with its total', { ...where('status', 'lost'), withTotal: true }],
    ['all records with the total', { withTotal: true }],
  ]
  const lines: string[][] = []
  let first = Number.NaN
  for (const [name, query] of lists) {
    const times: number[] = []
    let recordCount = 0
    const until = performance.now() + 3000
    if (options.postgres) await database.run('savepoint list')
    while (times.length < 3 || (times.length < 40 && performance.now() < until)) {
      const start = performance.now()
      const list = { database, resource: hardware, resources, query: { ...base, ...query } }
      recordCount = (await listRecords(list)).records.length
      times.push(performance.now() - start)
      // Discards settings that are local to the transaction.
      if (options.postgres) await database.run('rollback to list')
    }
    const time = median(times)
    first = Number.isNaN(first) ? time : first
    lines.push([name, String(recordCount), time.toFixed(2), (time / first).toFixed(1)])
  }
  console.log(`${table([['a page of 50, without HTTP', 'records', 'ms', 'ratio'], ...lines])}\n`)
}

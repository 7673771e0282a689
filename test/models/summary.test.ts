// After a few changes, the service updates the home page's figures instead of counting all records again. The updated
// figures must equal those counted from all records.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { type KnownSummary, summaryOperations } from '../../src/domain/summary/operations.ts'
import type { Database } from '../../src/engine/database/database.ts'
import { summaryRequest } from '../../src/panel/pages/home/to-dos.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { type Client, type Json, runs, startService } from '../support/service.ts'

const start = '2030-06-01T12:00:00Z'
let now = new Date(start)
const service = await startService({}, { now: () => now })

const id = fc.integer({ min: 1, max: 6 })
const day = fc.constantFrom(null, '2030-06-10', '2030-06-25', '2031-01-01')
const values = {
  customers: fc.record({ name: fc.constantFrom('Berlin', 'İzmir'), contract_end: day }),
  employees: fc.record({
    customer_id: id,
    email: fc.constant('a@b.example'),
    is_active: fc.boolean(),
    end_date: day,
    kind: fc.constantFrom('person', 'person', 'storage'),
  }),
  hardware: fc.record({
    employee_id: id,
    status: fc.constantFrom('in_repair', 'in_repair', 'in_use', 'lost'),
    type: fc.constantFrom('laptop', 'phone'),
    serial_number: fc.constantFrom(null, 'S1'),
    asset_tag: fc.constantFrom(null, 'A1', 'A2'),
    purchase_cost: fc.constantFrom(null, 5, 149_900),
    warranty_end: day,
    due_back: day,
  }),
}
type Name = keyof typeof values
type Step = {
  name: Name
  method: 'POST' | 'PUT' | 'DELETE' | 'UNDO'
  id: number
  body: Json
  fields: number
  days: number
}

const step: fc.Arbitrary<Step> = fc
  .constantFrom<Name[]>('customers', 'employees', 'hardware', 'hardware')
  .chain((name) =>
    fc.record({
      name: fc.constant(name),
      method: fc.constantFrom('POST', 'PUT', 'PUT', 'PUT', 'DELETE', 'UNDO'),
      id,
      body: values[name] as fc.Arbitrary<Json>,
      fields: fc.nat(255),
      days: fc.constantFrom(0, 0, 0, 10),
    }),
  )

/** Advances the clock and executes a step. `fields`: a bit mask of the fields that an update changes. `UNDO` undoes the
 *  change set of one of the six latest changes. */
async function runStep(client: Client, { name, method, id, body, fields, days }: Step): Promise<void> {
  now = new Date(now.getTime() + 1000 + days * 86_400_000)
  if (method === 'UNDO') {
    const { data } = (await client('GET', '/changes.php?order=desc&limit=6')).body
    await client('POST', '/undo.php', { change_set: data[id % data.length].change_set })
    return
  }
  const selected = Object.fromEntries(Object.entries(body).filter((_, index) => fields & (1 << index)))
  if (method === 'POST') await client(method, `/${name}.php`, body)
  else await client(method, `/${name}.php?id=${id}`, method === 'PUT' ? selected : undefined)
}

async function createRecords(client: Client): Promise<void> {
  for (let id = 1; id <= 3; id++) {
    await client('POST', '/customers.php', { name: `${id}` })
    await client('POST', '/employees.php', { customer_id: id, email: `${id}@b.example` })
    await client('POST', '/hardware.php', { employee_id: id, status: 'in_repair' })
  }
}

/** The beginning of the statement that updates the figures from changed assets only. */
const updateStatement = 'with hardware as'

/** Returns the database, but calls `onStatement` with each statement before it runs. */
function watch(database: Database, onStatement: (sql: string) => void): Database {
  return new Proxy(database, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (sql: string, ...rest: unknown[]) => {
        if (typeof sql === 'string') onStatement(sql)
        return member.call(target, sql, ...rest)
      }
    },
  })
}

let tenantCount = 0

test('the home page’s figures updated from changes equal those counted from all records', async () => {
  const anyRounds = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 4, maxLength: 4 })
  const cases = runs(10)
  let updates = 0
  await fc.assert(
    fc.asyncProperty(anyRounds, async (rounds) => {
      now = new Date(start)
      const slug = `t${++tenantCount}`
      const client = await service.tenant(slug)
      await createRecords(client)
      const request = summaryRequest({
        resources,
        listTimeoutMs: 60_000,
        now: new Date('2030-06-20'),
        timeZone: 'UTC',
        noticeDays: 30,
      })
      const read = (database: Database, known: KnownSummary | null) =>
        summaryOperations.summary.run(database, { ...request, known }, { resources })
      await withCatalog(readConfig(service.environment), async (catalog, databases) => {
        const tenant = await requireTenant(catalog, slug)
        let known: KnownSummary | null = null
        for (const steps of rounds) {
          known = await databases.read(tenant, async ({ database }) => {
            const watched = watch(database, (sql) => {
              if (sql.startsWith(updateStatement)) updates++
            })
            const { seq, version, summary }: Json = await read(watched, known)
            if (known && summary) assert.deepEqual(summary, (await read(database, null)).summary)
            return { seq, version, summary: summary ?? known!.summary }
          })
          for (const next of steps) await runStep(client, next)
        }
      })
    }),
    { numRuns: cases },
  )
  // a case reads figures that it knows three times, and some of its steps change nothing
  assert.ok(updates > cases, `figures are updated from changes more than ${cases} times, not ${updates}`)
})

// Between a refusal by a constraint and the look at its reason, others may take the reason away.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCatalog } from '../../src/cli/context.ts'
import { readConfig } from '../../src/config.ts'
import { ConstraintViolation, type Database } from '../../src/database/database.ts'
import { hardware } from '../../src/resources/declarations/hardware.ts'
import { createRecord, updateRecord } from '../../src/resources/records/records.ts'
import { byId } from '../../src/resources/resource.ts'
import { noPrecondition } from '../../src/storage/idempotency.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { replaceMethods } from '../support/replace-methods.ts'
import { startService } from '../support/service.ts'

const { environment, tenant } = await startService()
const acme = await tenant('acme')

/** Its first statement meets a value that another transaction gives away before anyone can look. */
function contested(database: Database): Database {
  let isFree = false
  return replaceMethods(database, {
    async attempt(sql, values) {
      if (isFree) return database.attempt(sql, values)
      isFree = true
      throw new ConstraintViolation('unique', 'hardware.asset_tag')
    },
  })
}

test('a unique value freed before its conflict is explained is accepted, in a create and in an update', async () => {
  const { id: customer_id } = (await acme('POST', '/customers.php', { name: 'A' })).body
  const { id: employee_id } = (await acme('POST', '/employees.php', { customer_id, email: 'a@b.c' })).body
  const { id, created_at, updated_at, ...values } = (await acme('POST', '/hardware.php', { employee_id })).body
  const context = { now: created_at, actor: { apiKeyId: 'k' }, requestId: 'r', changeSet: 's' }
  await withCatalog(readConfig(environment), async (catalog, databases) =>
    databases.write(await requireTenant(catalog, 'acme'), async ({ database }) => {
      const change = { resource: hardware, context, precondition: noPrecondition }
      await createRecord(contested(database), { ...change, values: { ...values, asset_tag: 'TD-1' } })
      await updateRecord(contested(database), { ...change, key: byId(id), values: { asset_tag: 'TD-2' } })
    }),
  )
  const { data } = (await acme('GET', '/hardware.php')).body
  assert.deepEqual(
    data.map((each: { asset_tag: string }) => each.asset_tag),
    ['TD-2', 'TD-1'],
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { fieldTable, readOnlyFields } from '../support/api/field-table.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { resourceNames } from '../support/resource-names.ts'
import { type Client, type Json, makeTenant, runs, startService } from '../support/service.ts'

type Resource = 'customers' | 'employees' | 'hardware'

/** The whole state of a tenant: the existing records, every id ever assigned, and the history. */
type Model = { records: Record<Resource, Record<number, Json>>; ids: Record<Resource, number[]>; changes: Json[] }

/** An operation, generated before the ids of records are known. `record` and `owner` select from the ids assigned so
 *  far; -1 selects an unknown id. `externalId`: selects the record instead of `record`, if it is not null. */
type Operation = {
  method: 'POST' | 'PUT' | 'DELETE' | 'GET'
  resource: Resource
  record: number
  externalId: string | null
  owner: number | null | undefined
  isOwnerExternal: boolean
  fields: Json
}

/** Returns an empty record, with all fields in the order of responses. */
function blankRecord(resource: Resource): Json {
  const writable = Object.entries(fieldTable[resource]!).map(([name, { empty }]) => [name, empty])
  return Object.fromEntries([...writable, ...(readOnlyFields[resource] ?? []).map((name) => [name, null])])
}

const blank: Record<Resource, Json> = {
  customers: blankRecord('customers'),
  employees: blankRecord('employees'),
  hardware: blankRecord('hardware'),
}
const minimal: Record<Resource, Json> = { customers: { name: 'A' }, employees: { email: 'a@b.c' }, hardware: {} }
const required = ['customers.name', 'employees.customer_id', 'employees.email', 'hardware.employee_id']
const owners = {
  customers: { field: '', of: 'customers', missing: '' },
  employees: { field: 'customer_id', of: 'customers', missing: 'invalid_customer' },
  hardware: { field: 'employee_id', of: 'employees', missing: 'invalid_employee' },
} as const
const dependents = { customers: 'employees', employees: 'hardware', hardware: undefined } as const
const unknownId = 987_654

const externalIds = ['x1', 'x2', 'X1', 'ẞ 3']

/** Generates mostly valid values, which are stored as sent, and sometimes a value that is refused. */
const mostlyValid = (valid: unknown[], invalid: unknown) => fc.constantFrom(...valid, ...valid, ...valid, invalid)
const someFields: Record<Resource, Record<string, fc.Arbitrary<unknown>>> = {
  customers: { name: mostlyValid(['A', 'B', 'ℭ😀'], ''), is_active: fc.boolean(), city: fc.constantFrom('X', null) },
  employees: { email: mostlyValid(['a@b.c', 'd@e.f'], 'none'), is_remote: fc.boolean() },
  hardware: {
    asset_tag: fc.constantFrom('T1', 'T2', null),
    status: mostlyValid(['lost', 'spare', 'in_use'], 'nowhere'),
    purchase_cost: mostlyValid([0, 1, Number.MAX_SAFE_INTEGER], -1),
  },
}
/** The code with which each invalid value is refused, apart from an empty name. */
const refusals: Record<string, string> = { none: 'invalid_email', nowhere: 'not_in_list', '-1': 'invalid_int' }

/** Selects an id: see `choose`. */
const selection = fc.oneof({ weight: 9, arbitrary: fc.nat(20) }, fc.constant(-1))
const operations: fc.Arbitrary<Operation[]> = fc.array(
  fc.constantFrom<Resource>('customers', 'employees', 'hardware').chain((resource) => {
    const notes = fc.constantFrom('n', 'a\nb', "');--", null)
    const external_id = fc.constantFrom(...externalIds, null)
    const fields = fc.record({ notes, external_id, ...someFields[resource] }, { requiredKeys: [] })
    return fc.record({
      method: fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'PUT', 'PUT', 'DELETE', 'GET'),
      resource: fc.constant(resource),
      record: selection,
      externalId: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom(...externalIds)),
      owner: fc.oneof({ weight: 6, arbitrary: selection }, fc.constantFrom(null, undefined, undefined)),
      isOwnerExternal: fc.boolean(),
      fields: fc.oneof({ weight: 9, arbitrary: fields }, fc.constant({})),
    })
  }),
  { minLength: 1, maxLength: 80, size: 'max' },
)
/** Every sequence begins by creating one record of each resource. */
const firstOperations = (['customers', 'employees', 'hardware'] as const).map(
  (resource): Operation => ({
    method: 'POST',
    resource,
    record: 0,
    externalId: null,
    owner: 0,
    isOwnerExternal: false,
    fields: {},
  }),
)

let time = Date.parse('2030-01-01T00:00:00.000Z')
// At this level, the log shows the reason if a database is unavailable.
const { environment, client } = await startService({ LOG_LEVEL: 'warn' }, { now: () => new Date(time) })
let count = 0

/** Creates a tenant. Returns its client, its key's id, and a function that reads its history, oldest first. */
async function createTenant(): Promise<{ call: Client; keyId: string; readChanges: () => Promise<Json[]> }> {
  const slug = `tenant-${++count}`
  const token = await makeTenant(environment, slug)
  const tenantDatabase = await tenantDatabaseOf(environment, slug)
  const readChanges = () => tenantDatabase.all('select * from changes order by seq')
  return { call: client(token), keyId: token.slice(4, 14), readChanges }
}

/** Returns the id that an operation's `record` or `owner` selects. */
function choose(ids: number[], number: number): number {
  return number < 0 ? unknownId : (ids[number % ids.length] ?? unknownId)
}

/** Returns the values that a POST or PUT sends. Omits unique values if the owner does not exist: the request could then
 *  be refused either for the owner or for a duplicate. */
function valuesOf(model: Model, { method, resource, externalId, record, owner, fields }: Operation): Json {
  const { field, of } = owners[resource]
  const ownerId = typeof owner === 'number' ? choose(model.ids[of], owner) : owner
  const isComplete = method === 'POST' || (externalId !== null && record % 2 === 0)
  const { asset_tag, external_id, ...rest } = { ...(isComplete && minimal[resource]), ...fields }
  const isOwnerValid = typeof ownerId !== 'number' || ownerId in model.records[of]
  return {
    ...rest,
    ...(isOwnerValid && asset_tag !== undefined && { asset_tag }),
    ...(isOwnerValid && external_id !== undefined && externalId === null && { external_id }),
    ...(field && ownerId !== undefined && { [field]: ownerId }),
  }
}

/** Returns the request body, which can refer to the owner by external id. */
function bodyOf(model: Model, { resource, isOwnerExternal }: Operation, values: Json): Json {
  const { field, of } = owners[resource]
  const { [field]: ownerId, ...rest } = values
  const externalId = model.records[of][ownerId]?.external_id
  return isOwnerExternal && externalId ? { ...rest, [field.replace('_id', '_external_id')]: externalId } : values
}

/** Returns the expected refusal, for example `validation_failed name required`, or undefined if there is none. The
 *  service checks fields, record, owner and unique values, in this order. It reports the values that are not unique
 *  together with invalid fields. */
function refusalOf(
  model: Model,
  { method, resource }: Operation,
  id: number,
  body: Json,
  isNew: boolean,
): string | undefined {
  const { field, of, missing } = owners[resource]
  const otherRecords = Object.entries<Json>(model.records[resource]).filter(([otherId]) => Number(otherId) !== id)
  const isTaken = (name: string) =>
    ['asset_tag', 'external_id'].includes(name) && otherRecords.some(([, record]) => record[name] === body[name])
  const errors = Object.keys(blank[resource]).flatMap((name): { name: string; code: string }[] => {
    const isChecked = isNew || name in body
    if (isChecked && required.includes(`${resource}.${name}`) && !body[name]) return [{ name, code: 'required' }]
    const code = refusals[body[name]] ?? (body[name] && isTaken(name) ? 'duplicate' : undefined)
    return code === undefined ? [] : [{ name, code }]
  })
  const failed = ['validation_failed', ...errors.map(({ name, code }) => `${name} ${code}`)].join(' ')
  if (method === 'PUT' && Object.keys(body).length === 0) return 'no_fields'
  if (errors.some(({ code }) => code !== 'duplicate')) return failed
  if (!isNew && !(id in model.records[resource])) return 'not_found'
  if (field && field in body && !(body[field] in model.records[of])) return missing
  return errors.length > 0 ? failed : undefined
}

function pathOf({ method, resource, externalId }: Operation, id: number): string {
  const select = externalId === null ? `?id=${id}` : `?external_id=${encodeURIComponent(externalId)}`
  return `/${resource}.php${method === 'POST' ? '' : select}`
}

/** Returns the id of the record that the operation selects, or undefined if the operation creates a record: a POST, or
 *  a PUT with an unused external id. */
function idOf(model: Model, { method, resource, record, externalId }: Operation): number | undefined {
  if (method === 'POST') return undefined
  if (externalId === null) return choose(model.ids[resource], record)
  const found = Object.values<Json>(model.records[resource]).find(({ external_id }) => external_id === externalId)
  return found?.id ?? (method === 'PUT' ? undefined : unknownId)
}

const statuses: Record<string, number> = { no_fields: 400, not_found: 404, conflict: 409 }

/** Executes one operation in the service and in the model, and compares the results. */
async function runStep(model: Model, call: Client, operation: Operation): Promise<void> {
  const { method, resource, externalId } = operation
  const { records, ids, changes } = model
  const hasBody = method === 'POST' || method === 'PUT'
  const values = hasBody ? valuesOf(model, operation) : undefined
  const found = idOf(model, operation)
  const [id, isNew] = [found ?? 0, found === undefined]
  const record = records[resource][id]
  const dependent = dependents[resource]
  const isOwner =
    dependent && Object.values<Json>(records[dependent]).some((record) => record[owners[dependent].field] === id)
  const refusal = hasBody
    ? refusalOf(model, operation, id, values, isNew)
    : record === undefined
      ? 'not_found'
      : method === 'DELETE' && isOwner
        ? 'conflict'
        : undefined

  const at = new Date(++time).toISOString()
  const requestId = `request-${time}`
  const body = hasBody ? bodyOf(model, operation, values) : undefined
  const response = await call(method, pathOf(operation, id), body, { 'x-request-id': requestId })
  if (refusal !== undefined) {
    const { error, fields = [], errors } = response.body
    const actual = [error.code, ...fields.map((name: string) => `${name} ${errors[name].code}`)].join(' ')
    assert.deepEqual({ refusal: actual, status: response.status }, { refusal, status: statuses[error.code] ?? 422 })
    return
  }
  assert.equal(response.status, isNew ? 201 : 200)
  if (method === 'GET') return assert.deepEqual(response.body, record)
  const selected = externalId !== null && method === 'PUT' ? { external_id: externalId } : {}
  const isUnchanged = method === 'PUT' && isDeepStrictEqual(record, { ...record, ...values, ...selected })
  if (isUnchanged) return assert.deepEqual([response.body, response.headers['change-set']], [record, undefined])
  const recordId = response.body.id
  const action = isNew ? 'create' : method === 'PUT' ? 'update' : 'delete'
  const changeSet = response.headers['change-set']
  assert.ok(!changes.some(({ change_set }) => change_set === changeSet), 'every request has a different change set')
  const seq = changes.length + 1
  changes.push({ seq, at, resource, record_id: recordId, action, request_id: requestId, change_set: changeSet })
  if (method === 'DELETE') {
    delete records[resource][id]
    return assert.deepEqual(response.body, { id, deleted: true })
  }
  if (isNew) {
    assert.ok(recordId > Math.max(0, ...ids[resource]), 'ids are never reused')
    ids[resource].push(recordId)
  }
  const before = record ?? { id: recordId, ...blank[resource], created_at: at }
  records[resource][recordId] = { ...before, ...values, ...selected, updated_at: at }
  assert.deepEqual(response.body, records[resource][recordId])
}

/** Replays the history, and returns the resulting records. Asserts that the `before` values of each row match the
 *  record. */
function replay(rows: Json[]): Model['records'] {
  const records: Model['records'] = { customers: {}, employees: {}, hardware: {} }
  for (const { resource, record_id: id, at, action, ...row } of rows) {
    const [before, after] = [JSON.parse(row.before), JSON.parse(row.after)]
    const recordsOfResource = records[resource as Resource]
    const { created_at = at, id: _, updated_at, ...present } = recordsOfResource[id] ?? {}
    if (action === 'update') {
      assert.deepEqual(Object.keys(before), Object.keys(after))
      for (const name of Object.keys(before)) assert.notEqual(before[name], after[name])
    }
    const expectedBefore =
      action === 'update' ? Object.fromEntries(Object.keys(before).map((name) => [name, present[name]])) : present
    assert.deepEqual(before ?? {}, expectedBefore)
    assert.deepEqual([before === null, after === null], [action === 'create', action === 'delete'])
    if (action === 'delete') delete recordsOfResource[id]
    else recordsOfResource[id] = { id, ...present, ...after, created_at, updated_at: at }
  }
  return records
}

test('the model of the API covers every declared resource', () => {
  assert.deepEqual(Object.keys(minimal), resourceNames)
})

test('a simple model predicts the response to every request in any sequence, and replaying the history yields the same records', async () => {
  await fc.assert(
    fc.asyncProperty(operations, async (sequence) => {
      const { call, keyId, readChanges } = await createTenant()
      const model: Model = {
        records: { customers: {}, employees: {}, hardware: {} },
        ids: { customers: [], employees: [], hardware: [] },
        changes: [],
      }
      for (const operation of [...firstOperations, ...sequence]) await runStep(model, call, operation)
      const rows = await readChanges()
      const expected = model.changes.map((change) => ({ ...change, api_key_id: keyId, user_id: null }))
      assert.deepEqual(
        rows.map(({ before, after, ...row }) => row),
        expected,
      )
      assert.deepEqual(replay(rows), model.records)
      for (const resource of ['customers', 'employees', 'hardware'] as const) {
        const { body } = await call('GET', `/${resource}.php`)
        assert.deepEqual(body.data, Object.values(model.records[resource]).slice(0, 50))
      }
    }),
    { numRuns: runs(30) },
  )
})

test('each concurrent request that changes a record has one history row, and replaying the rows yields the records', async () => {
  await fc.assert(
    fc.asyncProperty(operations, async (sequence) => {
      const { call, readChanges } = await createTenant()
      const ids = { customers: [1, 2, 3], employees: [1, 2, 3], hardware: [1, 2, 3] }
      const guessedRecords = Object.fromEntries(ids.customers.map((id) => [id, { external_id: externalIds[id] }]))
      const guess: Model = {
        records: { customers: guessedRecords, employees: guessedRecords, hardware: guessedRecords },
        ids,
        changes: [],
      }
      const responses = await Promise.all(
        [...firstOperations, ...sequence].map(async (operation, index) => {
          const { method, resource, record } = operation
          const hasBody = ['POST', 'PUT'].includes(method)
          const body = hasBody ? bodyOf(guess, operation, valuesOf(guess, operation)) : undefined
          const path = pathOf(operation, choose(ids[resource], record))
          const response = await call(method, path, body, { 'x-request-id': String(index) })
          assert.ok(response.status < 500, response.text)
          return { method, ...response, requestId: String(index) }
        }),
      )
      const rows = await readChanges()
      const successes = responses.filter(({ headers }) => headers['change-set'] !== undefined)
      const others = responses.filter(
        ({ headers, method, status }) => !headers['change-set'] && method !== 'GET' && status < 300,
      )
      for (const { method, status } of others) assert.deepEqual([method, status], ['PUT', 200]) // changed no value
      assert.deepEqual(rows.map((row) => row.request_id).sort(), successes.map(({ requestId }) => requestId).sort())
      assert.deepEqual(
        rows.map((row) => row.seq),
        rows.map((_, index) => index + 1),
      )
      for (const [resource, records] of Object.entries(replay(rows))) {
        assert.deepEqual((await call('GET', `/${resource}.php`)).body.data, Object.values(records).slice(0, 50))
      }
    }),
    { numRuns: runs(20) },
  )
})

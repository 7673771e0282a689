// A client of the Tenantdesk REST API: typed by its OpenAPI document, without dependencies, for Node.js from 20 on and browsers.

import { type Call, type Meta, type Settings, send } from './send.ts'
import type {
  Change,
  ChangePage,
  ChangesQuery,
  Customer,
  CustomerChanges,
  CustomersQuery,
  Deleted,
  Employee,
  EmployeeAssignments,
  EmployeeChanges,
  EmployeesQuery,
  HardwareQuery,
  HardwareRecord,
  HardwareRecordAssignments,
  HardwareRecordChanges,
  NewCustomer,
  NewEmployee,
  NewHardwareRecord,
} from './types.ts'

export { NoAnswerError, TenantdeskError } from './errors.ts'
export type { Meta, Settings } from './send.ts'
export type * from './types.ts'

/** `idempotencyKey`: a UUID; made where none is given. `ifMatch`: the entity tag that the record must still have. */
export type ChangeOptions = { idempotencyKey?: string; ifMatch?: string; signal?: AbortSignal }
export type ReadOptions = { signal?: AbortSignal }

/** A record with what was asked to be put inside it: `employee` for `employee` and for `employee.customer`. */
export type Including<Item, Words> = Words extends readonly (infer Word extends string)[]
  ? Item & Required<Pick<Item, (Word extends `${infer First}.${string}` ? First : Word) & keyof Item>>
  : Item

export type Page<Item> = {
  data: Item[]
  page: { limit: number; has_more: boolean; next_cursor: string | null; total?: number }
}

type ListQuery = { cursor?: string; include?: readonly string[] }

const metas = new WeakMap<object, Meta>()

/** What the answer said besides this record or page: its entity tag, request id, rate limit, whether it is a replay. */
export function metaOf(answer: object): Meta | undefined {
  return metas.get(answer)
}

async function ask<Answer extends object>(settings: Settings, call: Call): Promise<Answer> {
  const { body, meta } = await send(settings, call)
  metas.set(body as Answer, meta)
  return body as Answer
}

function changing({ idempotencyKey, ifMatch, signal }: ChangeOptions) {
  const headers = { 'idempotency-key': idempotencyKey ?? crypto.randomUUID(), 'if-match': ifMatch }
  return { headers, ...(signal && { signal }) }
}

/** The records of one resource. Every change carries an Idempotency-Key and is safe to repeat. */
function recordsOf<Item extends object, New, Changes, Query extends ListQuery>(settings: Settings, path: string) {
  type Asked<Given> = Including<Item, Given extends { include: infer Words } ? Words : []>

  function page<const Given extends Query>(query?: Given, options: ReadOptions = {}): Promise<Page<Asked<Given>>> {
    return ask(settings, { method: 'GET', path, ...(query && { query }), ...options })
  }

  return {
    create: (record: New, options: ChangeOptions = {}): Promise<Item> =>
      ask(settings, { method: 'POST', path, body: record, ...changing(options) }),

    /** One record; with `asOf` (RFC 3339) as it was then. */
    get: <const Words extends NonNullable<Query['include']> = []>(
      id: number,
      options: ReadOptions & { include?: Words; asOf?: string } = {},
    ): Promise<Including<Item, Words>> => {
      const { include, asOf, ...rest } = options
      return ask(settings, { method: 'GET', path, query: { id, include, as_of: asOf }, ...rest })
    },

    /** Changes the given fields; null clears one. */
    change: (id: number, changes: Changes, options: ChangeOptions = {}): Promise<Item> =>
      ask(settings, { method: 'PUT', path, query: { id }, body: changes, ...changing(options) }),

    delete: (id: number, options: ChangeOptions = {}): Promise<Deleted> =>
      ask(settings, { method: 'DELETE', path, query: { id }, ...changing(options) }),

    /** One page of a list; `page.next_cursor` leads to the next one. */
    page,

    /** Every record of a list, page after page, as they are asked for. */
    async *all<const Given extends Query>(query?: Given, options: ReadOptions = {}): AsyncGenerator<Asked<Given>> {
      for (let cursor: string | null | undefined = query?.cursor; cursor !== null; ) {
        const { data, page: end }: Page<Asked<Given>> = await page({ ...query, cursor } as Given, options)
        yield* data
        cursor = end.next_cursor
      }
    },
  }
}

/** Who each record belonged to, from when to when. */
function assignmentsOf<Assignments extends object>(settings: Settings, path: string) {
  return (id: number, options: ReadOptions = {}): Promise<Assignments> =>
    ask(settings, { method: 'GET', path, query: { id, history: 'assignments' }, ...options })
}

/** The history: every change of the tenant, in the order in which they were made. */
function changesOf(settings: Settings) {
  const path = '/changes.php'

  function page(query: ChangesQuery = {}, options: ReadOptions = {}): Promise<ChangePage> {
    return ask(settings, { method: 'GET', path, query, ...options })
  }

  return {
    page,

    /** Every change behind `since`, up to the last one there is. */
    async *all(query: ChangesQuery = {}, options: ReadOptions = {}): AsyncGenerator<Change> {
      for (let [since, hasMore] = [query.since, true]; hasMore; ) {
        const { data, page: end } = await page({ ...query, ...(since !== undefined && { since }) }, options)
        yield* data
        since = end.since
        hasMore = end.has_more
      }
    },
  }
}

/** A client with one API key. */
export function createClient(settings: Settings) {
  const employees = recordsOf<Employee, NewEmployee, EmployeeChanges, EmployeesQuery>(settings, '/employees.php')
  const hardware = recordsOf<HardwareRecord, NewHardwareRecord, HardwareRecordChanges, HardwareQuery>(
    settings,
    '/hardware.php',
  )
  return {
    customers: recordsOf<Customer, NewCustomer, CustomerChanges, CustomersQuery>(settings, '/customers.php'),
    employees: { ...employees, assignments: assignmentsOf<EmployeeAssignments>(settings, '/employees.php') },
    hardware: { ...hardware, assignments: assignmentsOf<HardwareRecordAssignments>(settings, '/hardware.php') },
    changes: changesOf(settings),
  }
}

export type Tenantdesk = ReturnType<typeof createClient>

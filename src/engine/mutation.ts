// Runs a change exactly once per Idempotency-Key: one transaction writes the key, the change with its history rows, and
// the stored response. A refused change writes nothing.

import type { Awaitable, Database } from './database/database.ts'
import type { Operation, OperationContext } from './operation.ts'
import {
  claimKey,
  type IdempotencyKeyUse,
  type KeyClaim,
  noPrecondition,
  releaseKey,
  replay,
  storeResponse,
  type TagOfResponse,
  tagOfRecordBody,
  type WritePrecondition,
  WritePreconditionUnmet,
} from './responses/idempotency.ts'
import { isRefusal, type Refusal, refusalOf, type StoredResponse } from './responses/stored-response.ts'

/** The input of an operation that changes data. `context`: who makes the change and when, as the product records it. */
export type MutationInput<Request, Context> = {
  context: Context
  idempotency: IdempotencyKeyUse | null
  request: Request | Refusal
}

/** The change that an operation is making, apart from its request. */
export type ChangeOf<Resources, Context> = OperationContext<Resources> & { context: Context }

/** Every statement that writes must depend on the precondition, or come after `precondition.require()`. */
export type Pipelined = { precondition: WritePrecondition }

type AnyChange = ChangeOf<unknown, { now: string }>

/** Applies a request. To refuse it, throws a Problem or returns a response with an error status. */
type Apply<Request, Changing> = (database: Database, request: Request, change: Changing) => Promise<StoredResponse>

type Mutation<Request, Changing extends AnyChange> = Omit<
  Operation<MutationInput<Request, Changing['context']>, StoredResponse, Changing['resources']>,
  'name'
> & { writes: true }

/** Returns an operation that applies requests of one kind exactly once per Idempotency-Key, whatever `apply` does. If
 *  the key has a stored response, `apply` does not run. If `apply` refuses the request, everything that it wrote is
 *  rolled back. */
export function mutation<Request extends object, Changing extends AnyChange>(
  apply: Apply<Request, Changing>,
  tagOfResponse: TagOfResponse = tagOfRecordBody,
): Mutation<Request, Changing> {
  return claimingMutation(apply, applyOrRollBack, tagOfResponse)
}

/** Like `mutation`, but for changes of any number of records, and without a savepoint: SQLite would keep the previous
 *  content of every changed page in memory, 350 MB when 100,000 records are undone. `apply` must refuse a request only
 *  before its first write. If it does not, it fails with an internal error, and everything is rolled back. */
export function unboundedMutation<Request extends object, Changing extends AnyChange>(
  apply: Apply<Request, Changing>,
): Mutation<Request, Changing> {
  return claimingMutation(apply, (database, work) => applyOrFail(trackWrites(database), work), tagOfRecordBody)
}

function claimingMutation<Request extends object, Changing extends AnyChange>(
  apply: Apply<Request, Changing>,
  attempt: typeof applyOrRollBack,
  tagOfResponse: TagOfResponse,
): Mutation<Request, Changing> {
  return {
    writes: true,
    async run(database, { idempotency, context, request }, { resources, pause }) {
      const key = idempotency && (await claimKey(database, idempotency, context.now).result)
      if (key && 'stored' in key) return replay(key.stored, idempotency!.reuse, tagOfResponse)
      const change = { resources, context, pause } as Changing
      const outcome = isRefusal(request) ? request : await attempt(database, (each) => apply(each, request, change))
      return end(database, key, context.now, outcome)
    },
  }
}

/** Like `mutation`, but uses no savepoint, and on PostgreSQL sends the claim of the key and the first statements of
 *  `apply` together, in one round trip. A savepoint and a second round trip would cost creates on both engines a
 *  twentieth of their throughput (docs/decisions/0022). Only for changes of single records, which are that frequent:
 *  `apply` must respect the precondition, and refuse a request only before its first write. If it does not, it fails
 *  with an internal error, and everything is rolled back. */
export function pipelinedMutation<Request extends object, Changing extends AnyChange & Partial<Pipelined>>(
  apply: Apply<Request, Changing>,
): Mutation<Request, Changing> {
  const claiming = unboundedMutation(apply)
  return {
    writes: true,
    async run(database, input, { resources, pause }) {
      if (database.engine === 'sqlite') return claiming.run(database, input, { resources, pause })
      const { idempotency, context, request } = input
      const claim = idempotency && claimKey(database, idempotency, context.now)
      const change = { resources, context, pause, precondition: claim?.precondition ?? noPrecondition } as Changing
      const tracked = trackWrites(database)
      const outcome = isRefusal(request)
        ? request
        : await applyOrFail(tracked, (each) => apply(each, request, change)).catch((error: unknown) => {
            // Otherwise the key has a stored response, which is read below.
            if (!(error instanceof WritePreconditionUnmet)) throw error
          })
      const key = (await claim?.result) ?? null
      if (key && 'stored' in key) {
        if (tracked.hasWritten()) throw new Error('an operation wrote although its Idempotency-Key was already used')
        return replay(key.stored, idempotency!.reuse, tagOfRecordBody)
      }
      return end(database, key, context.now, outcome!)
    },
  }
}

type Outcome = Pick<Refusal, 'response' | 'isStored'>

/** Stores the response for the claimed key. Releases the key if a retry is to run the request again. */
async function end(
  database: Database,
  key: KeyClaim | null,
  now: string,
  { response, isStored }: Outcome,
): Promise<StoredResponse> {
  if (key && 'seq' in key) {
    if (isStored) await storeResponse(database, key, now, response)
    else await releaseKey(database, key.seq)
  }
  return response
}

type Attempt = (database: Database) => Promise<StoredResponse>

/** If the attempt is refused, rolls back everything that it wrote. The caller's transaction may contain other
 *  operations, which are kept. */
async function applyOrRollBack(database: Database, apply: Attempt): Promise<Outcome> {
  database.runDeferred('savepoint mutation')
  const outcome = await catchProblem(() => apply(database))
  if (isFailure(outcome)) await database.run('rollback to savepoint mutation')
  database.runDeferred('release savepoint mutation')
  return outcome
}

/** Throws an ordinary error, which rolls back the transaction, if the attempt is refused after it wrote. */
async function applyOrFail({ database, hasWritten }: TrackedDatabase, apply: Attempt): Promise<Outcome> {
  const outcome = await catchProblem(() => apply(database))
  if (isFailure(outcome) && hasWritten()) throw new Error('an operation refused its request after it had written')
  return outcome
}

async function catchProblem(apply: () => Promise<StoredResponse>): Promise<Outcome> {
  try {
    return { response: await apply(), isStored: true }
  } catch (error) {
    return refusalOf(error)
  }
}

function isFailure({ response }: Outcome): boolean {
  return response.status >= 400
}

/** `hasWritten` tells whether a statement sent through `database` has changed anything. A statement whose result is
 *  still pending counts as a change. */
type TrackedDatabase = { database: Database; hasWritten: () => boolean }

function trackWrites(database: Database): TrackedDatabase {
  let writes = 0

  function note<Result>(sql: string, result: Awaitable<Result>): Awaitable<Result> {
    if (/^\s*select\b/i.test(sql)) return result
    writes++
    if (result instanceof Promise)
      result.then(uncountIfEmpty, () => {}) // whoever sent the statement handles its error
    else uncountIfEmpty(result)
    return result
  }

  function uncountIfEmpty(result: unknown): void {
    if (!result || (Array.isArray(result) && result.length === 0)) writes--
  }

  return {
    hasWritten: () => writes > 0,
    database: {
      engine: database.engine,
      get: (sql, values) => note(sql, database.get(sql, values)),
      all: (sql, values) => note(sql, database.all(sql, values)),
      texts: (sql, values) => note(sql, database.texts(sql, values)),
      run: (sql, values) => note(sql, database.run(sql, values)),
      runDeferred(sql, values) {
        writes++
        database.runDeferred(sql, values)
      },
      setBudget: (milliseconds, rows) => database.setBudget(milliseconds, rows),
    },
  }
}

// What an operation is, and how a module declares its operations.

import type { Awaitable, Database } from './database/database.ts'

/** Lets other operations run if this one has used up its time slice. The paused operation's transaction stays open. */
export type Pause = () => Awaitable<void>

/** What an operation is given apart from the database and its input. `resources`: the product's declarations. */
export type OperationContext<Resources> = { resources: Resources; pause: Pause }

/** A named operation on a tenant's database. Its input is JSON data, and its output plain data, so it can run in
 *  another thread. A change runs within one transaction. An operation receives only the tenant's database, so it cannot
 *  reach another tenant's data. */
export type Operation<Input, Output, Resources = never> = {
  /** Every thread finds the operation by its name. */
  name: string
  /** Whether the operation changes data. */
  writes: boolean
  /** All statements must see the same snapshot, without later commits. */
  needsSnapshot?: true
  /** A read of many rows, which may use its whole time limit. Other reads are short. */
  isScan?: true
  /** A change that may take longer than a time slice. The operation does not share its transaction, and calls `pause`
   *  between steps. */
  isLong?: true
  run: (database: Database, input: Input, context: OperationContext<Resources>) => Promise<Output>
}

/** Any operation. The engine runs it without knowing what it takes and returns. */
export type AnyOperation = Operation<never, unknown>

export type Input<Of extends AnyOperation> = Parameters<Of['run']>[1]

/** Data that stays the same when it is written as JSON and read again: the input of every operation. */
type JsonData<Data> = Data extends string | number | boolean | null | undefined
  ? Data
  : Data extends (...args: never[]) => unknown
    ? never
    : Data extends { toJSON: unknown } | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | ArrayBufferView
      ? never
      : { [Key in keyof Data]: JsonData<Data[Key]> }

type Unnamed = Omit<AnyOperation, 'name'>

/** Requires the input of every operation to be JSON data. */
type TakingJson<Declared extends Record<string, Unnamed>> = {
  [Name in keyof Declared]: Parameters<Declared[Name]['run']>[1] extends JsonData<Parameters<Declared[Name]['run']>[1]>
    ? Unnamed
    : never
}

/** Declares a module's operations by name. Loading the module must have no side effects, because every thread loads
 *  it. */
export function defineOperations<Declared extends Record<string, Unnamed>>(
  declared: Declared & TakingJson<Declared>,
): { [Name in keyof Declared]: Declared[Name] & { name: string } } {
  const operations = Object.entries<Unnamed>(declared).map(([name, operation]) => [name, { ...operation, name }])
  return Object.fromEntries(operations)
}

/** Runs an operation. The caller begins and ends the transaction, and is responsible for the types of the input and of
 *  the product's resources. */
export function runOperation<Output>(
  operation: Operation<never, Output>,
  database: Database,
  input: unknown,
  context: OperationContext<object>,
): Promise<Output> {
  return operation.run(database, input as never, context as OperationContext<never>)
}

/** The engine's own operation. Throws Unavailable unless the database can be reached. */
export const { ping } = defineOperations({
  ping: {
    writes: false,
    run: async (database: Database, _input: null): Promise<null> => {
      await database.get('select id from tenant')
      return null
    },
  },
})

import type { Resources } from '../domain/declarations/resource.ts'
import type { Awaitable, Database } from './database/database.ts'

/** Lets other operations run if this one has used up its time slice. The paused operation's transaction stays open. */
export type Pause = () => Awaitable<void>

/** Data that stays the same when it is written as JSON and read again: the input of every operation. */
export type JsonData<Data> = Data extends string | number | boolean | null | undefined
  ? Data
  : Data extends (...args: never[]) => unknown
    ? never
    : Data extends { toJSON: unknown } | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | ArrayBufferView
      ? never
      : { [Key in keyof Data]: JsonData<Data[Key]> }

/** A named operation on a tenant's database. Its input is JSON data, and its output plain data, so it can run in another
 *  thread. A change runs within one transaction. An operation receives only the tenant's database, so it cannot reach another
 *  tenant's data. */
export type Operation<Input, Output> = {
  /** Whether the operation changes data. */
  writes: boolean
  /** All statements must see the same snapshot, without later commits. */
  needsSnapshot?: true
  /** A read of many rows, which may use its whole time limit. Other reads are short. */
  isScan?: true
  /** A change that may take longer than a time slice. The operation does not share its transaction, and calls `pause`
   *  between steps. */
  isLong?: true
  run: (database: Database, resources: Resources, input: Input, pause: Pause) => Promise<Output>
}

/** A module's operations, by name. Worker threads load the module too, so loading the module must have no side
 *  effects. */
export type Operations = Record<string, Operation<never, unknown>>

import type { Awaitable, Database } from '../../database/database.ts'
import type { Resources } from '../../resources/resource.ts'

/** Lets other operations run if this one has used up its time slice. Its transaction stays open. */
export type Pause = () => Awaitable<void>

/** A named operation that runs next to the data. It takes and returns plain data and runs in one transaction of the one
 *  database it is given. It knows no tenant, so it cannot reach another tenant's data. */
export type Operation<Input, Output> = {
  /** Operations with `writes: false` never wait for a commit. */
  writes: boolean
  /** All statements must see the same snapshot, without later commits. */
  needsSnapshot?: true
  /** A scan of many rows, which may use its whole time limit; the other operations look at one record. */
  isScan?: true
  /** A change that may take longer than a time slice. It has a transaction of its own and calls `pause` between its steps. */
  isLong?: true
  run: (database: Database, resources: Resources, input: Input, pause: Pause) => Promise<Output>
}

/** Operations by name, as one module registers them. Threads load them too, so registering has no side effects. */
export type Operations = Record<string, Operation<never, unknown>>

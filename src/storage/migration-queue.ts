// Bringing tenants to the present schema, in this process: one migration of a tenant at a time and few together, apart from
// requests. Who needs the tenant meanwhile waits a little; only that tenant's requests do.

import { Unavailable } from '../database/database.ts'

/** The schema could not be changed: a mistake in the change, or data that it did not foresee. Nothing of it was done. */
export class MigrationFailed extends Unavailable {}

/** A node of a newer version has been here: there is nothing to be done, and nothing has failed. */
export class SchemaTooNew extends Unavailable {}

/** Hears of every migration that has ended, unless there was none to be done; `failure` says in a sentence why one did not
 *  succeed. */
export type OnMigrated = (tenant: string, failure: string | null) => void

export type Migrations = {
  /** Does it now, or waits for the one under way. Throws MigrationFailed, or Unavailable where it could not be tried. */
  migrate(tenant: string): Promise<void>
  /** As migrate, for a request: waits for a while only, and does not try again at once what has failed. */
  await(tenant: string): Promise<void>
  isUnderWay(tenant: string): boolean
}

/** How long a request waits. Milliseconds. */
const requestTimeoutMs = 3000

/** A request does not begin again what has failed so lately: it may take long to fail. Milliseconds. */
const retryAfterMs = 5000

/** So many at once: the others of a process' threads and connections are for requests. */
const maxConcurrent = 2

export function openMigrations(work: (tenant: string) => Promise<void>, told: OnMigrated = () => {}): Migrations {
  const underWay = new Map<string, Promise<void>>()
  const failures = new Map<string, { at: number; error: Unavailable }>()
  const waiting: (() => void)[] = []
  let active = 0

  async function inTurn(tenant: string): Promise<void> {
    if (active >= maxConcurrent)
      await new Promise<void>((resolve) => waiting.push(resolve)) // gets the turn of one who leaves
    else active++
    try {
      await work(tenant)
      failures.delete(tenant)
      told(tenant, null)
    } catch (error) {
      const failure = error instanceof Unavailable ? error : new MigrationFailed((error as Error).message)
      failures.set(tenant, { at: Date.now(), error: failure })
      if (!(failure instanceof SchemaTooNew)) told(tenant, failure.message)
      throw failure
    } finally {
      underWay.delete(tenant)
      const next = waiting.shift()
      if (next) next()
      else active--
    }
  }

  function migrate(tenant: string): Promise<void> {
    const known = underWay.get(tenant)
    if (known) return known
    const begun = inTurn(tenant)
    underWay.set(tenant, begun)
    return begun
  }

  async function awaitOne(tenant: string): Promise<void> {
    const failure = failures.get(tenant)
    if (failure && Date.now() - failure.at < retryAfterMs) throw failure.error
    const begun = migrate(tenant)
    begun.catch(() => {}) // told already; whoever still waits hears of it below
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Unavailable('it is being brought to the present schema')), requestTimeoutMs)
    })
    await Promise.race([begun, late]).finally(() => clearTimeout(timer))
  }

  return { migrate, await: awaitOne, isUnderWay: (tenant) => underWay.has(tenant) }
}

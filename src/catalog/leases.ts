// Work that one node at a time does: whoever has the lease, until it has not been heard of for a while.

import { type Catalog, keepsKeys } from './catalog.ts'

/** Milliseconds. */
const lease = 30_000

/** Takes the lease, or renews one's own; false when another node has it. */
export async function takeLease(catalog: Catalog, name: string, token: string): Promise<boolean> {
  const [now, until] = [0, lease].map((later) => new Date(Date.now() + later).toISOString())
  const sql = `insert into leases (name, token, until) values (?, ?, ?)
    on conflict (name) do update set token = excluded.token, until = excluded.until
      where leases.token = excluded.token or leases.until < ?`
  const values = [name, token, until!, now!]
  return (await catalog.transaction(async (database) => database.run(sql, values), keepsKeys)) === 1
}

export async function releaseLease(catalog: Catalog, name: string, token: string): Promise<void> {
  const sql = 'delete from leases where name = ? and token = ?'
  await catalog.transaction(async (database) => database.run(sql, [name, token]), keepsKeys)
}

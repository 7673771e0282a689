// Leases for work that only one node at a time may do. A lease that its holder stops renewing expires.

import { type Catalog, keepsKeys } from './catalog.ts'

const leaseTtlMs = 30_000

/** Takes or renews a lease. Returns false if another node holds it. */
export async function takeLease(catalog: Catalog, name: string, token: string): Promise<boolean> {
  const [now, until] = [0, leaseTtlMs].map((offsetMs) => new Date(Date.now() + offsetMs).toISOString())
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

// Leases for work that only one node at a time may do. A lease expires when its holder stops renewing it.

import { type Catalog, runStatement } from '../catalog.ts'

const leaseTtlMs = 30_000

/** Takes or renews a lease. Returns false if another node holds it. */
export async function takeLease(catalog: Catalog, name: string, token: string): Promise<boolean> {
  const [now, expiresAt] = [0, leaseTtlMs].map((offsetMs) => new Date(Date.now() + offsetMs).toISOString())
  const sql = `insert into leases (name, token, expires_at) values (?, ?, ?)
    on conflict (name) do update set token = excluded.token, expires_at = excluded.expires_at
      where leases.token = excluded.token or leases.expires_at < ?`
  const values = [name, token, expiresAt!, now!]
  return (await runStatement(catalog, sql, values)) === 1
}

export async function releaseLease(catalog: Catalog, name: string, token: string): Promise<void> {
  const sql = 'delete from leases where name = ? and token = ?'
  await runStatement(catalog, sql, [name, token])
}

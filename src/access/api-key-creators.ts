// Finds out which user created each API key in the panel. Keys remain valid after their creator's account is deleted,
// so the panel shows who created each of a tenant's keys, and the keys that a user has created.

import type { Catalog } from '../catalog/catalog.ts'
import { isUsable, type KeyLifetime } from './authenticator.ts'

/** For a deleted user, `email` and `isAdministrator` come from the audit log; `email` is `?` if the log has no entry.
 *  `no_access`: the user can no longer manage the tenant's keys. */
export type ApiKeyCreator = {
  email: string
  name: string | null
  isAdministrator: boolean
  state: 'active' | 'deleted' | 'no_access'
}

export type CreatedApiKey = { id: string; name: string; display: string; tenant_slug: string }

type CreatorRow = {
  id: string
  user_id: string | null
  role_here: string | null
  email: string | null
  name: string | null
  role: string | null
  detail: string | null
}

/** Returns the creators of a tenant's keys by key id. Keys created on the command line are omitted. */
export async function listApiKeyCreators(catalog: Catalog, tenantId: string): Promise<Map<string, ApiKeyCreator>> {
  const rows = await catalog.database.all<CreatorRow>(
    `select k.id, u.id as user_id, m.role as role_here, coalesce(u.email, e.email) as email, u.name, u.role, e.detail
     from api_keys k left join users u on u.id = k.created_by
     left join memberships m on m.user_id = u.id and m.tenant_id = k.tenant_id
     left join audit_events e on e.user_id = k.created_by and e.event = 'user_deleted'
     where k.tenant_id = ? and k.created_by is not null`,
    [tenantId],
  )
  return new Map(rows.map((row) => [row.id, toCreator(row)]))
}

/** Lists the usable keys that a user created, across all tenants. */
export async function listApiKeysCreatedBy(catalog: Catalog, userId: string, now: Date): Promise<CreatedApiKey[]> {
  const rows = await catalog.database.all<CreatedApiKey & KeyLifetime>(
    `select k.id, k.name, k.display, k.expires_at, k.revoked_at, t.slug as tenant_slug
     from api_keys k join tenants t on t.id = k.tenant_id
     where k.created_by = ? order by t.slug, k.created_at, k.id`,
    [userId],
  )
  return rows.filter((row) => isUsable(row, now))
}

function toCreator({ user_id, role_here, email, name, role, detail }: CreatorRow): ApiKeyCreator {
  if (user_id === null) {
    const deleted: { role?: string } = JSON.parse(detail ?? '{}')
    const isAdministrator = (deleted.role ?? 'administrator') === 'administrator'
    return { email: email ?? '?', name: null, isAdministrator, state: 'deleted' }
  }
  const isAdministrator = role === 'administrator'
  const state = isAdministrator || role_here === 'manager' ? 'active' : 'no_access'
  return { email: email ?? '?', name, isAdministrator, state }
}

// Which user created which API key in the panel. Keys outlive the accounts of their creators, so the panel lists both: the
// creators of a tenant's keys and the keys of a user.

import type { Catalog } from '../catalog/catalog.ts'
import type { Role } from '../catalog/roles.ts'
import type { Row } from '../database/database.ts'
import { isUsable, type KeyLifetime } from './api-keys.ts'

/** The email address and role of a deleted user come from the audit log. */
export type ApiKeyCreator = { email: string; role: Role; state: 'active' | 'deleted' | 'no_access' }

export type CreatedApiKey = { id: string; name: string; display: string; tenant_slug: string }

/** The creators of a tenant's keys, by key id. Keys created on the command line have none. */
export async function listApiKeyCreators(catalog: Catalog, tenantId: string): Promise<Map<string, ApiKeyCreator>> {
  const rows = await catalog.database.all(
    `select k.id, u.id as user_id, u.tenant_id, coalesce(u.email, e.email) as email, u.role, e.detail
     from api_keys k left join users u on u.id = k.created_by
     left join audit_events e on e.user_id = k.created_by and e.event = 'user_deleted'
     where k.tenant_id = ? and k.created_by is not null`,
    [tenantId],
  )
  return new Map(rows.map((row) => [row.id as string, toCreator(row, tenantId)]))
}

/** The usable keys that a user created, across all tenants. */
export async function listApiKeysCreatedBy(catalog: Catalog, userId: string, now: Date): Promise<CreatedApiKey[]> {
  const rows = await catalog.database.all(
    `select k.id, k.name, k.display, k.expires_at, k.revoked_at, t.slug as tenant_slug
     from api_keys k join tenants t on t.id = k.tenant_id
     where k.created_by = ? order by t.slug, k.created_at, k.id`,
    [userId],
  )
  return rows.filter((row) => isUsable(row as KeyLifetime, now)) as unknown as CreatedApiKey[]
}

function toCreator({ user_id, tenant_id, email, role, detail }: Row, tenantId: string): ApiKeyCreator {
  if (user_id === null) {
    const deleted = JSON.parse((detail as string | null) ?? '{}') as { role?: Role }
    return { email: (email as string | null) ?? '?', role: deleted.role ?? 'administrator', state: 'deleted' }
  }
  const hasAccess = role === 'administrator' || tenant_id === tenantId
  return { email: email as string, role: role as Role, state: hasAccess ? 'active' : 'no_access' }
}

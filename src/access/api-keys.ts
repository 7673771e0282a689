// Creates, lists, revokes and deletes the API keys of a tenant (§5). authenticator.ts looks up the caller of a request.

import type { Catalog } from '../catalog/catalog.ts'
import type { Pepper } from '../catalog/pepper.ts'
import type { Awaitable, Database, Row } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { isDay } from '../resources/validate.ts'
import { readName, requireTenant, type Tenant } from '../tenants/tenants.ts'
import { hashSecret, isKeyId, newKeyToken, writeToken } from './api-key-token.ts'
import { removeUses } from './usage-table.ts'

/** A key as users see it, without its secret. */
export type ApiKey = {
  id: string
  name: string
  display: string
  scopes: string[]
  state: 'valid' | 'revoked' | 'expired'
  created_at: string
  expires_at: string | null
  revoked_at: string | null
}

/** When a key stops working, if it does. */
export type KeyLifetime = { revoked_at: string | null; expires_at: string | null }

/** Creates a key for a tenant. This is the only time its token is available. Throws UserError. */
export async function createApiKey(
  catalog: Catalog,
  pepper: Pepper,
  input: {
    slug: string
    name?: string
    scopes: string[]
    allScopes: string[]
    /** The last day on which the key works (UTC). */
    expiresAt?: string
    /** A random text that identifies the request: only the first request with it creates a key. */
    idempotencyKey?: string
    /** Maximum number of valid keys, including the new one. */
    keysPerTenant: number
    /** Id of the user who creates the key; omitted on the command line. */
    createdBy?: string
    now: Date
  },
): Promise<{ id: string; token: string }> {
  if (input.scopes.length === 0) throw new UserError('A key needs at least one --scope.', 'no_scope')
  const unknown = input.scopes.find((scope) => !input.allScopes.includes(scope))
  if (unknown !== undefined) {
    throw new UserError(`There is no scope ${JSON.stringify(unknown)}; scopes are ${input.allScopes.join(', ')}.`)
  }
  const expiresAt = readExpiry(input.expiresAt, input.now)
  const tenant = await requireTenant(catalog, input.slug)
  const { id, secret } = newKeyToken(input.idempotencyKey)
  const hash = hashSecret(pepper, pepper.current, secret)
  const values = [
    ...[id, tenant.id, readName(input.name, 'API key'), `tdk_${id.slice(0, 4)}…`, hash],
    ...[pepper.current, [...new Set(input.scopes)].join(' '), input.now.toISOString(), expiresAt],
    input.createdBy ?? null,
  ]
  const inserted = await catalog.transaction(async (database) => {
    const count = await database.run(
      `insert into api_keys (id, tenant_id, name, display, hash, pepper, scopes, created_at, expires_at, created_by)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
      values,
    )
    if (count > 0) await requireKeyQuota(database, tenant, input)
    return count
  })
  if (inserted === 0) throw new UserError('This key was made already; it can never be shown again.', 'key_made')
  return { id, token: writeToken({ id, secret }) }
}

/** Catalog transactions run one at a time, so concurrent requests cannot exceed the quota together. Throws UserError. */
async function requireKeyQuota(
  database: Database,
  { id, slug }: Tenant,
  { keysPerTenant, now }: { keysPerTenant: number; now: Date },
): Promise<void> {
  const row = await database.get(
    `select count(*) as valid from api_keys
     where tenant_id = ? and revoked_at is null and (expires_at is null or expires_at >= ?)`,
    [id, now.toISOString()],
  )
  if ((row!.valid as number) <= keysPerTenant) return
  const advice = 'revoke or delete one that is not used any more.'
  const count = `${keysPerTenant} valid API ${keysPerTenant === 1 ? 'key' : 'keys'}`
  throw new UserError(`Tenant ${slug} has ${count}, as many as KEYS_PER_TENANT allows; ${advice}`, 'too_many_keys')
}

export async function listApiKeys(catalog: Catalog, slug: string, now: Date): Promise<ApiKey[]> {
  const tenant = await requireTenant(catalog, slug)
  const rows = await catalog.database.all(
    `select id, name, display, scopes, created_at, expires_at, revoked_at from api_keys
     where tenant_id = ? order by created_at, id`,
    [tenant.id],
  )
  return rows.map((row) => toApiKey(row, now))
}

/** Revokes a key: from the next request on it gets `key_revoked`. With `tenantId`, a key of another tenant counts as unknown.
 *  Returns the id of its tenant. Throws UserError. */
export async function revokeApiKey(catalog: Catalog, id: string, now: Date, tenantId?: string): Promise<string> {
  return changeKey(catalog, id, tenantId, (database) =>
    database.run('update api_keys set revoked_at = coalesce(revoked_at, ?) where id = ?', [now.toISOString(), id]),
  )
}

/** Deletes a key: from the next request on it gets `invalid_key`. With `tenantId`, a key of another tenant counts as unknown.
 *  Returns the id of its tenant. Throws UserError. */
export async function deleteApiKey(catalog: Catalog, id: string, tenantId?: string): Promise<string> {
  return changeKey(catalog, id, tenantId, async (database) => {
    await removeUses(database, id)
    await database.run('delete from api_keys where id = ?', [id])
  })
}

async function changeKey(
  catalog: Catalog,
  id: string,
  tenantId: string | undefined,
  change: (database: Database) => Awaitable<unknown>,
): Promise<string> {
  if (!isKeyId(id)) throw new UserError(unknownKey, 'key_missing')
  return catalog.transaction(async (database) => {
    const key = await database.get('select tenant_id from api_keys where id = ?', [id])
    if (!key || (tenantId !== undefined && key.tenant_id !== tenantId)) throw new UserError(unknownKey, 'key_missing')
    await change(database)
    return key.tenant_id as string
  })
}

/** Does not repeat the given text, which may be a complete key. */
const unknownKey = 'There is no API key with this id; `tenantdesk key list <slug>` shows the ids.'

export function isUsable(key: KeyLifetime, now: Date): boolean {
  return keyState(key, now) === 'valid'
}

function toApiKey(row: Row, now: Date): ApiKey {
  const state = keyState(row as KeyLifetime, now)
  return { ...row, scopes: (row.scopes as string).split(' '), state } as unknown as ApiKey
}

function keyState({ revoked_at, expires_at }: KeyLifetime, now: Date): ApiKey['state'] {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at < now.toISOString() ? 'expired' : 'valid'
}

/** The last millisecond of a day, UTC. Throws UserError. */
function readExpiry(day: string | undefined, now: Date): string | null {
  if (day === undefined) return null
  if (!isDay(day)) throw new UserError(`${JSON.stringify(day)} is not a day: a key expires on YYYY-MM-DD.`, 'day_wrong')
  if (day < now.toISOString().slice(0, 10))
    throw new UserError(`${day} is over: a key expires today or later.`, 'day_over')
  return `${day}T23:59:59.999Z`
}

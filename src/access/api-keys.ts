// The API keys of a tenant (§5): made, listed, revoked, deleted. Who calls with one is keyring.ts.

import type { Catalog } from '../catalog/catalog.ts'
import type { Pepper } from '../catalog/pepper.ts'
import type { Awaitable, Database, Row } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { isDay } from '../resources/validate.ts'
import { readName, requireTenant, type Tenant } from '../tenants/tenants.ts'
import { hashSecret, isKeyId, newKeyToken, writeToken } from './api-key-token.ts'
import { removeUses } from './usage-table.ts'

/** A key as people see it: everything but what could be used. */
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

/** When a key ends to be of use, if it does. */
export type KeyLifetime = { revoked_at: string | null; expires_at: string | null }

/** Makes a key of a tenant, if `expiresAt` is given usable to the end of that day (UTC). The token is returned here and can
 *  never be had again. `once`: a random text of whoever may ask a second time; only the first makes a key. `keysPerTenant`: how
 *  many valid keys the tenant may have afterwards. Throws Refusal. */
export async function createApiKey(
  catalog: Catalog,
  pepper: Pepper,
  input: {
    slug: string
    name?: string
    scopes: string[]
    allScopes: string[]
    expiresAt?: string
    idempotencyKey?: string
    keysPerTenant: number
    /** Id of the user who makes it; left out on the command line. */
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
  const made = await catalog.transaction(async (database) => {
    const count = await database.run(
      `insert into api_keys (id, tenant_id, name, display, hash, pepper, scopes, created_at, expires_at, created_by)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
      values,
    )
    if (count > 0) await requireFewKeys(database, tenant, input)
    return count
  })
  if (made === 0) throw new UserError('This key was made already; it can never be shown again.', 'key_made')
  return { id, token: writeToken({ id, secret }) }
}

/** Transactions of the catalog come one after another, so that of keys made at once none is overlooked. Throws Refusal. */
async function requireFewKeys(
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

/** The key is `key_revoked` from the next request on; the id of its tenant. With `tenantId`, a key of another tenant is
 *  unknown. Throws Refusal. */
export async function revokeApiKey(catalog: Catalog, id: string, now: Date, tenantId?: string): Promise<string> {
  return changeKey(catalog, id, tenantId, (database) =>
    database.run('update api_keys set revoked_at = coalesce(revoked_at, ?) where id = ?', [now.toISOString(), id]),
  )
}

/** The key is `invalid_key` from the next request on, for ever; the id of its tenant. `tenantId` as above. Throws Refusal. */
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

/** What was given stays out of it: it may be a whole key. */
const unknownKey = 'There is no API key with this id; `tenantdesk key list <slug>` shows the ids.'

/** Whether a key is neither revoked nor expired. */
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

/** The last moment of a day. Throws Refusal. */
function readExpiry(day: string | undefined, now: Date): string | null {
  if (day === undefined) return null
  if (!isDay(day)) throw new UserError(`${JSON.stringify(day)} is not a day: a key expires on YYYY-MM-DD.`, 'day_wrong')
  if (day < now.toISOString().slice(0, 10))
    throw new UserError(`${day} is over: a key expires today or later.`, 'day_over')
  return `${day}T23:59:59.999Z`
}

// Creates, lists, revokes and deletes a tenant's API keys (§5). authenticator.ts finds the key that a request was sent
// with.

import { type AuditActor, writeEvent } from '../catalog/audit/audit-log.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Pepper, PepperedCatalog } from '../catalog/pepper/pepper.ts'
import { isDay } from '../domain/fields/field-values.ts'
import type { Awaitable, Database } from '../engine/database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { readName, type Tenant } from '../tenants/tenants.ts'
import { hashSecret, isKeyId, newKeyToken, writeToken } from './api-key.ts'
import { keyState } from './authenticator.ts'

/** The maximum number of valid keys of a tenant. */
const keysPerTenant = 100

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
  /** The maximum number of requests per minute; 0 means no limit, and null means the installation's limit. */
  rate_limit: number | null
  /** The id of the key that replaced this one in a rotation. */
  replaced_by: string | null
}

export type NewApiKey = {
  name?: string | undefined
  scopes: string[]
  allScopes: readonly string[]
  /** The last day on which the key works (UTC). */
  expiresAt?: string | undefined
  /** The maximum number of requests per minute, as the user typed it; 0 means no limit, and undefined means the
   *  installation's limit. */
  rateLimit?: string | undefined
  /** Identifies the request. Only the first request with a given idempotency key creates an API key. */
  idempotencyKey?: string
}

/** The name of a key that was created without one. */
export const unnamedKey = 'API key'

/** Creates a key for a tenant. The token cannot be retrieved again later. Throws UserError. */
export async function createApiKey(
  { catalog, pepper }: PepperedCatalog,
  tenant: Tenant,
  input: NewApiKey,
  actor: AuditActor,
): Promise<{ id: string; token: string }> {
  const scopes = readScopes(input.scopes, input.allScopes)
  const expiresAt = readExpiry(input.expiresAt, actor.now)
  const rateLimit = readRateLimit(input.rateLimit)
  const name = readName(input.name, unnamedKey)
  const { id, secret } = newKeyToken(input.idempotencyKey)
  const row = { id, tenantId: tenant.id, name, scopes, expiresAt, rateLimit }
  await catalog.transaction(async (database) => {
    if ((await insertApiKey(database, pepper, { ...row, secret }, actor)) === 0)
      throw new UserError('This key has already been created and cannot be shown again.', 'key_made')
    await requireKeyQuota(database, tenant, actor.now)
    const detail = { key: id, ...(input.name && { name }), ...(rateLimit !== null && { rate_limit: rateLimit }) }
    await writeEvent(database, 'key_created', actor, { tenantId: tenant.id, detail })
  })
  return { id, token: writeToken({ id, secret }) }
}

/** Returns the scopes as they are stored, separated by spaces. Throws UserError. */
function readScopes(requested: readonly string[], allScopes: readonly string[]): string {
  if (requested.length === 0) throw new UserError('A key needs at least one --scope.', 'no_scope')
  const unknown = requested.find((scope) => !allScopes.includes(scope))
  if (unknown !== undefined)
    throw new UserError(`There is no scope ${JSON.stringify(unknown)}; the scopes are ${allScopes.join(', ')}.`)
  return [...new Set(requested)].join(' ')
}

/** What to change; undefined stays the same. `expires`: a day, or `never`. `rateLimit`: as for a new key, or
 *  `default`. */
export type KeyChanges = {
  name: string | undefined
  scopes: string[] | undefined
  rateLimit: string | undefined
  expires: string | undefined
}

/** Changes a key. The new values apply from its next request. Throws UserError. */
export async function setApiKey(
  catalog: Catalog,
  id: string,
  { allScopes, ...changes }: KeyChanges & { allScopes: readonly string[] },
  actor: AuditActor,
): Promise<void> {
  const values = readKeyChanges(changes, allScopes, actor.now)
  const names = Object.keys(values)
  if (names.length === 0) throw new UserError('Specify what to change: --name, --scope, --rate-limit or --expires.')
  const sql = `update api_keys set ${names.map((name) => `${name} = ?`).join(', ')} where id = ?`
  const run = (database: Database) => database.run(sql, [...Object.values(values), id])
  await changeKey(catalog, id, actor, { event: 'key_changed', run, detail: { changes: values } })
}

function readKeyChanges(
  { name, scopes, rateLimit, expires }: KeyChanges,
  allScopes: readonly string[],
  now: Date,
): Record<string, string | number | null> {
  const expiry = expires === 'never' ? null : readExpiry(expires, now)
  const limit = rateLimit === 'default' ? null : readRateLimit(rateLimit)
  return {
    ...(name !== undefined && { name: readName(name, unnamedKey) }),
    ...(scopes !== undefined && { scopes: readScopes(scopes, allScopes) }),
    ...(rateLimit !== undefined && { rate_limit: limit }),
    ...(expires !== undefined && { expires_at: expiry }),
  }
}

export type ApiKeyRow = {
  id: string
  secret: string
  tenantId: string
  name: string
  /** The scopes, separated by spaces. */
  scopes: string
  expiresAt: string | null
  rateLimit: number | null
}

/** Returns the number of rows inserted: 0 if a key with this id already exists. */
export function insertApiKey(
  database: Database,
  pepper: Pepper,
  { id, secret, tenantId, name, scopes, expiresAt, rateLimit }: ApiKeyRow,
  actor: AuditActor,
): Awaitable<number> {
  const hash = hashSecret(pepper, pepper.current, secret)
  const values = [
    id,
    tenantId,
    name,
    `tdk_${id.slice(0, 4)}…`,
    hash,
    pepper.current,
    scopes,
    actor.now.toISOString(),
    expiresAt,
    actor.by,
    rateLimit,
  ]
  return database.run(
    `insert into api_keys (id, tenant_id, name, display, hash, pepper, scopes, created_at, expires_at, created_by,
       rate_limit)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
    values,
  )
}

/** Throws UserError if the tenant has more valid keys than its quota. Call this after inserting the new key. Catalog
 *  transactions run one at a time, so concurrent requests cannot exceed the quota. */
async function requireKeyQuota(database: Database, { id, slug }: Tenant, now: Date): Promise<void> {
  const row = await database.get<{ valid: number }>(
    `select count(*) as valid from api_keys
     where tenant_id = ? and revoked_at is null and (expires_at is null or expires_at >= ?)`,
    [id, now.toISOString()],
  )
  if (row!.valid <= keysPerTenant) return
  throw new UserError(
    `Tenant ${slug} has ${keysPerTenant} valid API keys, the maximum; revoke or delete one that is no longer used.`,
    'too_many_keys',
  )
}

type ListedKey = Omit<ApiKey, 'scopes' | 'state'> & { scopes: string }

const columns = 'id, name, display, scopes, created_at, expires_at, revoked_at, rate_limit, replaced_by'

export async function listApiKeys(catalog: Catalog, tenant: Tenant, now: Date): Promise<ApiKey[]> {
  const sql = `select ${columns} from api_keys where tenant_id = ? order by created_at, id`
  return (await catalog.database.all<ListedKey>(sql, [tenant.id])).map((row) => toApiKey(row, now))
}

export async function findApiKey(catalog: Catalog, tenant: Tenant, id: string, now: Date): Promise<ApiKey | undefined> {
  if (!isKeyId(id)) return undefined
  const sql = `select ${columns} from api_keys where tenant_id = ? and id = ?`
  const row = await catalog.database.get<ListedKey>(sql, [tenant.id, id])
  return row && toApiKey(row, now)
}

/** Finds a key of any tenant by its id. Throws UserError. */
export async function requireApiKey(catalog: Catalog, id: string, now: Date): Promise<ApiKey> {
  const row =
    isKeyId(id) && (await catalog.database.get<ListedKey>(`select ${columns} from api_keys where id = ?`, [id]))
  if (!row) throw new UserError(unknownKey, 'key_missing')
  return toApiKey(row, now)
}

/** Returns key names by id. Deleted keys are omitted. */
export async function findApiKeyNames(catalog: Catalog, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const sql = `select id, name from api_keys where id in (${ids.map(() => '?').join(', ')})`
  const rows = await catalog.database.all<{ id: string; name: string }>(sql, ids)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Revokes a key: its next request is rejected with `key_revoked`. If `tenant` is given, another tenant's key is
 *  treated as unknown. Throws UserError. */
export async function revokeApiKey(catalog: Catalog, id: string, actor: AuditActor, tenant?: Tenant): Promise<void> {
  const sql = 'update api_keys set revoked_at = coalesce(revoked_at, ?) where id = ?'
  const run = (database: Database) => database.run(sql, [actor.now.toISOString(), id])
  await changeKey(catalog, id, actor, { event: 'key_revoked', run, tenant })
}

/** Deletes a key: its next request is rejected with `invalid_key`. If `tenant` is given, another tenant's key is
 *  treated as unknown. Throws UserError. */
export async function deleteApiKey(catalog: Catalog, id: string, actor: AuditActor, tenant?: Tenant): Promise<void> {
  const run = (database: Database) => database.run('delete from api_keys where id = ?', [id])
  await changeKey(catalog, id, actor, { event: 'key_deleted', run, tenant })
}

type KeyChange = {
  event: string
  run: (database: Database) => Awaitable<unknown>
  detail?: object
  /** Another tenant's key is treated as unknown. */
  tenant?: Tenant | undefined
}

/** Changes a key and records the event in one transaction. */
async function changeKey(
  catalog: Catalog,
  id: string,
  actor: AuditActor,
  { event, run, detail, tenant }: KeyChange,
): Promise<void> {
  if (!isKeyId(id)) throw new UserError(unknownKey, 'key_missing')
  await catalog.transaction(async (database) => {
    const sql = 'select tenant_id, name from api_keys where id = ?'
    const key = await database.get<{ tenant_id: string; name: string }>(sql, [id])
    if (!key || (tenant && key.tenant_id !== tenant.id)) throw new UserError(unknownKey, 'key_missing')
    await run(database)
    const subject = { tenantId: key.tenant_id, detail: { key: id, name: key.name, ...detail } }
    await writeEvent(database, event, actor, subject)
  })
}

/** Does not repeat the text that the user typed, because it may be a complete key. */
export const unknownKey = 'There is no API key with this id; `tenantdesk key list <slug>` shows the ids.'

function toApiKey(row: ListedKey, now: Date): ApiKey {
  return { ...row, scopes: row.scopes.split(' '), state: keyState(row, now) }
}

/** Returns the last millisecond of the given day (UTC); null if no day is given. Throws UserError. */
export function readExpiry(day: string | undefined, now: Date): string | null {
  if (day === undefined) return null
  if (!isDay(day)) throw new UserError(`${JSON.stringify(day)} is not a date: --expires takes YYYY-MM-DD.`, 'day_wrong')
  if (day < now.toISOString().slice(0, 10))
    throw new UserError(`${day} is in the past: the expiry date must be today or later.`, 'day_over')
  return `${day}T23:59:59.999Z`
}

/** Parses a rate limit that a user typed. Returns null if none was given: the installation's limit then applies. Throws
 *  UserError. */
function readRateLimit(text: string | undefined): number | null {
  if (text === undefined) return null
  if (/^\d{1,10}$/.test(text) && Number(text) <= highestRateLimit) return Number(text)
  const allowed = `from 0 (no limit) to ${highestRateLimit} requests per minute`
  throw new UserError(`${JSON.stringify(text)} is not a rate limit: it must be a whole number ${allowed}.`)
}

/** The same maximum as for RATE_LIMIT_PER_MINUTE. */
const highestRateLimit = 1e9

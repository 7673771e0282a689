// Finds the API key that a token belongs to. Keys are cached until the catalog changes.

import { type Catalog, transitionalStates } from '../catalog/catalog.ts'
import type { Pepper } from '../catalog/pepper/pepper.ts'
import type { Tenant } from '../tenants/tenants.ts'
import { expandScopes, hashSecret, isToken, keyIdIn, type Permissions, secretIn } from './api-key.ts'

/** When a key was revoked and when it expires; null if never. */
export type KeyLifetime = { revoked_at: string | null; expires_at: string | null }

/** The API key that a request was sent with, and the key's tenant. `permissions`: the expanded scopes, see expandScopes.
 *  `rate_limit`: as in ApiKey. */
export type Caller = {
  id: string
  name: string
  scopes: readonly string[]
  permissions: Permissions
  rate_limit: number | null
  tenant: Tenant
} & KeyLifetime

/** Finds callers by token. Caches keys until the catalog's version changes. */
export type Authenticator = { find(token: string): Promise<Caller | undefined> }

/** `token`: the last token that matched the hash. The hash is not computed again for further requests with that
 *  token. */
type CachedKey = { caller: Caller; hash: string; pepper: number; token: string | null }

/** Limits the memory use of the cache. */
const maxCachedKeys = 50_000

export function createAuthenticator(catalog: Catalog, pepper: Pepper): Authenticator {
  const keys = createKeyCache(catalog)
  return {
    async find(token) {
      const id = keyIdIn(token)
      const cached = keys.peek(id)
      const isVerified = cached?.token ? isEqualInConstantTime(cached.token, token) : false
      if (!isVerified && !isToken(token)) return undefined // without a catalog query
      const key = await keys.load(id)
      if (isVerified && key === cached) return key?.caller
      if (isSecretOf(key, secretIn(token), pepper)) {
        key!.token = token // as a string: a short Buffer would keep the whole Buffer pool in memory
        return key!.caller
      }
      if (key) await keys.read(id) // so that a wrong secret takes as long as an unknown id
      return undefined
    },
  }
}

type KeyCache = {
  /** Returns a cached key, which is stale if the catalog has changed since the key was loaded. */
  peek(id: string): CachedKey | undefined
  /** Returns the key in its current state. */
  load(id: string): Promise<CachedKey | undefined>
  /** Queries the catalog without changing the cache. */
  read(id: string): Promise<CachedKey | undefined>
}

/** Caches keys until the catalog's version changes. Requests that wait for the same key share a query. When the
 *  cache is full, the key that was loaded first is evicted. */
function createKeyCache(catalog: Catalog): KeyCache {
  const cache = new Map<string, CachedKey>()
  const queries = new Map<string, Promise<CachedKey | undefined>>() // running queries by key id
  const permissionSets = new Map<string, Permissions>() // by scopes, because many keys have the same scopes
  let version = -1

  async function load(id: string): Promise<CachedKey | undefined> {
    const current = await catalog.version()
    if (current !== version) clear()
    version = current
    return cache.get(id) ?? queries.get(id) ?? query(id)
  }

  function query(id: string): Promise<CachedKey | undefined> {
    const startedAt = version
    const result = read(id).then((key) => {
      if (key && version === startedAt) remember(id, key) // otherwise the catalog has changed and the key may be stale
      return key
    })
    queries.set(id, result)
    const removeQuery = () => queries.get(id) === result && queries.delete(id)
    result.then(removeQuery, removeQuery)
    return result
  }

  function remember(id: string, key: CachedKey): void {
    if (cache.size >= maxCachedKeys) cache.delete(cache.keys().next().value!)
    cache.set(id, key)
  }

  function clear(): void {
    for (const map of [cache, queries, permissionSets]) map.clear()
  }

  function permissionsOf(scopes: string): Permissions {
    const permissions = permissionSets.get(scopes) ?? expandScopes(scopes.split(' '))
    permissionSets.set(scopes, permissions)
    return permissions
  }

  const read = (id: string) => readKey(catalog, id, permissionsOf)
  return { peek: (id) => cache.get(id), load, read }
}

type KeyRow = Omit<Tenant, 'id'> &
  KeyLifetime & {
    tenant_id: string
    hash: string
    pepper: number
    key_name: string
    scopes: string
    rate_limit: number | null
  }

async function readKey(
  catalog: Catalog,
  id: string,
  permissionsOf: (scopes: string) => Permissions,
): Promise<CachedKey | undefined> {
  const row = await catalog.database.get<KeyRow>(
    `select k.hash, k.pepper, k.name as key_name, k.scopes, k.revoked_at, k.expires_at, k.rate_limit,
       t.id as tenant_id, t.slug, t.name, t.state, t.trial_ends, t.created_at, t.server, t.suspended_because,
       t.history_days
     from api_keys k join tenants t on t.id = k.tenant_id
     where k.id = ? and t.state not in ${transitionalStates}`,
    [id],
  )
  if (!row) return undefined
  const { tenant_id, hash, pepper, key_name: name, scopes, revoked_at, expires_at, rate_limit, ...tenant } = row
  const caller = {
    id,
    revoked_at,
    expires_at,
    name,
    scopes: scopes.split(' '),
    permissions: permissionsOf(scopes),
    rate_limit,
    tenant: { id: tenant_id, ...tenant },
  }
  return { caller, hash, pepper, token: null }
}

/** Checks a key's secret. Takes the same time if there is no such key. */
function isSecretOf(key: CachedKey | undefined, secret: string, pepper: Pepper): boolean {
  const expected = key?.hash ?? '0'.repeat(64)
  return isEqualInConstantTime(expected, hashSecret(pepper, key?.pepper ?? pepper.current, secret)) && key !== undefined
}

/** Compares texts in a time that depends only on their length. `timingSafeEqual` compares only Buffers, and copying two
 *  texts for each request takes about half the time of finding the caller. */
export function isEqualInConstantTime(expected: string, actual: string): boolean {
  if (expected.length !== actual.length) return false
  let difference = 0
  for (let index = 0; index < expected.length; index++)
    difference |= expected.charCodeAt(index) ^ actual.charCodeAt(index)
  return difference === 0
}

export function isUsable(key: KeyLifetime, now: Date): boolean {
  return keyState(key, now) === 'valid'
}

export function keyState({ revoked_at, expires_at }: KeyLifetime, now: Date): 'valid' | 'expired' | 'revoked' {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at < now.toISOString() ? 'expired' : 'valid'
}

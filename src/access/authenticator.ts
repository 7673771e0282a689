// Who calls: the key behind a token, as it stands in the catalog at this moment.

import { timingSafeEqual } from 'node:crypto'
import { type Catalog, transitionalStates } from '../catalog/catalog.ts'
import type { Pepper } from '../catalog/pepper.ts'
import type { Tenant } from '../tenants/tenants.ts'
import { hashSecret, idIn, isToken, secretIn } from './api-key-token.ts'
import type { KeyLifetime } from './api-keys.ts'
import { expandScopes } from './scopes.ts'

/** A key that has been shown, with the tenant it speaks for. `pairs`: what its scopes open, see scopes.ts. */
export type Caller = { id: string; permissions: ReadonlySet<string>; tenant: Tenant } & KeyLifetime

/** Finds callers by token. Remembers what it read until the catalog changes, in whichever process. */
export type Authenticator = { find(token: string): Promise<Caller | undefined> }

/** What is remembered of a key. `token`: the one that once matched the hash, so that the hash is computed once. */
type CachedKey = { caller: Caller; hash: string; pepper: number; token: string | null }

/** Remembered keys; beyond this all are forgotten and read again as they come. */
const rememberedKeys = 50_000

export function createAuthenticator(catalog: Catalog, pepper: Pepper): Authenticator {
  const remembered = new Map<string, CachedKey>()
  const pairsOf = new Map<string, ReadonlySet<string>>() // most keys share theirs with others
  let version = -1

  async function loadKey(id: string): Promise<CachedKey | undefined> {
    const present = await catalog.version()
    if (present !== version || remembered.size > rememberedKeys) {
      remembered.clear()
      pairsOf.clear()
    }
    version = present
    const known = remembered.get(id) ?? (await readKey(catalog, id, share))
    if (known && version === present) remembered.set(id, known) // else it may be older than what others know by now
    return known
  }

  function share(scopes: string): ReadonlySet<string> {
    const permissions = pairsOf.get(scopes) ?? expandScopes(scopes.split(' '))
    pairsOf.set(scopes, permissions)
    return permissions
  }

  return {
    async find(token) {
      const id = idIn(token)
      const seen = remembered.get(id)
      const isSeen = seen?.token ? isSame(seen.token, token) : false
      if (!isSeen && !isToken(token)) return undefined // without a look at the catalog
      const known = await loadKey(id)
      if (isSeen && known === seen) return known?.caller
      if (isSecretOf(known, secretIn(token), pepper)) {
        known!.token = token // as text: a buffer of so few bytes keeps a large one alive that it is a part of
        return known!.caller
      }
      if (known) await readKey(catalog, id, share) // as an unknown id has cost
      return undefined
    },
  }
}

async function readKey(
  catalog: Catalog,
  id: string,
  pairsOf: (scopes: string) => ReadonlySet<string>,
): Promise<CachedKey | undefined> {
  const row = await catalog.database.get(
    `select k.hash, k.pepper, k.scopes, k.revoked_at, k.expires_at,
       t.id as tenant_id, t.slug, t.name, t.state, t.trial_ends, t.created_at, t.server, t.suspended_because
     from api_keys k join tenants t on t.id = k.tenant_id
     where k.id = ? and t.state not in ${transitionalStates}`,
    [id],
  )
  if (!row) return undefined
  const { tenant_id, slug, name, state, trial_ends, created_at, server, suspended_because } = row
  const caller = {
    id,
    revoked_at: row.revoked_at as string | null,
    expires_at: row.expires_at as string | null,
    permissions: pairsOf(row.scopes as string),
    tenant: { id: tenant_id, slug, name, state, trial_ends, created_at, server, suspended_because } as Tenant,
  }
  return { caller, hash: row.hash as string, pepper: row.pepper as number, token: null }
}

/** A key that does not exist costs the same as one that does. */
function isSecretOf(known: CachedKey | undefined, secret: string, pepper: Pepper): boolean {
  const expected = known?.hash ?? '0'.repeat(64)
  return isSame(expected, hashSecret(pepper, known?.pepper ?? pepper.current, secret)) && known !== undefined
}

/** In constant time for texts of one length. */
function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}

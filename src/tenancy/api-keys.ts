// API keys (§5, contract §4): tdk_ + 10 of id + 32 of secret + 6 of checksum. Only a keyed hash of the secret is stored.

import { createHash, createHmac, randomInt, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Awaitable, Database, Row } from '../database.ts'
import { isDay } from '../resources/validate.ts'
import { type Catalog, unfinished } from './catalog.ts'
import type { Pepper } from './pepper.ts'
import { Refusal } from './refusal.ts'
import { opened } from './scopes.ts'
import { readName, requireTenant, type Tenant } from './tenants.ts'
import { removeUses } from './usage-rows.ts'

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

/** A key that has been shown, with the tenant it speaks for. `pairs`: what its scopes open, see scopes.ts. */
export type Caller = { id: string; pairs: ReadonlySet<string>; tenant: Tenant } & Ends

/** When a key ends to be of use, if it does. */
type Ends = { revoked_at: string | null; expires_at: string | null }

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 10
const secretLength = 32
const shape = /^tdk_[0-9A-Za-z]{48}$/

/** Makes a key of a tenant, if `expiresAt` is given usable to the end of that day (UTC). The token is returned here and can
 *  never be had again. `once`: a random text of whoever may ask a second time; only the first makes a key. Throws Refusal. */
export async function createApiKey(
  catalog: Catalog,
  pepper: Pepper,
  wish: {
    slug: string
    name?: string
    scopes: string[]
    allScopes: string[]
    expiresAt?: string
    once?: string
    now: Date
  },
): Promise<{ id: string; token: string }> {
  if (wish.scopes.length === 0) throw new Refusal('A key needs at least one --scope.', 'no_scope')
  const unknown = wish.scopes.find((scope) => !wish.allScopes.includes(scope))
  if (unknown !== undefined) {
    throw new Refusal(`There is no scope ${JSON.stringify(unknown)}; scopes are ${wish.allScopes.join(', ')}.`)
  }
  const expiresAt = readExpiry(wish.expiresAt, wish.now)
  const tenant = await requireTenant(catalog, wish.slug)
  const [id, secret] = [wish.once ? idOf(wish.once) : randomText(idLength), randomText(secretLength)]
  const values = [
    ...[id, tenant.id, readName(wish.name, 'API key'), `tdk_${id.slice(0, 4)}…`, hash(pepper, pepper.current, secret)],
    ...[pepper.current, [...new Set(wish.scopes)].join(' '), wish.now.toISOString(), expiresAt],
  ]
  const made = await catalog.transaction(async (database) =>
    database.run(
      `insert into api_keys (id, tenant_id, name, display, hash, pepper, scopes, created_at, expires_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
      values,
    ),
  )
  if (made === 0) throw new Refusal('This key was made already; it can never be shown again.', 'key_made')
  return { id, token: `tdk_${id}${secret}${checksum(id + secret)}` }
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
    await removeUses(database, 'key_id', id)
    await database.run('delete from api_keys where id = ?', [id])
  })
}

async function changeKey(
  catalog: Catalog,
  id: string,
  tenantId: string | undefined,
  change: (database: Database) => Awaitable<unknown>,
): Promise<string> {
  if (!/^[0-9A-Za-z]{10}$/.test(id)) throw new Refusal(unknownKey, 'key_missing')
  return catalog.transaction(async (database) => {
    const key = await database.get('select tenant_id from api_keys where id = ?', [id])
    if (!key || (tenantId !== undefined && key.tenant_id !== tenantId)) throw new Refusal(unknownKey, 'key_missing')
    await change(database)
    return key.tenant_id as string
  })
}

/** What was given stays out of it: it may be a whole key. */
const unknownKey = 'There is no API key with this id; `tenantdesk key list <slug>` shows the ids.'

/** Finds callers by token. Remembers what it read until the catalog changes, in whichever process. */
export type Keyring = { find(token: string): Promise<Caller | undefined> }

/** What is remembered of a key. `secret`: what once matched the hash, so that the hash is computed once. */
type Known = { caller: Caller; hash: string; pepper: number; secret: string | null }

/** Remembered keys; beyond this all are forgotten and read again as they come. */
const rememberedKeys = 50_000

export function openKeyring(catalog: Catalog, pepper: Pepper): Keyring {
  const remembered = new Map<string, Known>()
  const pairsOf = new Map<string, ReadonlySet<string>>() // most keys share theirs with others
  let version = -1

  async function recall(id: string): Promise<Known | undefined> {
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
    const pairs = pairsOf.get(scopes) ?? opened(scopes.split(' '))
    pairsOf.set(scopes, pairs)
    return pairs
  }

  return {
    async find(token) {
      if (!shape.test(token) || !isChecksumRight(token)) return undefined
      const id = token.slice(4, 4 + idLength)
      const known = await recall(id)
      if (isSecretOf(known, token.slice(4 + idLength, -6), pepper)) return known?.caller
      if (known) await readKey(catalog, id, share) // as an unknown id has cost
      return undefined
    },
  }
}

async function readKey(
  catalog: Catalog,
  id: string,
  pairsOf: (scopes: string) => ReadonlySet<string>,
): Promise<Known | undefined> {
  const row = await catalog.database.get(
    `select k.hash, k.pepper, k.scopes, k.revoked_at, k.expires_at,
       t.id as tenant_id, t.slug, t.name, t.state, t.trial_ends, t.created_at, t.server, t.suspended_because
     from api_keys k join tenants t on t.id = k.tenant_id
     where k.id = ? and t.state not in ${unfinished}`,
    [id],
  )
  if (!row) return undefined
  const { tenant_id, slug, name, state, trial_ends, created_at, server, suspended_because } = row
  const caller = {
    id,
    revoked_at: row.revoked_at as string | null,
    expires_at: row.expires_at as string | null,
    pairs: pairsOf(row.scopes as string),
    tenant: { id: tenant_id, slug, name, state, trial_ends, created_at, server, suspended_because } as Tenant,
  }
  return { caller, hash: row.hash as string, pepper: row.pepper as number, secret: null }
}

/** Whether a key is neither revoked nor expired. */
export function isUsable(key: Ends, now: Date): boolean {
  return keyState(key, now) === 'valid'
}

/** Compares in constant time. A key that does not exist costs the same as one that does. */
function isSecretOf(known: Known | undefined, secret: string, pepper: Pepper): boolean {
  const given = Buffer.from(secret)
  if (known?.secret && timingSafeEqual(given, Buffer.from(known.secret))) return true
  const expected = known?.hash ?? '0'.repeat(64)
  const computed = hash(pepper, known?.pepper ?? pepper.current, secret)
  const isRight = timingSafeEqual(Buffer.from(computed), Buffer.from(expected)) && known !== undefined
  if (isRight) known.secret = secret // as text: a buffer of so few bytes keeps a large one alive that it is a part of
  return isRight
}

/** HMAC-SHA-256 in hexadecimal. A key whose pepper is no longer there matches nothing. */
function hash(pepper: Pepper, number: number, secret: string): string {
  const key = pepper.secrets.get(number)
  const digest = createHmac('sha256', key ?? '')
    .update(secret)
    .digest('hex')
  return key === undefined ? '-'.repeat(digest.length) : digest
}

function toApiKey(row: Row, now: Date): ApiKey {
  const state = keyState(row as Ends, now)
  return { ...row, scopes: (row.scopes as string).split(' '), state } as unknown as ApiKey
}

function keyState({ revoked_at, expires_at }: Ends, now: Date): ApiKey['state'] {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at < now.toISOString() ? 'expired' : 'valid'
}

/** The last moment of a day. Throws Refusal. */
function readExpiry(day: string | undefined, now: Date): string | null {
  if (day === undefined) return null
  if (!isDay(day)) throw new Refusal(`${JSON.stringify(day)} is not a day: a key expires on YYYY-MM-DD.`, 'day_wrong')
  if (day < now.toISOString().slice(0, 10))
    throw new Refusal(`${day} is over: a key expires today or later.`, 'day_over')
  return `${day}T23:59:59.999Z`
}

/** The id that a key gets which is made only once for this random text, as evenly spread as any: bytes that would favour some
 *  letters are passed over. */
function idOf(once: string): string {
  const bytes = [...createHash('sha512').update(once).digest()].filter((byte) => byte < 62 * 4)
  return bytes
    .slice(0, idLength)
    .map((byte) => base62[byte % 62])
    .join('')
}

/** crypto.randomInt has no modulo bias. */
function randomText(length: number): string {
  return Array.from({ length }, () => base62[randomInt(62)]).join('')
}

/** CRC-32 in base62: tells a mistyped or invented key without a look at the catalog. */
function checksum(text: string): string {
  let rest = crc32(`tdk_${text}`)
  let digits = ''
  for (let place = 0; place < 6; place++) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

function isChecksumRight(token: string): boolean {
  return checksum(token.slice(4, -6)) === token.slice(-6)
}

// Replaces an API key with a new one that has the same permissions. The old key continues to work until the end of the
// overlap.

import { type AuditActor, writeEvent } from '../catalog/audit/audit-log.ts'
import type { PepperedCatalog } from '../catalog/pepper/pepper.ts'
import type { Database } from '../engine/database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { isKeyId, newKeyToken, writeToken } from './api-key.ts'
import { insertApiKey, readExpiry, unknownKey } from './api-keys.ts'
import { isUsable, type KeyLifetime } from './authenticator.ts'

export type Rotation = {
  /** How long the old key continues to work, as the user typed it: for example `24h`, or `0` to revoke it at once. */
  overlap: string
  /** The last day on which the new key works (UTC). By default, the new key has the old key's expiry. */
  expires?: string | undefined
}

export type RotatedKey = { id: string; token: string; oldWorksUntil: string }

type OldKey = KeyLifetime & {
  tenant_id: string
  name: string
  scopes: string
  rate_limit: number | null
  replaced_by: string | null
}

/** The new key has the old key's name, scopes and rate limit, and also its expiry unless `expires` is given. Rotation
 *  ignores the limit on keys, so that a tenant with the maximum number of keys can rotate them. The token cannot be
 *  retrieved again later. Throws UserError. */
export async function rotateApiKey(
  { catalog, pepper }: PepperedCatalog,
  oldId: string,
  rotation: Rotation,
  actor: AuditActor,
): Promise<RotatedKey> {
  const overlapMs = readOverlap(rotation.overlap)
  const expires = readExpiry(rotation.expires, actor.now)
  const key = newKeyToken()
  const oldWorksUntil = await catalog.transaction(async (database) => {
    const old = await requireRotatable(database, oldId, actor.now)
    const { tenant_id: tenantId, name, scopes, rate_limit: rateLimit } = old
    const row = { ...key, tenantId, name, scopes, rateLimit, expiresAt: expires ?? old.expires_at }
    await insertApiKey(database, pepper, row, actor)
    const until = endOfOverlap(old, overlapMs, actor.now)
    const column = overlapMs === 0 ? 'revoked_at' : 'expires_at'
    await database.run(`update api_keys set ${column} = ?, replaced_by = ? where id = ?`, [until, key.id, oldId])
    const detail = { key: key.id, name, replaces: oldId }
    await writeEvent(database, 'key_created', actor, { tenantId, detail })
    await writeEvent(database, 'key_rotated', actor, {
      tenantId,
      detail: { key: oldId, name, replaced_by: key.id, until },
    })
    return until
  })
  return { id: key.id, token: writeToken(key), oldWorksUntil }
}

async function requireRotatable(database: Database, id: string, now: Date): Promise<OldKey> {
  const sql = `select tenant_id, name, scopes, expires_at, revoked_at, rate_limit, replaced_by from api_keys where id = ?`
  const old = isKeyId(id) ? await database.get<OldKey>(sql, [id]) : undefined
  if (!old) throw new UserError(unknownKey, 'key_missing')
  if (!isUsable(old, now)) throw new UserError(`API key ${id} has expired or been revoked, so it cannot be rotated.`)
  const { replaced_by: newer } = old
  const successor = newer && (await database.get('select revoked_at from api_keys where id = ?', [newer]))
  if (successor && successor.revoked_at === null)
    throw new UserError(`API key ${id} has already been replaced by ${newer}; rotate that one instead.`)
  return old
}

/** Returns when the old key stops working. The overlap never extends the key's own expiry. */
function endOfOverlap({ expires_at }: OldKey, overlapMs: number, now: Date): string {
  const end = new Date(now.getTime() + overlapMs).toISOString()
  return expires_at !== null && expires_at < end ? expires_at : end
}

const dayMs = 86_400_000
const unitsMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: dayMs }

/** A longer overlap is probably a mistake, because two keys with the same permissions would remain valid. */
const maxOverlapMs = 90 * dayMs

function readOverlap(text: string): number {
  if (text === '0') return 0
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const overlapMs = Number(count) * (unitsMs[unit] ?? Number.NaN)
  if (overlapMs >= 0 && overlapMs <= maxOverlapMs) return overlapMs
  throw new UserError(
    `${JSON.stringify(text)} is not an overlap: use 0, or a duration such as 30m, 24h or 7d, at most 90d.`,
  )
}

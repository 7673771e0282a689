// Recovers from a lost pepper: voids everything that depends on it, so that the service can start again.

import { UserError } from '../../lib/user-error.ts'
import { type AuditActor, writeEvent } from '../audit/audit-log.ts'
import type { Catalog } from '../catalog.ts'
import { listFingerprints, listPepperUses, type Pepper, pepperNumberOf, secretFingerprint } from './pepper.ts'

type SecretRow = { id: string; email: string; encrypted_totp_secret: string }
type UrlRow = { name: string; encrypted_url: string }

/** The number of revoked keys, the email addresses of users whose second factor was turned off, and the servers whose
 *  URL was removed. */
export type VoidedByLoss = { keys: number; users: string[]; servers: string[] }

/** Revokes every key and discards the values encrypted with a missing pepper. If nothing depends on the missing pepper,
 *  only its fingerprint is deleted. Throws UserError if no pepper is lost. */
export async function voidLostPepper(
  catalog: Catalog,
  pepper: Pepper | undefined,
  actor: AuditActor,
): Promise<VoidedByLoss> {
  const fingerprints = await listFingerprints(catalog)
  const used = new Set((await listPepperUses(catalog)).map(({ number }) => number))
  const isAvailable = (number: number) => {
    const secret = pepper?.secrets.get(number)
    return secret !== undefined && [undefined, secretFingerprint(secret)].includes(fingerprints.get(number))
  }
  const lost = new Set([...used].filter((number) => !isAvailable(number)))
  const mismatched = [...fingerprints.keys()].filter(
    (number) => !used.has(number) && !isAvailable(number) && (!pepper || pepper.secrets.has(number)),
  )
  if (lost.size === 0 && mismatched.length === 0)
    throw new UserError('No pepper is lost: all peppers that this installation depends on are available.')
  return catalog.transaction(async (database) => {
    for (const number of [...lost, ...mismatched]) await database.run('delete from peppers where number = ?', [number])
    if (lost.size === 0) return { keys: 0, users: [], servers: [] }

    const now = actor.now.toISOString()
    const perTenant = await database.all<{ tenant_id: string; keys: number }>(
      'select tenant_id, count(*) as keys from api_keys where revoked_at is null group by tenant_id order by tenant_id',
    )
    await database.run('update api_keys set revoked_at = ? where revoked_at is null', [now])
    for (const { tenant_id, keys } of perTenant)
      await writeEvent(database, 'keys_voided', actor, { tenantId: tenant_id, detail: { keys } })

    const users: string[] = []
    const selectSecrets =
      'select id, email, encrypted_totp_secret from users where encrypted_totp_secret is not null order by email'
    for (const { id, email, encrypted_totp_secret } of await database.all<SecretRow>(selectSecrets)) {
      if (!lost.has(pepperNumberOf(encrypted_totp_secret))) continue
      await database.run('update users set encrypted_totp_secret = null, last_totp_step = null where id = ?', [id])
      await database.run('delete from recovery_codes where user_id = ?', [id])
      await writeEvent(database, 'second_factor_off', actor, { userId: id })
      users.push(email)
    }

    const servers: string[] = []
    const selectUrls = 'select name, encrypted_url from database_servers order by name'
    for (const { name, encrypted_url } of await database.all<UrlRow>(selectUrls)) {
      if (!lost.has(pepperNumberOf(encrypted_url))) continue
      await database.run(`update database_servers set encrypted_url = '' where name = ?`, [name])
      await writeEvent(database, 'server_address_lost', actor, { detail: { server: name } })
      servers.push(name)
    }

    const keys = perTenant.reduce((sum, row) => sum + row.keys, 0)
    return { keys, users, servers }
  })
}

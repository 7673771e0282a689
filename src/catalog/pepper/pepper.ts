// The pepper: a secret outside the catalog that every stored key hash and encrypted value depends on, so that a stolen
// catalog alone does not give access to anything.

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { Unavailable } from '../../engine/database/database.ts'
import { UserError } from '../../lib/user-error.ts'
import { type AuditActor, writeEvent } from '../audit/audit-log.ts'
import type { Catalog } from '../catalog.ts'
import { createPepperFile, pepperPath, readPepperFile } from './pepper-file.ts'

/** What reads and writes secrets in the catalog. */
export type PepperedCatalog = { catalog: Catalog; pepper: Pepper }

/** Peppers by number. New values use `current`; an older pepper must be kept as long as stored values use its
 *  number. */
export type Pepper = { current: number; secrets: ReadonlyMap<number, string> }

/** Derives the signing keys for cursors and cookies, the current one first. A signature reveals nothing about the
 *  pepper. */
export function signingKeys({ current, secrets }: Pepper): Buffer[] {
  const numbers = [current, ...[...secrets.keys()].filter((number) => number !== current)]
  return numbers.map((number) => createHmac('sha256', secrets.get(number)!).update('tenantdesk cursors').digest())
}

/** Reads the secrets from `API_KEY_PEPPER` if it is set, otherwise from the `pepper` file in the data directory.
 *  Returns undefined if there are no secrets. Throws SettingError. */
export function readPepper(directory: string, configuredSecrets: ReadonlyMap<number, string>): Pepper | undefined {
  const secrets = configuredSecrets.size > 0 ? configuredSecrets : readPepperFile(directory)
  return secrets && { current: Math.max(...secrets.keys()), secrets }
}

/** Opens an installation's pepper, and creates one if the catalog has never had one. Throws UserError, SettingError. */
export async function openPepper(
  catalog: Catalog,
  directory: string,
  configuredSecrets: ReadonlyMap<number, string>,
): Promise<Pepper> {
  let pepper = readPepper(directory, configuredSecrets)
  if (!pepper) {
    const hasStoredPepper = (await catalog.database.get('select 1 as found from peppers')) !== undefined
    pepper = readPepper(directory, configuredSecrets) // another process may have just created it
    // Creating a new pepper would only hide the fact that the catalog's pepper is missing.
    if (!pepper && hasStoredPepper) {
      const advice = `put the file ${pepperPath(directory)} back, or set API_KEY_PEPPER as it was`
      throw new UserError(`The pepper that API keys and server passwords depend on is missing: ${advice}. ${ifLost}`)
    }
    if (!pepper) createPepperFile(directory)
    pepper ??= readPepper(directory, configuredSecrets)!
  }
  await verifyPepper(catalog, pepper)
  return pepper
}

const ifLost =
  'If it is lost, `tenantdesk key revoke --all --lost-pepper` voids every key, and the service can start again.'

/** Checks that this process has the same peppers as all other processes that use the catalog. Otherwise it would reject
 *  valid API keys. The first process stores a fingerprint of each pepper, which does not reveal the secret. Throws
 *  UserError. */
export async function verifyPepper(catalog: Catalog, pepper: Pepper): Promise<void> {
  const mistake = await findPepperMistake(catalog, pepper)
  if (mistake) throw new UserError(mistake)
  const fingerprints = await listFingerprints(catalog)
  const sql = 'insert into peppers (number, fingerprint) values (?, ?) on conflict (number) do nothing'
  const unstored = [...pepper.secrets].filter(([number]) => !fingerprints.has(number))
  if (unstored.length === 0) return
  await catalog.transaction(async (database) => {
    for (const [number, secret] of unstored) await database.run(sql, [number, secretFingerprint(secret)])
  })
  await verifyPepper(catalog, pepper) // another process may have just stored a different one
}

/** Returns an error message if the pepper is not the one that the catalog depends on. Does not store anything, unlike
 *  verifyPepper. */
export async function findPepperMistake(catalog: Catalog, pepper: Pepper | undefined): Promise<string | undefined> {
  const used = await listPepperUses(catalog)
  const mistake = pepper && findFingerprintMistake(pepper, await listFingerprints(catalog), used)
  if (mistake) return mistake
  const missing = used.find(({ number }) => !pepper?.secrets.has(number))
  if (!missing) return undefined
  const { number, what } = missing
  return `Pepper ${number} is missing, and ${what} depend on it. Put the file \`pepper\` in DATA_DIR back, or add it to API_KEY_PEPPER again. ${ifLost}`
}

/** Identifies a pepper without revealing it. */
function secretFingerprint(secret: string): string {
  return createHmac('sha256', secret).update('tenantdesk pepper').digest('hex').slice(0, 16)
}

function findFingerprintMistake(
  pepper: Pepper,
  fingerprints: ReadonlyMap<number, string>,
  used: readonly PepperUse[],
): string | undefined {
  for (const [number, secret] of pepper.secrets) {
    if ((fingerprints.get(number) ?? secretFingerprint(secret)) === secretFingerprint(secret)) continue
    const start = `Pepper ${number} is not the one`
    if (used.some((use) => use.number === number))
      return `${start} that this catalog's API keys were created with; check API_KEY_PEPPER and the file \`pepper\` in DATA_DIR. ${ifLost}`
    const next = Math.max(...fingerprints.keys()) + 1
    return `${start} that was first used with this number; check API_KEY_PEPPER, or use the number ${next} for the new secret.`
  }
  return undefined
}

const cipher = 'aes-256-gcm'

/** Encrypts a secret for the catalog, such as the URL of a database server. The result consists of the pepper's number,
 *  a colon, and the nonce, the tag and the ciphertext in base64url. */
export function encrypt(pepper: Pepper, text: string): string {
  const nonce = randomBytes(12)
  const encryption = createCipheriv(cipher, deriveEncryptionKey(pepper.secrets.get(pepper.current)!), nonce)
  const ciphertext = [encryption.update(text, 'utf8'), encryption.final()]
  return `${pepper.current}:${Buffer.concat([nonce, encryption.getAuthTag(), ...ciphertext]).toString('base64url')}`
}

/** Throws Unavailable if the pepper is missing: another process may already be encrypting with a newer one. */
export function decrypt(pepper: Pepper, encrypted: string): string {
  const [number = '', content = ''] = encrypted.split(':')
  const secret = pepper.secrets.get(Number(number))
  if (secret === undefined) throw new Unavailable(`pepper ${number} is needed to decrypt values in the catalog`)
  const bytes = Buffer.from(content, 'base64url')
  const decryption = createDecipheriv(cipher, deriveEncryptionKey(secret), bytes.subarray(0, 12))
  decryption.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([decryption.update(bytes.subarray(28)), decryption.final()]).toString('utf8')
}

function deriveEncryptionKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'tenantdesk sealing', 32))
}

type PepperUse = { what: string; number: number }

/** Lists the peppers that stored values depend on. */
async function listPepperUses({ database }: Pick<Catalog, 'database'>): Promise<PepperUse[]> {
  const rows = await database.all<{ what: string; encrypted: string }>(
    `select distinct 'API keys' as what, cast(pepper as text) as encrypted from api_keys where revoked_at is null
     union all select 'servers', encrypted_url from database_servers where encrypted_url <> ''
     union all select 'second factors', encrypted_totp_secret from users where encrypted_totp_secret is not null`,
  )
  return rows.map(({ what, encrypted }) => ({ what, number: pepperNumberOf(encrypted) }))
}

/** Returns the number of the pepper with which a value was encrypted. The value starts with this number. */
export function pepperNumberOf(encrypted: string): number {
  return Number.parseInt(encrypted, 10)
}

async function listFingerprints({ database }: Pick<Catalog, 'database'>): Promise<Map<number, string>> {
  const rows = await database.all<{ number: number; fingerprint: string }>('select number, fingerprint from peppers')
  return new Map(rows.map(({ number, fingerprint }) => [number, fingerprint]))
}

type SecretRow = { id: string; email: string; encrypted_totp_secret: string }
type UrlRow = { name: string; encrypted_url: string }

/** The number of revoked keys, the email addresses of users whose second factor was turned off, and the servers whose
 *  URL was removed. */
export type VoidedByLoss = { keys: number; users: string[]; servers: string[] }

/** Recovers from a lost pepper, so that the service can start again: revokes every key and discards the values
 *  encrypted with a missing pepper. If nothing depends on the missing pepper, only its fingerprint is deleted. Throws
 *  UserError if no pepper is lost. */
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

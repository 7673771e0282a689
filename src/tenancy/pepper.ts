// The pepper: a secret outside the catalog that every stored key hash depends on, so that a stolen catalog opens nothing.

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { closeSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { peppers, SettingError } from '../config.ts'
import { Unavailable } from '../database.ts'
import { makeDirectory, syncPath } from '../storage/sqlite/files.ts'
import type { Catalog } from './catalog.ts'
import { Refusal } from './refusal.ts'

/** Peppers by number. What is new uses `current`; an older one stays as long as anything hangs on its number. */
export type Pepper = { current: number; secrets: ReadonlyMap<number, string> }

/** Keys for what is signed and handed out, the current one first: derived, so that nothing signed tells of the pepper. */
export function signingKeys({ current, secrets }: Pepper): Buffer[] {
  const numbers = [current, ...[...secrets.keys()].filter((number) => number !== current)]
  return numbers.map((number) => createHmac('sha256', secrets.get(number)!).update('tenantdesk cursors').digest())
}

/** The secrets of `API_KEY_PEPPER` if it is set, else of the file `pepper` in the data directory, which is made at first
 *  use. Throws SettingError. */
export function readPepper(directory: string, given: ReadonlyMap<number, string>): Pepper {
  const secrets = given.size > 0 ? given : readFile(join(directory, 'pepper'))
  return { current: Math.max(...secrets.keys()), secrets }
}

/** All who work on a catalog must have the same pepper under a number, and every one that is in use: with another one, every
 *  key would be unknown. The first to come settles it, by a fingerprint that does not tell the secret. Throws Refusal. */
export async function agreeOnPepper(catalog: Catalog, pepper: Pepper): Promise<void> {
  const sql = 'insert into peppers (number, fingerprint) values (?, ?) on conflict (number) do nothing'
  for (const [number, secret] of pepper.secrets) {
    const fingerprint = createHmac('sha256', secret).update('tenantdesk pepper').digest('hex').slice(0, 16)
    const known = await settledFingerprint(catalog, number)
    if (!known) await catalog.transaction(async (database) => database.run(sql, [number, fingerprint]))
    if ((known ?? (await settledFingerprint(catalog, number))) === fingerprint) continue
    throw new Refusal(`Pepper ${number} is not the one this catalog's API keys were made with; check API_KEY_PEPPER.`)
  }
  await requireUsed(catalog, pepper)
}

const cipher = 'aes-256-gcm'

/** Encrypts what the catalog keeps but must not give away, such as a server's password: number of the pepper, then nonce,
 *  tag and text in base64url. */
export function seal(pepper: Pepper, text: string): string {
  const nonce = randomBytes(12)
  const sealing = createCipheriv(cipher, sealingKey(pepper.secrets.get(pepper.current)!), nonce)
  const sealed = [sealing.update(text, 'utf8'), sealing.final()]
  return `${pepper.current}:${Buffer.concat([nonce, sealing.getAuthTag(), ...sealed]).toString('base64url')}`
}

/** What was sealed. Throws Unavailable when its pepper is not there: another process seals with one that is new. */
export function unseal(pepper: Pepper, sealed: string): string {
  const [number = '', content = ''] = sealed.split(':')
  const secret = pepper.secrets.get(Number(number))
  if (secret === undefined) throw new Unavailable(`pepper ${number} is needed to read what the catalog keeps sealed`)
  const bytes = Buffer.from(content, 'base64url')
  const opening = createDecipheriv(cipher, sealingKey(secret), bytes.subarray(0, 12))
  opening.setAuthTag(bytes.subarray(12, 28))
  return Buffer.concat([opening.update(bytes.subarray(28)), opening.final()]).toString('utf8')
}

function sealingKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'tenantdesk sealing', 32))
}

/** What is sealed begins with the number of its pepper. */
async function requireUsed(catalog: Catalog, pepper: Pepper): Promise<void> {
  const rows = await catalog.database.all(
    `select distinct 'API keys' as what, cast(pepper as text) as sealed from api_keys where revoked_at is null
     union all select 'servers', sealed_url from servers
     union all select 'second factors', sealed_secret from users where sealed_secret is not null`,
  )
  const used = rows.map(({ what, sealed }) => ({ what, number: Number.parseInt(sealed as string, 10) }))
  const missing = used.find(({ number }) => !pepper.secrets.has(number))
  if (!missing) return
  const { number, what } = missing
  throw new Refusal(`Pepper ${number} is missing, and ${what} hang on it; put it back where the others are.`)
}

async function settledFingerprint(catalog: Catalog, number: number): Promise<string | undefined> {
  const row = await catalog.database.get('select fingerprint from peppers where number = ?', [number])
  return row?.fingerprint as string | undefined
}

function readFile(path: string): ReadonlyMap<number, string> {
  const secrets = parse(readOrMake(path))
  if (!secrets?.size)
    throw new SettingError(`${path} must hold secrets of at least 32 characters, one a line, as number:secret.`)
  return secrets
}

function parse(text: string): ReadonlyMap<number, string> | undefined {
  try {
    return peppers(text)
  } catch {
    return undefined // its message tells of a setting, not of a file
  }
}

function readOrMake(path: string): string {
  const read = () => readFileSync(path, 'utf8')
  try {
    return read()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new SettingError(`The pepper cannot be read: ${(error as Error).message}.`)
    makeFile(path)
    return read()
  }
}

/** Written aside and linked into place: of two processes that start at once, one makes it and both read that one. */
function makeFile(path: string): void {
  const directory = dirname(path)
  makeDirectory(directory)
  const aside = `${path}.${process.pid}`
  const descriptor = openSync(aside, 'w', 0o600)
  writeSync(descriptor, `1:${randomBytes(32).toString('base64url')}\n`)
  closeSync(descriptor)
  syncPath(aside)
  try {
    linkSync(aside, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(aside)
  }
  syncPath(directory)
}

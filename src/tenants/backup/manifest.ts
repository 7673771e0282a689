// A backup's manifest: the files of the catalog and each tenant, and what they must contain. Each manifest names every
// tenant's newest file, so an unchanged tenant's file belongs to several backups. With a passphrase, the manifest is
// encrypted and authenticated.

import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf, errorMessageOf } from '../../lib/errors.ts'
import { writeDurably } from '../../lib/files/files.ts'
import { decryptBuffer, encryptBuffer, type Passphrase } from '../../lib/files/passphrase-encryption.ts'
import { UserError } from '../../lib/user-error.ts'
import { version } from '../../lib/version.ts'
import type { Tenant } from '../tenants.ts'
import { asBackupError, type BackupAccess, DamagedBackup, needsPassphrase, RefusedBackup } from './access.ts'

/** A plain manifest is readable by every version. An encrypted one is an envelope: version 1.0.0, which did not encrypt
 *  manifests, recognises it as newer and leaves the directory alone. */
const [plainFormat, encryptedFormat] = [1, 2]

/** `bytes` and `sha256`: the size and the hash of the compressed and possibly encrypted file. `database_bytes`: the
 *  size of the database in it; version 1.0.0 did not record it. */
export type ArchivedFile = {
  file: string
  bytes: number
  sha256: string
  encrypted: boolean
  database_bytes?: number
}

/** A database file in a backup. `rows`: the number of rows per table. `schema`: the schema version. `made_at`: when the
 *  database was copied. `read_at`: when the file was last read and found intact; version 1.0.0 did not record it. */
export type ArchivedDatabase = ArchivedFile & {
  made_at: string
  read_at?: string
  schema: number
  rows: Record<string, number>
}

/** `seq`: the last change in the tenant's history. `fingerprint`: compared by --since-last to detect whether the tenant
 *  has changed. `verified_at`: when the tenant was last known to match the file. `engine`: the database engine that the
 *  tenant was on. */
export type ArchivedTenant = ArchivedDatabase &
  Pick<Tenant, 'id' | 'slug' | 'name' | 'state' | 'trial_ends' | 'created_at'> & {
    engine: 'sqlite' | 'postgres'
    seq: number
    fingerprint: string
    verified_at: string
  }

/** `catalog`: null if only single tenants were ever backed up to the directory. */
export type Manifest = {
  format: typeof plainFormat
  version: string
  made_at: string
  catalog: ArchivedDatabase | null
  tenants: ArchivedTenant[]
}

/** A manifest that has not been opened yet. `isEncrypted`: whether the backup's files are encrypted. `open` throws
 *  DamagedBackup and RefusedBackup. */
export type StoredManifest = { name: string; isEncrypted: boolean; open(access: BackupAccess): Promise<Manifest> }

/** Loads a manifest from a directory. Throws DamagedBackup, or UserError if a newer version wrote the manifest. */
export function loadManifest(directory: string, name: string): StoredManifest {
  const text = readText(join(directory, name))
  const stored = parse(text)
  if (Number(stored.format) > encryptedFormat)
    throw new UserError(`${name} was made by Tenantdesk ${stored.version}, which is newer than this one.`)
  if (stored.format === encryptedFormat) {
    const open = ({ passphrase }: BackupAccess) => decrypt(name, String(stored.content), passphrase)
    return { name, isEncrypted: true, open }
  }
  const manifest = requireUnchanged(stored as Manifest & { sha256: string }, text)
  const isEncrypted = filesOf(manifest).some(({ encrypted }) => encrypted)
  return { name, isEncrypted, open: async (access) => acceptPlain(directory, name, { manifest, isEncrypted }, access) }
}

function readText(path: string): string {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) // opening a named pipe would wait for its writer
    if (!fstatSync(descriptor).isFile()) throw new Error('it is not a file')
    return readFileSync(descriptor, 'utf8')
  } catch (error) {
    throw new DamagedBackup(`the manifest cannot be read: ${errorMessageOf(error)}`)
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // the message below
  }
  throw new DamagedBackup('the manifest is not JSON')
}

function requireUnchanged({ sha256, ...manifest }: Manifest & { sha256: string }, text: string): Manifest {
  if (manifest.format !== plainFormat || serialize(manifest) !== text)
    throw new DamagedBackup('the SHA-256 in the manifest does not match its content')
  return requireLocalFiles(manifest)
}

function requireLocalFiles(manifest: Manifest): Manifest {
  if (filesOf(manifest).every(({ file }) => /^[\w.-]+$/.test(file))) return manifest
  throw new DamagedBackup('the manifest names a file outside the backup')
}

/** A plain manifest may have been forged, so with a passphrase it is used only on request. */
function acceptPlain(
  directory: string,
  name: string,
  { manifest, isEncrypted }: { manifest: Manifest; isEncrypted: boolean },
  { passphrase, acceptUnencrypted, warn }: BackupAccess,
): Manifest {
  if (!passphrase) return manifest
  const reason = isEncrypted
    ? `its manifest was written by Tenantdesk ${manifest.version}, and the passphrase does not authenticate it`
    : 'it is not encrypted'
  if (!acceptUnencrypted)
    throw new RefusedBackup(`${reason}; add --accept-unencrypted if nobody else could write to the directory`)
  warn(`Warning: ${name} is used although ${reason}. Whoever could write to ${directory} may have changed it.`)
  return manifest
}

async function decrypt(name: string, content: string, passphrase: Passphrase | undefined): Promise<Manifest> {
  if (!passphrase) throw new RefusedBackup(needsPassphrase)
  try {
    const text = (await decryptBuffer(Buffer.from(content, 'base64'), passphrase)).toString()
    const { name: originalName, ...manifest } = JSON.parse(text) as Manifest & { name: string }
    if (originalName !== name) throw new DamagedBackup(`it is a copy of ${originalName} under another name`)
    return requireLocalFiles(manifest)
  } catch (error) {
    throw asBackupError(error)
  }
}

/** The last member is the SHA-256 of the other members, so that any changed byte is detected. */
function serialize(manifest: Manifest): string {
  const sha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
  return `${JSON.stringify({ ...manifest, sha256 }, null, 2)}\n`
}

/** The name is encrypted with the content, so that an old manifest cannot pass for a newer one. */
async function encrypt(name: string, manifest: Manifest, passphrase: Passphrase): Promise<string> {
  const content = await encryptBuffer(Buffer.from(JSON.stringify({ name, ...manifest })), passphrase)
  return `${JSON.stringify({ format: encryptedFormat, version, content: content.toString('base64') }, null, 2)}\n`
}

/** Writes the manifest under a temporary name and renames it. From then on, the backup exists. */
export async function writeManifest(
  directory: string,
  name: string,
  content: Omit<Manifest, 'format' | 'version'>,
  passphrase: Passphrase | undefined,
): Promise<Manifest> {
  const manifest: Manifest = { format: plainFormat, version, ...content }
  writeDurably(join(directory, name), passphrase ? await encrypt(name, manifest, passphrase) : serialize(manifest))
  return manifest
}

/** Returns the files that a backup consists of. */
export function filesOf({ catalog, tenants }: Pick<Manifest, 'catalog' | 'tenants'>): ArchivedDatabase[] {
  return catalog ? [catalog, ...tenants] : tenants
}

const namePattern = /^backup-(\d{8}T\d{9}Z)\.json$/

/** Returns the names of all manifests in a directory, newest first: they contain the times of the backups. Throws
 *  UserError if the directory has none or cannot be read. */
export function listManifests(directory: string): string[] {
  const names = namesIn(directory)
  if (names.length === 0) throw new UserError(`There is no backup in ${directory}.`)
  return names
}

/** Like `listManifests`, but returns an empty list if the directory is missing or has no manifests. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => namePattern.test(name))
      .sort()
      .reverse()
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return []
    throw new UserError(`${directory} cannot be read: ${errorMessageOf(error)}.`)
  }
}

/** Returns the next backup's timestamp: later than that of the newest readable manifest, even if the clock was set
 *  back. */
export function nextStamp(newestName: string | undefined, now: Date): string {
  const newest = newestName === undefined ? '' : namePattern.exec(newestName)![1]!
  const stamp = stampOf(now)
  return stamp <= newest ? stampOf(new Date(timeOf(newest) + 1)) : stamp
}

export function manifestName(stamp: string): string {
  return `backup-${stamp}.json`
}

/** Returns a timestamp such as `20261123T031500123Z`. */
function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[-:.]/g, '')
}

function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/^(....)(..)(..T..)(..)(..)(...Z)$/, '$1-$2-$3:$4:$5.$6'))
}

export function timeInName(name: string): string {
  return new Date(timeOf(namePattern.exec(name)![1]!)).toISOString()
}

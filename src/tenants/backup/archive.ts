// Writes and reads backup files, each of which contains a database file, compressed and possibly encrypted. Each file
// that is written is verified by reading it back.

import { createHash } from 'node:crypto'
import { constants, createReadStream, createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { errorCodeOf, errorMessageOf } from '../../lib/errors.ts'
import { formatBytes, readDiskSpace } from '../../lib/files/files.ts'
import {
  decryptChunks,
  encryptChunks,
  type Passphrase,
  requireEncryptedWith,
} from '../../lib/files/passphrase-encryption.ts'
import { UserError } from '../../lib/user-error.ts'
import { asBackupError, type BackupAccess, DamagedBackup, needsPassphrase, RefusedBackup } from './access.ts'
import { requireIntact } from './database-file.ts'
import { filesFolder } from './directory.ts'
import type { ArchivedDatabase, ArchivedFile, ArchivedTenant } from './manifest.ts'

const readSize = { highWaterMark: 256 * 1024 }

/** Compresses a file, encrypts it if there is a passphrase, and syncs the result to disk. */
async function writeArchive(
  source: string,
  target: string,
  passphrase: Passphrase | undefined,
): Promise<Omit<ArchivedFile, 'file'>> {
  const hash = createHash('sha256')
  let bytes = 0
  const measure = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      bytes += chunk.length
      yield chunk
    }
  }
  const encrypt = (chunks: AsyncIterable<Buffer>) => (passphrase ? encryptChunks(chunks, passphrase) : chunks)
  await pipeline(
    createReadStream(source, readSize),
    createZstdCompress(),
    (chunks: AsyncIterable<Buffer>) => measure(encrypt(chunks)),
    createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true }),
  )
  const database_bytes = statSync(source).size
  return { bytes, sha256: hash.digest('hex'), encrypted: passphrase !== undefined, database_bytes }
}

/** Decrypts and decompresses a file, and verifies its SHA-256. Never writes more than the database's size, or than the
 *  disk has space for. Throws DamagedBackup, RefusedBackup, and UserError if there is not enough space. */
export async function readArchive(
  path: string,
  archived: ArchivedFile,
  target: string,
  access: Pick<BackupAccess, 'passphrase' | 'acceptUnencrypted'>,
): Promise<void> {
  const { passphrase, acceptUnencrypted } = access
  if (archived.encrypted && !passphrase) throw new RefusedBackup(needsPassphrase)
  if (!archived.encrypted && passphrase && !acceptUnencrypted) throw new RefusedBackup('it is not encrypted')
  await requireOpens(path, archived, passphrase)
  const maxBytes = await requireSpace(dirname(target), archived.database_bytes)
  const decrypt = (chunks: AsyncIterable<Buffer>) => (archived.encrypted ? decryptChunks(chunks, passphrase!) : chunks)
  await using file = await openBackupFile(path)
  try {
    await pipeline(
      file.createReadStream({ ...readSize, autoClose: false }),
      (chunks: AsyncIterable<Buffer>) => decrypt(withSameHash(chunks, archived)),
      createZstdDecompress(),
      (chunks: AsyncIterable<Buffer>) => withMaxBytes(chunks, maxBytes),
      createWriteStream(target, { flags: 'wx', mode: 0o600 }),
    )
  } catch (error) {
    throw asBackupError(error)
  }
}

/** Opens a file for reading. Throws DamagedBackup. */
async function openBackupFile(path: string): Promise<FileHandle> {
  let file: FileHandle | undefined
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK) // opening a named pipe would wait for its writer
    if (!(await file.stat()).isFile()) throw new Error('it is not a file')
    return file
  } catch (error) {
    await file?.close()
    if (errorCodeOf(error) === 'ENOENT') throw new DamagedBackup('the file is missing')
    throw new DamagedBackup(`the file cannot be read: ${errorMessageOf(error)}`)
  }
}

/** Passes the chunks of a file on. Throws DamagedBackup at the end, or earlier if the file is too long. */
async function* withSameHash(chunks: AsyncIterable<Buffer>, { bytes, sha256 }: ArchivedFile): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let length = 0
  for await (const chunk of chunks) {
    hash.update(chunk)
    length += chunk.length
    if (length > bytes) break
    yield chunk
  }
  if (length !== bytes || hash.digest('hex') !== sha256)
    throw new DamagedBackup('the SHA-256 does not match the manifest')
}

async function* withMaxBytes(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > maxBytes) throw new DamagedBackup('the database in it is larger than the manifest says')
    yield chunk
  }
}

/** The share of the free disk space that an extracted database may fill. */
const maxShareOfFreeSpace = 0.9

/** Returns the largest size that a database extracted to this directory may have. `expectedBytes`: its size, if it is
 *  known. Throws UserError if there is not enough space. */
async function requireSpace(directory: string, expectedBytes: number | undefined): Promise<number> {
  const { freeBytes } = await readDiskSpace(directory)
  const maxBytes = freeBytes * maxShareOfFreeSpace
  if (expectedBytes === undefined) return maxBytes
  if (expectedBytes > maxBytes)
    throw new UserError(
      `${directory} has only ${formatBytes(freeBytes)} of free space, too little for a database of ${formatBytes(expectedBytes)}.`,
    )
  return expectedBytes
}

/** Opens a file, and compares its passphrase and size with the manifest. Throws DamagedBackup and RefusedBackup. */
export async function requireOpens(
  path: string,
  { bytes, encrypted }: ArchivedFile,
  passphrase: Passphrase | undefined,
): Promise<void> {
  await using file = await openBackupFile(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0)
  if (encrypted && passphrase)
    await requireEncryptedWith(buffer.subarray(0, bytesRead), passphrase).catch((error) => {
      throw asBackupError(error)
    })
  const { size } = await file.stat()
  if (size !== bytes) throw new DamagedBackup(`the file has ${size} bytes, not ${bytes}`)
}

/** Reads a whole file, and compares its SHA-256 with the manifest. Throws DamagedBackup. */
export async function requireSameHash(path: string, archived: ArchivedFile): Promise<void> {
  await using file = await openBackupFile(path)
  try {
    for await (const _ of withSameHash(file.createReadStream({ ...readSize, autoClose: false }), archived));
  } catch (error) {
    if (error instanceof DamagedBackup) throw error
    throw new DamagedBackup(`the file cannot be read: ${errorMessageOf(error)}`)
  }
}

/** `directory`: the backup directory. `stamp`: the part of the file names that identifies the backup. `scratch`: a
 *  directory for temporary files. */
export type ArchiveTarget = { directory: string; passphrase: Passphrase | undefined; stamp: string; scratch: string }

/** Writes a backup file under a temporary name, and verifies the file as `tenantdesk verify` does. `createEntry`
 *  receives a function that writes a database to the file. It returns the manifest entry. */
export async function writeVerified<Entry extends ArchivedDatabase>(
  { directory, passphrase, stamp, scratch }: ArchiveTarget,
  name: string,
  createEntry: (write: (database: string) => Promise<ArchivedFile>) => Promise<Entry>,
): Promise<Entry> {
  const file = `${name}-${stamp}.sqlite.zst${passphrase ? '.enc' : ''}`
  const path = join(directory, filesFolder, file)
  const temporaryPath = `${path}.tmp`
  try {
    const entry = await createEntry(async (database) => ({
      file,
      ...(await writeArchive(database, temporaryPath, passphrase)),
    }))
    await verifyArchive(temporaryPath, entry, scratch, { passphrase, acceptUnencrypted: false })
    renameSync(temporaryPath, path)
    return entry
  } finally {
    rmSync(temporaryPath, { force: true })
  }
}

/** Reads a backup file, and checks the database in it. Throws DamagedBackup, RefusedBackup and UserError. */
export async function verifyArchive(
  path: string,
  archived: ArchivedDatabase | ArchivedTenant,
  scratch: string,
  access: Pick<BackupAccess, 'passphrase' | 'acceptUnencrypted'>,
): Promise<void> {
  const copy = join(scratch, 'verified.sqlite')
  try {
    await readArchive(path, archived, copy, access)
    requireIntact(copy, archived, 'seq' in archived ? archived : undefined)
  } finally {
    rmSync(copy, { force: true })
  }
}

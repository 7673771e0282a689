// Writes and reads backup files. Each contains a database file, compressed and possibly encrypted.

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import {
  DamagedEncryption,
  decryptChunks,
  encryptChunks,
  isEncryptedWith,
  type Passphrase,
  WrongPassphrase,
} from '../../lib/files/passphrase-encryption.ts'
import { UserError } from '../../lib/user-error.ts'

/** `bytes` and `sha256`: the size and the hash of the compressed and possibly encrypted file. */
export type ArchivedFile = { file: string; bytes: number; sha256: string; encrypted: boolean }

/** A backup file is missing or damaged. The message states the problem. */
export class DamagedBackup extends Error {}

const readSize = { highWaterMark: 256 * 1024 }

/** Compresses a file, encrypts it if there is a passphrase, and syncs the result to disk. */
export async function writeArchive(
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
  return { bytes, sha256: hash.digest('hex'), encrypted: passphrase !== undefined }
}

/** Verifies a file's SHA-256, and then decrypts and decompresses the file. Throws DamagedBackup, and UserError for a
 *  missing or wrong passphrase. */
export async function readArchive(
  path: string,
  archived: ArchivedFile,
  target: string,
  passphrase: Passphrase | undefined,
): Promise<void> {
  await requireSameHash(path, archived)
  if (archived.encrypted && !passphrase)
    throw new UserError('The backup is encrypted: give its passphrase with --passphrase-file FILE.')
  const decrypt = (chunks: AsyncIterable<Buffer>) => (archived.encrypted ? decryptChunks(chunks, passphrase!) : chunks)
  try {
    await pipeline(
      createReadStream(path, readSize),
      decrypt,
      createZstdDecompress(),
      createWriteStream(target, { flags: 'wx', mode: 0o600 }),
    )
  } catch (error) {
    if (error instanceof WrongPassphrase) throw new UserError('This is not the passphrase of this backup.')
    const isDamage = error instanceof DamagedEncryption || `${(error as NodeJS.ErrnoException).code}`.startsWith('ZSTD')
    throw isDamage ? new DamagedBackup((error as Error).message) : error
  }
}

async function requireSameHash(path: string, { bytes, sha256 }: ArchivedFile): Promise<void> {
  const hash = createHash('sha256')
  let length = 0
  try {
    for await (const chunk of createReadStream(path, readSize)) {
      hash.update(chunk)
      length += chunk.length
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new DamagedBackup('the file is missing')
    throw new DamagedBackup(`the file cannot be read: ${(error as Error).message}`)
  }
  if (length !== bytes || hash.digest('hex') !== sha256)
    throw new DamagedBackup('the SHA-256 does not match the manifest')
}

/** Whether the file is encrypted with this passphrase, or unencrypted if there is no passphrase. Reads only the
 *  beginning of the file. */
export async function canOpen(path: string, encrypted: boolean, passphrase: Passphrase | undefined): Promise<boolean> {
  if (!encrypted || !passphrase) return !encrypted && !passphrase
  try {
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0)
    return await isEncryptedWith(buffer.subarray(0, bytesRead), passphrase)
  } catch {
    return false
  }
}

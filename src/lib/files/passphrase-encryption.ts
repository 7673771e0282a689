// Encrypts and decrypts files with a passphrase. scrypt derives a master key from the passphrase, and HKDF derives a
// key for each file from the master key. AES-256-GCM encrypts the file in chunks, so that files of any size take little
// memory. Decryption detects chunks that were changed, moved, omitted or truncated.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'

export class WrongPassphrase extends Error {}

/** The file was changed or truncated, or this program did not encrypt it. */
export class DamagedEncryption extends Error {}

/** Derives keys from one passphrase, once per salt, since each derivation takes a quarter of a second. `salt`: the salt
 *  used for new files. It may be the salt of earlier files, since each file also has a salt of its own. */
export type Passphrase = { deriveKey(salt: Buffer): Promise<Buffer>; salt: Buffer }

/** The header: the format, the passphrase's salt, the file's salt, and a value that reveals a wrong
 *  passphrase. */
const magic = Buffer.from('tenantdesk-enc1\n')
const saltBytes = 16
const headerBytes = magic.length + 3 * saltBytes

const chunkBytes = 65_536
const tagBytes = 16
const cipher = 'aes-256-gcm'

/** The scrypt parameters that OWASP recommends for 32 MB of memory. */
const scryptCost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }

export function createPassphrase(text: string): Passphrase {
  const keys = new Map<string, Promise<Buffer>>()
  return {
    salt: randomBytes(saltBytes),
    deriveKey(salt) {
      const name = salt.toString('hex')
      const key = keys.get(name) ?? (promisify(scrypt) as typeof scryptAsync)(text.normalize(), salt, 32, scryptCost)
      keys.set(name, key)
      return key
    },
  }
}

declare function scryptAsync(text: string, salt: Buffer, length: number, cost: typeof scryptCost): Promise<Buffer>

export async function* encryptChunks(source: AsyncIterable<Buffer>, passphrase: Passphrase): AsyncGenerator<Buffer> {
  const fileSalt = randomBytes(saltBytes)
  const master = await passphrase.deriveKey(passphrase.salt)
  const header = Buffer.concat([magic, passphrase.salt, fileSalt, checkOf(master, fileSalt)])
  const key = keyOf(master, fileSalt)
  yield header
  let counter = 0
  for await (const { chunk, isLast } of splitIntoChunks(source, chunkBytes)) {
    const encryptor = createCipheriv(cipher, key, nonceOf(counter++, isLast)).setAAD(header)
    yield Buffer.concat([encryptor.update(chunk), encryptor.final(), encryptor.getAuthTag()])
  }
}

/** Decrypts a stream. Throws WrongPassphrase and DamagedEncryption. */
export async function* decryptChunks(source: AsyncIterable<Buffer>, passphrase: Passphrase): AsyncGenerator<Buffer> {
  let file: { header: Buffer; key: Buffer } | undefined
  let counter = 0
  for await (const { chunk, isLast } of splitIntoChunks(source, chunkBytes + tagBytes, headerBytes)) {
    if (!file) {
      file = await readHeader(chunk, passphrase)
      continue
    }
    if (chunk.length < tagBytes) throw new DamagedEncryption('the file is cut off')
    const decryptor = createDecipheriv(cipher, file.key, nonceOf(counter++, isLast)).setAAD(file.header)
    decryptor.setAuthTag(chunk.subarray(-tagBytes))
    yield decrypt(decryptor, chunk.subarray(0, -tagBytes))
  }
  if (counter === 0) throw new DamagedEncryption('the file is cut off')
}

function decrypt(decryptor: { update(chunk: Buffer): Buffer; final(): Buffer }, chunk: Buffer): Buffer {
  try {
    return Buffer.concat([decryptor.update(chunk), decryptor.final()])
  } catch {
    throw new DamagedEncryption('the file was changed')
  }
}

/** Throws WrongPassphrase and DamagedEncryption. */
async function readHeader(header: Buffer, passphrase: Passphrase): Promise<{ header: Buffer; key: Buffer }> {
  if (header.length < headerBytes || !header.subarray(0, magic.length).equals(magic))
    throw new DamagedEncryption('the file was not encrypted by this program')
  const [salt, fileSalt, check] = [0, 1, 2].map((index) =>
    header.subarray(magic.length + index * saltBytes, magic.length + (index + 1) * saltBytes),
  ) as [Buffer, Buffer, Buffer]
  const master = await passphrase.deriveKey(salt)
  if (!timingSafeEqual(check, checkOf(master, fileSalt))) throw new WrongPassphrase('the passphrase is wrong')
  return { header, key: keyOf(master, fileSalt) }
}

/** `start`: the beginning of a file. Throws WrongPassphrase and DamagedEncryption if the file's header does not show
 *  that it was encrypted with this passphrase. */
export async function requireEncryptedWith(start: Buffer, passphrase: Passphrase): Promise<void> {
  await readHeader(start.subarray(0, headerBytes), passphrase)
}

/** Encrypts a value that fits into memory. */
export async function encryptBuffer(content: Buffer, passphrase: Passphrase): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(encryptChunks(Readable.from([content]), passphrase)))
}

/** Throws WrongPassphrase and DamagedEncryption. From now on, new files share the derived key. */
export async function decryptBuffer(encrypted: Buffer, passphrase: Passphrase): Promise<Buffer> {
  const content = Buffer.concat(await Array.fromAsync(decryptChunks(Readable.from([encrypted]), passphrase)))
  passphrase.salt = Buffer.from(encrypted.subarray(magic.length, magic.length + saltBytes))
  return content
}

function keyOf(master: Buffer, fileSalt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', master, fileSalt, 'tenantdesk file', 32))
}

function checkOf(master: Buffer, fileSalt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', master, fileSalt, 'tenantdesk check', saltBytes))
}

/** Each key encrypts one file, so no nonce is used twice. The last chunk is marked, so that a missing end is
 *  detected. */
function nonceOf(counter: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(counter), 0)
  nonce.writeUInt8(isLast ? 1 : 0, 8)
  return nonce
}

/** Splits a stream into chunks of `size` bytes, the first of `firstSize` bytes. The last chunk may be shorter. Even an
 *  empty stream has a last chunk. */
async function* splitIntoChunks(
  source: AsyncIterable<Buffer>,
  size: number,
  firstSize = size,
): AsyncGenerator<{ chunk: Buffer; isLast: boolean }> {
  let rest: Buffer = Buffer.alloc(0)
  let nextSize = firstSize
  for await (const piece of source) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    let offset = 0
    while (rest.length - offset > nextSize) {
      yield { chunk: rest.subarray(offset, offset + nextSize), isLast: false }
      offset += nextSize
      nextSize = size
    }
    rest = rest.subarray(offset)
  }
  yield { chunk: rest, isLast: true }
}

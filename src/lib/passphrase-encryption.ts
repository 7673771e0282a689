// Files encrypted with a passphrase: scrypt derives a key from it, HKDF a key for each file, and AES-256-GCM encrypts the file in
// chunks, so that files of any size take little memory. A chunk cannot be changed, moved, left out or cut off without notice.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** The passphrase is not the one that the file was encrypted with. */
export class WrongPassphrase extends Error {}

/** The file was changed or cut off. */
export class DamagedEncryption extends Error {}

/** Derives keys from one passphrase, once per salt: that takes a quarter of a second. */
export type Passphrase = { deriveKey(salt: Buffer): Promise<Buffer>; salt: Buffer }

/** The header: what the format is, the salt of the passphrase, the salt of the file, and a value that reveals a wrong passphrase. */
const magic = Buffer.from('tenantdesk-enc1\n')
const saltBytes = 16
const headerBytes = magic.length + 3 * saltBytes

const chunkBytes = 65_536
const tagBytes = 16
const cipher = 'aes-256-gcm'

/** OWASP's recommendation for 32 MB. */
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

/** Encrypts a stream. */
export async function* encryptChunks(source: AsyncIterable<Buffer>, passphrase: Passphrase): AsyncGenerator<Buffer> {
  const fileSalt = randomBytes(saltBytes)
  const master = await passphrase.deriveKey(passphrase.salt)
  const header = Buffer.concat([magic, passphrase.salt, fileSalt, checkOf(master, fileSalt)])
  const key = keyOf(master, fileSalt)
  yield header
  let counter = 0
  for await (const { chunk, isLast } of inChunks(source, chunkBytes)) {
    const sealing = createCipheriv(cipher, key, nonceOf(counter++, isLast)).setAAD(header)
    yield Buffer.concat([sealing.update(chunk), sealing.final(), sealing.getAuthTag()])
  }
}

/** Decrypts a stream. Throws WrongPassphrase, DamagedEncryption. */
export async function* decryptChunks(source: AsyncIterable<Buffer>, passphrase: Passphrase): AsyncGenerator<Buffer> {
  let opened: { header: Buffer; key: Buffer } | undefined
  let counter = 0
  for await (const { chunk, isLast } of inChunks(source, chunkBytes + tagBytes, headerBytes)) {
    if (!opened) {
      opened = await readHeader(chunk, passphrase)
      continue
    }
    if (chunk.length < tagBytes) throw new DamagedEncryption('the file is cut off')
    const opening = createDecipheriv(cipher, opened.key, nonceOf(counter++, isLast)).setAAD(opened.header)
    opening.setAuthTag(chunk.subarray(-tagBytes))
    yield decrypt(opening, chunk.subarray(0, -tagBytes))
  }
  if (counter === 0) throw new DamagedEncryption('the file is cut off')
}

function decrypt(opening: { update(chunk: Buffer): Buffer; final(): Buffer }, chunk: Buffer): Buffer {
  try {
    return Buffer.concat([opening.update(chunk), opening.final()])
  } catch {
    throw new DamagedEncryption('the file was changed')
  }
}

/** Throws WrongPassphrase, DamagedEncryption. */
async function readHeader(header: Buffer, passphrase: Passphrase): Promise<{ header: Buffer; key: Buffer }> {
  if (header.length < headerBytes || !header.subarray(0, magic.length).equals(magic))
    throw new DamagedEncryption('the file is not encrypted by this program')
  const [salt, fileSalt, check] = [0, 1, 2].map((at) =>
    header.subarray(magic.length + at * saltBytes, magic.length + (at + 1) * saltBytes),
  ) as [Buffer, Buffer, Buffer]
  const master = await passphrase.deriveKey(salt)
  if (!timingSafeEqual(check, checkOf(master, fileSalt))) throw new WrongPassphrase('the passphrase is wrong')
  return { header, key: keyOf(master, fileSalt) }
}

/** Whether the header of a file shows that it was encrypted with this passphrase. */
export async function isEncryptedWith(header: Buffer, passphrase: Passphrase): Promise<boolean> {
  return readHeader(header.subarray(0, headerBytes), passphrase).then(
    () => true,
    () => false,
  )
}

function keyOf(master: Buffer, fileSalt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', master, fileSalt, 'tenantdesk file', 32))
}

function checkOf(master: Buffer, fileSalt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', master, fileSalt, 'tenantdesk check', saltBytes))
}

/** A key encrypts one file, so a counter is never used twice. The last chunk is marked, so that a file cannot end early. */
function nonceOf(counter: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeBigUInt64BE(BigInt(counter), 0)
  nonce.writeUInt8(isLast ? 1 : 0, 8)
  return nonce
}

/** Cuts a stream into chunks of `size` bytes, the last of which may be shorter; `first`: the size of the first chunk, which is never
 *  the last unless the stream ends there. There is always a last chunk. */
async function* inChunks(
  source: AsyncIterable<Buffer>,
  size: number,
  first = 0,
): AsyncGenerator<{ chunk: Buffer; isLast: boolean }> {
  let rest: Buffer = Buffer.alloc(0)
  let wanted = first || size
  for await (const piece of source) {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    let at = 0
    while (rest.length - at > wanted) {
      yield { chunk: rest.subarray(at, at + wanted), isLast: false }
      at += wanted
      wanted = size
    }
    rest = rest.subarray(at)
  }
  yield { chunk: rest, isLast: true }
}

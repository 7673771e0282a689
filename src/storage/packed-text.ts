// Long texts are stored compressed: the response to a bulk request repeats the same field names a thousand times. The operation
// compresses in its transaction, so it must be fast: zstd at its lowest level takes 2 ms for a megabyte.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** Shorter texts stay as they are: a record takes 600 bytes, and 0.1 ms of each write would be too much. */
const packFromLength = 4096

/** No JSON begins like this. */
export const packedPrefix = 'zstd:'

const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export function packText(text: string): string {
  if (text.length <= packFromLength) return text
  return packedPrefix + zstdCompressSync(text, options).toString('base64')
}

export function unpackText(stored: string): string {
  if (!stored.startsWith(packedPrefix)) return stored
  return zstdDecompressSync(Buffer.from(stored.slice(packedPrefix.length), 'base64')).toString()
}

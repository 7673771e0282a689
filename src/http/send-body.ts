// Sends the body of a JSON, CSV or NDJSON response. Compresses long bodies with zstd, Brotli or gzip, as
// Accept-Encoding allows (contract §27). A compressed response keeps the ETag of the uncompressed one, because an ETag
// names the version of a record. Panel pages are never compressed, because of the BREACH attack: an attacker makes a
// browser open a page that contains words chosen by the attacker, and infers the page's secrets from the length of the
// compressed response. API responses are safe from this attack, because a browser does not send API keys by itself.

import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { TooSlow, Unavailable } from '../engine/database/database.ts'
import { Problem } from '../problem.ts'

/** Returns a promise if the body has to be compressed first. Does not return the reply, because a reply is a promise
 *  that waits until the client has received the response. */
export function sendBody(reply: FastifyReply, body: string | Readable): Promise<void> | undefined {
  if (typeof body === 'string' && isTooShort(body)) return void reply.send(body)
  const encoding = chooseEncoding(reply.request.raw.headers['accept-encoding'])
  if (encoding) return typeof body === 'string' ? sendText(reply, body, encoding) : sendFile(reply, body, encoding)
  varyByEncoding(reply)
  if (typeof body === 'string') reply.send(body)
  else sendStream(reply, body)
  return undefined
}

async function sendText(reply: FastifyReply, text: string, encoding: ContentEncoding): Promise<void> {
  const bytes = await compress(text, encoding)
  varyByEncoding(reply).header('content-encoding', encoding).send(bytes)
}

async function sendFile(reply: FastifyReply, body: Readable, encoding: ContentEncoding): Promise<void> {
  const shortText = await readShortText(body)
  if (shortText !== null) reply.send(shortText)
  else {
    varyByEncoding(reply).header('content-encoding', encoding)
    sendStream(reply, body, (stream) => compressStream(stream, encoding))
  }
}

/** A connection that transmits no data for this long is closed. */
const stalledAfterMs = 60_000

/** Sends a body that is a stream. If the stream fails, the connection is closed without the last chunk, so that the
 *  client detects that the response is incomplete. For HEAD, sends a response without a body and destroys the stream
 *  unread. `encode`: converts the stream before it is sent. */
export function sendStream(
  reply: FastifyReply,
  body: Readable,
  encode: (body: Readable) => Readable = (stream) => stream,
): FastifyReply {
  const { request } = reply
  if (request.method === 'HEAD') {
    body.destroy()
    return reply.send()
  }
  body.once('error', (error) => {
    reply.problem = problemOf(error)
    if (reply.problem.code === 'internal_error')
      request.log.error({ requestId: request.id, err: error }, 'a stream failed')
  })
  reply.raw.setTimeout(stalledAfterMs, () => reply.raw.destroy())
  return reply.send(encode(body))
}

/** Returns the problem for the request log. The problem cannot be sent, because the response has already started. */
function problemOf(cause: Error): Problem {
  if (cause instanceof Problem) return cause
  if (cause instanceof Unavailable) return new Problem('tenant_unavailable', { cause })
  return cause instanceof TooSlow ? new Problem('query_too_slow', { cause }) : new Problem('internal_error')
}

/** In the order of preference: at their lowest levels, zstd makes a page of a list smallest. */
const encodings = ['zstd', 'br', 'gzip'] as const

export type ContentEncoding = (typeof encodings)[number]

/** Shorter bodies are sent as they are, because compressing them saves less than a packet. */
const minBytes = 1024

/** A page of 200 records has about 80 KB and takes 0.3 ms to compress. Longer bodies are compressed on another thread,
 *  which takes 0.1 ms more. */
const maxBlockingLength = 131_072

const { constants } = zlib

/** The lowest useful levels, which compress records 8 to 10 times at 300 MB/s. The window of Brotli is reduced, so that
 *  a stream takes less than 1 MB of memory. */
const fast = {
  zstd: { params: { [constants.ZSTD_c_compressionLevel]: 1 } },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  gzip: { level: 1 },
}

/** For texts that are compressed once and sent many times. */
const small = {
  zstd: { params: { [constants.ZSTD_c_compressionLevel]: 15 } },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } },
  gzip: { level: 9 },
}

/** `stream` passes everything on immediately, so that the client receives each page of an export as soon as it has been
 *  read. */
const codecs = {
  zstd: {
    sync: (text: string) => zlib.zstdCompressSync(text, fast.zstd),
    async: (text: string) => promisify(zlib.zstdCompress)(text, fast.zstd),
    stream: () => zlib.createZstdCompress({ ...fast.zstd, flush: constants.ZSTD_e_flush }),
    small: (text: string) => zlib.zstdCompressSync(text, small.zstd),
  },
  br: {
    sync: (text: string) => zlib.brotliCompressSync(text, fast.br),
    async: (text: string) => promisify(zlib.brotliCompress)(text, fast.br),
    stream: () => zlib.createBrotliCompress({ ...fast.br, flush: constants.BROTLI_OPERATION_FLUSH }),
    small: (text: string) => zlib.brotliCompressSync(text, small.br),
  },
  gzip: {
    sync: (text: string) => zlib.gzipSync(text, fast.gzip),
    async: (text: string) => promisify(zlib.gzip)(text, fast.gzip),
    stream: () => zlib.createGzip({ ...fast.gzip, flush: constants.Z_SYNC_FLUSH }),
    small: (text: string) => zlib.gzipSync(text, small.gzip),
  },
}

/** Returns the encoding that the client prefers (RFC 9110 §12.5.3), or null if it accepts none of ours or prefers an
 *  uncompressed response. `*` stands for gzip, which every client knows. */
export function chooseEncoding(acceptEncoding: string | undefined): ContentEncoding | null {
  if (acceptEncoding === undefined) return null
  const weights = new Map<string, number>()
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)) || 0)
  }
  const weightOf = (name: ContentEncoding) => weights.get(name) ?? (name === 'gzip' ? weights.get('*') : undefined) ?? 0
  const best = encodings.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one))
  return weightOf(best) > 0 && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null
}

/** The comparisons of lengths save measuring the text of most responses. A character takes 1 to 3 bytes. */
function isTooShort(text: string): boolean {
  if (text.length >= minBytes) return false
  return text.length < minBytes / 3 || Buffer.byteLength(text) < minBytes
}

/** Tells caches that the response depends on Accept-Encoding. */
export function varyByEncoding(reply: FastifyReply): FastifyReply {
  const others = reply.getHeader('vary') // of CORS
  return reply.header('vary', others ? `${others}, Accept-Encoding` : 'Accept-Encoding')
}

/** Compresses a text that is sent many times. */
export function compressSmall(text: string, encoding: ContentEncoding): Buffer {
  return codecs[encoding].small(text)
}

/** Compresses a text that is sent once. */
export function compress(text: string, encoding: ContentEncoding): Buffer | Promise<Buffer> {
  return text.length > maxBlockingLength ? codecs[encoding].async(text) : codecs[encoding].sync(text)
}

/** An error of `body` also ends the compressed stream. If the client disconnects, both streams end without an error,
 *  unlike those of stream.pipeline. */
export function compressStream(body: Readable, encoding: ContentEncoding): Readable {
  const compressed = codecs[encoding].stream()
  body.once('error', (error) => compressed.destroy(error))
  compressed.once('close', () => body.destroy())
  return body.pipe(compressed)
}

/** If the stream's text is too short to compress, returns the text. Otherwise returns null and puts back what was read.
 *  Throws the stream's error. */
async function readShortText(body: Readable): Promise<string | null> {
  let text = ''
  while (isTooShort(text)) {
    const chunk = body.read()
    if (chunk !== null) text += chunk
    else if (!(await hasMore(body))) return text
  }
  body.unshift(text)
  return null
}

/** Waits until more can be read from the stream, or until it ends. */
async function hasMore(body: Readable): Promise<boolean> {
  if (body.readableEnded) return false
  const other = new AbortController() // removes the listener for the event that does not occur
  const [readable, end] = ['readable', 'end'].map((event) => once(body, event, other))
  const result = await Promise.race([readable!.then(() => true), end!.then(() => false)])
  other.abort()
  return result
}

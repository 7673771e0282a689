// Public static assets: a fixed table of paths, each with its body and entity tag. Assets are compressed once; they
// contain no secrets. Pages are never compressed, because of the BREACH attack: an attacker makes a browser open a page
// that contains words chosen by the attacker, and infers the page's secrets from the length of the compressed response.

import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../problem.ts'
import { isKnown } from './headers.ts'

export type Asset = { body: string; gzipped: Buffer; headers: Record<string, string> }

/** Assets by path, from the server's root. Each asset is created on its first request. */
export type Assets = ReadonlyMap<string, () => Asset>

/** Returns a function that creates the value on its first call and returns the same value afterwards. */
export function lazily<T extends object>(create: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= create()
    return value
  }
}

/** By default, clients may cache an asset but must revalidate it each time. `headers`: additional headers, which take
 *  precedence over the default ones. */
export function asset(type: string, body: string, headers: Record<string, string> = {}): Asset {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  const allHeaders = { 'content-type': type, 'cache-control': 'no-cache', etag, ...headers }
  return { body, gzipped: gzipSync(body, { level: 9 }), headers: allHeaders }
}

/** Throws `method_not_allowed` for methods other than GET and HEAD. */
export function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { body, gzipped, headers } = asset
  if (!['GET', 'HEAD'].includes(request.method)) {
    throw new Problem('method_not_allowed', { headers: { allow: 'GET, HEAD' } })
  }
  const isGzipped = acceptsGzip.test(request.headers['accept-encoding']?.toString() ?? '')
  const vary = [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ')
  const etag = isGzipped ? headers.etag!.replace(/"$/, '-gzip"') : headers.etag!
  reply.headers({ ...headers, vary, etag })
  if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
  if (!isGzipped) return reply.code(200).send(body)
  return reply.code(200).header('content-encoding', 'gzip').send(gzipped)
}

/** Matches an Accept-Encoding header that lists gzip, except with `q=0`, which means that the client refuses gzip. */
const acceptsGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i

// Public static assets: a fixed table of paths, each with its body and entity tag. Each encoding of an asset is created
// on its first request.

import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { Problem } from '../problem.ts'
import { isKnown } from './headers.ts'
import { type ContentEncoding, chooseEncoding, compressSmall, varyByEncoding } from './send-body.ts'

export type Asset = { body: string; compressed: Map<ContentEncoding, Buffer>; headers: Record<string, string> }

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
  return { body, compressed: new Map(), headers: allHeaders }
}

/** Throws `method_not_allowed` for methods other than GET and HEAD. */
export function sendAsset(asset: Asset, reply: FastifyReply): FastifyReply {
  const { request } = reply
  const { body, headers, compressed } = asset
  if (!['GET', 'HEAD'].includes(request.method)) {
    throw new Problem('method_not_allowed', { headers: { allow: 'GET, HEAD' } })
  }
  varyByEncoding(reply.headers(headers))
  if (isKnown(headers.etag!, request.headers['if-none-match'])) return reply.code(304).send()
  const encoding = chooseEncoding(request.headers['accept-encoding']?.toString())
  reply.code(200)
  if (!encoding) return reply.send(body)
  const bytes = compressed.get(encoding) ?? compressSmall(body, encoding)
  compressed.set(encoding, bytes)
  return reply.header('content-encoding', encoding).send(bytes)
}

// Public static assets: a fixed table of paths, each with its body and entity tag.
//
// They are compressed once. Pages are not: whoever can make a browser open one with words of their choice could read
// its secrets from the length of compressed responses (the BREACH attack). A stylesheet has no secrets.

import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../problem.ts'
import { isKnown } from './headers.ts'

export type Asset = { body: string; zipped: Buffer; headers: Record<string, string> }

/** Assets by path from the root of the server. Each is created at its first request. */
export type Assets = ReadonlyMap<string, () => Asset>

/** Creates a value at the first call and returns the same one from then on. */
export function lazily<T extends object>(create: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= create()
    return value
  }
}

/** Clients may cache an asset but must revalidate it each time. */
export function asset(type: string, body: string, headers: Record<string, string> = {}): Asset {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  const all = { 'content-type': type, 'cache-control': 'no-cache', etag, ...headers }
  return { body, zipped: gzipSync(body, { level: 9 }), headers: all }
}

/** Throws `method_not_allowed` for methods other than GET and HEAD. */
export function sendAsset(asset: Asset, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { body, zipped, headers } = asset
  if (!['GET', 'HEAD'].includes(request.method)) {
    throw new Problem('method_not_allowed', { headers: { allow: 'GET, HEAD' } })
  }
  const isZipped = takesGzip.test(request.headers['accept-encoding']?.toString() ?? '')
  const vary = [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ')
  const etag = isZipped ? headers.etag!.replace(/"$/, '-gzip"') : headers.etag!
  reply.headers({ ...headers, vary, etag })
  if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
  if (!isZipped) return reply.code(200).send(body)
  return reply.code(200).header('content-encoding', 'gzip').send(zipped)
}

/** A browser names it among others. `q=0` refuses it. */
const takesGzip = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i

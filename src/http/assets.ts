// Public static assets: a fixed table of paths, each with its body and entity tag.

import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../problem.ts'
import { isKnown } from './headers.ts'

export type Asset = { body: string; headers: Record<string, string> }

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
  return { body, headers: { 'content-type': type, 'cache-control': 'no-cache', etag, ...headers } }
}

/** Throws `method_not_allowed` for methods other than GET and HEAD. */
export function sendAsset({ body, headers }: Asset, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!['GET', 'HEAD'].includes(request.method)) {
    throw new Problem('method_not_allowed', { headers: { allow: 'GET, HEAD' } })
  }
  reply.headers(headers)
  return isKnown(headers.etag!, request.headers['if-none-match']) ? reply.code(304).send() : reply.code(200).send(body)
}

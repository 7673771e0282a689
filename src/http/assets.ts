// What the server gives to everyone as it is: a fixed table of addresses, each with its bytes and entity tag.

import { hash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../problem.ts'
import { isKnown } from './headers.ts'

export type Asset = { body: string; headers: Record<string, string> }

/** By path from the root of the server; each is made when it is first asked for. */
export type Assets = ReadonlyMap<string, () => Asset>

/** Makes a value at the first call, and gives the same one ever after. */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Clients keep it, and ask each time whether it is still the same. */
export function asset(type: string, body: string, headers: Record<string, string> = {}): Asset {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  return { body, headers: { 'content-type': type, 'cache-control': 'no-cache', etag, ...headers } }
}

/** Throws `method_not_allowed` for methods that are not for reading. */
export function sendAsset({ body, headers }: Asset, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (!['GET', 'HEAD'].includes(request.method)) {
    throw new Problem('method_not_allowed', { headers: { allow: 'GET, HEAD' } })
  }
  reply.headers(headers)
  return isKnown(headers.etag!, request.headers['if-none-match']) ? reply.code(304).send() : reply.code(200).send(body)
}

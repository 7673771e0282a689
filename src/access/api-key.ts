// What an API key consists of: its token, which contains its id and its secret, and its scopes.

import { createHash, createHmac, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Pepper } from '../catalog/pepper/pepper.ts'

/** The two parts of a token: the key's public id, and the secret, which only the key's holder knows. */
export type KeyToken = { id: string; secret: string }

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const idLength = 10
const secretLength = 32
const shape = /^tdk_[0-9A-Za-z]{48}$/

/** Generates an id and a secret. The id is derived from the idempotency key if there is one, so that a repeated request
 *  gets the same id; otherwise the id is random. */
export function newKeyToken(idempotencyKey?: string): KeyToken {
  return { id: idempotencyKey ? deriveId(idempotencyKey) : randomText(idLength), secret: randomText(secretLength) }
}

export function writeToken({ id, secret }: KeyToken): string {
  return `tdk_${id}${secret}${checksum(id + secret)}`
}

/** Checks the format and the checksum, so that mistyped and made-up tokens are rejected without a catalog query. */
export function isToken(text: string): boolean {
  return shape.test(text) && checksum(text.slice(4, -6)) === text.slice(-6)
}

/** Returns the id in a token. The result is meaningless for text that is not a token. */
export function keyIdIn(token: string): string {
  return token.slice(4, 4 + idLength)
}

export function secretIn(token: string): string {
  return token.slice(4 + idLength, -6)
}

export function isKeyId(text: string): boolean {
  return /^[0-9A-Za-z]{10}$/.test(text)
}

/** Returns the HMAC-SHA-256 of the secret in hexadecimal, keyed with the pepper that has this number. If that pepper is
 *  missing, the result does not match any stored hash. */
export function hashSecret(pepper: Pepper, number: number, secret: string): string {
  const key = pepper.secrets.get(number)
  const digest = createHmac('sha256', key ?? '')
    .update(secret)
    .digest('hex')
  return key === undefined ? '-'.repeat(digest.length) : digest
}

/** Derives an id from an idempotency key. Skips bytes that would introduce modulo bias. */
function deriveId(idempotencyKey: string): string {
  const bytes = [...createHash('sha512').update(idempotencyKey).digest()].filter((byte) => byte < 62 * 4)
  return bytes
    .slice(0, idLength)
    .map((byte) => base62[byte % 62])
    .join('')
}

/** Returns random base62 characters. crypto.randomInt has no modulo bias. */
function randomText(length: number): string {
  return Array.from({ length }, () => base62[randomInt(62)]).join('')
}

/** Returns the CRC-32 of a token in base62. */
function checksum(text: string): string {
  let remainder = crc32(`tdk_${text}`)
  let digits = ''
  for (let place = 0; place < 6; place++) {
    digits = base62[remainder % 62] + digits
    remainder = Math.floor(remainder / 62)
  }
  return digits
}

/** `write` is for resources that do not distinguish creating, updating and deleting. */
export type Action = 'read' | 'create' | 'update' | 'delete' | 'write'

/** The permission that a request needs. `resource`: a resource, or something that has no records, such as `changes`. */
export type Scope = { resource: string; action: Action }

const verbs = ['read', 'write', 'create', 'update', 'delete'] as const
type Verb = (typeof verbs)[number]

/** The actions that each verb of a scope permits. */
const actionsByVerb: Record<Verb, readonly Action[]> = {
  read: ['read'],
  write: ['create', 'update', 'delete', 'write'],
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
}

export const changeActions: readonly Action[] = ['create', 'update', 'delete']

/** The permissions of an API key that may change every resource. */
export const allChangeScopes: readonly string[] = actionsByVerb.write.map((action) => `*:${action}`)

/** The verbs in scopes for all resources, such as `*:read`. */
const wildcardVerbs: readonly Verb[] = ['read', 'write']

/** Returns every valid scope: the scopes that permit at least one of the `needed` actions, and the wildcards. */
export function allScopes(needed: readonly Scope[]): string[] {
  const byResource = Map.groupBy(needed, ({ resource }) => resource)
  const resourceScopes = [...byResource].flatMap(([resource, scopes]) =>
    verbs.filter((verb) => scopes.some(({ action }) => permits(verb, action))).map((verb) => `${resource}:${verb}`),
  )
  return [...resourceScopes, ...wildcardVerbs.map((verb) => `*:${verb}`)]
}

/** Returns the scopes that permit an action, narrowest first. A key needs one of them. */
export function scopesFor({ resource, action }: Scope): string[] {
  const permitting = verbs.toReversed().filter((verb) => permits(verb, action))
  const wildcards = permitting.filter((verb) => wildcardVerbs.includes(verb))
  return [...permitting.map((verb) => `${resource}:${verb}`), ...wildcards.map((verb) => `*:${verb}`)]
}

function permits(verb: Verb, action: Action): boolean {
  return actionsByVerb[verb].includes(action)
}

/** The permitted actions by resource; `*` stands for every resource. */
export type Permissions = ReadonlyMap<string, ReadonlySet<Action>>

export function expandScopes(scopes: readonly string[]): Permissions {
  const permissions = new Map<string, Set<Action>>()
  for (const scope of scopes) {
    const [resource = '', scopeVerb] = scope.split(':')
    const verb = verbs.find((each) => each === scopeVerb)
    const actions = verb ? actionsByVerb[verb] : []
    permissions.set(resource, new Set([...(permissions.get(resource) ?? []), ...actions]))
  }
  return permissions
}

export function allows(permissions: Permissions, { resource, action }: Scope): boolean {
  return permissions.get(resource)?.has(action) === true || permissions.get('*')?.has(action) === true
}

// Keeps a form that a user submitted after the session had ended. An encrypted cookie holds the input until the user
// signs in and opens the page again. The page fills in the form but never submits it (decision 16).

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { pageUrl } from '../urls.ts'
import type { KeptForm, PageRequest } from './request.ts'

/** Browsers limit a cookie to 4,096 bytes, including its name and attributes. */
const maxCookieLength = 3800

/** The same limit that the panel has for submitted forms (panel.ts). */
const maxFormBytes = 128 * 1024

export const keptFormLifetimeMs = 3_600_000

/** Passwords, and fields that are valid for only one rendering of a form. */
const omittedFields = ['form_token', 'once', 'password']

/** Returns the cookie for the submitted form. Returns undefined if the form is too large, or if it has no CSRF token
 *  and therefore does not come from the panel. */
export function encryptForm(request: PageRequest): string | undefined {
  const { form, deps, actor } = request
  if (!form.has('form_token')) return undefined
  const fields = [...form].filter(([name]) => !omittedFields.includes(name))
  const text = JSON.stringify({ to: addressOf(request), at: actor.now.getTime(), fields })
  const sealed = seal(deps.cursorKeys[0]!, deflateRawSync(text))
  return sealed.length > maxCookieLength ? undefined : sealed
}

/** Returns the form stored in a cookie; undefined if the form has expired or was not encrypted with one of the keys. */
export function decryptForm(keys: readonly Buffer[], cookie: string | undefined, now: Date): KeptForm | undefined {
  if (!cookie) return undefined
  for (const key of keys) {
    const text = open(key, cookie)
    if (text === undefined) continue
    const { to, at, fields } = JSON.parse(text) as { to: string; at: number; fields: [string, string][] }
    return at + keptFormLifetimeMs < now.getTime() ? undefined : { to, form: new URLSearchParams(fields) }
  }
  return undefined
}

/** Returns the kept form if it belongs to this page, and removes its cookie with the response. */
export function takeKeptForm(request: PageRequest): URLSearchParams | undefined {
  const { keptForm, isForm } = request
  if (isForm || keptForm?.to !== addressOf(request)) return undefined
  request.cookies.kept = null
  return keptForm.form
}

/** Removes the kept form's cookie without using the form. For pages on which users type nothing that could be lost. */
export function discardKeptForm(request: PageRequest): void {
  takeKeptForm(request)
}

/** Returns the request with the page's kept form, and a message that tells the user about the form. If there is no kept
 *  form, returns the request unchanged. */
export function withKeptForm<Request extends PageRequest>(request: Request): { request: Request; notice?: string } {
  const form = takeKeptForm(request)
  return form ? { request: { ...request, form }, notice: request.texts.recordPages.kept.filledIn } : { request }
}

/** The URL of the requested page, relative to the panel's root. */
export function addressOf({ path, query }: PageRequest): string {
  return pageUrl(path, Object.fromEntries(query)).replace('./', '')
}

const cipher = 'aes-256-gcm'
const nonceLength = 12
const tagLength = 16

function seal(key: Buffer, content: Buffer): string {
  const nonce = randomBytes(nonceLength)
  const sealing = createCipheriv(cipher, keyFor(key), nonce)
  const sealed = Buffer.concat([sealing.update(content), sealing.final()])
  return Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64url')
}

function open(key: Buffer, cookie: string): string | undefined {
  const content = Buffer.from(cookie, 'base64url')
  const [start, end] = [nonceLength, nonceLength + tagLength]
  if (content.length <= end) return undefined
  const opening = createDecipheriv(cipher, keyFor(key), content.subarray(0, start), { authTagLength: tagLength })
  opening.setAuthTag(content.subarray(start, end))
  try {
    const opened = Buffer.concat([opening.update(content.subarray(end)), opening.final()])
    return inflateRawSync(opened, { maxOutputLength: maxFormBytes }).toString()
  } catch {
    return undefined // encrypted with a different key, or not by the panel
  }
}

function keyFor(key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'tenantdesk kept form', 32))
}

// A form whose session ended: what was typed waits in an encrypted cookie until its page is opened after signing in.
// It is only filled in again, never executed (decision 49).

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { KeptForm, PageRequest } from './request.ts'
import { pageUrl } from './urls.ts'

/** Browsers store at most 4,096 bytes of a cookie, with its name and attributes. */
const maxCookieLength = 3800

/** A longer cookie was not made here. */
const maxFormBytes = 128 * 1024

export const keptFormLifetimeMs = 3_600_000

/** Fields that belong to one copy of a form, and passwords. */
const notKept = ['form_token', 'once', 'password']

/** The cookie for the form of this request; undefined if no page of the panel has this form, or if it is too large. */
export function sealForm(request: PageRequest): string | undefined {
  const { form, deps, origin } = request
  if (!form.has('form_token')) return undefined
  const fields = [...form].filter(([name]) => !notKept.includes(name))
  const text = JSON.stringify({ to: ownAddress(request), at: origin.now.getTime(), fields })
  const sealed = seal(deps.cursorKeys[0]!, deflateRawSync(text))
  return sealed.length > maxCookieLength ? undefined : sealed
}

/** The form in a cookie; undefined if it has expired or was not made here. */
export function openForm(keys: readonly Buffer[], cookie: string | undefined, now: Date): KeptForm | undefined {
  if (!cookie) return undefined
  for (const key of keys) {
    const text = open(key, cookie)
    if (text === undefined) continue
    const { to, at, fields } = JSON.parse(text) as { to: string; at: number; fields: [string, string][] }
    return at + keptFormLifetimeMs < now.getTime() ? undefined : { to, form: new URLSearchParams(fields) }
  }
  return undefined
}

/** What was typed into the form of this page before the session ended. It is returned once: the response removes it. */
export function takeKeptForm(request: PageRequest): URLSearchParams | undefined {
  const { kept, isForm } = request
  if (isForm || kept?.to !== ownAddress(request)) return undefined
  request.cookies.kept = null
  return kept.form
}

/** The address of a page, relative to the root of the panel. */
export function ownAddress({ path, query }: PageRequest): string {
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
    return undefined // another key, or not made here
  }
}

function keyFor(key: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'tenantdesk kept form', 32))
}

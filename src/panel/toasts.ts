// The cookie with the message of a form that succeeded, for the next page. It is signed, so that no one else writes it.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Texts } from './i18n/index.ts'

/** A message about a form that succeeded: the name of a fixed text, or a text of its own that names the record. With a
 *  change set, it offers to undo it. */
export type Toast = { changeSet?: string | null; link?: { to: string; label: string } } & (
  | { notice: NoticeName; text?: undefined }
  | { notice?: undefined; text: string }
)

export type NoticeName = keyof Texts['notices']

/** A browser refuses cookies of more than 4096 bytes; a text of this length stays below, whatever its script. */
const maxTextLength = 300

export function encodeToast(keys: readonly Buffer[], toast: Toast): string {
  const short = toast.text === undefined ? toast : { ...toast, text: toast.text.slice(0, maxTextLength).toWellFormed() }
  const content = Buffer.from(JSON.stringify(short)).toString('base64url')
  return `${content}.${sign(keys[0]!, content).toString('base64url')}`
}

/** Undefined unless the cookie was signed with one of the keys. */
export function decodeToast(keys: readonly Buffer[], cookie = ''): Toast | undefined {
  const [content = '', signature = ''] = cookie.split('.')
  const given = Buffer.from(signature, 'base64url')
  const isSigned = keys.some((key) => {
    const right = sign(key, content)
    return given.length === right.length && timingSafeEqual(given, right)
  })
  return isSigned ? JSON.parse(Buffer.from(content, 'base64url').toString()) : undefined
}

function sign(key: Buffer, content: string): Buffer {
  return createHmac('sha256', key).update(`toast\n${content}`).digest()
}

// The toast: a message about a form that succeeded, in a signed cookie. The next page shows it.

import type { Texts } from './i18n/index.ts'
import { isSigned, sign } from './requests/signatures.ts'

/** A message about a form that succeeded: the name of a fixed text (`notice`), or a text that names the record. If
 *  there is a change set, the message has a button that undoes it: Undo, or Redo if the set is an undo (`isUndo`). */
export type Toast = { changeSet?: string | null; isUndo?: boolean; link?: { to: string; label: string } } & (
  | { notice: NoticeName; text?: undefined }
  | { notice?: undefined; text: string }
)

export type NoticeName = keyof Texts['notices']

/** In UTF-16 code units. In any script, a text of this length fits into a cookie of 4,096 bytes. */
const maxTextLength = 300

export function encodeToast(keys: readonly Buffer[], toast: Toast): string {
  const shortened =
    toast.text === undefined ? toast : { ...toast, text: toast.text.slice(0, maxTextLength).toWellFormed() }
  const content = Buffer.from(JSON.stringify(shortened)).toString('base64url')
  return `${content}.${sign(keys, 'toast', content)}`
}

/** Returns the toast if the cookie was signed with one of the keys; otherwise undefined. */
export function decodeToast(keys: readonly Buffer[], cookie = ''): Toast | undefined {
  const [content = '', signature = ''] = cookie.split('.')
  if (!isSigned(keys, 'toast', content, signature)) return undefined
  return JSON.parse(Buffer.from(content, 'base64url').toString())
}

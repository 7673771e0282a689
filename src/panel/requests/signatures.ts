// Signatures of what a browser gets from the panel and sends back: the tokens of forms (CSRF), and toasts.

import { createHmac, timingSafeEqual } from 'node:crypto'

type Purpose = 'form' | 'toast'

/** Signs with the first key. */
export function sign(keys: readonly Buffer[], purpose: Purpose, content: string): string {
  return digest(keys[0]!, purpose, content).toString('base64url')
}

/** Whether the content was signed with any of the keys. Accepting older keys allows key rotation. */
export function isSigned(keys: readonly Buffer[], purpose: Purpose, content: string, signature: string): boolean {
  const bytes = Buffer.from(signature, 'base64url')
  return keys.some((key) => {
    const expected = digest(key, purpose, content)
    return bytes.length === expected.length && timingSafeEqual(bytes, expected)
  })
}

function digest(key: Buffer, purpose: Purpose, content: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n${content}`).digest()
}

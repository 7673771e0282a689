// Device cookies (OWASP): a browser gets a signed cookie when a user signs in. Sign-in attempts from that browser are
// throttled separately, so that attackers who guess passwords cannot lock the owner out of the account.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Pepper, signingKeys } from '../../catalog/pepper/pepper.ts'

/** How long a device stays known after its last sign-in. */
export const deviceLifetimeMs = 180 * 86_400_000

/** The maximum number of tokens in a cookie: a shared browser has one token for each account that signed in
 *  recently. */
const maxAccounts = 5

/** The signature covers the password hash `password`, so a new password invalidates the account's device
 *  cookies. */
type Account = { id: string; password: string | null }

/** Returns the device's id if the cookie contains a valid token for this account. Takes the same time if there is
 *  no account, so that the response time does not reveal which accounts exist. */
export function findDevice(
  pepper: Pepper,
  account: Account | undefined,
  cookie: string | null | undefined,
  now: Date,
): string | undefined {
  const valid = tokensOf(cookie).filter((token) => isTokenOf(pepper, account ?? { id: '', password: null }, token, now))
  return account?.password ? valid[0]?.split('.')[0] : undefined
}

/** Returns the cookie after a sign-in: a new token for this account, followed by the existing tokens of other
 *  accounts. */
export function writeDeviceCookie(
  pepper: Pepper,
  account: Account,
  cookie: string | null | undefined,
  now: Date,
): string {
  const body = `${randomBytes(16).toString('base64url')}.${(now.getTime() + deviceLifetimeMs).toString(36)}`
  const otherTokens = tokensOf(cookie).filter((token) => !isTokenOf(pepper, account, token, now))
  return [`${body}.${sign(signingKeys(pepper)[0]!, account, body).toString('base64url')}`, ...otherTokens]
    .slice(0, maxAccounts)
    .join('~')
}

function tokensOf(cookie: string | null | undefined): string[] {
  return (cookie ?? '').split('~', maxAccounts).filter((token) => /^[\w-]{22}\.[0-9a-z]{1,10}\.[\w-]{43}$/.test(token))
}

function isTokenOf(pepper: Pepper, account: Account, token: string, now: Date): boolean {
  const [nonce, until = '', signature = ''] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const isSigned = signingKeys(pepper).some((key) => timingSafeEqual(sign(key, account, `${nonce}.${until}`), bytes))
  return isSigned && Number.parseInt(until, 36) > now.getTime()
}

function sign(key: Buffer, { id, password }: Account, body: string): Buffer {
  return createHmac('sha256', key).update(`device\n${id}\n${password}\n${body}`).digest()
}

// The panel's cookies: session, known device, CSRF seed, toast and preferences.

import { randomBytes } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { deviceLifetimeMs } from '../../accounts/sign-in/device-cookies.ts'
import { encodeToast, type Toast } from '../toasts.ts'
import type { PanelDependencies } from './request.ts'

/** Returns the CSRF seed from the cookie of a browser that has not signed in. If there is none, sets a random seed. */
export function ensureCsrfSeed(deps: PanelDependencies, reply: FastifyReply): string {
  const name = cookieName(reply.request, deps, '-form')
  const cookie = reply.request.cookies[name]
  if (cookie) return cookie
  const seed = randomBytes(18).toString('base64url')
  reply.setCookie(name, seed, cookieOptions(reply.request, deps))
  return seed
}

/** Sets the session cookie. If `token` is null, removes the cookie and clears the browser cache. */
export function setSession(deps: PanelDependencies, reply: FastifyReply, token: string | null): void {
  const name = cookieName(reply.request, deps, '')
  const options = cookieOptions(reply.request, deps)
  if (token !== null) return void reply.setCookie(name, token, options)
  reply.clearCookie(name, options).header('clear-site-data', '"cache"')
}

/** Sets the device cookie, which remains after the browser is closed and after the user signs out. */
export function setDevice(deps: PanelDependencies, reply: FastifyReply, cookie: string): void {
  const options = { ...cookieOptions(reply.request, deps), maxAge: deviceLifetimeMs / 1000 }
  reply.setCookie(cookieName(reply.request, deps, '-device'), cookie, options)
}

/** Sets the toast cookie, which the next page shows and removes. If `toast` is null, removes the cookie. */
export function setToast(deps: PanelDependencies, reply: FastifyReply, toast: Toast | null): void {
  const name = cookieName(reply.request, deps, '-toast')
  const options = cookieOptions(reply.request, deps)
  if (toast === null) return void reply.clearCookie(name, options)
  reply.setCookie(name, encodeToast(deps.cursorKeys, toast), { ...options, maxAge: toastLifetimeSeconds })
}

/** Long enough for a page that loads slowly. A message that appeared even later would confuse the user. */
const toastLifetimeSeconds = 60

/** Stores a preference, such as language or theme, in this browser for a year. */
export function setPreference(
  deps: PanelDependencies,
  reply: FastifyReply,
  [name, value]: [name: string, value: string],
): void {
  const options = { ...cookieOptions(reply.request, deps), maxAge: 365 * 24 * 60 * 60 }
  reply.setCookie(cookieName(reply.request, deps, `-${name}`), value, options)
}

/** If the panel uses TLS, the name starts with `__Host-`, which guarantees that this host set the cookie over TLS. */
export function cookieName(request: FastifyRequest, deps: PanelDependencies, suffix: string): string {
  return `${isSecure(request, deps) ? '__Host-' : ''}tenantdesk${suffix}`
}

function isSecure(request: FastifyRequest, { config }: PanelDependencies): boolean {
  return request.protocol === 'https' || config.PUBLIC_URL.startsWith('https:')
}

/** `lax` keeps users signed in when they follow a link from another site. The CSRF check rejects POSTs from other
 *  sites. */
function cookieOptions(request: FastifyRequest, deps: PanelDependencies): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request, deps) }
}

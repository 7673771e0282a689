// The panel's cookies: the session, the device, the seed of the CSRF token, the kept form, the toast, preferences.

import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { deviceLifetimeMs } from '../accounts/device-cookies.ts'
import { newCsrfSeed } from './csrf.ts'
import { keptFormLifetimeMs } from './kept-form.ts'
import type { PanelDependencies } from './request.ts'
import { encodeToast, type Toast } from './toasts.ts'

/** Returns the seed from the browser's cookie, and sets a new one if there is none. */
export function ensureCsrfSeed(deps: PanelDependencies, request: FastifyRequest, reply: FastifyReply): string {
  const name = cookieName(request, deps, '-form')
  const known = request.cookies[name]
  if (known) return known
  const seed = newCsrfSeed()
  reply.setCookie(name, seed, cookieOptions(request, deps))
  return seed
}

/** Sets the session's cookie; null removes it and the kept form, and clears the browser's cache. */
export function setSession(
  deps: PanelDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string | null,
): void {
  const name = cookieName(request, deps, '')
  const options = cookieOptions(request, deps)
  if (token !== null) return void reply.setCookie(name, token, options)
  setKeptForm(deps, request, reply, null)
  reply.clearCookie(name, options).header('clear-site-data', '"cache"')
}

/** The device cookie outlives both the browser session and signing out. */
export function setDevice(deps: PanelDependencies, request: FastifyRequest, reply: FastifyReply, cookie: string): void {
  const options = { ...cookieOptions(request, deps), maxAge: deviceLifetimeMs / 1000 }
  reply.setCookie(cookieName(request, deps, '-device'), cookie, options)
}

/** Sets the cookie with the encrypted form of an ended session; null removes it. */
export function setKeptForm(
  deps: PanelDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  kept: string | null,
): void {
  const name = cookieName(request, deps, '-kept')
  const options = cookieOptions(request, deps)
  if (kept === null) return void reply.clearCookie(name, options)
  reply.setCookie(name, kept, { ...options, sameSite: 'strict', maxAge: keptFormLifetimeMs / 1000 })
}

/** Sets the toast, which lasts until the next page shows it; null removes it. */
export function setToast(
  deps: PanelDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  toast: Toast | null,
): void {
  const name = cookieName(request, deps, '-toast')
  const options = cookieOptions(request, deps)
  if (toast === null) return void reply.clearCookie(name, options)
  reply.setCookie(name, encodeToast(deps.cursorKeys, toast), { ...options, maxAge: toastLifetimeSeconds })
}

/** Long enough for a slow next page. A message that appears later would confuse. */
const toastLifetimeSeconds = 60

/** Keeps a preference in this browser for a year, such as language or theme. */
export function setPreference(
  deps: PanelDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  [name, value]: [name: string, value: string],
): void {
  const options = { ...cookieOptions(request, deps), maxAge: 365 * 24 * 60 * 60 }
  reply.setCookie(cookieName(request, deps, `-${name}`), value, options)
}

/** The __Host- prefix, which needs TLS, guarantees that this host set the cookie over TLS. */
export function cookieName(request: FastifyRequest, deps: PanelDependencies, suffix: string): string {
  return `${isSecure(request, deps) ? '__Host-' : ''}tenantdesk${suffix}`
}

function isSecure(request: FastifyRequest, { config }: PanelDependencies): boolean {
  return request.protocol === 'https' || config.PUBLIC_URL.startsWith('https:')
}

/** Lax, so that links from other sites open with the session. POSTs from other sites fail the CSRF check anyway. */
function cookieOptions(request: FastifyRequest, deps: PanelDependencies): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request, deps) }
}

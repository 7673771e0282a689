// The panel's cookies: the session, the device, and the seed of the CSRF token.

import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { deviceLifetimeMs } from '../accounts/device-cookies.ts'
import { newCsrfSeed } from './csrf.ts'
import { keptFormLifetimeMs } from './kept-form.ts'
import type { PanelDependencies } from './request.ts'

/** Returns the seed from the browser's cookie, and sets a new one if there is none. */
export function csrfSeed(deps: PanelDependencies, request: FastifyRequest, reply: FastifyReply): string {
  const name = cookieName(request, deps, '-form')
  const known = request.cookies[name]
  if (known) return known
  const seed = newCsrfSeed()
  reply.setCookie(name, seed, cookieOptions(request, deps))
  return seed
}

/** Sets the session's cookie; null removes it and clears the browser's cache. */
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

/** A form of an ended session, encrypted; null removes it. */
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

/** Over TLS, the __Host- prefix guarantees that neither another host nor a plain connection set the cookie. */
export function cookieName(request: FastifyRequest, deps: PanelDependencies, end: string): string {
  return `${isSecure(request, deps) ? '__Host-' : ''}tenantdesk${end}`
}

function isSecure(request: FastifyRequest, { config }: PanelDependencies): boolean {
  return request.protocol === 'https' || config.PUBLIC_URL.startsWith('https:')
}

/** Lax, so that links from other sites open with the session. POSTs from other sites fail the CSRF check anyway. */
function cookieOptions(request: FastifyRequest, deps: PanelDependencies): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request, deps) }
}

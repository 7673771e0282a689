// The panel's side of the server: who asks, whether the form is ours, the page of it, and a plain page for every refusal.

import cookies, { type CookieSerializeOptions } from '@fastify/cookie'
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'ghtml'
import { deviceLifetimeMs } from '../accounts/device-cookies.ts'
import { findSession, type Session } from '../accounts/sessions.ts'
import { isSlug } from '../catalog/ids.ts'
import { Busy, TooSlow, Unavailable } from '../database/database.ts'
import { pageHeaders } from '../http/page-headers.ts'
import type { PanelLogFields } from '../http/visitor.ts'
import { hideKeys } from '../lib/hide-keys.ts'
import { UserError } from '../lib/user-error.ts'
import { Problem } from '../problem.ts'
import { openDatabaseHealth } from '../storage/health-check.ts'
import { panelAssets } from './assets/serve.ts'
import { layout } from './components/layout.ts'
import { isValidCsrfToken, newFormSeed, writeCsrfToken } from './csrf.ts'
import { chooseLanguage, isLanguage, languages } from './i18n/index.ts'
import {
  AccessDenied,
  lacksSecondFactor,
  PageError,
  type PageRequest,
  type PageResponse,
  type PanelDependencies,
  pageUrl,
  redirectTo,
  type SignedInRequest,
} from './request.ts'
import { type Page, pages } from './routes.ts'

/** The largest form: its fields at their longest, every character percent-encoded, are less. Bytes. */
const formLimit = 128 * 1024

/** Every link of a list repeats what its address wishes for; no search of a person is longer. Characters. */
const longestAddress = 2000

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Adds the pages to a server. They are those of `pages` and no other; the rest of the addresses is not the panel's. */
export async function registerPanel(server: FastifyInstance, given: Omit<PanelDependencies, 'reach'>): Promise<void> {
  const parts = { ...given, reach: openDatabaseHealth(given.storage) }
  await server.register(async (scope) => {
    await scope.register(cookies)
    scope.removeAllContentTypeParsers()
    await scope.register(formbody, { bodyLimit: formLimit, parser: (text) => ({ form: new URLSearchParams(text) }) })
    scope.setErrorHandler((error: FastifyError, request, reply) => refuse(parts, request, reply, error))
    for (const [path, page] of Object.entries(pages)) {
      scope.route({
        method: methods,
        url: `/${path}`,
        handler: (request, reply) => serve(parts, page, request, reply),
      })
    }
    for (const [path, send] of panelAssets) scope.get(path, send)
  })
}

async function serve(parts: PanelDependencies, page: Page, request: FastifyRequest, reply: FastifyReply) {
  if (!['GET', 'HEAD', 'POST'].includes(request.method)) {
    reply.header('allow', 'GET, HEAD, POST')
    throw new PageError(405, 'method_not_allowed')
  }
  if (request.url.length > longestAddress) throw new PageError(414, 'bad_request')
  const token = request.cookies[cookieName(request, parts, '')]
  const session = token ? await findSession(parts.catalog, token, parts.now()) : undefined
  // A browser chooses its own text: marked, it cannot pass for a session, whose id is no secret.
  const seed = session ? `session ${session.id}` : `browser ${csrfSeed(parts, request, reply)}`
  if (session) request.visitor = visitorOf(session)
  const visit = newVisit(parts, request, session, seed)
  reply.locals = visit
  if (session) await requireWithinLimit(parts, reply, session)
  if (request.method === 'POST') requireOurForm(parts, request, visit.form, seed)
  return send(parts, request, reply, visit, await answer(page, visit, request.method === 'POST'))
}

/** Counts the page. Throws Refused when the session has asked for more than it may within a minute. */
async function requireWithinLimit(
  { pageLimit }: PanelDependencies,
  reply: FastifyReply,
  { id }: Session,
): Promise<void> {
  const window = await pageLimit.count(id, '')
  if (!window?.exceeded) return
  reply.header('retry-after', Math.max(1, window.resetsAt - Math.floor(Date.now() / 1000)))
  throw new PageError(429, 'too_many_pages')
}

declare module 'fastify' {
  interface FastifyReply {
    /** The visit that is being answered; there is none where the refusal came first. */
    locals?: PageRequest | SignedInRequest
  }
}

async function answer(page: Page, visit: PageRequest | SignedInRequest, isForm: boolean): Promise<PageResponse> {
  if (page.isOpen) return isForm ? page.submit(visit) : page.show(visit)
  if (!('session' in visit)) return { kind: 'redirect', to: pageUrl('login.php', { next: comeBack(visit, isForm) }) }
  if (lacksSecondFactor(visit) && !isAllowedWithout(visit, isForm))
    return redirectTo('profile.php', { second_factor: 1 })
  if (page.role && visit.session.user.role !== page.role) throw new AccessDenied()
  await visit.parts.catalog.version() // tells the storage when a server has another address
  if (!isForm) return page.show(visit)
  if (!page.submit) throw new PageError(405, 'method_not_allowed')
  return page.submit(visit)
}

function visitorOf({ id, user }: Session): PanelLogFields {
  return { user: user.id, session: id, ...(user.tenant_slug !== null && { tenant: user.tenant_slug }) }
}

/** Without a second factor that is required, people can set it up and sign out. */
function isAllowedWithout({ path, query, form }: SignedInRequest, isForm: boolean): boolean {
  if (path === 'profile.php') return isForm ? form.has('do_turn_on') : query.has('second_factor')
  return path === 'logout.php' && isForm
}

/** Where to go on after signing in: to the page that was asked for; what a form held is gone. */
function comeBack({ path, query }: PageRequest, isForm: boolean): string {
  return isForm ? '' : pageUrl(path, Object.fromEntries(query)).replace('./', '')
}

function newVisit(
  parts: PanelDependencies,
  request: FastifyRequest,
  session: Session | undefined,
  seed: string,
): PageRequest {
  const wished = session?.user.language ?? ''
  const language = isLanguage(wished) ? wished : chooseLanguage(request.headers['accept-language'])
  const url = new URL(request.url, 'http://panel')
  const rootUrl = parts.config.PUBLIC_URL || `${request.protocol}://${request.host}`
  const { form } = (request.body ?? {}) as { form?: URLSearchParams }
  request.visitor ??= {}
  return {
    parts,
    path: url.pathname.slice(1),
    query: url.searchParams,
    form: form ?? new URLSearchParams(),
    requestId: hideKeys(request.id),
    visitor: request.visitor,
    origin: {
      now: parts.now(),
      by: session?.user.id ?? null,
      address: request.ip,
      agent: request.headers['user-agent'] ?? null,
      deviceCookie: request.cookies[cookieName(request, parts, '-device')],
    },
    texts: languages[language],
    rootUrl,
    apiUrl: rootUrl + parts.config.API_BASE_PATH,
    formToken: writeCsrfToken(parts.cursorKeys, seed),
    cookies: {},
    ...(session && { session }),
  }
}

/** A browser without a session carries a random text of its own, so that the sign-in form is known to be its. */
function csrfSeed(parts: PanelDependencies, request: FastifyRequest, reply: FastifyReply): string {
  const name = cookieName(request, parts, '-form')
  const known = request.cookies[name]
  if (known) return known
  const seed = newFormSeed()
  reply.setCookie(name, seed, cookieOptions(request, parts))
  return seed
}

/** A form is sent by a page of this origin, with the token that this browser's pages carry. */
function requireOurForm(parts: PanelDependencies, request: FastifyRequest, form: URLSearchParams, seed: string): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  const isForeign =
    site === undefined ? origin !== undefined && URL.parse(origin)?.host !== host : site !== 'same-origin'
  if (isForeign || !isValidCsrfToken(parts.cursorKeys, seed, form.get('form_token')))
    throw new PageError(403, 'form_expired')
}

/** Under TLS a cookie says by its name that no other host and no plain connection can have set it. */
function cookieName(request: FastifyRequest, parts: PanelDependencies, end: string): string {
  return `${isSecure(request, parts) ? '__Host-' : ''}tenantdesk${end}`
}

function isSecure(request: FastifyRequest, { config }: PanelDependencies): boolean {
  return request.protocol === 'https' || config.PUBLIC_URL.startsWith('https:')
}

/** Lax: who comes by a link from elsewhere is still signed in; forms from elsewhere are refused in any case. */
function cookieOptions(request: FastifyRequest, parts: PanelDependencies): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request, parts) }
}

function send(
  parts: PanelDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: PageRequest,
  answer: PageResponse,
) {
  if (visit.cookies.session !== undefined) setSession(parts, request, reply, visit.cookies.session)
  reply.headers(pageHeaders(true))
  if (answer.kind === 'redirect') {
    if (answer.session !== undefined) setSession(parts, request, reply, answer.session)
    if (answer.device !== undefined) setDevice(parts, request, reply, answer.device)
    return reply.removeHeader('content-type').header('location', answer.to).code(303).send()
  }
  reply.type('text/html; charset=utf-8').code(answer.kind === 'page' ? (answer.status ?? 200) : 200)
  return reply.send(answer.kind === 'page' ? layout(visit, answer) : answer.body)
}

function setSession(
  parts: PanelDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string | null,
): void {
  const name = cookieName(request, parts, '')
  const options = cookieOptions(request, parts)
  if (token !== null) return void reply.setCookie(name, token, options)
  reply.clearCookie(name, options).header('clear-site-data', '"cache"')
}

/** Unlike the session it stays when the browser is closed, and after signing out. */
function setDevice(parts: PanelDependencies, request: FastifyRequest, reply: FastifyReply, cookie: string): void {
  const options = { ...cookieOptions(request, parts), maxAge: deviceLifetimeMs / 1000 }
  reply.setCookie(cookieName(request, parts, '-device'), cookie, options)
}

/** A page that says what to do. What is no refusal is logged whole, once. */
async function refuse(parts: PanelDependencies, request: FastifyRequest, reply: FastifyReply, error: Error) {
  const refused = toRefused(error)
  if (refused.status >= 500) request.log.error({ requestId: request.id, err: error }, 'a page could not be made')
  if (refused.status === 503) reply.header('retry-after', '5')
  const visit = reply.locals ?? newVisit(parts, request, undefined, '')
  visit.visitor.refusal = refused.reason
  await recordRefusal(visit, refused)
  const { texts } = visit
  const number = refused.reason === 'failed' ? ` ${request.id}` : ''
  const remark = refused.remark && html`<p>${texts.tenants.reason}: ${refused.remark}</p>`
  const body = html`<p class="lead">${texts.refusals[refused.reason]}${number}</p>!${remark}<p><a href="./">${texts.frame.home}</a></p>`
  const page = {
    kind: 'page',
    title: texts.refusalTitles[titleOf(refused.status)],
    body,
    status: refused.status,
  } as const
  return send(parts, request, reply, visit, page)
}

/** Attempts to get around what the panel forbids are events of the security log. */
async function recordRefusal({ parts, origin, path }: PageRequest, refused: PageError): Promise<void> {
  const isDenied = refused instanceof AccessDenied
  if (!isDenied && refused.reason !== 'form_expired') return
  const slug = isDenied && refused.slug && isSlug(refused.slug) ? { slug: refused.slug } : {}
  const about = { detail: { path, ...slug } }
  await parts.repeatedEvents.record(isDenied ? 'page_denied' : 'form_refused', origin, about).catch(() => {})
}

function titleOf(status: number): 'missing' | 'refused' | 'trouble' {
  if (status === 404) return 'missing'
  return status < 500 ? 'refused' : 'trouble'
}

function toRefused(error: Error & { statusCode?: number }): PageError {
  if (error instanceof PageError) return error
  if (error instanceof Busy) return new PageError(503, 'busy')
  if (error instanceof Unavailable) return new PageError(503, 'unavailable')
  if (error instanceof TooSlow) return new PageError(503, 'too_slow')
  if (error instanceof Problem) return refusedFor(error)
  if (error instanceof UserError) return new PageError(404, 'not_found') // it was deleted meanwhile: forms say all else
  if (error.statusCode === 413) return new PageError(413, 'form_too_large')
  if (error.statusCode !== undefined && error.statusCode < 500) return new PageError(error.statusCode, 'bad_request')
  return new PageError(500, 'failed')
}

/** A problem of the records, where no page has an answer of its own to it. */
function refusedFor({ status }: Problem): PageError {
  if (status === 404) return new PageError(404, 'not_found')
  return status < 500 ? new PageError(400, 'bad_request') : new PageError(503, 'busy')
}

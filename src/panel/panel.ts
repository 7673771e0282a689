// The panel's Fastify plugin: sessions, CSRF protection, page dispatch, and error pages.

import cookies from '@fastify/cookie'
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { html } from 'ghtml'
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
import { cookieName, csrfSeed, setDevice, setSession } from './cookies.ts'
import { isValidCsrfToken, signCsrfToken } from './csrf.ts'
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

/** Larger than any valid form, even with every character percent-encoded. */
const maxFormBytes = 128 * 1024

/** Every link in a list repeats the whole query, so a long URL makes a huge page. No real search is longer. */
const maxUrlLength = 2000

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Registers the routes of `pages` and the assets. */
export async function registerPanel(
  server: FastifyInstance,
  given: Omit<PanelDependencies, 'databaseHealth'>,
): Promise<void> {
  const deps = { ...given, databaseHealth: openDatabaseHealth(given.storage) }
  await server.register(async (scope) => {
    await scope.register(cookies)
    scope.removeAllContentTypeParsers()
    await scope.register(formbody, { bodyLimit: maxFormBytes, parser: (text) => ({ form: new URLSearchParams(text) }) })
    scope.setErrorHandler((error: FastifyError, request, reply) => sendErrorPage(deps, request, reply, error))
    for (const [path, page] of Object.entries(pages)) {
      scope.route({
        method: methods,
        url: `/${path}`,
        handler: (request, reply) => serve(deps, page, request, reply),
      })
    }
    for (const [path, send] of panelAssets) scope.get(path, send)
  })
}

async function serve(deps: PanelDependencies, page: Page, request: FastifyRequest, reply: FastifyReply) {
  if (!['GET', 'HEAD', 'POST'].includes(request.method)) {
    reply.header('allow', 'GET, HEAD, POST')
    throw new PageError(405, 'method_not_allowed')
  }
  if (request.url.length > maxUrlLength) throw new PageError(414, 'bad_request')
  const token = request.cookies[cookieName(request, deps, '')]
  const session = token ? await findSession(deps.catalog, token, deps.now()) : undefined
  // The browser chooses its seed. The prefix keeps it from posing as a session, whose id is not secret.
  const seed = session ? `session ${session.id}` : `browser ${csrfSeed(deps, request, reply)}`
  if (session) request.visitor = toVisitor(session)
  const pageRequest = toPageRequest(deps, request, session, seed)
  reply.locals = pageRequest
  if (session) await requireWithinPageLimit(deps, reply, session)
  if (request.method === 'POST') requireValidForm(deps, request, pageRequest.form, seed)
  return send(deps, request, reply, pageRequest, await answer(page, pageRequest, request.method === 'POST'))
}

/** Counts the page. Throws a PageError when the session exceeds its pages per minute. */
async function requireWithinPageLimit(
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
    /** The request being answered; undefined if it failed before it was parsed. */
    locals?: PageRequest | SignedInRequest
  }
}

async function answer(page: Page, pageRequest: PageRequest | SignedInRequest, isForm: boolean): Promise<PageResponse> {
  if (page.isPublic) return isForm ? page.submit(pageRequest) : page.show(pageRequest)
  if (!('session' in pageRequest))
    return { kind: 'redirect', to: pageUrl('login.php', { next: returnPath(pageRequest, isForm) }) }
  if (lacksSecondFactor(pageRequest) && !isAllowedWithoutSecondFactor(pageRequest, isForm))
    return redirectTo('profile.php', { second_factor: 1 })
  if (page.role && pageRequest.session.user.role !== page.role) throw new AccessDenied()
  await pageRequest.deps.catalog.version() // the storage learns of changed server addresses
  if (!isForm) return page.show(pageRequest)
  if (!page.submit) throw new PageError(405, 'method_not_allowed')
  return page.submit(pageRequest)
}

function toVisitor({ id, user }: Session): PanelLogFields {
  return { user: user.id, session: id, ...(user.tenant_slug !== null && { tenant: user.tenant_slug }) }
}

/** Users who still need two-factor authentication can only turn it on or sign out. */
function isAllowedWithoutSecondFactor({ path, query, form }: SignedInRequest, isForm: boolean): boolean {
  if (path === 'profile.php') return isForm ? form.has('do_turn_on') : query.has('second_factor')
  return path === 'logout.php' && isForm
}

/** Returns the page to open after signing in. The fields of a submitted form are lost. */
function returnPath({ path, query }: PageRequest, isForm: boolean): string {
  return isForm ? '' : pageUrl(path, Object.fromEntries(query)).replace('./', '')
}

function toPageRequest(
  deps: PanelDependencies,
  request: FastifyRequest,
  session: Session | undefined,
  seed: string,
): PageRequest {
  const preferred = session?.user.language ?? ''
  const language = isLanguage(preferred) ? preferred : chooseLanguage(request.headers['accept-language'])
  const url = new URL(request.url, 'http://panel')
  const rootUrl = deps.config.PUBLIC_URL || `${request.protocol}://${request.host}`
  const { form } = (request.body ?? {}) as { form?: URLSearchParams }
  request.visitor ??= {}
  return {
    deps,
    path: url.pathname.slice(1),
    query: url.searchParams,
    form: form ?? new URLSearchParams(),
    requestId: hideKeys(request.id),
    visitor: request.visitor,
    origin: {
      now: deps.now(),
      by: session?.user.id ?? null,
      address: request.ip,
      agent: request.headers['user-agent'] ?? null,
      deviceCookie: request.cookies[cookieName(request, deps, '-device')],
    },
    texts: languages[language],
    rootUrl,
    apiUrl: rootUrl + deps.config.API_BASE_PATH,
    csrfToken: signCsrfToken(deps.cursorKeys, seed),
    cookies: {},
    ...(session && { session }),
  }
}

/** A form must come from this origin and carry the token for this browser or session. */
function requireValidForm(deps: PanelDependencies, request: FastifyRequest, form: URLSearchParams, seed: string): void {
  const { origin, host, 'sec-fetch-site': site } = request.headers
  const isForeign =
    site === undefined ? origin !== undefined && URL.parse(origin)?.host !== host : site !== 'same-origin'
  if (isForeign || !isValidCsrfToken(deps.cursorKeys, seed, form.get('form_token')))
    throw new PageError(403, 'form_expired')
}

function send(
  deps: PanelDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  pageRequest: PageRequest,
  answer: PageResponse,
) {
  if (pageRequest.cookies.session !== undefined) setSession(deps, request, reply, pageRequest.cookies.session)
  reply.headers(pageHeaders(true))
  if (answer.kind === 'redirect') {
    if (answer.session !== undefined) setSession(deps, request, reply, answer.session)
    if (answer.device !== undefined) setDevice(deps, request, reply, answer.device)
    return reply.removeHeader('content-type').header('location', answer.to).code(303).send()
  }
  reply.type('text/html; charset=utf-8').code(answer.kind === 'page' ? (answer.status ?? 200) : 200)
  return reply.send(answer.kind === 'page' ? layout(pageRequest, answer) : answer.body)
}

/** Sends an error page. Unexpected errors are logged with their stack, once. */
async function sendErrorPage(deps: PanelDependencies, request: FastifyRequest, reply: FastifyReply, error: Error) {
  const pageError = toPageError(error)
  if (pageError.status >= 500) request.log.error({ requestId: request.id, err: error }, 'panel page failed')
  if (pageError.status === 503) reply.header('retry-after', '5')
  const pageRequest = reply.locals ?? toPageRequest(deps, request, undefined, '')
  pageRequest.visitor.refusal = pageError.reason
  await recordRefusal(pageRequest, pageError)
  const { texts } = pageRequest
  const number = pageError.reason === 'failed' ? ` ${request.id}` : ''
  const explanation = pageError.explanation && html`<p>${texts.tenants.reason}: ${pageError.explanation}</p>`
  const body = html`<p class="lead">${texts.refusals[pageError.reason]}${number}</p>
!${explanation}
<p><a href="./">${texts.frame.home}</a></p>`
  const page = {
    kind: 'page',
    title: texts.refusalTitles[errorTitle(pageError.status)],
    body,
    status: pageError.status,
  } as const
  return send(deps, request, reply, pageRequest, page)
}

/** Records denied pages and invalid CSRF tokens in the audit log. */
async function recordRefusal({ deps, origin, path }: PageRequest, pageError: PageError): Promise<void> {
  const isDenied = pageError instanceof AccessDenied
  if (!isDenied && pageError.reason !== 'form_expired') return
  const slug = isDenied && pageError.slug && isSlug(pageError.slug) ? { slug: pageError.slug } : {}
  const about = { detail: { path, ...slug } }
  await deps.repeatedEvents.record(isDenied ? 'page_denied' : 'form_refused', origin, about).catch(() => {})
}

function errorTitle(status: number): 'missing' | 'refused' | 'trouble' {
  if (status === 404) return 'missing'
  return status < 500 ? 'refused' : 'trouble'
}

function toPageError(error: Error & { statusCode?: number }): PageError {
  if (error instanceof PageError) return error
  if (error instanceof Busy) return new PageError(503, 'busy')
  if (error instanceof Unavailable) return new PageError(503, 'unavailable')
  if (error instanceof TooSlow) return new PageError(503, 'too_slow')
  if (error instanceof Problem) return toProblemPageError(error)
  // Deleted meanwhile: forms show the message of every other UserError themselves.
  if (error instanceof UserError) return new PageError(404, 'not_found')
  if (error.statusCode === 413) return new PageError(413, 'form_too_large')
  if (error.statusCode !== undefined && error.statusCode < 500) return new PageError(error.statusCode, 'bad_request')
  return new PageError(500, 'failed')
}

/** Maps an API problem that the page did not handle itself. */
function toProblemPageError({ status }: Problem): PageError {
  if (status === 404) return new PageError(404, 'not_found')
  return status < 500 ? new PageError(400, 'bad_request') : new PageError(503, 'busy')
}

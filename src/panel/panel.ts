// The panel's Fastify plugin: looks up the session, checks submitted forms, and dispatches to the pages.

import type { IncomingMessage } from 'node:http'
import cookies from '@fastify/cookie'
import formbody from '@fastify/formbody'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findSession, type Session } from '../accounts/sign-in/sessions.ts'
import { findPage, keepPage } from '../catalog/tables/kept-pages.ts'
import { Unavailable } from '../engine/database/database.ts'
import { readFileForm } from '../http/file-form.ts'
import type { PanelLogFields } from '../http/request-log.ts'
import { panelAssets } from './assets/serve.ts'
import { sendErrorPage, sendPage } from './frame/send-page.ts'
import { isLanguage, isTheme } from './i18n/index.ts'
import { offerTenants } from './pages/offer-tenants.ts'
import { lacksSecondFactor, toLocalizedRequestIfAvailable } from './requests/authorize.ts'
import { cookieName, ensureCsrfSeed } from './requests/cookies.ts'
import { formOf, hasValidToken, isSameOrigin, toPageRequest } from './requests/page-request.ts'
import type { PageRequest, PanelDependencies, SignedInRequest } from './requests/request.ts'
import { AccessDenied, PageError, type PageResponse, redirectTo, TenantNeeded } from './responses.ts'
import { type PanelPage, pages } from './routes.ts'
import { pageUrl } from './urls.ts'

/** Larger than any valid form, even with every character percent-encoded. */
const maxFormBytes = 128 * 1024

/** Every link in a list repeats the whole query, so a long URL would make the page huge. Real searches are shorter. */
const maxUrlLength = 2000

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Registers a route for each page and asset. */
export async function registerPanel(server: FastifyInstance, deps: PanelDependencies): Promise<void> {
  await server.register(async (scope) => {
    await scope.register(cookies)
    scope.removeAllContentTypeParsers()
    await scope.register(formbody, { bodyLimit: maxFormBytes, parser: (text) => ({ form: new URLSearchParams(text) }) })
    scope.setErrorHandler((error: FastifyError, _, reply) => sendErrorPage(deps, reply, error))
    // server.ts leaves to the panel only the unknown URLs that a browser opens.
    scope.setNotFoundHandler(async (request, reply) => {
      await openPageRequest(deps, request, reply)
      throw new PageError(404, 'not_found')
    })
    const entries = Object.entries(pages)
    for (const [path, page] of entries) if (!page.acceptsFile) addPage(scope, deps, path, page)
    await scope.register(async (fileScope) => {
      fileScope.addContentTypeParser('multipart/form-data', (request: FastifyRequest, body: IncomingMessage) =>
        readFileForm(request.headers, body),
      )
      for (const [path, page] of entries) if (page.acceptsFile) addPage(fileScope, deps, path, page)
    })
    for (const [path, send] of panelAssets) scope.get(path, send)
  })
}

function addPage(scope: FastifyInstance, deps: PanelDependencies, path: string, page: PanelPage): void {
  scope.route({
    method: methods,
    url: `/${path}`,
    handler: (request, reply) => serve(deps, page, request, reply),
  })
}

async function serve(deps: PanelDependencies, page: PanelPage, request: FastifyRequest, reply: FastifyReply) {
  // Discards the unread part of an uploaded file after the response, so that the connection can be reused.
  const { discard } = formOf(request)
  if (discard) reply.raw.once('close', discard)
  if (!['GET', 'HEAD', 'POST'].includes(request.method)) {
    reply.header('allow', page.submit ? 'GET, HEAD, POST' : 'GET, HEAD')
    throw new PageError(405, 'method_not_allowed')
  }
  if (request.url.length > maxUrlLength) throw new PageError(414, 'bad_request')
  const { pageRequest, seed } = await openPageRequest(deps, request, reply)
  const isForm = request.method === 'POST'
  if (isForm && !(isSameOrigin(request) && hasValidToken(deps, pageRequest.form, seed)))
    return sendPage(reply, pageRequest, refuseForm(page, pageRequest, isSameOrigin(request)))
  const kept = isForm ? undefined : await findKeptAnswer(pageRequest, seed)
  const response = kept ?? (await handlePage(page, pageRequest, isForm))
  const isKept = isForm && isNavigation(request)
  return sendPage(reply, pageRequest, isKept ? await redirectToAnswer(pageRequest, seed, response) : response)
}

/** Whether the browser shows the response as a page. A script's requests do not ask for HTML. */
function isNavigation({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/html') ?? false
}

/** The URL parameter with a kept page's id. Scripts remove it from the address bar (forms.js). */
const answerParam = 'refused'

/** A kept page that answered a form. `owner`: the browser that sent the form. `isOfTenant`: the page is about the
 *  tenant that the URL names. */
type Answer = { owner: string; page: PageResponse & { kind: 'page' }; isOfTenant: boolean }

/** Keeps the page that answers a refused form, and returns a redirect to it, so that the browser never asks to send the
 *  form again when the user reloads the page or goes back to it. Returns any other response as it is, and also a page
 *  that cannot be kept, for example because the catalog's disk is full. */
async function redirectToAnswer(
  { deps, path, query, frame }: PageRequest,
  owner: string,
  response: PageResponse,
): Promise<PageResponse> {
  const isAgain = response.kind === 'page' && (response.isContinued || (response.status ?? 200) >= 400)
  if (!isAgain) return response
  const answer: Answer = { owner, page: response, isOfTenant: frame.tenant !== undefined }
  const id = await keepPage(deps, JSON.stringify(answer), deps.now()).catch(ignoreOutage)
  const to = `${path}?${new URLSearchParams([...query, [answerParam, id ?? '']])}`
  return id !== undefined && to.length < maxUrlLength ? { kind: 'redirect', to } : response
}

function ignoreOutage(error: unknown): undefined {
  if (!(error instanceof Unavailable)) throw error
}

/** Returns undefined if the URL names no answer, or one that is no longer kept or was sent to another browser. */
async function findKeptAnswer(
  pageRequest: PageRequest | SignedInRequest,
  owner: string,
): Promise<PageResponse | undefined> {
  const { deps, query } = pageRequest
  const id = query.get(answerParam)
  query.delete(answerParam)
  const kept = id === null ? undefined : await findPage(deps, id, deps.now())
  const answer = kept === undefined ? undefined : (JSON.parse(kept) as Answer)
  if (answer?.owner !== owner) return undefined
  if (answer.isOfTenant && 'session' in pageRequest) await toLocalizedRequestIfAvailable(pageRequest)
  return answer.page
}

/** Looks up the session, and counts the page towards the limits. `seed`: what the forms' tokens are signed with. */
async function openPageRequest(deps: PanelDependencies, request: FastifyRequest, reply: FastifyReply) {
  const token = request.cookies[cookieName(request, deps, '')]
  const session = token ? await findSession(deps.catalog, token, deps.now()) : undefined
  // A browser without a session can choose its own seed. Session ids are not secret, so the prefixes ensure that such a
  // seed never equals the seed of a session.
  const seed = session ? `session ${session.id}` : `browser ${ensureCsrfSeed(deps, reply)}`
  if (session) request.panelLogFields = logFieldsOf(session)
  const pageRequest = toPageRequest(deps, request, session, seed)
  reply.pageRequest = pageRequest
  if (session) await requireWithinPageLimit(deps, reply, session)
  return { pageRequest, seed }
}

/** Sends a visitor whose session has ended to the sign-in page, and from there back to the form's page. Throws a
 *  PageError for every other form without a valid token. */
function refuseForm(
  page: PanelPage,
  pageRequest: PageRequest | SignedInRequest,
  isSameOriginForm: boolean,
): PageResponse {
  const isFromPanel = isSameOriginForm && pageRequest.form.has('form_token')
  if (page.isPublic || !isFromPanel || 'session' in pageRequest) throw new PageError(403, 'form_expired')
  return redirectTo('login.php', { next: addressOf(pageRequest), notice: 'signInAgain' })
}

/** The URL of the requested page, relative to the panel's root. */
function addressOf({ path, query }: PageRequest): string {
  return pageUrl(path, Object.fromEntries(query)).replace('./', '')
}

/** Counts a page towards the limits of pages per minute: the user's, whatever their number of sessions, and their
 *  tenant's. Throws a PageError if a limit is exceeded. */
async function requireWithinPageLimit(
  { pageLimit }: PanelDependencies,
  reply: FastifyReply,
  { user }: Session,
): Promise<void> {
  const window = await pageLimit.count(user.id, user.tenant_id ?? user.id)
  if (!window?.exceeded) return
  reply.header('retry-after', Math.max(1, window.resetsAt - Math.floor(Date.now() / 1000)))
  throw new PageError(429, 'too_many_pages')
}

declare module 'fastify' {
  interface FastifyReply {
    /** The page request that this reply answers; undefined if the HTTP request failed before the page request was
     *  created. */
    pageRequest?: PageRequest | SignedInRequest
  }
}

async function handlePage(
  page: PanelPage,
  pageRequest: PageRequest | SignedInRequest,
  isForm: boolean,
): Promise<PageResponse> {
  if (page.isPublic)
    return isForm ? page.submit(pageRequest) : (choosePreferences(pageRequest) ?? page.show(pageRequest))
  if (!('session' in pageRequest)) return redirectTo('login.php', { next: isForm ? '' : addressOf(pageRequest) })
  if (lacksSecondFactor(pageRequest) && !isAllowedWithoutSecondFactor(pageRequest, isForm))
    return redirectTo('profile.php', { second_factor: 1 })
  if (page.role && pageRequest.session.user.role !== page.role) throw new AccessDenied()
  await pageRequest.deps.catalog.version() // discards cached server addresses if the catalog has changed
  if (!isForm) return showOrOfferTenants(page.show, pageRequest)
  if (!page.submit) throw new PageError(405, 'method_not_allowed')
  return page.submit(pageRequest)
}

/** Handles the links at the foot of the sign-in and setup pages, which set this browser's language and theme. */
function choosePreferences({ path, query }: PageRequest): PageResponse | undefined {
  const [language, theme] = [query.get('language') ?? '', query.get('theme') ?? '']
  const preferences = { ...(isLanguage(language) && { language }), ...(isTheme(theme) && { theme }) }
  if (Object.keys(preferences).length === 0) return undefined
  return { kind: 'redirect', to: pageUrl(path, { next: query.get('next') }), preferences }
}

/** Shows the page. If the page requires a tenant and the URL does not name one, shows the tenants to choose from
 *  instead. */
async function showOrOfferTenants(show: PanelPage['show'], request: SignedInRequest): Promise<PageResponse> {
  try {
    return await show(request)
  } catch (error) {
    if (error instanceof TenantNeeded) return offerTenants(request)
    throw error
  }
}

function logFieldsOf({ id, user }: Session): PanelLogFields {
  return { user: user.id, session: id, ...(user.tenant_slug !== null && { tenant: user.tenant_slug }) }
}

/** Users who must first turn on two-factor authentication can only do that or sign out. */
function isAllowedWithoutSecondFactor({ path, query, form }: SignedInRequest, isForm: boolean): boolean {
  if (path === 'profile.php') return isForm ? form.has('do_turn_on') : query.has('second_factor')
  return path === 'logout.php' && isForm
}

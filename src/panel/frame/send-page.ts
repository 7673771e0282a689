// Sends a page, a fragment, a file, a redirect or an error page. Refused requests are recorded in the audit log.

import type { FastifyReply } from 'fastify'
import { html } from 'ghtml'
import { isSlug } from '../../catalog/ids.ts'
import { Busy, TooSlow, Unavailable } from '../../engine/database/database.ts'
import { pageHeaders } from '../../http/headers.ts'
import { sendStream } from '../../http/send-body.ts'
import { UserError } from '../../lib/user-error.ts'
import { Problem } from '../../problem.ts'
import { setDevice, setPreference, setSession, setToast } from '../requests/cookies.ts'
import { toPageRequest } from '../requests/page-request.ts'
import type { PageRequest, PanelDependencies, SignedInRequest } from '../requests/request.ts'
import { AccessDenied, PageError, type PageResponse } from '../responses.ts'
import { renderLayout } from './layout.ts'
import { rememberTenant } from './tenant-switcher.ts'

export async function sendPage(
  reply: FastifyReply,
  pageRequest: PageRequest | SignedInRequest,
  response: PageResponse,
) {
  const { deps, cookies } = pageRequest
  const { session, ...preferences } = cookies
  if (session !== undefined) setSession(deps, reply, session)
  for (const entry of Object.entries(preferences)) setPreference(deps, reply, entry)
  reply.headers(pageHeaders(true))
  if (response.kind === 'redirect') {
    if (response.session !== undefined) setSession(deps, reply, response.session)
    if (response.device !== undefined) setDevice(deps, reply, response.device)
    if (response.toast !== undefined) setToast(deps, reply, response.toast)
    for (const entry of Object.entries(response.preferences ?? {})) setPreference(deps, reply, entry)
    return reply.removeHeader('content-type').header('location', response.to).code(303).send()
  }
  if (response.kind === 'file') return sendStream(reply.headers(response.headers), response.body)
  reply.type('text/html; charset=utf-8').code(response.kind === 'page' ? (response.status ?? 200) : 200)
  if (response.kind === 'fragment') return reply.send(response.body)
  if (pageRequest.toast) setToast(deps, reply, null)
  const recent = 'session' in pageRequest ? rememberTenant(pageRequest) : undefined
  if (recent !== undefined) setPreference(deps, reply, ['recent', recent])
  return reply.send(fromRoot(pageRequest.path, await renderLayout(pageRequest, response)))
}

/** Pages link to each other relative to the panel's root. In a page for an unknown URL with several segments, such as
 *  `/records.php/12`, the links lead up to the root. */
function fromRoot(path: string, page: string): string {
  const up = '../'.repeat(path.split('/').length - 1)
  return up === '' ? page : page.replaceAll(/ (?:href|src|action)="(?![a-z]+:|[#/])/g, `$&${up}`)
}

/** Sends an error page. Logs errors with status 500 or higher, including their stack. */
export async function sendErrorPage(deps: PanelDependencies, reply: FastifyReply, error: Error) {
  const { request } = reply
  const pageError = toPageError(error)
  if (pageError.status >= 500) request.log.error({ requestId: request.id, err: error }, 'a page of the panel failed')
  if (pageError.status === 503) reply.header('retry-after', '5')
  if (pageError.status === 405 && !reply.hasHeader('allow')) reply.header('allow', 'GET, HEAD')
  const pageRequest = reply.pageRequest ?? toPageRequest(deps, request, undefined, '')
  pageRequest.logFields.refusal = pageError.reason
  await recordRefusal(pageRequest, pageError)
  const { texts } = pageRequest
  const requestId = pageError.reason === 'failed' ? ` ${request.id}` : ''
  const explanation = pageError.explanation && html`<p>${texts.tenants.reason}: ${pageError.explanation}</p>`
  const body = html`<p class="lead">${texts.refusals[pageError.reason]}${requestId}</p>
!${explanation}
<p><a href="./">${texts.frame.home}</a></p>`
  const page = {
    kind: 'page',
    title: texts.refusalTitles[errorTitle(pageError.status)],
    body,
    status: pageError.status,
  } as const
  return sendPage(reply, pageRequest, page)
}

/** Records denied pages and refused forms in the audit log. */
async function recordRefusal({ deps, actor, path }: PageRequest, pageError: PageError): Promise<void> {
  const isDenied = pageError instanceof AccessDenied
  if (!isDenied && pageError.reason !== 'form_expired') return
  const slug = isDenied && pageError.slug && isSlug(pageError.slug) ? { slug: pageError.slug } : {}
  const about = { detail: { path, ...slug } }
  await deps.repeatedEvents.record(isDenied ? 'page_denied' : 'form_refused', actor, about)
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
  if (error instanceof Problem && error.status === 404) return new PageError(404, 'not_found')
  if (error instanceof Problem)
    return error.status < 500 ? new PageError(400, 'bad_request') : new PageError(503, 'busy')
  // Pages with forms show a UserError's message themselves. An uncaught UserError means that the record has just been
  // deleted.
  if (error instanceof UserError) return new PageError(404, 'not_found')
  if (error.statusCode === 413) return new PageError(413, 'form_too_large')
  if (error.statusCode !== undefined && error.statusCode < 500) return new PageError(error.statusCode, 'bad_request')
  return new PageError(500, 'failed')
}

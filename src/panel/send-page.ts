// Sends a page, a fragment, a file or a redirect.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageHeaders } from '../http/page-headers.ts'
import { sendStream } from '../http/send-stream.ts'
import { setDevice, setKeptForm, setPreference, setSession, setToast } from './cookies.ts'
import { layout } from './frame/layout.ts'
import { rememberTenant } from './frame/recent-tenants.ts'
import type { PageRequest, PanelDependencies, SignedInRequest } from './request.ts'
import type { PageResponse } from './responses.ts'

export async function sendPage(
  deps: PanelDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  pageRequest: PageRequest | SignedInRequest,
  answer: PageResponse,
) {
  if (pageRequest.cookies.session !== undefined) setSession(deps, request, reply, pageRequest.cookies.session)
  if (pageRequest.cookies.kept !== undefined) setKeptForm(deps, request, reply, pageRequest.cookies.kept)
  const { columns, assetType } = pageRequest.cookies
  if (columns !== undefined) setPreference(deps, request, reply, ['columns', columns])
  if (assetType !== undefined) setPreference(deps, request, reply, ['asset-type', assetType])
  reply.headers(pageHeaders(true))
  if (answer.kind === 'redirect') {
    if (answer.session !== undefined) setSession(deps, request, reply, answer.session)
    if (answer.device !== undefined) setDevice(deps, request, reply, answer.device)
    if (answer.toast !== undefined) setToast(deps, request, reply, answer.toast)
    for (const each of Object.entries(answer.preferences ?? {})) setPreference(deps, request, reply, each)
    return reply.removeHeader('content-type').header('location', answer.to).code(303).send()
  }
  if (answer.kind === 'file') return sendStream(reply.headers(answer.headers), request, answer.body)
  reply.type('text/html; charset=utf-8').code(answer.kind === 'page' ? (answer.status ?? 200) : 200)
  if (answer.kind === 'fragment') return reply.send(answer.body)
  if (pageRequest.toast) setToast(deps, request, reply, null)
  const recent = 'session' in pageRequest ? rememberTenant(pageRequest) : undefined
  if (recent !== undefined) setPreference(deps, request, reply, ['recent', recent])
  return reply.send(await layout(pageRequest, answer))
}

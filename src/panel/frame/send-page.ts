// Sends a page, a fragment, a file or a redirect.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageHeaders } from '../../http/headers.ts'
import { sendStream } from '../../http/send-body.ts'
import { setDevice, setPreference, setSession, setToast } from '../requests/cookies.ts'
import type { PageRequest, SignedInRequest } from '../requests/request.ts'
import type { PageResponse } from '../responses.ts'
import { renderLayout } from './layout.ts'
import { rememberTenant } from './tenant-switcher.ts'

export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  pageRequest: PageRequest | SignedInRequest,
  response: PageResponse,
) {
  const { deps } = pageRequest
  if (pageRequest.cookies.session !== undefined) setSession(deps, request, reply, pageRequest.cookies.session)
  const { columns, assetType } = pageRequest.cookies
  if (columns !== undefined) setPreference(deps, request, reply, ['columns', columns])
  if (assetType !== undefined) setPreference(deps, request, reply, ['asset-type', assetType])
  reply.headers(pageHeaders(true))
  if (response.kind === 'redirect') {
    if (response.session !== undefined) setSession(deps, request, reply, response.session)
    if (response.device !== undefined) setDevice(deps, request, reply, response.device)
    if (response.toast !== undefined) setToast(deps, request, reply, response.toast)
    for (const entry of Object.entries(response.preferences ?? {})) setPreference(deps, request, reply, entry)
    return reply.removeHeader('content-type').header('location', response.to).code(303).send()
  }
  if (response.kind === 'file') return sendStream(reply.headers(response.headers), response.body)
  reply.type('text/html; charset=utf-8').code(response.kind === 'page' ? (response.status ?? 200) : 200)
  if (response.kind === 'fragment') return reply.send(response.body)
  if (pageRequest.toast) setToast(deps, request, reply, null)
  const recent = 'session' in pageRequest ? rememberTenant(pageRequest) : undefined
  if (recent !== undefined) setPreference(deps, request, reply, ['recent', recent])
  return reply.send(await renderLayout(pageRequest, response))
}

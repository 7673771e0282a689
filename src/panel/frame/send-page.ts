// Sends a page, a fragment, a file or a redirect.

import type { FastifyReply } from 'fastify'
import { pageHeaders } from '../../http/headers.ts'
import { sendStream } from '../../http/send-body.ts'
import { setDevice, setPreference, setSession, setToast } from '../requests/cookies.ts'
import type { PageRequest, SignedInRequest } from '../requests/request.ts'
import type { PageResponse } from '../responses.ts'
import { renderLayout } from './layout.ts'
import { rememberTenant } from './tenant-switcher.ts'

export async function sendPage(
  reply: FastifyReply,
  pageRequest: PageRequest | SignedInRequest,
  response: PageResponse,
) {
  const { deps, cookies } = pageRequest
  const { session, columns, assetType } = cookies
  if (session !== undefined) setSession(deps, reply, session)
  if (columns !== undefined) setPreference(deps, reply, ['columns', columns])
  if (assetType !== undefined) setPreference(deps, reply, ['asset-type', assetType])
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
  return reply.send(await renderLayout(pageRequest, response))
}

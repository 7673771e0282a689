// Builds the request for a page handler from an HTTP request, and checks submitted forms.

import type { FastifyRequest } from 'fastify'
import type { Session } from '../../accounts/sign-in/sessions.ts'
import type { FileForm } from '../../http/file-form.ts'
import { hideKeys } from '../../lib/text.ts'
import { inTimeZone } from '../i18n/conventions.ts'
import { chooseLanguage, isLanguage, isTheme } from '../i18n/index.ts'
import { decodeToast } from '../toasts.ts'
import { cookieName } from './cookies.ts'
import { type PageRequest, type PanelDependencies, rowSizes } from './request.ts'
import { isSigned, sign } from './signatures.ts'

export function toPageRequest(
  deps: PanelDependencies,
  request: FastifyRequest,
  session: Session | undefined,
  seed: string,
): PageRequest {
  const cookie = (name: string) => request.cookies?.[cookieName(request, deps, `-${name}`)]
  const preferred = session?.user.language ?? cookie('language') ?? ''
  const language = isLanguage(preferred) ? preferred : chooseLanguage(request.headers['accept-language'])
  const theme = session?.user.theme ?? cookie('theme') ?? ''
  const url = new URL(request.url, 'http://panel')
  const rootUrl = deps.config.PUBLIC_URL || `${request.protocol}://${request.host}`
  const { form, file, fileName } = formOf(request)
  request.panelLogFields ??= {}
  return {
    deps,
    path: url.pathname.slice(1),
    query: url.searchParams,
    isForm: request.method === 'POST',
    form: form ?? new URLSearchParams(),
    file: file ?? null,
    fileName: fileName ?? '',
    requestId: hideKeys(request.id),
    logFields: request.panelLogFields,
    actor: {
      now: deps.now(),
      by: session?.user.id ?? null,
      address: request.ip,
      agent: request.headers['user-agent'] ?? null,
      deviceCookie: cookie('device'),
    },
    texts: inTimeZone(deps.languages[language], cookie('time-zone')),
    theme: isTheme(theme) ? theme : 'system',
    toast: decodeToast(deps.cursorKeys, cookie('toast')),
    frame: {},
    rootUrl,
    apiUrl: rootUrl + deps.config.API_BASE_PATH,
    csrfToken: sign(deps.cursorKeys, 'form', seed),
    cookie,
    rowSize: rowSizes.find((each) => each === cookie('rows')) ?? 'comfortable',
    cookies: {},
    ...(session && { session }),
  }
}

/** Returns the submitted form, as the parsers in panel.ts read it. */
export function formOf({ body }: FastifyRequest): Partial<FileForm> {
  return (body ?? {}) as Partial<FileForm>
}

/** Whether a form comes from this origin, or from a client that sends neither `Sec-Fetch-Site` nor `Origin`. */
export function isSameOrigin({ headers }: FastifyRequest): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  return site === undefined ? origin === undefined || URL.parse(origin)?.host === host : site === 'same-origin'
}

/** Whether a form contains the token for this browser or session. A session's seed is its id, which stays the same when
 *  the session's token changes. */
export function hasValidToken(deps: PanelDependencies, form: URLSearchParams, seed: string): boolean {
  return isSigned(deps.cursorKeys, 'form', seed, form.get('form_token') ?? '')
}

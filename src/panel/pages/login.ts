// /login.php: e-mail address and password, then the code of a second factor where there is one. /logout.php ends a session.

import { html } from 'ghtml'
import { endSession } from '../../accounts/sessions.ts'
import { issueDeviceCookie, signIn } from '../../accounts/sign-in.ts'
import { errorSummary, form, textField } from '../components/forms.ts'
import { writeWait } from '../i18n/index.ts'
import { type PageRequest, type PageResponse, pageUrl, redirectTo, type SignedInRequest } from '../request.ts'

export function showLogin(visit: PageRequest | SignedInRequest): PageResponse {
  return 'session' in visit ? { kind: 'redirect', to: './' } : loginPage(visit, {})
}

export async function submitLogin(visit: PageRequest | SignedInRequest): Promise<PageResponse> {
  const { parts, form: sent, texts, origin } = visit
  const wish = { email: sent.get('email') ?? '', password: sent.get('password') ?? '' }
  const code = sent.get('code')?.trim()
  const result = await signIn(parts.catalog, parts.pepper, { ...wish, ...(code && { code }) }, origin)
  switch (result.outcome) {
    case 'signed_in':
      visit.visitor.user = result.user.id
      if ('session' in visit) await endOwn(visit, 'session_ended') // else nobody would know of it any more
      return {
        kind: 'redirect',
        to: nextPage(visit),
        session: result.token,
        device: await issueDeviceCookie(parts.catalog, parts.pepper, result.user.id, origin),
      }
    case 'second_factor':
      return loginPage(visit, { asksCode: true })
    case 'refused':
      return loginPage(visit, { asksCode: sent.has('code'), sentence: texts.login.refused, status: 403 })
    case 'throttled':
      return loginPage(visit, { sentence: texts.login.throttled(writeWait(texts, result.seconds)), status: 429 })
  }
}

type Asked = { asksCode?: boolean; sentence?: string | undefined; status?: number }

/** With a second factor, address and password are asked for again together with the code: nothing is kept in between. */
function loginPage(visit: PageRequest, { asksCode = false, sentence, status = 200 }: Asked): PageResponse {
  const { texts, form: sent, query } = visit
  const code = asksCode
    ? textField({
        name: 'code',
        label: texts.login.codeLabel,
        hint: texts.login.codeHint,
        autocomplete: 'one-time-code',
      })
    : ''
  const fields = html`!${textField({ name: 'email', label: texts.email, type: 'email', value: sent.get('email') ?? '', autocomplete: 'username' })}
!${textField({ name: 'password', label: texts.password, type: 'password', autocomplete: 'current-password' })}!${code}
<p class="actions"><button class="main">${texts.login.submit}</button></p>`
  const asked = asksCode && sentence === undefined ? html`<p role="status">${texts.login.asksCode}</p>` : ''
  const action = pageUrl('login.php', { next: query.get('next') })
  return {
    kind: 'page',
    title: texts.login.title,
    body: errorSummary(sentence) + asked + form(visit, action, fields),
    status,
  }
}

/** The page that was asked for before signing in; only pages of the panel. */
function nextPage({ query }: PageRequest): string {
  const next = query.get('next') ?? ''
  return /^[a-z_]+\.php(\?[^#]*)?$/.test(next) && !/^log(in|out)\.php/.test(next) ? next : './'
}

function endOwn({ parts, session, origin }: SignedInRequest, event: 'session_ended' | 'signed_out'): Promise<void> {
  return endSession(parts.catalog, session.id, session.user.id, origin, event)
}

export async function submitLogout(visit: SignedInRequest): Promise<PageResponse> {
  await endOwn(visit, 'signed_out')
  return { ...redirectTo('login.php', { said: 'signedOut' }), session: null } as PageResponse
}

// Lists the user's sessions, with buttons that end them.

import { html } from 'ghtml'
import { endOtherSessions, endSession, listSessions } from '../../../accounts/sign-in/sessions.ts'
import { confirmPasswordField, form, submitButton } from '../../components/forms/forms.ts'
import { buttonRow, relatedList } from '../../components/sections.ts'
import { browserName } from '../../components/user-agent.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, requirePassword } from '../../requests/submit.ts'
import { type PageResponse, redirectTo } from '../../responses.ts'
import type { Section } from './section.ts'

export const sessionsSection: Section = {
  title: (texts) => texts.profile.sessions,
  show: sessionList,
  actions: { do_end: endOne, do_end_others: endOthers },
}

async function sessionList(request: SignedInRequest, { passwordError }: FormErrors): Promise<string> {
  const { texts, deps, session } = request
  const sessions = await listSessions(deps.catalog, session.user.id, deps.now())
  const items = sessions.map(({ id, last_seen_at, address: from, agent }) => {
    const end =
      id === session.id
        ? html`<b>${texts.profile.thisSession}</b>`
        : html`<button class="link" name="do_end" value="${id}">${texts.profile.endSession}</button>`
    const seen = html`<small>${browserName(agent ?? '')}, ${formatDateTime(texts, last_seen_at)}</small>`
    return html`<li>${from ?? ''} !${seen} !${end}</li>`
  })
  const list = relatedList(items)
  if (sessions.length < 2) return list
  const confirm = confirmPasswordField(request, passwordError, 'password-sessions')
  const button = buttonRow(submitButton(texts.profile.endOthers, { name: 'do_end_others' }))
  return form(request, 'profile.php', list + confirm + button)
}

async function endOne(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: formValues, actor } = request
  await requirePassword(request)
  await endSession(deps.catalog, { id: formValues.get('do_end') ?? '', userId: session.user.id }, actor)
  return redirectTo('profile.php', { notice: 'sessionEnded' })
}

async function endOthers(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, actor } = request
  await requirePassword(request)
  await endOtherSessions(deps.catalog, session, actor)
  return redirectTo('profile.php', { notice: 'sessionEnded' })
}

// /profile.php: the user's name, password, two-factor authentication, sessions, language, theme and row height.

import { html } from 'ghtml'
import { displayName } from '../../../accounts/users.ts'
import { card, pageHead } from '../../components/sections.ts'
import { lacksSecondFactor } from '../../requests/authorize.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, findAction, requireAction, statusFor, submitForm } from '../../requests/submit.ts'
import type { PageResponse } from '../../responses.ts'
import { describeRoles } from '../users/fields.ts'
import { type AccountCard, nameCard, passwordCard, preferencesCard, sessionsCard } from './cards.ts'
import { newSecondFactorPage, secondFactorCard } from './second-factor.ts'

const columns = [
  [nameCard, preferencesCard, sessionsCard],
  [passwordCard, secondFactorCard],
]

const actions = Object.fromEntries(columns.flat().flatMap((section) => Object.entries(section.actions)))

const onlyTurnOn = { do_turn_on: secondFactorCard.actions.do_turn_on! }

export function showProfile(request: SignedInRequest): Promise<PageResponse> | PageResponse {
  if (request.query.has('second_factor')) return newSecondFactorPage(request)
  return profilePage(request)
}

/** Users who must first turn on two-factor authentication can only do that, whatever else the form names. */
export async function submitProfile(request: SignedInRequest): Promise<PageResponse> {
  const allowed = lacksSecondFactor(request) ? onlyTurnOn : actions
  return submitForm(request, requireAction(request, allowed), profilePage)
}

async function profilePage(request: SignedInRequest, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, session } = request
  const { email, name } = session.user
  const about = [name ? email : '', describeRoles(texts, session.user)].filter(Boolean).join(' · ')
  const title = displayName(session.user)
  const head = pageHead({ icon: 'person', title, about: html`<span dir="auto">${about}</span>` })
  const show = async (section: AccountCard) =>
    card(section.title(texts), await section.show(request, findAction(request, section.actions) ? errors : {}))
  const columnsHtml = await Promise.all(columns.map((sections) => Promise.all(sections.map(show))))
  const body = html`!${head}<div class="columns">
!${columnsHtml.map((cards) => html`<div>!${cards.join('\n')}</div>`).join('\n')}
</div>`
  return { kind: 'page', title: texts.layout.profile, bodyHasHeading: true, body, status: statusFor(errors) }
}

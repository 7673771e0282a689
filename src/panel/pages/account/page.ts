// /profile.php: the user's name, password, two-factor authentication, sessions, language, theme and row height.

import { html } from 'ghtml'
import { displayName } from '../../../accounts/users.ts'
import { pageHead } from '../../components/page-parts.ts'
import { card } from '../../components/sections.ts'
import { describeRoles } from '../../components/user-roles.ts'
import type { SignedInRequest } from '../../request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { nameSection } from './name.ts'
import { passwordSection } from './password.ts'
import { preferencesSection } from './preferences.ts'
import { newSecondFactorPage, secondFactorSection } from './second-factor.ts'
import type { Section } from './section.ts'
import { sessionsSection } from './sessions.ts'

const columns = [
  [nameSection, preferencesSection, sessionsSection],
  [passwordSection, secondFactorSection],
]

export function showProfile(request: SignedInRequest): Promise<PageResponse> | PageResponse {
  if (request.query.has('second_factor')) return newSecondFactorPage(request)
  return profilePage(request)
}

export async function submitProfile(request: SignedInRequest): Promise<PageResponse> {
  for (const section of columns.flat()) {
    const button = Object.keys(section.submits).find((name) => request.form.has(name))
    if (button === undefined) continue
    const response = await section.submits[button]!(request)
    return response.kind === 'refused' ? profilePage(request, { section, error: response.error }) : response
  }
  throw new PageError(400, 'bad_request')
}

/** `refused`: the section with the refused form, and the error message. */
async function profilePage(
  request: SignedInRequest,
  refused?: { section: Section; error: string },
): Promise<PageResponse> {
  const { texts, session } = request
  const { email, name } = session.user
  const about = [name ? email : '', describeRoles(texts, session.user)].filter(Boolean).join(' · ')
  const title = displayName(session.user)
  const head = pageHead({ icon: 'person', title, about: html`<span dir="auto">${about}</span>` })
  const show = async (section: Section) =>
    card(section.title(texts), await section.show(request, refused?.section === section ? refused.error : undefined))
  const shown = await Promise.all(columns.map((sections) => Promise.all(sections.map(show))))
  const body = html`!${head}<div class="columns">
!${shown.map((cards) => html`<div>!${cards.join('\n')}</div>`).join('\n')}
</div>`
  return { kind: 'page', title: texts.layout.profile, hasHead: true, body, status: refused ? 422 : 200 }
}

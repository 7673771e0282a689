// The form that changes the user's password.

import { changePassword } from '../../../accounts/sign-in/change-password.ts'
import { issueDeviceCookie } from '../../../accounts/sign-in/sign-in.ts'
import { errorSummary, form, passwordField, submitButton } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { type PageResponse, redirectTo } from '../../responses.ts'
import type { Section } from './section.ts'

export const passwordSection: Section = {
  title: (texts) => texts.profile.changePassword,
  show: (request, { errorMessage }) => errorSummary(errorMessage) + passwordForm(request),
  actions: { do_password: savePassword },
}

function passwordForm(request: SignedInRequest): string {
  const { texts } = request
  const fields = [
    passwordField(texts, {
      name: 'password',
      label: texts.profile.currentPassword,
      autocomplete: 'current-password',
    }),
    passwordField(texts, {
      name: 'new_password',
      label: texts.newPassword,
      hint: texts.passwordHint,
      autocomplete: 'new-password',
    }),
    buttonRow(submitButton(texts.profile.changePassword, { name: 'do_password' })),
  ]
  return form(request, 'profile.php', fields.join('\n'))
}

async function savePassword(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: formValues, actor } = request
  const input = {
    current: formValues.get('password') ?? '',
    next: formValues.get('new_password') ?? '',
    sessionId: session.id,
  }
  request.cookies.session = await changePassword(deps, session.user.id, input, actor)
  const device = await issueDeviceCookie(deps.catalog, deps.pepper, session.user.id, actor)
  return { ...redirectTo('profile.php', { notice: 'passwordChanged' }), device }
}

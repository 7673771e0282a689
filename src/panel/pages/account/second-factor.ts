// Two-factor authentication: the page on which the user turns it on, and the form that turns it off.

import { html } from 'ghtml'
import encodeQR from 'qr'
import { newSecret, secretUri, turnOffSecondFactor, turnOnSecondFactor } from '../../../accounts/two-factor.ts'
import { lacksSecondFactor, needsSecondFactor } from '../../authorize.ts'
import {
  checkConfirmedPassword,
  confirmPasswordField,
  copyable,
  errorSummary,
  form,
  hiddenField,
  messageFor,
  submitButton,
  textField,
} from '../../components/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import type { SignedInRequest } from '../../request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { type Refused, type Section, toRefusal } from './section.ts'

export const secondFactorSection: Section = {
  title: (texts) => texts.profile.secondFactor,
  show: secondFactorState,
  submits: { do_turn_on: turnOn, do_turn_off: turnOff },
}

/** Shows a new secret, and the form that turns on two-factor authentication. */
export function newSecondFactorPage(request: SignedInRequest): PageResponse {
  return secondFactorPage(request, newSecret().secret)
}

function secondFactorState(request: SignedInRequest, error?: string): string {
  const { texts, session } = request
  const { secondFactorOff, secondFactorOn, secondFactorRequired, turnOn, turnOff } = texts.profile
  if (!session.user.has_second_factor) {
    const link = html`<a class="button" href="profile.php?second_factor=1">${turnOn}</a>`
    return html`<p>${secondFactorOff}</p>!${buttonRow(link)}`
  }
  if (needsSecondFactor(request)) {
    const required = error ? '' : html`<p>${secondFactorRequired}</p>`
    return html`!${errorSummary(error)}<p>${secondFactorOn}</p>!${required}`
  }
  const confirm = confirmPasswordField(request, error, 'password-off')
  const button = buttonRow(submitButton(turnOff, { name: 'do_turn_off' }))
  return html`<p>${secondFactorOn}</p>!${form(request, 'profile.php', confirm + button)}`
}

/** The form submits the secret together with a code. A correct code proves that the user's authenticator app has stored
 *  the secret. */
async function turnOn(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, form: formValues, origin, texts } = request
  const [secret, code] = [formValues.get('secret') ?? '', formValues.get('code') ?? '']
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return secondFactorPage(request, secret, { passwordError: passwordError })
  try {
    const codes = await turnOnSecondFactor(deps.catalog, deps.pepper, session.user.id, secret, code, origin)
    return codesPage(request, codes)
  } catch (error) {
    return secondFactorPage(request, secret, { codeError: messageFor(texts, error) })
  }
}

async function turnOff(request: SignedInRequest): Promise<PageResponse | Refused> {
  const { deps, session, origin, texts } = request
  if (needsSecondFactor(request)) return toRefusal(texts.profile.secondFactorRequired)
  const passwordError = await checkConfirmedPassword(request)
  if (passwordError) return toRefusal(passwordError)
  await turnOffSecondFactor(deps.catalog, session.user.id, origin)
  return redirectTo('profile.php', { notice: 'saved' })
}

type FactorErrors = { codeError?: string; passwordError?: string }

function secondFactorPage(
  request: SignedInRequest,
  secret: string,
  { codeError, passwordError }: FactorErrors = {},
): PageResponse {
  const { texts, session } = request
  if (!/^[A-Z2-7]{32}$/.test(secret)) throw new PageError(400, 'bad_request')
  const isRequired = lacksSecondFactor(request)
  const groups = secret.match(/.{4}/g)!.join(' ')
  const cancel = isRequired ? '' : html`<a href="profile.php">${texts.cancel}</a>`
  const fields = [
    hiddenField('secret', secret),
    textField({
      name: 'code',
      label: texts.login.codeLabel,
      autocomplete: 'one-time-code',
      error: codeError,
    }),
    confirmPasswordField(request, passwordError),
    buttonRow(submitButton(texts.profile.turnOn, { name: 'do_turn_on', kind: 'main' }), cancel),
  ]
  const required = isRequired ? html`<p class="lead">${texts.profile.secondFactorRequired}</p>` : ''
  const body = html`!${required}<p>${texts.profile.scan}</p>
<div class="qr" role="img" aria-label="QR">!${encodeQR(secretUri(secret, session.user.email), 'svg')}</div>
<p>${texts.profile.orType}</p>
<p class="secret">${groups}</p>
!${form(request, 'profile.php', fields.join('\n'))}`
  return { kind: 'page', title: texts.profile.secondFactor, body, status: codeError || passwordError ? 422 : 200 }
}

/** Shows the recovery codes, which appear only in this response. */
function codesPage({ texts }: SignedInRequest, codes: string[]): PageResponse {
  const body = html`<p class="lead">${texts.profile.codesHelp}</p>!${copyable(texts, 'codes', codes.join('\n'))}
!${buttonRow(html`<a class="button" href="profile.php">${texts.profile.codesSaved}</a>`)}`
  return { kind: 'page', title: texts.profile.codes, body }
}

// Two-factor authentication: the page on which the user turns it on, and the form that turns it off.

import { html } from 'ghtml'
import encodeQR from 'qr'
import {
  newSecret,
  secretUri,
  turnOffOwnSecondFactor,
  turnOnSecondFactor,
} from '../../../accounts/sign-in/two-factor.ts'
import {
  confirmPasswordField,
  copyable,
  errorSummary,
  form,
  hiddenField,
  passwordField,
  submitButton,
  textField,
} from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import { lacksSecondFactor, needsSecondFactor } from '../../requests/authorize.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import {
  type FormErrors,
  FormRefused,
  passwordRefused,
  requirePassword,
  statusFor,
  submitForm,
} from '../../requests/submit.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { type AccountCard, backToProfile, profileUrl } from './cards.ts'

export const secondFactorCard: AccountCard = {
  title: (texts) => texts.profile.secondFactor,
  show: secondFactorState,
  actions: {
    do_turn_on: (request) => submitForm(request, turnOn, secondFactorPage, request.form.get('secret') ?? ''),
    do_turn_off: turnOff,
  },
}

/** Shows a new secret, and the form that turns on two-factor authentication. */
export function newSecondFactorPage(request: SignedInRequest): PageResponse {
  return secondFactorPage(request, newSecret())
}

function secondFactorState(request: SignedInRequest, { errorMessage, passwordError }: FormErrors): string {
  const { texts, session } = request
  const { secondFactorOff, secondFactorOn, secondFactorRequired, turnOn, turnOff } = texts.profile
  if (!session.user.has_second_factor) {
    const link = html`<a class="button" href="${profileUrl(request, { second_factor: 1 })}">${turnOn}</a>`
    return html`<p>${secondFactorOff}</p>!${buttonRow(link)}`
  }
  if (needsSecondFactor(request)) {
    const required = errorMessage ? '' : html`<p>${secondFactorRequired}</p>`
    return html`!${errorSummary(errorMessage)}<p>${secondFactorOn}</p>!${required}`
  }
  const fields = [
    passwordField(texts, {
      id: 'password-off',
      name: 'password',
      label: texts.currentPassword,
      autocomplete: 'current-password',
      error: passwordError,
    }),
    textField({
      id: 'code-off',
      name: 'code',
      label: texts.login.codeLabel,
      hint: texts.login.codeHint,
      autocomplete: 'one-time-code',
      error: errorMessage,
    }),
    buttonRow(submitButton(turnOff, { name: 'do_turn_off' })),
  ]
  return html`<p>${secondFactorOn}</p>!${form(request, profileUrl(request), fields.join('\n'))}`
}

/** The form submits the secret together with a code. A correct code proves that the user's authenticator app has stored
 *  the secret. */
async function turnOn(request: SignedInRequest, secret: string): Promise<PageResponse> {
  const { deps, session, form: formValues, actor } = request
  await requirePassword(request)
  const code = formValues.get('code') ?? ''
  const codes = await turnOnSecondFactor(deps, session.user.id, { secret, code }, actor)
  return codesPage(request, codes)
}

async function turnOff(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, actor, texts, form: formValues } = request
  if (needsSecondFactor(request)) throw new FormRefused({ errorMessage: texts.profile.secondFactorRequired })
  const input = { password: formValues.get('password') ?? '', code: formValues.get('code') ?? '' }
  const result = await turnOffOwnSecondFactor(deps, session, input, actor)
  if (result.outcome === 'wrong_code') throw new FormRefused({ errorMessage: texts.reasons.code_wrong })
  if (result.outcome !== 'off') throw passwordRefused(texts, result)
  request.cookies.session = result.token
  return backToProfile(request, 'saved')
}

/** The message of a UserError is shown at the field for the code. */
function secondFactorPage(request: SignedInRequest, secret: string, errors: FormErrors = {}): PageResponse {
  const { texts, session } = request
  if (!/^[A-Z2-7]{32}$/.test(secret)) throw new PageError(400, 'bad_request')
  const isRequired = lacksSecondFactor(request)
  const groups = secret.match(/.{4}/g)!.join(' ')
  const cancel = isRequired ? '' : html`<a href="${profileUrl(request)}">${texts.cancel}</a>`
  const fields = [
    hiddenField('secret', secret),
    textField({
      name: 'code',
      label: texts.login.codeLabel,
      autocomplete: 'one-time-code',
      error: errors.errorMessage,
    }),
    confirmPasswordField(request, errors.passwordError),
    buttonRow(submitButton(texts.profile.turnOn, { name: 'do_turn_on', kind: 'main' }), cancel),
  ]
  const required = isRequired ? html`<p class="lead">${texts.profile.secondFactorRequired}</p>` : ''
  const body = html`!${required}<p>${texts.profile.scan}</p>
<div class="qr" role="img" aria-label="QR">!${encodeQR(secretUri(secret, session.user.email), 'svg')}</div>
<p>${texts.profile.orType}</p>
<p class="secret">${groups}</p>
!${form(request, profileUrl(request), fields.join('\n'))}`
  return { kind: 'page', title: texts.profile.secondFactor, body, status: statusFor(errors) }
}

/** Shows the recovery codes, which appear only in this response. */
function codesPage(request: SignedInRequest, codes: string[]): PageResponse {
  const { texts } = request
  const body = html`<p class="lead">${texts.profile.codesHelp}</p>!${copyable(texts, 'codes', codes.join('\n'))}
!${buttonRow(html`<a class="button" href="${profileUrl(request)}">${texts.profile.codesSaved}</a>`)}`
  return { kind: 'page', title: texts.profile.codes, body }
}

// Handles a submitted form: finds the action of the button that was pressed, asks for the password where an action
// requires it, and shows the page again if the action refuses the form.

import { confirmPassword } from '../../accounts/sign-in/change-password.ts'
import type { PasswordRefusal } from '../../accounts/sign-in/password-check.ts'
import { isConfirmed } from '../../accounts/sign-in/sessions.ts'
import { UserError } from '../../lib/user-error.ts'
import { formatDuration, ownText, type Texts } from '../i18n/index.ts'
import { PageError, type PageResponse } from '../responses.ts'
import type { PageRequest, SignedInRequest } from './request.ts'

/** The error messages for a refused form: one for the form as a whole, and one for each field that can have its own. */
export type FormErrors = { errorMessage?: string; passwordError?: string; slugError?: string }

/** Refuses a submitted form. submitForm shows the page again with these errors. */
export class FormRefused extends Error {
  readonly errors: FormErrors

  constructor(errors: FormErrors) {
    super('The form was refused.')
    this.errors = errors
  }
}

/** Runs an action. If it throws FormRefused or a UserError, shows the form's page again with the error messages.
 *  Rethrows any other error. `subject`: what the action and the page are about, for example a user's id. */
export async function submitForm<Request extends PageRequest, Subject extends unknown[]>(
  request: Request,
  action: (request: Request, ...subject: Subject) => Promise<PageResponse>,
  showPage: (request: Request, ...parameters: [...Subject, FormErrors]) => PageResponse | Promise<PageResponse>,
  ...subject: Subject
): Promise<PageResponse> {
  try {
    return await action(request, ...subject)
  } catch (error) {
    const errors = error instanceof FormRefused ? error.errors : { errorMessage: messageFor(request.texts, error) }
    return showPage(request, ...subject, errors)
  }
}

/** Returns a UserError's message, translated if there is a text for its reason. Rethrows any other error. */
function messageFor(texts: Texts, error: unknown): string {
  if (!(error instanceof UserError)) throw error
  const { reason } = error
  return (reason === undefined ? undefined : ownText(texts.reasons, reason)) ?? error.message
}

export function statusFor(errors: FormErrors): number {
  return Object.values(errors).some((message) => message !== undefined) ? 422 : 200
}

/** Returns the action of the button that submitted the form. `actions`: a page's actions, keyed by the names of their
 *  buttons. */
export function findAction<Action>({ form }: PageRequest, actions: Record<string, Action>): Action | undefined {
  return Object.entries(actions).find(([name]) => form.has(name))?.[1]
}

/** Like findAction. Throws a PageError with 400 if the form names no action. */
export function requireAction<Action>(request: PageRequest, actions: Record<string, Action>): Action {
  const action = findAction(request, actions)
  if (action === undefined) throw new PageError(400, 'bad_request')
  return action
}

/** Refuses the form unless it contains the user's password, or the user confirmed the password a few minutes ago. If
 *  the user enters the correct password, the session's token is replaced. Actions call this after they have checked
 *  their other input. */
export async function requirePassword(request: SignedInRequest): Promise<void> {
  const { session, texts, deps, form, actor } = request
  if (isConfirmed(session, deps.now())) return
  const password = form.get('password') ?? ''
  if (password === '') throw new FormRefused({ passwordError: texts.passwordMissing })
  const confirmation = await confirmPassword(deps, session, password, actor)
  if (confirmation.outcome !== 'confirmed') throw passwordRefused(texts, confirmation)
  request.cookies.session = confirmation.token
}

export function passwordRefused(texts: Texts, refusal: PasswordRefusal): FormRefused {
  if (refusal.outcome === 'wrong') return new FormRefused({ passwordError: texts.passwordRefused })
  return new FormRefused({ passwordError: texts.login.throttled(formatDuration(texts, refusal.seconds)) })
}

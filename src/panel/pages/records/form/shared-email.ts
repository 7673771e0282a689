// Asks before a person gets an email address that another person already has. Imports could no longer tell the two
// apart, and it is often the same person twice.

import { html } from 'ghtml'
import { emailPattern } from '../../../../domain/fields/field-values.ts'
import { titleOf } from '../../../components/record-fields.ts'
import type { Texts } from '../../../i18n/index.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { recordUrl } from '../../../urls.ts'
import { findRecord, readList } from '../queries.ts'
import { type Draft, readForm } from './draft.ts'

/** The name of the button that confirms the address. Its value is the address, so that another one is checked again. */
const confirmName = 'same_email'

type Question = Required<Pick<Draft, 'errors' | 'links' | 'emailToConfirm'>>

/** Returns what a draft needs to ask; undefined if nobody else has the address, or if the user has confirmed it. */
export async function askAboutSharedEmail(request: RecordRequest, id: number | null): Promise<Question | undefined> {
  const { resource, texts, form } = request
  const email = resource.name === 'employees' ? (readForm(request).email ?? '').trim() : ''
  if (!emailPattern.test(email) || form.get(confirmName) === email) return undefined
  const stored = id === null ? undefined : await findRecord(request, resource, id)
  if (stored?.record.email === email) return undefined
  const { records } = await readList(request, resource, { email, kind: 'person', limit: '2' })
  const owner = records.find((each) => each.id !== id)
  if (!owner) return undefined
  const { emailUsedBy } = texts.recordPages.errors
  return {
    errors: { email: emailUsedBy(titleOf(owner, resource.title, texts)) },
    links: { email: recordUrl(request, resource.name, owner.id) },
    emailToConfirm: email,
  }
}

/** Renders the button below the field; empty if there is nothing to confirm. */
export function confirmEmailButton({ recordPages }: Texts, { emailToConfirm }: Draft): string {
  if (emailToConfirm === undefined) return ''
  const label = recordPages.errors.useAnyway
  return html`<p class="actions"><button name="${confirmName}" value="${emailToConfirm}">${label}</button></p>`
}

// Edits one field in place: a link next to the value opens a form that replaces the value on the record's page.

import { html } from 'ghtml'
import { defaultButton, submitButton } from '../../../components/forms/forms.ts'
import { icon } from '../../../components/icons.ts'
import { fieldLabel } from '../../../i18n/index.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { pageUrl, recordUrl } from '../../../urls.ts'
import type { Draft } from '../form/draft.ts'
import { fieldInput, readSuggestions, recordForm } from '../form/render.ts'

/** The field that the user is editing, and the content of its form. */
export type FieldEdit = { name: string; draft: Draft }

/** The field that the user is editing, and its form as HTML. */
export type OpenField = { name: string; form: string }

/** Returns the field that the URL asks to edit; undefined if the URL does not name a field, or if the field cannot be
 *  edited in place. */
export function fieldToEdit(request: RecordRequest): string | undefined {
  const name = request.query.get('edit') ?? ''
  return isEditable(request, name) ? name : undefined
}

export function isEditable({ resource: { fields }, presentation }: RecordRequest, name: string): boolean {
  const field = Object.hasOwn(fields, name) ? fields[name]! : undefined
  if (!field || field.readOnly || field.kind === 'boolean') return false
  return !presentation.changedElsewhere.includes(name)
}

/** Renders a link with a pencil icon. Returns an empty string for viewers, and for fields that cannot be edited in
 *  place. */
export function editLink(request: RecordRequest, id: number, name: string): string {
  const { texts, canWrite } = request
  if (!canWrite || !isEditable(request, name)) return ''
  const label = texts.recordPages.editField(fieldLabel(texts, name))
  const url = editUrl(request, id, name)
  return html`<a class="pencil" href="${url}" aria-label="${label}" title="${label}">!${icon('edit')}</a>`
}

export function editUrl({ baseParams }: RecordRequest, id: number, name: string): string {
  return pageUrl('records.php', { ...baseParams, id, edit: name })
}

export async function openField(request: RecordRequest, id: number, { name, draft }: FieldEdit): Promise<OpenField> {
  const { texts, resource } = request
  const suggestions = resource.fields[name]!.kind === 'text' ? await readSuggestions(request) : {}
  const content = html`!${defaultButton}
!${await fieldInput(request, name, draft, { suggestions, isAlone: true })}
<p class="actions">!${submitButton(texts.save, { kind: 'main' })}
<a href="${recordUrl(request, resource.name, id)}">${texts.cancel}</a></p>`
  return { name, form: recordForm(request, id, draft, content) }
}

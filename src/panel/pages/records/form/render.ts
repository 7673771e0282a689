// Renders a record's form: its sections and, if the form was refused, its errors.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import type { Field, WritableField } from '../../../../domain/declarations/resource.ts'
import { recordOperations } from '../../../../domain/records/operations.ts'
import {
  defaultButton,
  draftAttributes,
  errorSummary,
  formSection,
  hiddenField,
  submitButton,
} from '../../../components/forms/forms.ts'
import { input } from '../../../components/forms/record-inputs.ts'
import { titleOf } from '../../../components/record-fields.ts'
import { fieldLabel, resourceTexts, type Texts } from '../../../i18n/index.ts'
import type { Section } from '../../../resources/presentation.ts'
import type { PageResponse } from '../../../responses.ts'
import { pageUrl, recordUrl } from '../../../urls.ts'
import { chooser } from '../../search/choices.ts'
import type { RecordRequest } from '../request.ts'
import type { Draft } from './draft.ts'
import { equipmentSection } from './equipment-section.ts'
import { confirmEmailButton } from './shared-email.ts'
import { suggestedTagName, suggestTag } from './suggested-tag.ts'
import { warrantyButtons } from './warranty.ts'

/** The name of the button that saves the record and opens a form for another one. */
export const addAnotherName = 'add_another'
/** The name of the button that leads from the conflict page back to the form. */
export const reconsiderName = 'reconsider'

export async function formPage(request: RecordRequest, id: number | null, given: Draft): Promise<PageResponse> {
  const draft = await suggestTag(request, id, given)
  const { texts, resource, presentation, baseParams } = request
  const labels = resourceTexts(texts, resource.name)
  const title = id === null ? labels.new : texts.records.editTitle(titleOf({ ...draft.values, id }, resource.title))
  const suggestions = await readSuggestions(request)
  const sections = await Promise.all(
    presentation.sections.map(async (section) => {
      const equipment = section.name === 'notes' ? await equipmentSection(request, id, draft) : ''
      return equipment + (await sectionOf(request, section, draft, suggestions))
    }),
  )
  const back = id === null ? pageUrl('records.php', baseParams) : recordUrl(request, resource.name, id)
  const another = id === null ? submitButton(texts.recordPages.saveAndAdd, { name: addAnotherName }) : ''
  const body = html`!${formErrors(texts, draft)}
<form method="post" action="${formAction(request, id)}" class="record" novalidate
!${draftAttributesOf(request, id, draft)}>
!${defaultButton}!${versionFields(request, draft)}
!${draft.suggestedTag === undefined ? '' : hiddenField(suggestedTagName, draft.suggestedTag)}
!${sections}
<p class="actions save-bar">!${submitButton(texts.save, { kind: 'main' })}!${another}
<a href="${back}">${texts.cancel}</a></p>
</form>`
  return { kind: 'page', title, body, status: draft.status ?? 200 }
}

/** For each text field, reads the values that are most frequent in other records. */
export function readSuggestions({ deps, tenant, resource }: RecordRequest): Promise<Record<string, string[]>> {
  return deps.storage.run(tenant, recordOperations.suggestions, {
    resource: resource.name,
    timeoutMs: deps.listTimeoutMs,
  })
}

export function formAction({ baseParams, query }: RecordRequest, id: number | null): string {
  const edit = query.get('edit') ?? 1
  return pageUrl('records.php', id === null ? { ...baseParams, new: 1 } : { ...baseParams, id, edit })
}

/** Returns the attributes that drafts.js needs to keep unsaved input. `formValues`: the submitted form, if its
 *  values are shown. */
export function draftAttributesOf(
  request: RecordRequest,
  id: number | null,
  { formValues }: Pick<Draft, 'formValues'>,
): string {
  const { resource, query } = request
  const prefilled = [...query].filter(([name]) => name in resource.fields)
  const formKey = id === null ? `new ${new URLSearchParams(prefilled)}` : `${id} ${query.get('edit')}`
  return draftAttributes(request, `${resource.name} ${formKey}`, formValues !== undefined)
}

/** Renders a form's hidden fields: the CSRF token, the idempotency key, and the record's version. */
export function versionFields({ csrfToken }: RecordRequest, { etag, seen }: Pick<Draft, 'etag' | 'seen'>): string {
  const version = Object.entries({ etag, seen }).flatMap(([name, value]) => (value ? hiddenField(name, value) : []))
  return html`!${hiddenField('form_token', csrfToken)}!${hiddenField('once', randomUUID())}!${version}`
}

async function sectionOf(
  request: RecordRequest,
  { name, fields }: Section,
  draft: Draft,
  suggestions: Record<string, string[]>,
): Promise<string> {
  const { texts, resource, presentation } = request
  const writable = fields.filter(
    (each) => !(resource.fields[each] as Field).readOnly && presentation.hasField(draft.values, each),
  )
  if (writable.length === 0) return ''
  const inputs = await Promise.all(writable.map((each) => fieldInput(request, each, draft, suggestions)))
  return formSection(name, texts.recordPages.sections[name], html`<div class="grid">!${inputs}</div>`)
}

/** Renders a field with its label, hint and error. If a form has only one field, the field receives the focus, and a
 *  select replaces its radio buttons. */
export async function fieldInput(
  request: RecordRequest,
  name: string,
  draft: Draft,
  suggestions: Record<string, string[]>,
  place: 'among others' | 'alone' = 'among others',
): Promise<string> {
  const { texts, resource, presentation } = request
  const autofocus = place === 'alone'
  const control = presentation.controls[name]
  const field = resource.fields[name] as WritableField
  return input(texts, {
    name,
    field,
    value: draft.values[name],
    error: draft.errors?.[name],
    errorLink: draft.links?.[name],
    hint: hintOf(texts, resource.name, name),
    suggestions: suggestions[name],
    autofocus,
    more: buttonsBelow(request, name, draft, place),
    as: autofocus && control === 'radios' ? undefined : control,
    referenceField: field.kind === 'reference' ? await referenceField(request, name, field, draft, autofocus) : '',
  })
}

function buttonsBelow(request: RecordRequest, name: string, draft: Draft, place: 'among others' | 'alone'): string {
  if (name === 'email') return confirmEmailButton(request.texts, draft)
  return name === 'warranty_end' ? warrantyButtons(request, draft, place) : ''
}

function referenceField(
  request: RecordRequest,
  name: string,
  { to: resource, required }: Field & { kind: 'reference' },
  { values, errors, formValues }: Draft,
  autofocus: boolean,
): Promise<string> {
  const field = { name, label: fieldLabel(request.texts, name), resource, error: errors?.[name], autofocus }
  return chooser(request, { ...field, ...(required && { required }) }, values[name], formValues)
}

/** Returns the resource's own hint for this field, or else the hint for all fields with this name. */
function hintOf(texts: Texts, resource: string, name: string): string | undefined {
  const hints = texts.recordPages.hints as Record<string, string>
  return hints[`${resource}.${name}`] ?? hints[name]
}

/** Lists all errors at the top, each linked to its field. */
export function formErrors(texts: Texts, { summary, errors = {} }: Draft): string {
  const items = Object.entries(errors).map(
    ([name, errorMessage]) =>
      html`<li><a href="#${name}">${fieldLabel(texts, name.split('.').at(-1)!)}</a>: ${errorMessage}</li>`,
  )
  return errorSummary(summary, items.length > 0 ? html`<ul>!${items}</ul>` : '')
}

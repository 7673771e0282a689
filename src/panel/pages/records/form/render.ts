// Renders a record's form: its sections and, if the form was refused, its errors.

import { html } from 'ghtml'
import type { Field, WritableField } from '../../../../domain/declarations/resource.ts'
import { recordOperations } from '../../../../domain/records/operations.ts'
import {
  defaultButton,
  draftAttributes,
  errorList,
  errorSummary,
  form,
  formSection,
  hiddenButton,
  hiddenField,
  hiddenFields,
  onceField,
  submitButton,
} from '../../../components/forms/forms.ts'
import { input } from '../../../components/forms/record-inputs.ts'
import { titleOf } from '../../../components/record-fields.ts'
import { fieldLabel, resourceTexts, type Texts } from '../../../i18n/index.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import type { Section } from '../../../resources/presentation.ts'
import type { PageResponse } from '../../../responses.ts'
import { pageUrl, recordUrl, withoutEmpty } from '../../../urls.ts'
import { equipmentFields } from '../../desk/equipment.ts'
import { suggestTags } from '../../desk/new-assets.ts'
import { asksWhere, newValues, whereField } from '../../desk/where.ts'
import { chooser } from '../../search/choices.ts'
import { addAnotherName, againName } from './another.ts'
import type { Draft } from './draft.ts'
import { confirmEmailButton } from './shared-email.ts'
import { warrantyButtons } from './warranty.ts'

/** The name of the button that leads from the conflict page back to the form. */
export const reconsiderName = 'reconsider'

export async function formPage(request: RecordRequest, id: number | null, given: Draft): Promise<PageResponse> {
  const isNew = id === null && given.formValues === undefined
  const started = isNew ? { ...given, values: await newValues(request, given.values) } : given
  const draft = await suggestTag(request, id, started)
  const { texts, resource, presentation, baseParams } = request
  const labels = resourceTexts(texts, resource.name)
  const title =
    id === null ? labels.new : texts.records.editTitle(titleOf({ ...draft.values, id }, resource.title, texts))
  const suggestions = await readSuggestions(request)
  const sections = await Promise.all(
    presentation.sections.map(async (section) => {
      const equipment = section.name === 'notes' ? await equipmentSection(request, id, draft) : ''
      return equipment + (await sectionOf(request, section, draft, suggestions))
    }),
  )
  const back = id === null ? pageUrl('records.php', baseParams) : recordUrl(request, resource.name, id)
  const isAgain = id === null && request.query.has(againName)
  const save = submitButton(texts.save, isAgain ? {} : { kind: 'main' })
  const another = submitButton(texts.recordPages.saveAndAdd, { name: addAnotherName, ...(isAgain && { kind: 'main' }) })
  const buttons = id === null ? (isAgain ? [another, save] : [save, another]) : [save]
  const content = html`!${isAgain ? hiddenButton(addAnotherName) : defaultButton}
!${draft.suggestedTag === undefined ? '' : hiddenField(suggestedTagName, draft.suggestedTag)}
!${sections}
<p class="actions save-bar">!${buttons}
<a href="${back}">${texts.cancel}</a></p>`
  const body = formErrors(texts, draft) + recordForm(request, id, draft, content)
  return { kind: 'page', title, body, status: draft.status ?? 200 }
}

/** For each text field, reads the values that are most frequent in other records. */
export function readSuggestions({ deps, tenant, resource }: RecordRequest): Promise<Suggestions> {
  return deps.engine.run(tenant, recordOperations.suggestions, {
    resource: resource.name,
    timeoutMs: deps.listTimeoutMs,
  })
}

/** Renders a form for a record, with the version that the user is editing. `id`: null for a new record. `content` is
 *  HTML. */
export function recordForm(
  request: RecordRequest,
  id: number | null,
  draft: Pick<Draft, 'etag' | 'seen' | 'formValues'>,
  content: string,
): string {
  const version = hiddenFields(withoutEmpty({ etag: draft.etag, seen: draft.seen }))
  const attributes = draftAttributesOf(request, id, draft)
  return form(request, formAction(request, id), onceField() + version + content, { className: 'record', attributes })
}

function formAction({ baseParams, query }: RecordRequest, id: number | null): string {
  const edit = query.get('edit') ?? 1
  const again = query.get(againName)
  return pageUrl(
    'records.php',
    id === null ? { ...baseParams, new: 1, [againName]: again } : { ...baseParams, id, edit },
  )
}

/** Returns the attributes that drafts.js needs to keep unsaved input. `formValues`: the submitted form, if its
 *  values are shown. */
function draftAttributesOf(
  request: RecordRequest,
  id: number | null,
  { formValues }: Pick<Draft, 'formValues'>,
): string {
  const { resource, query } = request
  const prefilled = [...query].filter(([name]) => name in resource.fields)
  const formKey = id === null ? `new ${new URLSearchParams(prefilled)}` : `${id} ${query.get('edit')}`
  return draftAttributes(request, `${resource.name} ${formKey}`, formValues !== undefined)
}

async function sectionOf(
  request: RecordRequest,
  { name, fields }: Section,
  draft: Draft,
  suggestions: Suggestions,
): Promise<string> {
  const { texts, resource, presentation } = request
  const shown = fields.filter((each) => !resource.fields[each]?.readOnly && presentation.hasField(draft.values, each))
  if (shown.length === 0) return ''
  const focused = request.query.has(againName) ? presentation.firstToType : undefined
  const inputs = await Promise.all(
    shown.map((each) => fieldInput(request, each, draft, { suggestions, isAlone: false, isFocused: each === focused })),
  )
  const heading = texts.recordPages.sections[name]
  const isTitled = shown.length === 1 && fieldLabel(texts, shown[0]!) === heading
  return formSection(name, heading, html`<div class="grid">!${inputs}</div>`, isTitled ? 'titled' : '')
}

/** Frequent values by field. */
type Suggestions = Record<string, string[]>

/** Renders a field with its label, hint and error. `isAlone`: whether the form has no other field; the field then
 *  receives the focus, and a select replaces its radio buttons. `isFocused`: whether it receives the focus anyway. */
export async function fieldInput(
  request: RecordRequest,
  name: string,
  draft: Draft,
  { suggestions, isAlone, isFocused = isAlone }: { suggestions: Suggestions; isAlone: boolean; isFocused?: boolean },
): Promise<string> {
  const { texts, resource, presentation } = request
  if (asksWhere(resource, name)) return whereField(request, draft, draft.errors ?? {})
  const control = presentation.controls[name]
  const field = resource.fields[name] as WritableField
  const common = { name, error: draft.errors?.[name], autofocus: isFocused }
  return input(texts, {
    ...common,
    field,
    value: draft.values[name],
    errorLink: draft.links?.[name],
    hint: hintOf(texts, resource.name, name),
    suggestions: suggestions[name],
    more: name === 'email' ? confirmEmailButton(texts, draft) : warrantyButtons(request, name, draft, isAlone),
    as: isAlone && control === 'radios' ? undefined : control,
    referenceField: field.kind === 'reference' ? await referenceField(request, common, field, draft) : '',
  })
}

function referenceField(
  request: RecordRequest,
  common: { name: string; error: string | undefined; autofocus: boolean },
  { to: resource, required }: Field & { kind: 'reference' },
  { values, formValues }: Draft,
): Promise<string> {
  const label = fieldLabel(request.texts, common.name)
  return chooser(request, { ...common, label, resource, required }, values[common.name], formValues)
}

/** Returns the resource's own hint for this field, or else the hint for all fields with this name. */
function hintOf(texts: Texts, resource: string, name: string): string | undefined {
  const hints: Record<string, string> = texts.recordPages.hints
  return hints[`${resource}.${name}`] ?? hints[name]
}

/** Lists all errors at the top, each linked to its field. */
export function formErrors(texts: Texts, { summary, errors = {} }: Draft): string {
  return errorSummary(summary, errorList(texts, errors))
}

/** Returns an empty string unless the record is a new person. */
async function equipmentSection(request: RecordRequest, id: number | null, draft: Draft): Promise<string> {
  const { texts, resource, resources } = request
  if (id !== null || resource.name !== 'employees' || !resources.some(({ name }) => name === 'hardware')) return ''
  const branch = Number(draft.values.customer_id ?? 0) || null
  const fields = await equipmentFields(
    { ...request, form: draft.formValues ?? request.form },
    { branch },
    draft.errors ?? {},
  )
  return formSection('equipment', texts.verbs.equipment, fields, 'desk')
}

/** The name of the hidden field with the suggested tag. If the submitted tag differs, the user has changed it. */
const suggestedTagName = 'suggested_tag'

/** Fills in the next free tag. If someone else has since taken the suggested tag, suggests the next free tag and says
 *  so. */
async function suggestTag(request: RecordRequest, id: number | null, draft: Draft): Promise<Draft> {
  if (id !== null || request.resource.name !== 'hardware') return draft
  const { values, errors, formValues } = draft
  const typed = String(values.asset_tag ?? '')
  const formerSuggestion = formValues?.get(suggestedTagName) ?? ''
  const isTaken = errors?.asset_tag !== undefined && typed !== '' && typed === formerSuggestion
  if (formValues && !isTaken) return { ...draft, suggestedTag: formerSuggestion }
  if (!formValues && typed !== '') return draft
  const [nextTag = ''] = await suggestTags(request, 1)
  const takenErrors = isTaken ? { errors: { ...errors, asset_tag: request.texts.verbs.tagTaken(typed) } } : {}
  return { ...draft, ...takenErrors, values: { ...values, asset_tag: nextTag }, suggestedTag: nextTag }
}

// The page shown when two people have edited the same record. For each field that differs, the second person chooses
// one of the two versions.

import { html } from 'ghtml'
import type { Field } from '../../../../domain/declarations/resource.ts'
import { type Values, validateChanges } from '../../../../domain/fields/validate.ts'
import { actorNames, type Entry, readChanges, recordTitles } from '../../../components/activity/change-list.ts'
import { errorSummary, hiddenField, submitButton } from '../../../components/forms/forms.ts'
import { showValue, titleOf } from '../../../components/record-fields.ts'
import { formatDateTime } from '../../../i18n/conventions.ts'
import { fieldLabel } from '../../../i18n/index.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { type PageResponse, redirectTo } from '../../../responses.ts'
import { recordUrl } from '../../../urls.ts'
import { readRecord } from '../queries.ts'
import { choiceName, theirs, typedValues } from './draft.ts'
import { reconsiderName, recordForm } from './render.ts'

/** At most this many of the latest changes are read, to find those made since the user opened the form. */
const maxChanges = 50

/** The submitted fields that the page does not copy into its own form: tokens, the version, buttons, and earlier
 *  searches and choices. */
const notCopiedFields = /^(form_token|once|etag|seen|find.*|was\..*|take\..*|reconsider)$/

/** `placeValues`: where the user has put the asset, as members of a request's body. */
export async function showConflict(
  request: RecordRequest,
  id: number,
  placeValues: Record<string, string>,
): Promise<PageResponse> {
  const { texts, resource } = request
  const { record, etag } = await readRecord(request, id)
  const typed = validateChanges(resource, { ...typedValues(request), ...placeValues }).values
  const different = Object.keys(typed).filter((name) => typed[name] !== record[name])
  if (different.length === 0) return redirectTo('records.php', { ...request.baseParams, id, notice: 'saved' })
  const changes = await othersChanges(request, id)
  const stored = Object.fromEntries(different.map((name) => [name, record[name]])) as Values
  const row = await rowsFor(request, { typed, stored, untouched: untouchedFields(typed, changes) })
  const repeated = [...request.form].filter(([name]) => !notCopiedFields.test(name))
  const cancel = html`<a href="${recordUrl(request, resource.name, id)}">${texts.recordPages.conflict.discard}</a>`
  const { conflict } = texts.recordPages
  const content = html`!${repeated.map(([name, value]) => hiddenField(name, value))}
<table class="compare"><thead><tr><th scope="col">${texts.activity.field}</th>
<th scope="col">${conflict.mine}</th><th scope="col">!${await theirHeading(request, changes)}</th></tr></thead>
<tbody>!${different.map(row)}</tbody></table>
<p class="actions save-bar">!${submitButton(texts.save, { kind: 'main' })}
!${submitButton(conflict.edit, { name: reconsiderName })} !${cancel}</p>`
  const draft = { etag, seen: record.updated_at, formValues: request.form }
  const body = errorSummary(conflict.explain) + recordForm(request, id, draft, content)
  return { kind: 'page', title: texts.records.editTitle(titleOf(record, resource.title, texts)), body, status: 412 }
}

/** Returns the changes that were made after the user opened the form, newest first. */
async function othersChanges(request: RecordRequest, id: number): Promise<Entry[]> {
  const seen = request.form.get('seen') ?? ''
  const { entries } = await readChanges(request, { resource: request.resource.name, id, limit: maxChanges })
  return seen === '' ? [] : entries.filter(({ at }) => at > seen)
}

/** Returns the fields that others have changed but the user has not. For these, the page preselects the stored
 *  version. */
function untouchedFields(typed: Values, changes: Entry[]): Set<string> {
  const original: Values = Object.assign({}, ...changes.map(({ before }) => before))
  return new Set(Object.keys(original).filter((name) => original[name] === typed[name]))
}

/** Renders the heading for the column with the stored version. The heading names the person who saved this version, if
 *  the history still contains the change. */
async function theirHeading(request: RecordRequest, [newest]: Entry[]): Promise<string> {
  const { texts } = request
  const { conflict } = texts.recordPages
  if (!newest) return html`${conflict.theirs}`
  const actors = await actorNames(request, [newest])
  return html`${conflict.savedBy(actors(newest))} <small>${formatDateTime(texts, newest.at)}</small>`
}

async function rowsFor(
  request: RecordRequest,
  { typed, stored, untouched }: { typed: Values; stored: Values; untouched: Set<string> },
): Promise<(name: string) => string> {
  const { texts, resource } = request
  const titles = await recordTitles(request, [{ resource: resource.name, id: 0, before: typed, after: stored }])
  const show = (name: string, value: Values[string]) => {
    const field = resource.fields[name] as Field
    const title = field.kind === 'reference' ? titles(field.to, Number(value)) : undefined
    return title === undefined ? showValue(texts, field, value) : html`<bdi>${title}</bdi>`
  }
  return (name) => {
    const choice = (version: 'mine' | typeof theirs, value: Values[string]) => {
      const isChosen = (version === theirs) === untouched.has(name)
      return html`<label><input type="radio" name="${choiceName(name)}" value="${version}"
 aria-describedby="field-${name}"!${isChosen ? ' checked' : ''}>
<span><span class="hidden">${texts.recordPages.conflict[version]}: </span>!${show(name, value)}</span></label>`
    }
    return html`<tr><th scope="row" id="field-${name}">${fieldLabel(texts, name)}</th>
<td>!${choice('mine', typed[name]!)}</td>
<td>!${choice(theirs, stored[name]!)}</td></tr>`
  }
}

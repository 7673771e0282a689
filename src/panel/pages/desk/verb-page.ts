// /assign.php?do=…&ids=…: performs a verb, such as lending, on one or more assets.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import { isOffered, isVerb, type VerbName } from '../../../domain/equipment/verbs.ts'
import { draftAttributes } from '../../components/forms/draft.ts'
import { errorSummary, form, hiddenField, submitButton } from '../../components/forms/forms.ts'
import { titleOf } from '../../components/record-fields.ts'
import { buttonRow, section } from '../../components/sections.ts'
import { choiceLabel, resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { confirmationLink } from '../hand-over/links.ts'
import { withChosenRecords } from '../search/choices.ts'
import { itemList } from './item-list.ts'
import { type Item, readIds, readItems } from './items.ts'
import {
  type AnswersWithErrors,
  choosersOf,
  type Draft,
  hasQuestions,
  inputNames,
  questionInputs,
  readAnswers,
} from './questions.ts'
import { redirectWithToast, runDeskSteps } from './run.ts'

export async function showVerb(request: TenantRequest): Promise<PageResponse> {
  const items = await readChosenItems(request)
  if (items.length === 0) throw new PageError(404, 'not_found')
  return verbPage(request, readVerb(request), items, { errors: {} })
}

export async function submitVerb(submittedRequest: TenantRequest): Promise<PageResponse> {
  const verb = readVerb(submittedRequest)
  const { request, errors: chooserErrors } = await withChosenRecords(submittedRequest, choosersOf(verb))
  const { form: formValues, texts } = request
  const items = await readChosenItems(request)
  if (items.length === 0)
    return redirectWithToast({ to: backUrl(request, items), text: texts.verbs.nothingChosen, changeSet: null })
  if (formValues.has('find') || !hasQuestions(verb, formValues))
    return verbPage(submittedRequest, verb, items, { errors: {} })
  const answered = await readAnswers(request, verb)
  const errors = { ...answered.errors, ...chooserErrors }
  if (Object.keys(errors).length > 0)
    return verbPage(request, verb, items, { errors, summary: texts.records.invalid, status: 422 })
  return run(request, verb, items, answered)
}

function readVerb({ query, form: formValues }: TenantRequest): VerbName {
  const name = formValues.get('do') ?? query.get('do') ?? ''
  if (!isVerb(name)) throw new PageError(400, 'bad_request')
  return name
}

/** Returns the assets that the form or the URL names. */
async function readChosenItems(request: TenantRequest): Promise<Item[]> {
  const { query, form: formValues } = request
  return readItems(request, readIds([...query.getAll('ids'), ...formValues.getAll('ids')]))
}

async function run(
  request: TenantRequest,
  verb: VerbName,
  items: Item[],
  { answers, who }: AnswersWithErrors,
): Promise<PageResponse> {
  const { texts, form: formValues } = request
  const offered = items.filter(({ state }) => isOffered(verb, state))
  // When a form is submitted a second time, none of its assets allow the verb any more. Running the same steps again
  // then repeats the stored response.
  const fittingItems = offered.length > 0 ? offered : items
  const steps = fittingItems.map(({ id }) => ({
    kind: 'verb' as const,
    verb,
    id,
    ifMatch: formValues.get(`etag.${id}`),
    answers,
  }))
  const outcome = await runDeskSteps(request, steps)
  if ('records' in outcome) {
    const text = texts.verbs.done[verb](namesOf(request, fittingItems), who || (await placesOf(request, fittingItems)))
    const { changeSet } = outcome
    const link = confirmationLink(request, verb, changeSet)
    return redirectWithToast({ to: backUrl(request, items), text, changeSet, ...link })
  }
  if ('sentBefore' in outcome)
    return verbPage(request, verb, items, { errors: {}, summary: texts.records.sentBefore, status: 422 })
  const codes = new Set(outcome.failures.map(({ error }) => error.code))
  if (codes.has('invalid_employee'))
    return verbPage(request, verb, items, { errors: { [inputNames.person]: texts.verbs.choosePerson }, status: 422 })
  if (codes.has('validation_failed'))
    return verbPage(request, verb, items, { errors: { [inputNames.note]: texts.verbs.notesFull }, status: 422 })
  return verbPage(request, verb, items, { errors: {}, summary: texts.verbs.changedMeanwhile, status: 409 })
}

/** Returns the name of a single asset, or the number of assets. */
export function namesOf({ texts }: TenantRequest, items: readonly Item[]): string {
  return items.length === 1 ? items[0]!.name : resourceTexts(texts, 'hardware').count(items.length)
}

/** A confirmation names at most this many places. */
const maxPlaces = 3

/** Returns the names of the places where the assets are now: the names of their holders. */
async function placesOf(request: TenantRequest, items: readonly Item[]): Promise<string> {
  const placed = await readItems(
    request,
    items.map(({ id }) => id),
  )
  const names = [...new Set(placed.map(({ holder }) => titleOf(holder)))]
  const { locale, verbs: texts } = request.texts
  const rest = names.length > maxPlaces ? [texts.moreFields(names.length - maxPlaces)] : []
  return new Intl.ListFormat(locale).format([...names.slice(0, maxPlaces), ...rest])
}

/** Returns the URL of the page to show after the form: the holder's page if the form was opened there, otherwise the
 *  page of the only asset, or the list if there are several assets. */
function backUrl({ query, form: formValues, baseParams }: TenantRequest, items: readonly Item[]): string {
  const from = formValues.get('from') ?? query.get('from')
  if (from && /^\d{1,15}$/.test(from)) return pageUrl('records.php', { ...baseParams, resource: 'employees', id: from })
  const id = items.length === 1 ? items[0]!.id : null
  return pageUrl('records.php', { ...baseParams, resource: 'hardware', id })
}

async function verbPage(request: TenantRequest, verb: VerbName, items: Item[], draft: Draft): Promise<PageResponse> {
  const { texts, query, form: formValues, baseParams } = request
  const [fittingItems, others] = [true, false].map((wanted) =>
    items.filter((item) => isOffered(verb, item.state) === wanted),
  )
  const name = texts.verbs.names[verb]
  const title = `${name}: ${namesOf(request, items)}`
  const cancel = html`<a href="${backUrl(request, items)}">${texts.cancel}</a>`
  const excluded = others!.length === 0 ? '' : excludedItems(request, others!)
  if (fittingItems!.length === 0) {
    const body = errorSummary(draft.summary ?? texts.verbs.noneFits) + excluded + buttonRow(cancel)
    return { kind: 'page', title, body, status: draft.status ?? 409 }
  }
  const from = formValues.get('from') ?? query.get('from')
  const content = html`!${hiddenField('once', randomUUID())}!${hiddenField('asked', '1')}!${hiddenField('do', verb)}
!${from === null ? '' : hiddenField('from', from)}
!${fittingItems!.map(({ id, etag }) => hiddenField('ids', String(id)) + hiddenField(`etag.${id}`, etag))}
!${itemList(request, fittingItems!)}
<div class="grid">!${await questionInputs(request, verb, draft.errors)}</div>
!${buttonRow(submitButton(name, { kind: 'main' }), cancel)}`
  const chosen = fittingItems!.map(({ id }) => id).join()
  const attributes = draftAttributes(request, `${verb} ${chosen}`, formValues.has('asked'))
  const body =
    errorSummary(draft.summary) +
    form(request, pageUrl('assign.php', baseParams), content, 'record desk', attributes) +
    excluded
  return { kind: 'page', title, body, status: draft.status ?? 200 }
}

function excludedItems(request: TenantRequest, items: Item[]): string {
  const { texts } = request
  return section(
    texts.verbs.excluded,
    itemList(request, items, ({ state }) => choiceLabel(texts, state.status)),
  )
}

// /assign.php?do=…&ids=…: performs a verb, such as lending, on one or more assets.

import { html } from 'ghtml'
import { isOffered, isVerb, type VerbName } from '../../../domain/equipment/verbs.ts'
import { draftAttributes, errorSummary, hiddenField } from '../../components/forms/forms.ts'
import { placeTitle } from '../../components/record-fields.ts'
import { buttonRow, section } from '../../components/sections.ts'
import { choiceLabel, formatDate, resourceTexts } from '../../i18n/index.ts'
import { readNumber } from '../../requests/read-number.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError, type PageResponse } from '../../responses.ts'
import { listUrl, pageUrl, recordUrl } from '../../urls.ts'
import { deskForm, deskPage, type FormRefusal, runSteps } from './desk-page.ts'
import { type Item, itemList, readItemIds, readItems } from './items.ts'
import {
  choosersFor,
  fillsDate,
  hasAnswers,
  inputNames,
  questionInputs,
  readAnswers,
  verbQuestions,
} from './questions.ts'

type VerbSubject = { verb: VerbName; items: Item[] }

export const verbPage = deskPage({
  async reads(request) {
    const { texts, query, form, isForm } = request
    const verb = form.get('do') ?? query.get('do') ?? ''
    if (!isVerb(verb)) throw new PageError(400, 'bad_request')
    const items = await readItems(request, readItemIds([...query.getAll('ids'), ...form.getAll('ids')]))
    if (items.length > 0) return { verb, items }
    if (!isForm) throw new PageError(404, 'not_found')
    const toast = { text: texts.verbs.nothingChosen, changeSet: null }
    return { verb, items, instead: { kind: 'redirect', to: backUrl(request, items), toast } }
  },

  form: showForm,

  continues: (form, { verb }) => fillsDate(form) || !hasAnswers(form, verb),

  choosers: ({ verb }) => choosersFor(verbQuestions(verb)),

  async plans(request, { verb, items }) {
    const { answers, who, errors } = await readAnswers(request, verbQuestions(verb))
    const offered = items.filter(({ state }) => isOffered(verb, state))
    // When a form is submitted a second time, none of its assets allow the verb any more. Running the same steps again
    // then repeats the stored response.
    const fitting = offered.length > 0 ? offered : items
    const steps = fitting.map(({ id }) => {
      return { kind: 'verb' as const, verb, id, ifMatch: request.form.get(`etag.${id}`), answers }
    })
    return { change: { steps, fitting, who }, errors }
  },

  runs: runSteps,

  async says(request, { verb, items }, { fitting, who }) {
    const holder = who || (await placesOf(request, fitting))
    const { due_back: dueBack } = inputNames
    const day = verb === 'lend' ? formatDate(request.texts, request.form.get(dueBack) ?? '') : ''
    const text = request.texts.verbs.done[verb](namesOf(request, fitting), holder, day)
    return { to: backUrl(request, items), text, task: verb }
  },

  explains({ texts }, _, failures): FormRefusal {
    const codes = failures.map(({ error }) => error.code)
    if (codes.includes('invalid_employee'))
      return { errors: { [inputNames.person]: texts.search.choose.employees.empty }, status: 422 }
    if (codes.includes('validation_failed'))
      return { errors: { [inputNames.note]: texts.verbs.notesFull }, status: 422 }
    return { errors: {}, summary: texts.verbs.changedMeanwhile, status: 409 }
  },
})

/** Lists the assets for which the verb is offered, with its questions, and below the form the other assets. */
async function showForm(
  request: TenantRequest,
  { verb, items }: VerbSubject,
  refusal: FormRefusal,
): Promise<PageResponse> {
  const { texts, query, form, baseParams } = request
  const fitting = items.filter(({ state }) => isOffered(verb, state))
  const others = items.filter((item) => !fitting.includes(item))
  const name = texts.verbs.names[verb]
  const title = `${name}: ${namesOf(request, items)}`
  const cancel = backUrl(request, items)
  if (fitting.length === 0) return nothingLeftPage(request, { title, items, back: cancel }, refusal)
  const below = others.length === 0 ? '' : section(texts.verbs.excluded, itemStates(request, others))
  const from = form.get('from') ?? query.get('from')
  const fields = html`!${hiddenField('asked', '1')}!${hiddenField('do', verb)}
!${from === null ? '' : hiddenField('from', from)}
!${fitting.map(({ id, etag }) => hiddenField('ids', String(id)) + hiddenField(`etag.${id}`, etag))}
!${itemList(request, fitting)}
<div class="grid">!${await questionInputs(request, verbQuestions(verb), refusal.errors)}</div>`
  const draftName = `${verb} ${fitting.map(({ id }) => id).join()}`
  const attributes = draftAttributes(request, draftName, form.has('asked'))
  const action = pageUrl('assign.php', baseParams)
  return deskForm(request, refusal, { title, action, fields, button: name, cancel, attributes, below })
}

/** The page of a verb that none of the assets allows, usually because the user goes back after performing it. `back`:
 *  the URL of the page that it would lead to. */
function nothingLeftPage(
  request: TenantRequest,
  { title, items, back }: { title: string; items: Item[]; back: string },
  { summary, status = 200 }: FormRefusal,
): PageResponse {
  const { texts, isForm } = request
  const message = isForm
    ? errorSummary(summary ?? texts.verbs.noneFits)
    : html`<p class="lead">${texts.verbs.nothingLeft}</p>`
  const link = html`<a class="button main" href="${back}">${texts.recordPages.open}</a>`
  return {
    kind: 'page',
    title,
    body: message + itemStates(request, items) + buttonRow(link),
    status: isForm ? 409 : status,
  }
}

function itemStates(request: TenantRequest, items: Item[]): string {
  return itemList(request, items, ({ state }) => choiceLabel(request.texts, state.status))
}

/** Returns the name and the tag of a single asset, or the number of assets. */
function namesOf({ texts }: TenantRequest, items: readonly Item[]): string {
  const [{ name, record }] = items as [Item]
  if (items.length > 1) return resourceTexts(texts, 'hardware').count(items.length)
  const { asset_tag: tag } = record
  return typeof tag === 'string' && tag !== name ? `${name} (${tag})` : name
}

/** A confirmation names at most this many places. */
const maxPlaces = 3

/** Returns the names of the places in stock where the assets are now. */
async function placesOf(request: TenantRequest, items: readonly Item[]): Promise<string> {
  const ids = items.map(({ id }) => id)
  const placed = await readItems(request, ids)
  const names = [...new Set(placed.map(({ holder, branch }) => placeTitle(holder, branch)))]
  const { locale, verbs: texts } = request.texts
  const rest = names.length > maxPlaces ? [texts.moreFields(names.length - maxPlaces)] : []
  return new Intl.ListFormat(locale).format([...names.slice(0, maxPlaces), ...rest])
}

/** Returns the URL of the page to show after the form: the holder's page if the form was opened there, otherwise the
 *  page of the only asset, or the list if there are several assets. */
function backUrl(request: TenantRequest, items: readonly Item[]): string {
  const { query, form } = request
  const holder = readNumber(form.get('from') ?? query.get('from'))
  if (holder !== undefined) return recordUrl(request, 'employees', holder)
  return items.length === 1 ? recordUrl(request, 'hardware', items[0]!.id) : listUrl(request, 'hardware')
}

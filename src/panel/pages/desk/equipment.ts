// Renders and reads the part of a form in which the user gives a person equipment: assets from stock, and new assets.

import { html } from 'ghtml'
import type { DeskAnswers, DeskStep, FailedStep, newPerson } from '../../../domain/equipment/operations.ts'
import type { Choice } from '../../components/forms/forms.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { Errors, FormRefusal } from './desk-page.ts'
import { readItemIds } from './items.ts'
import { asksForRow, elsewhere, newAssetRows, readNewAssets, rowErrors, takenTagErrors } from './new-assets.ts'
import { readPlaces } from './places.ts'
import { isSearch, stockList } from './stock-list.ts'

/** `steps`: first the steps for assets from stock, then those for new assets. `fromStock`: the number of assets from
 *  stock. `rows`: for each new asset, the index of its row in the form. `given` and `inStock`: how many assets the
 *  person gets, and how many new ones go to stock. */
export type Equipment = {
  steps: DeskStep[]
  fromStock: number
  rows: number[]
  given: number
  inStock: number
  errors: Errors
}

/** Whether the form was submitted only to search the stock or to add a row. */
export function asksForMore(form: URLSearchParams): boolean {
  return isSearch(form) || asksForRow(form)
}

/** `name`: the name of the person who receives the equipment; absent if the form adds the person. `branch`: the id of
 *  the person's branch, whose stock comes first; null if it has not been chosen. */
type Recipient = { name?: string; branch: number | null }

export async function equipmentFields(
  request: TenantRequest,
  { name, branch }: Recipient,
  errors: Errors,
): Promise<string> {
  const { texts } = request
  const places = await placeChoices(request, branch)
  const choices = [['', texts.verbs.withRecipient(name)] as const, ...places]
  const [stock, rows] = await Promise.all([stockList(request, branch), newAssetRows(request, choices, errors)])
  return html`<fieldset class="field wide"><legend>${texts.verbs.fromStock}</legend>!${stock}</fieldset>
<fieldset class="field wide"><legend>${texts.verbs.newAssets}</legend>!${rows}</fieldset>`
}

/** Returns the places in stock where a new asset can be. If there are too many, returns those of the person's branch,
 *  and a choice with which the user searches for another branch. */
async function placeChoices(request: TenantRequest, branch: number | null): Promise<Choice[]> {
  const { texts } = request
  const own = branch === null ? [] : ((await readPlaces(request, [branch])) ?? [])
  const isOwn = ([value]: Choice) => own.some(([each]) => each === value)
  const all = await readPlaces(request)
  const others = (all ?? []).filter((each) => !isOwn(each))
  const places = [...own, ...others].map(([value, place]): Choice => [value, texts.verbs.inStock(place)])
  return all === null ? [...places, [elsewhere, texts.verbs.inStockElsewhere]] : places
}

/** `person`: the person who receives the equipment, or `newPerson` if the form creates the person first. `isAlone`:
 *  false if the form has other errors, with which those of the equipment are reported. */
export async function readEquipment(
  request: TenantRequest,
  person: { id: number } | typeof newPerson,
  isAlone = true,
): Promise<Equipment> {
  const { form } = request
  const answers: DeskAnswers = { person: typeof person === 'string' ? person : person.id }
  const fromStock = readItemIds(form.getAll('ids')).map((id): DeskStep => {
    return { kind: 'verb', verb: 'assign', id, ifMatch: form.get(`etag.${id}`), answers }
  })
  const { inStock, steps: creations, errors, rows } = await readNewAssets(request, person)
  const steps = [...fromStock, ...creations]
  const isValid = isAlone && Object.keys(errors).length === 0
  const taken = isValid ? {} : await takenTagErrors(request, { steps: creations, rows })
  const allErrors = { ...errors, ...taken }
  return { rows, errors: allErrors, steps, fromStock: fromStock.length, given: steps.length - inStock, inStock }
}

/** Returns the sentence about new assets in stock, which follows the one about the person; empty if there are none. */
export function stockedText({ texts }: TenantRequest, { inStock }: Equipment): string {
  return inStock === 0 ? '' : ` ${texts.verbs.addedToStock(resourceTexts(texts, 'hardware').count(inStock))}`
}

/** Returns the error messages for failed steps. `before`: how many of the form's steps precede the equipment steps. */
export function equipmentErrors(
  request: TenantRequest,
  { fromStock, rows }: Equipment,
  failures: readonly FailedStep[],
  before = 0,
): FormRefusal {
  const { texts } = request
  const errors: Errors = {}
  let isStockStale = false
  for (const failure of failures) {
    const index = failure.step - before
    if (index < 0) continue
    if (index < fromStock) isStockStale = true
    else Object.assign(errors, rowErrors(request, rows[index - fromStock]!, failure.errors ?? {}))
  }
  return { errors, summary: isStockStale ? texts.verbs.changedMeanwhile : texts.records.invalid, status: 422 }
}

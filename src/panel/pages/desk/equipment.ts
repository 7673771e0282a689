// Renders and reads the part of a form in which the user gives a person equipment: assets from stock, and new assets.

import { html } from 'ghtml'
import type { DeskAnswers, DeskStep, FailedStep, newPerson } from '../../../domain/equipment/operations.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { Errors, FormRefusal } from './desk-page.ts'
import { readItemIds } from './items.ts'
import { asksForRow, newAssetRows, readNewAssets, rowErrors } from './new-assets.ts'
import { isSearch, stockList } from './stock-list.ts'

/** `steps`: first the steps for assets from stock, then those for new assets. `fromStock`: the number of assets from
 *  stock. `rows`: for each new asset, the index of its row in the form. */
export type Equipment = { steps: DeskStep[]; fromStock: number; rows: number[]; errors: Errors }

/** Whether the form was submitted only to search the stock or to add a row. */
export function asksForMore(form: URLSearchParams): boolean {
  return isSearch(form) || asksForRow(form)
}

/** `branch`: assets in stock at this branch are listed first. */
export async function equipmentFields(request: TenantRequest, branch: number | null, errors: Errors): Promise<string> {
  const { texts } = request
  const [stock, rows] = await Promise.all([stockList(request, branch), newAssetRows(request, errors)])
  return html`<fieldset class="field wide"><legend>${texts.verbs.fromStock}</legend>!${stock}</fieldset>
<fieldset class="field wide"><legend>${texts.verbs.newAssets}</legend>!${rows}</fieldset>`
}

/** `person`: the person who receives the equipment, or `newPerson` if the form creates the person first. */
export function readEquipment(request: TenantRequest, person: { id: number } | typeof newPerson): Equipment {
  const { form } = request
  const answers: DeskAnswers = { person: typeof person === 'string' ? person : person.id }
  const fromStock = readItemIds(form.getAll('ids')).map((id): DeskStep => {
    return { kind: 'verb', verb: 'assign', id, ifMatch: form.get(`etag.${id}`), answers }
  })
  const { steps, rows, errors } = readNewAssets(request, person)
  return { steps: [...fromStock, ...steps], fromStock: fromStock.length, rows, errors }
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

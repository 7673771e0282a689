// Handles the buttons that fill in the end of a warranty: 12, 24 or 36 months after the purchase.

import { html } from 'ghtml'
import { isDay } from '../../../../domain/fields/field-values.ts'
import { hiddenField } from '../../../components/forms/forms.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { type Draft, submittedDraft } from './draft.ts'

/** The name of the buttons, and the name of the hidden input with the purchase date. The hidden input is used in a form
 *  that does not have a field for the purchase date. */
const [monthsName, purchaseName] = ['warranty_months', 'warranty_from']

const usualMonths = [12, 24, 36]

export function asksForWarranty(form: URLSearchParams): boolean {
  return form.has(monthsName)
}

/** Renders the buttons below the end of a warranty; empty for other fields. After a click, the browser scrolls back to
 *  the field. In a form with only this field, the buttons appear only if the purchase date is known. */
export function warrantyButtons(
  { texts }: RecordRequest,
  name: string,
  { values, formValues }: Draft,
  isAlone: boolean,
): string {
  const purchase = formValues?.get(purchaseName) ?? values.purchase_date
  if (name !== 'warranty_end' || (isAlone && !purchase)) return ''
  const buttons = usualMonths.map((each) => {
    const label = texts.recordPages.warranty.months(each)
    return html`<button name="${monthsName}" value="${each}" formaction="#warranty_end">${label}</button>`
  })
  const from = isAlone ? hiddenField(purchaseName, String(purchase)) : ''
  return html`!${from}<p class="actions">!${buttons.join(' ')}</p>`
}

/** Returns the draft of the submitted form, with the end of the warranty filled in. */
export function draftWithWarranty(request: RecordRequest): Draft {
  const { form, texts } = request
  const draft = submittedDraft(request)
  const from = form.get('purchase_date') ?? form.get(purchaseName) ?? ''
  if (!isDay(from)) {
    const name = form.has('purchase_date') ? 'purchase_date' : 'warranty_end'
    const summary = texts.records.invalid
    return { ...draft, errors: { [name]: texts.recordPages.warranty.purchaseFirst }, summary, status: 422 }
  }
  return { ...draft, values: { ...draft.values, warranty_end: lastDay(from, Number(form.get(monthsName))) } }
}

/** Returns the last day of a period that begins on `from`. If the final month is too short for the day of the month,
 *  the period ends on the month's last day. */
function lastDay(from: string, months: number): string {
  const [year, month, day] = from.split('-').map(Number) as [number, number, number]
  const first = new Date(Date.UTC(year, month - 1 + (usualMonths.includes(months) ? months : 0), 1))
  const daysOfMonth = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  first.setUTCDate(day > daysOfMonth ? daysOfMonth : day - 1)
  return first.toISOString().slice(0, 10)
}

import { type Choice, selectField } from '../../components/forms/forms.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { choiceLabel, fieldLabel } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { type ChooserField, chooser } from '../search/choices.ts'
import type { Errors } from './desk-page.ts'
import { findPlace, membersFor, placeValue, readPlaces } from './places.ts'
import { choosers, findOpenBranch } from './questions.ts'

/** The names of the inputs: the place or the branch, and the branch's storage location. */
export const stockName = 'stock_customer_id'
const locationName = 'stock_location'

export const stockChooser: ChooserField = { ...choosers.branch, name: stockName }

/** `place`: the storage location that holds the asset, or that is proposed for it. `formValues`: the submitted form. */
type StockDraft = { place: PanelRecord | undefined; formValues: URLSearchParams | undefined; isOptional: boolean }

export async function stockInput(request: TenantRequest, draft: StockDraft, errors: Errors): Promise<string> {
  const { place, formValues, isOptional } = draft
  const places = await readPlaces(request)
  const label = fieldLabel(request.texts, stockName)
  if (places === null) {
    const value = formValues?.get(stockName) ?? place?.customer_id
    const field = { ...stockChooser, label, required: !isOptional, error: errors[stockName] }
    return (await chooser(request, field, value, formValues)) + (await locationInput(request, draft, errors))
  }
  const isMissing = place && !places.some(([value]) => value === placeValue(place))
  const choices: Choice[] = isMissing ? [...places, [placeValue(place), titleOf(place)]] : places
  const only = choices.length === 1 ? choices[0]![0] : ''
  const value = formValues?.get(stockName) ?? (place ? placeValue(place) : only)
  return selectOf(request, { name: stockName, label, choices, value, error: errors[stockName], isOptional })
}

/** Renders the select of the branch's storage locations; empty if it has at most one. */
async function locationInput(request: TenantRequest, draft: StockDraft, errors: Errors): Promise<string> {
  const { place, formValues, isOptional } = draft
  const branch = formValues ? await findOpenBranch(request, formValues.get(stockName)) : { id: place?.customer_id }
  const choices = (branch?.id && (await readPlaces(request, [Number(branch.id)]))) || []
  if (choices.length < 2) return ''
  const value = formValues?.get(locationName) ?? (place ? placeValue(place) : '')
  const label = choiceLabel(request.texts, 'storage')
  return selectOf(request, { name: locationName, label, choices, value, error: errors[locationName], isOptional })
}

function selectOf({ texts }: TenantRequest, { isOptional, choices, ...field }: Select): string {
  const hasBlank = isOptional || !choices.some(([each]) => each === field.value)
  const required = isOptional ? undefined : texts.required
  return selectField({ ...field, required, choices: hasBlank ? [['', ''], ...choices] : choices })
}

type Select = Omit<Parameters<typeof selectField>[0], 'required'> & { isOptional: boolean }

/** Returns the members of a request's body that put an asset where the submitted form says, or the error messages.
 *  `former`: the id of the asset's holder, where it stays if it is already in stock at the branch. */
export async function readStock(request: TenantRequest, former: unknown) {
  const { form, texts } = request
  const text = form.getAll(stockName).at(-1) ?? ''
  const members = await membersFor(request, text)
  if (!members) return { errors: { [stockName]: texts.search.choose.customers.empty } }
  if (members.stock_customer_id === undefined) return { members }
  const branch = Number(text)
  const [places, holder] = await Promise.all([readPlaces(request, [branch]), findPlace(request, former)])
  const location = form.get(locationName) ?? ''
  if (places?.some(([value]) => value === location)) return { members: (await membersFor(request, location))! }
  if (holder?.customer_id === branch) return { members: { employee_id: String(holder.id) } }
  return (places ?? []).length < 2 ? { members } : { errors: { [locationName]: texts.verbs.chooseLocation } }
}

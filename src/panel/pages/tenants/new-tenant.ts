// The page that creates a tenant, with its currency and time zone.

import { html } from 'ghtml'
import { tenantSettings } from '../../../domain/declarations/settings.ts'
import { type Values, validateChanges } from '../../../domain/fields/validate.ts'
import { settingsOperations } from '../../../domain/settings/operations.ts'
import { createTenant } from '../../../tenants/lifecycle.ts'
import { slugFrom } from '../../../tenants/tenants.ts'
import { errorSummary, form, submitButton, textField } from '../../components/forms/forms.ts'
import { chosenTimeZone, timeZoneField } from '../../components/forms/time-zone-field.ts'
import { buttonRow, pageHead } from '../../components/sections.ts'
import { fieldLabel } from '../../i18n/index.ts'
import { currencyIn } from '../../i18n/time-zones.ts'
import { changeInput } from '../../requests/mutation-input.ts'
import type { PageRequest, SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, FormRefused, statusFor } from '../../requests/submit.ts'
import { type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { toInvalidOutcome } from '../records/mutations.ts'

export const newTenantUrl = pageUrl('tenants.php', { new: 1 })

export function newTenantPage(request: SignedInRequest, errors: FormErrors = {}): PageResponse {
  const { createTitle: title } = request.texts.tenants
  const head = pageHead({ crumbs: [['tenants.php', request.texts.frame.tenants]], icon: 'tenant', title })
  const body = head + errorSummary(errors.errorMessage) + newTenantForm(request, errors)
  return { kind: 'page', title, bodyHasHeading: true, body, status: statusFor(errors) }
}

function newTenantForm(request: SignedInRequest, { errorMessage }: FormErrors): string {
  const { texts, form: formValues } = request
  const { name, slug, slugHint, trialEnds, trialHint, create } = texts.tenants
  const value = (each: string) => formValues.get(each) ?? ''
  const currency = formValues.get('currency') ?? currencyIn(chosenTimeZone(request))
  const shortName = { name: 'slug', label: slug, value: chosenSlug(request), hint: slugHint }
  const currencyField = { name: 'currency', label: fieldLabel(texts, 'currency'), hint: texts.settingHints.currency }
  const trial = { name: 'trial_ends', label: trialEnds, value: value('trial_ends'), hint: trialHint }
  const autofocus = errorMessage === undefined
  const fields = html`!${textField({ name: 'name', label: name, value: value('name'), autofocus })}
!${textField({ ...shortName, attributes: formValues.has('slug') ? '' : ' data-suggests-slug' })}
!${timeZoneField(request, texts.settingHints.time_zone)}
!${textField({ ...currencyField, value: currency, attributes: ' data-suggests-currency' })}
!${textField({ ...trial, type: 'date' })}
!${buttonRow(submitButton(create, { kind: 'main' }))}`
  return form(request, newTenantUrl, fields, { className: 'record' })
}

/** A short name that the user has left empty is derived from the name. */
function chosenSlug({ form }: PageRequest): string {
  return form.get('slug')?.trim() || slugFrom(form.get('name') ?? '')
}

export async function createNewTenant(request: SignedInRequest): Promise<PageResponse> {
  const { deps, form: formValues, actor } = request
  const [name, trialEnds] = ['name', 'trial_ends'].map((each) => formValues.get(each)?.trim() || undefined)
  const values = readSettings(request)
  const input = { slug: chosenSlug(request), name, trialEnds }
  const tenant = await createTenant(deps.catalog, deps.databases, input, actor)
  const change = changeInput(request, { name: tenant.name, newName: null, values, ifMatch: null })
  await deps.engine.run(tenant, settingsOperations.changeSettings, change)
  const preferences = { 'time-zone': chosenTimeZone(request) }
  return { ...redirectTo('', { tenant: tenant.slug, notice: 'created' }), preferences }
}

/** An empty currency leaves the default. Throws FormRefused. */
function readSettings(request: SignedInRequest): Values {
  const { form: formValues, texts } = request
  const currency = formValues.get('currency')?.trim().toUpperCase()
  try {
    const answers = { time_zone: formValues.get('time_zone') ?? chosenTimeZone(request), ...(currency && { currency }) }
    return validateChanges(tenantSettings, answers).values
  } catch (error) {
    const [name] = Object.keys(toInvalidOutcome(error).errors)
    throw new FormRefused({ errorMessage: texts.settingErrors[name === 'currency' ? 'currency' : 'time_zone'] })
  }
}

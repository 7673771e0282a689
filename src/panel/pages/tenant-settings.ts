// /tenant_settings.php: the form for a tenant's settings, generated from their declaration.

import { html } from 'ghtml'
import { type WritableField, writableFields } from '../../domain/declarations/resource.ts'
import { tenantSettings } from '../../domain/declarations/settings.ts'
import type { FieldError } from '../../domain/fields/field-values.ts'
import { type Values, validateChanges } from '../../domain/fields/validate.ts'
import { settingsOperations } from '../../domain/settings/operations.ts'
import { Problem } from '../../problem.ts'
import { findTenant, renameTenant } from '../../tenants/tenants.ts'
import {
  draftAttributes,
  errorList,
  errorSummary,
  form,
  hiddenField,
  onceField,
  submitButton,
} from '../components/forms/forms.ts'
import { fieldMessage, input, readFields } from '../components/forms/record-inputs.ts'
import { ownText, type Texts } from '../i18n/index.ts'
import { toLocalizedRequest } from '../requests/authorize.ts'
import { changeInput } from '../requests/mutation-input.ts'
import type { SignedInRequest, TenantRequest } from '../requests/request.ts'
import { type PageResponse, redirectTo } from '../responses.ts'
import { pageUrl } from '../urls.ts'
import { toInvalidOutcome } from './records/mutations.ts'

/** `etag`: the version of the settings that the user is editing. */
type Draft = {
  values: Values
  etag: string
  errors?: Record<string, FieldError>
  summary?: string
  status?: number
}

export async function showTenantSettings(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  return settingsPage(tenantRequest, await readSettings(tenantRequest))
}

/** If values are invalid, shows the form again with the submitted values and an error message for each invalid field.
 *  If another user has since changed the settings, shows the current values instead. */
export async function submitTenantSettings(request: SignedInRequest): Promise<PageResponse> {
  const tenantRequest = await toLocalizedRequest(request, 'write')
  const { form: formValues, texts, baseParams } = tenantRequest
  const names = fields.map(([name]) => name)
  const values = readFields(formValues, names)
  try {
    await save(tenantRequest, validateChanges(tenantSettings, values).values)
    return redirectTo('tenant_settings.php', { ...baseParams, notice: 'saved' })
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { changedMeanwhile, sentBefore, invalid } = texts.records
    if (error.code === 'precondition_failed') {
      const tenant = (await findTenant(request.deps.catalog, tenantRequest.tenant.slug)) ?? tenantRequest.tenant
      const current = await readSettings({ ...tenantRequest, tenant })
      return settingsPage(tenantRequest, { ...current, summary: changedMeanwhile, status: 412 })
    }
    const summary = error.code === 'idempotency_key_reused' ? sentBefore : invalid
    const { errors } = toInvalidOutcome(error)
    return settingsPage(tenantRequest, { values, etag: formValues.get('etag') ?? '*', errors, summary, status: 422 })
  }
}

const fields: [string, WritableField][] = writableFields(tenantSettings)

async function readSettings({ deps, tenant }: TenantRequest): Promise<Draft> {
  const { body, etag } = await deps.engine.run(tenant, settingsOperations.settings, { name: tenant.name })
  return { values: JSON.parse(body), etag }
}

/** Runs the same operation as `PUT /settings.php`. Throws a Problem. */
async function save(request: TenantRequest, { name, ...values }: Values): Promise<void> {
  const { deps, tenant, form: formValues, actor } = request
  const newName = name === undefined ? null : String(name)
  const change = { name: tenant.name, newName, values, ifMatch: formValues.get('etag') }
  const input = changeInput(request, change, ['settings:write'])
  const { status, body, changeSet } = await deps.engine.run(tenant, settingsOperations.changeSettings, input)
  if (status !== 200) throw new Problem(JSON.parse(body).error.code)
  if (newName !== null && changeSet !== null)
    await renameTenant(deps.catalog, tenant, { name: newName, changeSet }, actor)
}

function settingsPage(request: TenantRequest, draft: Draft): PageResponse {
  const { texts, baseParams } = request
  const { values, errors = {}, summary, etag, status = 200 } = draft
  const messages = Object.fromEntries(
    Object.entries(errors).map(([name, { code }]) => [name, messageOf(texts, name, code)]),
  )
  const hints: Record<string, string> = texts.settingHints
  const inputs = fields.map(([name, field]) =>
    input(texts, { name, field, value: values[name], error: messages[name], hint: hints[name] }),
  )
  const content = html`!${onceField()}!${hiddenField('etag', etag)}
<div class="grid">!${inputs}</div>
<p class="actions save-bar">!${submitButton(texts.save, { kind: 'main' })}</p>`
  const attributes = draftAttributes(request, 'settings', status !== 200)
  const settingsForm = form(request, pageUrl('tenant_settings.php', baseParams), content, {
    className: 'record',
    attributes,
  })
  return {
    kind: 'page',
    title: texts.subjects.settings,
    body: errorSummary(summary, errorList(texts, messages)) + settingsForm,
    status,
  }
}

function messageOf(texts: Texts, name: string, code: FieldError['code']): string {
  const settingError = code === 'required' ? undefined : ownText(texts.settingErrors, name)
  return settingError ?? fieldMessage(texts, new Map(fields).get(name), code)
}

// GET and PUT /settings.php: reads and changes the tenant's settings (contract §19).

import { emptyValues } from '../../domain/declarations/resource.ts'
import { tenantSettings } from '../../domain/declarations/settings.ts'
import { type Values, validateChanges } from '../../domain/fields/validate.ts'
import { type SettingsChange, settingsOperations } from '../../domain/settings/operations.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import { Problem } from '../../problem.ts'
import { unlessNotModified } from '../answers.ts'
import { type Answer, type ApiRequest, bodyErrors, type Endpoint, type EndpointDocs } from '../endpoint.ts'
import { refused, unknownField } from '../openapi/examples.ts'
import { updateSchema, valuesSchema } from '../openapi/schemas/schemas.ts'
import { type Exchange, ref, type Tag } from '../openapi/types.ts'
import { readHandling, readParameters, readQuery } from '../parse-request.ts'

export function settingsEndpoints(): Endpoint[] {
  const path = '/settings.php'
  const resource = 'settings'
  return [
    { method: 'GET', path, scope: { resource, action: 'read' }, answer, docs: readDocs },
    {
      method: 'PUT',
      path,
      scope: { resource, action: 'write' },
      operation: settingsOperations.changeSettings,
      hasBody: true,
      read: readChange,
      afterChange: renameTenant,
      docs: changeDocs,
    },
  ]
}

async function answer(request: ApiRequest): Promise<Answer> {
  const { query, caller, tenant, services } = request
  readParameters(query, [], 'settings.php takes none.')
  const { body, etag } = await services.engine.run(tenant, settingsOperations.settings, { name: caller.tenant.name })
  return unlessNotModified(request, etag, () => body)
}

function readChange({ call, caller }: ApiRequest, body: () => object): SettingsChange {
  const { name, ...values } = validateChanges(tenantSettings, body(), readHandling(call.headers)).values
  const newName = name === undefined ? null : String(name)
  return { name: caller.tenant.name, newName, values, ifMatch: call.headers['if-match'] ?? null }
}

/** Renames the tenant in the catalog, because the name is stored there and not in the tenant's database. */
async function renameTenant(
  { caller, services }: ApiRequest,
  input: object,
  { status, changeSet, replay }: StoredResponse,
) {
  const { newName: name } = input as SettingsChange
  if (name === null || status !== 200 || changeSet === null || replay?.isSameRequest === false) return
  await services.renameTenant(caller.tenant, { name, changeSet, apiKeyId: caller.id })
}

const tag: Tag = { name: 'settings', description: "The tenant's settings." }

function readDocs(): EndpointDocs {
  return {
    id: 'read_settings',
    tag,
    summary: "Read the tenant's settings",
    description:
      'Returns all settings. They do not affect the API: amounts are always in minor units of the currency, and times in UTC.',
    precondition: 'IfNoneMatch',
    responses: {
      200: { description: 'The settings.', schema: ref('schemas', 'TenantSettings'), headers: ['ETag'] },
      304: { description: 'Not modified: the caller has the current settings.', headers: ['ETag'] },
    },
    errors: ['invalid_request'],
    exchanges: readExchanges(),
    components: { schemas: { TenantSettings: valuesSchema(tenantSettings) } },
  }
}

function changeDocs(): EndpointDocs {
  return {
    id: 'update_settings',
    tag,
    summary: "Change the tenant's settings",
    description:
      'Changes the settings in the body and returns all settings. `null` resets a setting. The history (`changes.php`) lists ' +
      'the change under the `settings` resource; the first change appears as a creation. A new name is recorded in the audit log instead.',
    parameters: [ref('parameters', 'Prefer')],
    precondition: 'IfMatch',
    body: { schema: ref('schemas', 'TenantSettingsChanges'), examples: { updated: { value: exampleChanges } } },
    responses: {
      200: {
        description: 'The settings after the change.',
        schema: ref('schemas', 'TenantSettings'),
        headers: ['ETag'],
      },
    },
    errors: [...bodyErrors, 'no_fields', 'validation_failed', 'precondition_failed'],
    resource: tenantSettings,
    exchanges: changeExchanges(),
    components: { schemas: { TenantSettingsChanges: updateSchema(tenantSettings, []) } },
  }
}

const exampleChanges = { currency: 'TRY', time_zone: 'Europe/Istanbul', tag_format: 'TD-{0000}' }
const wrongValues = {
  currency: 'EURO',
  time_zone: '+01:00',
  customers_called: 'shops',
  tag_format: 'TD',
  next_tag_number: 0,
}

const exampleSettings: Values = { ...emptyValues(tenantSettings), name: 'acme' }

function readExchanges(): Exchange[] {
  return [
    { name: 'settings', request: {}, status: 200, answer: exampleSettings },
    refused({ query: 'id=7' }, () => readParameters(readQuery('id=7'), [], 'settings.php takes none.')),
  ]
}

function changeExchanges(): Exchange[] {
  return [
    {
      name: 'updated',
      request: { body: exampleChanges },
      status: 200,
      answer: { ...exampleSettings, ...exampleChanges },
    },
    refused({ body: {} }, () => validateChanges(tenantSettings, {})),
    refused({ body: wrongValues }, () => validateChanges(tenantSettings, wrongValues)),
    unknownField(tenantSettings, { body: {} }, (body) => validateChanges(tenantSettings, body, 'strict')),
    refused({ body: exampleChanges, headers: { 'If-Match': '"stale"' } }, new Problem('precondition_failed')),
  ]
}

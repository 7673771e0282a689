// Adds and removes the demo tenant, on the list of tenants.

import { html } from 'ghtml'
import { createDemoTenant, demoSlug } from '../../../tenants/demo/create-demo-tenant.ts'
import { deleteTenant } from '../../../tenants/lifecycle.ts'
import { finishMoves } from '../../../tenants/move/move.ts'
import { findTenant, type Tenant } from '../../../tenants/tenants.ts'
import { confirmPasswordField, form, submitButton } from '../../components/forms/forms.ts'
import { chosenTimeZone, hiddenTimeZone } from '../../components/forms/time-zone-field.ts'
import { buttonRow, dangerCard } from '../../components/sections.ts'
import { languageOf } from '../../i18n/index.ts'
import { currencyIn } from '../../i18n/time-zones.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, requirePassword } from '../../requests/submit.ts'
import { type PageResponse, redirectTo } from '../../responses.ts'

export async function addDemo(request: SignedInRequest): Promise<PageResponse> {
  const { deps, session, actor, texts } = request
  const timeZone = chosenTimeZone(request)
  const options = { language: languageOf(texts), timeZone, currency: currencyIn(timeZone) }
  const { slug } = await createDemoTenant(deps, { ...options, actor: { userId: session.user.id } }, actor)
  return redirectTo('', { tenant: slug, notice: 'created' })
}

/** Unlike other tenants, the demo tenant can be removed without typing its short name. */
export async function removeDemo(request: SignedInRequest): Promise<PageResponse> {
  const { deps, actor } = request
  await requirePassword(request)
  const tenant = await findTenant(deps.catalog, demoSlug)
  if (!tenant) return redirectTo('tenants.php')
  await finishMoves(deps.catalog, deps.databases)
  const isGone = await deleteTenant(deps.catalog, deps.databases, tenant, actor)
  return redirectTo('tenants.php', { notice: isGone ? 'deleted' : 'deletedInPart' })
}

export function demoCard(request: SignedInRequest, tenant: Tenant | undefined, errors: FormErrors): string {
  const { demo, removeDemo: action, removeDemoQuestion, removeDemoNow } = request.texts.tenants
  if (!tenant) {
    const about = html`<p class="hint">${request.texts.setup.demoHint}</p>`
    const fields = hiddenTimeZone(request) + buttonRow(submitButton(demo, { name: 'demo' }))
    return form(request, 'tenants.php', about + fields)
  }
  const password = confirmPasswordField(request, errors.passwordError)
  const danger = { action, question: removeDemoQuestion(tenant.name), url: 'tenants.php', button: removeDemoNow }
  return dangerCard(request, { ...danger, name: 'remove_demo', password })
}

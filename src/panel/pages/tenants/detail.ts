// The page that manages a single tenant.

import { html } from 'ghtml'
import { findBackupTime } from '../../../catalog/tables/backup-records.ts'
import { deleteTenant } from '../../../tenants/lifecycle.ts'
import { finishMoves } from '../../../tenants/move/move.ts'
import { activateTenant, findTenant, setTrialEnd, suspendTenant, type Tenant } from '../../../tenants/tenants.ts'
import { stateBadge } from '../../components/badge.ts'
import { timeOrNever } from '../../components/days.ts'
import { confirmPasswordField, errorSummary, form, submitButton, textField } from '../../components/forms/forms.ts'
import { buttonRow, card, factList, pageHead } from '../../components/sections.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import { formatDate, type Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import {
  type FormErrors,
  FormRefused,
  requireAction,
  requirePassword,
  statusFor,
  submitForm,
} from '../../requests/submit.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'

const actions = {
  extend: saving(({ deps, form, actor }, tenant) =>
    setTrialEnd(deps.catalog, tenant, form.get('trial_ends') ?? '', actor),
  ),
  suspend: saving(({ deps, form, actor }, tenant) =>
    suspendTenant(deps.catalog, tenant, form.get('reason') ?? undefined, actor),
  ),
  activate: saving(({ deps, actor }, tenant) => activateTenant(deps.catalog, tenant, actor)),
  delete: remove,
}

export function submitTenant(request: SignedInRequest, slug: string): Promise<PageResponse> {
  return submitForm(request, requireAction(request, actions), tenantPage, slug)
}

async function requireTenant({ deps, frame }: SignedInRequest, slug: string): Promise<Tenant> {
  const tenant = await findTenant(deps.catalog, slug)
  if (!tenant) throw new PageError(404, 'not_found')
  frame.tenant = tenant
  return tenant
}

/** Returns the action that makes a change to a tenant, and then shows its page again. */
function saving(change: (request: SignedInRequest, tenant: Tenant) => Promise<unknown>) {
  return async (request: SignedInRequest, slug: string): Promise<PageResponse> => {
    await change(request, await requireTenant(request, slug))
    return redirectTo('tenants.php', { tenant: slug, notice: 'saved' })
  }
}

/** Deletion is permanent, so the user must type the tenant's short name and enter their own password. */
async function remove(request: SignedInRequest, slug: string): Promise<PageResponse> {
  const { deps, form: formValues, texts, actor } = request
  const tenant = await requireTenant(request, slug)
  if (formValues.get('slug') !== slug) throw new FormRefused({ slugError: texts.tenants.slugDiffers })
  await requirePassword(request)
  await finishMoves(deps.catalog, deps.databases)
  const isGone = await deleteTenant(deps.catalog, deps.databases, tenant, actor)
  return redirectTo('tenants.php', { notice: isGone ? 'deleted' : 'deletedInPart' })
}

/** Shows the state, with the end of the trial or the reason for the suspension. */
export function showState(texts: Texts, { state, trial_ends, suspended_because }: Tenant): string {
  const more = state === 'trial' ? texts.recordPages.until(formatDate(texts, trial_ends!)) : (suspended_because ?? '')
  return html`!${stateBadge(state, texts.tenants.states[state])} <small>${more}</small>`
}

export async function tenantPage(
  request: SignedInRequest,
  slug: string,
  errors: FormErrors = {},
): Promise<PageResponse> {
  const { texts } = request
  const tenant = await requireTenant(request, slug)
  const { state } = tenant
  const cards = [
    state === 'trial' ? trialCard(request, tenant) : '',
    state === 'active' ? '' : activateCard(request, tenant),
    state === 'suspended' ? '' : suspendCard(request, tenant),
    deleteCard(request, tenant, errors),
  ]
  const head = pageHead({ icon: 'tenant', title: tenant.name, badges: showState(texts, tenant) })
  const body = html`!${head}!${errorSummary(errors.errorMessage)}!${await tenantFacts(request, tenant)}
<div class="columns">!${cards.join('\n')}</div>`
  return { kind: 'page', title: tenant.name, bodyHasHeading: true, body, status: statusFor(errors) }
}

/** Includes the server that stores the tenant's data, how long its history is kept, and the time of its last backup. */
async function tenantFacts({ texts, deps }: SignedInRequest, tenant: Tenant): Promise<string> {
  const { id, slug, server, created_at, history_days } = tenant
  const { historyKept, forEver, days, byDefault } = texts.home.tenantFacts
  const historyDays = history_days ?? deps.config.HISTORY_RETENTION_DAYS
  const keptFor = historyDays === 0 ? forEver : days(historyDays)
  const facts = factList([
    [texts.tenants.slug, html`<span class="code">${slug}</span>`],
    [texts.records.createdAt, html`${formatDateTime(texts, created_at)}`],
    [texts.tenants.server, html`${server}`],
    [historyKept, html`${history_days === null ? byDefault(keptFor) : keptFor}`],
    [texts.tenants.lastBackup, timeOrNever(texts, await findBackupTime(deps.catalog, id))],
  ])
  return html`<div class="card">!${facts}</div>`
}

function trialCard(request: SignedInRequest, { slug, trial_ends }: Tenant): string {
  const { trialEnds, extend: title } = request.texts.tenants
  const field = textField({ name: 'trial_ends', label: trialEnds, value: trial_ends ?? '', type: 'date' })
  const button = buttonRow(submitButton(request.texts.save, { name: 'extend' }))
  return card(title, form(request, pageUrl('tenants.php', { tenant: slug }), field + button))
}

function activateCard(request: SignedInRequest, { slug }: Tenant): string {
  const { activate, activateHelp } = request.texts.tenants
  const button = submitButton(activate, { name: 'activate', kind: 'main' })
  const activateForm = form(request, pageUrl('tenants.php', { tenant: slug }), buttonRow(button))
  return card(activate, html`<p>${activateHelp}</p>!${activateForm}`)
}

function suspendCard(request: SignedInRequest, { slug }: Tenant): string {
  const { suspend, suspendHelp, reason, reasonHint } = request.texts.tenants
  const field = textField({ name: 'reason', label: reason, hint: reasonHint })
  const button = submitButton(suspend, { name: 'suspend' })
  const suspendForm = form(request, pageUrl('tenants.php', { tenant: slug }), field + buttonRow(button))
  return card(suspend, html`<p>${suspendHelp}</p>!${suspendForm}`)
}

function deleteCard(request: SignedInRequest, { slug }: Tenant, { slugError, passwordError }: FormErrors): string {
  const { delete: label, deleteHelp, typeSlug } = request.texts.tenants
  const fields = html`<p>${deleteHelp}</p>
!${textField({ name: 'slug', label: typeSlug(slug), error: slugError })}
!${confirmPasswordField(request, passwordError)}
!${buttonRow(submitButton(label, { name: 'delete', kind: 'danger' }))}`
  return card(label, form(request, pageUrl('tenants.php', { tenant: slug }), fields))
}

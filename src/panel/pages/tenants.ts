// /tenants.php: the list of all tenants, and the page that manages a single tenant. Only for administrators.

import { html } from 'ghtml'
import { findBackupTime, listBackupTimes } from '../../catalog/tables/backup-records.ts'
import { createDemoTenant, demoSlug } from '../../tenants/demo/create-demo-tenant.ts'
import { createTenant, deleteTenant } from '../../tenants/lifecycle.ts'
import { finishMoves } from '../../tenants/move/move.ts'
import {
  activateTenant,
  findTenant,
  listTenants,
  setTrialEnd,
  suspendTenant,
  type Tenant,
} from '../../tenants/tenants.ts'
import { stateBadge } from '../components/badge.ts'
import { confirmPasswordField, errorSummary, form, submitButton, textField } from '../components/forms/forms.ts'
import { listPage } from '../components/lists/list-page.ts'
import { labelColumns } from '../components/lists/table.ts'
import { pageHead } from '../components/page-parts.ts'
import { buttonRow, card, factList } from '../components/sections.ts'
import { formatDateTime } from '../i18n/conventions.ts'
import { formatDate, languageOf, type Texts } from '../i18n/index.ts'
import { currencyIn } from '../i18n/time-zones.ts'
import type { SignedInRequest } from '../requests/request.ts'
import {
  type FormErrors,
  FormRefused,
  requireAction,
  requirePassword,
  statusFor,
  submitForm,
} from '../requests/submit.ts'
import { PageError, type PageResponse, redirectTo } from '../responses.ts'
import { pageUrl } from '../urls.ts'

export async function showTenants(request: SignedInRequest): Promise<PageResponse> {
  const slug = request.query.get('tenant')
  return slug === null ? tenantsPage(request) : tenantPage(request, slug)
}

const actions = { extend, suspend, activate, delete: remove }

export async function submitTenants(request: SignedInRequest): Promise<PageResponse> {
  const slug = request.query.get('tenant')
  if (slug === null) return submitForm(request, request.form.has('demo') ? addDemo : create, tenantsPage)
  return submitForm(request, requireAction(request, actions), tenantPage, slug)
}

async function requireTenant({ deps, frame }: SignedInRequest, slug: string): Promise<Tenant> {
  const tenant = await findTenant(deps.catalog, slug)
  if (!tenant) throw new PageError(404, 'not_found')
  frame.tenant = tenant
  return tenant
}

async function create(request: SignedInRequest): Promise<PageResponse> {
  const { deps, form: formValues, actor } = request
  const [slug = '', name, trialEnds] = ['slug', 'name', 'trial_ends'].map(
    (each) => formValues.get(each)?.trim() || undefined,
  )
  await createTenant(deps.catalog, deps.databases, { slug, name, trialEnds }, actor)
  return redirectTo('', { tenant: slug, notice: 'created' })
}

async function addDemo({ deps, session, actor, texts, timeZone }: SignedInRequest): Promise<PageResponse> {
  const options = { language: languageOf(texts), timeZone, currency: currencyIn(timeZone) }
  const { slug } = await createDemoTenant(deps, { ...options, actor: { userId: session.user.id } }, actor)
  return redirectTo('', { tenant: slug, notice: 'created' })
}

async function extend(request: SignedInRequest, slug: string): Promise<PageResponse> {
  const tenant = await requireTenant(request, slug)
  await setTrialEnd(request.deps.catalog, tenant, request.form.get('trial_ends') ?? '', request.actor)
  return redirectTo('tenants.php', { tenant: slug, notice: 'saved' })
}

async function suspend(request: SignedInRequest, slug: string): Promise<PageResponse> {
  const tenant = await requireTenant(request, slug)
  await suspendTenant(request.deps.catalog, tenant, request.form.get('reason') ?? undefined, request.actor)
  return redirectTo('tenants.php', { tenant: slug, notice: 'saved' })
}

async function activate(request: SignedInRequest, slug: string): Promise<PageResponse> {
  const tenant = await requireTenant(request, slug)
  await activateTenant(request.deps.catalog, tenant, request.actor)
  return redirectTo('tenants.php', { tenant: slug, notice: 'saved' })
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

async function tenantsPage(request: SignedInRequest, errors: FormErrors = {}): Promise<PageResponse> {
  const { texts, deps } = request
  const backups = new Map((await listBackupTimes(deps.catalog)).map(({ id, backed_up_at }) => [id, backed_up_at]))
  const { name, slug, state, server, lastBackup, empty, createTitle } = texts.tenants
  const tenants = await listTenants(deps.catalog)
  return listPage(request, {
    title: texts.frame.tenants,
    icon: 'tenant',
    items: tenants,
    searchText: (tenant) => `${tenant.slug} ${tenant.name}`,
    head: labelColumns(name, slug, state, server, texts.records.createdAt, lastBackup, ''),
    row: (tenant) => [
      html`<a dir="auto" href="${pageUrl('', { tenant: tenant.slug })}">${tenant.name}</a>`,
      html`<span class="code">${tenant.slug}</span>`,
      showState(texts, tenant),
      html`${tenant.server}`,
      html`${formatDate(texts, tenant.created_at.slice(0, 10))}`,
      showBackup(texts, backups.get(tenant.id)),
      manageLink(texts, tenant),
    ],
    empty,
    emptyHelp: texts.home.noTenantHelp,
    add: { label: createTitle, form: form(request, 'tenants.php', createFields(request)), errors },
    more: tenants.some((tenant) => tenant.slug === demoSlug) ? '' : demoForm(request),
  })
}

function demoForm(request: SignedInRequest): string {
  const { demo, demoHelp } = request.texts.tenants
  const button = buttonRow(submitButton(demo, { name: 'demo' }))
  return form(request, 'tenants.php', html`<p class="hint">${demoHelp}</p>!${button}`)
}

function showBackup(texts: Texts, time: string | null | undefined): string {
  return html`${time ? formatDateTime(texts, time) : texts.tenants.noBackup}`
}

function manageLink(texts: Texts, { slug, name }: Tenant): string {
  const url = pageUrl('tenants.php', { tenant: slug })
  return html`<a href="${url}" class="aside">${texts.tenants.manage}<span class="hidden"> ${name}</span></a>`
}

function createFields({ texts, form: formValues }: SignedInRequest): string {
  const labels = texts.tenants
  const value = (name: string) => formValues.get(name) ?? ''
  const [slug, name, trialEnds] = [value('slug'), value('name'), value('trial_ends')]
  return html`!${textField({ name: 'name', label: labels.name, value: name })}
!${textField({ name: 'slug', label: labels.slug, value: slug, hint: labels.slugHint, required: true })}
!${textField({ name: 'trial_ends', label: labels.trialEnds, value: trialEnds, type: 'date', hint: labels.trialHint })}
!${buttonRow(submitButton(labels.create, { kind: 'main' }))}`
}

/** Shows the state, with the end of the trial or the reason for the suspension. */
export function showState(texts: Texts, { state, trial_ends, suspended_because }: Tenant): string {
  const more = state === 'trial' ? texts.tenants.until(formatDate(texts, trial_ends!)) : (suspended_because ?? '')
  return html`!${stateBadge(state, texts.tenants.states[state])} <small>${more}</small>`
}

async function tenantPage(request: SignedInRequest, slug: string, errors: FormErrors = {}): Promise<PageResponse> {
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
    [texts.tenants.lastBackup, showBackup(texts, await findBackupTime(deps.catalog, id))],
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

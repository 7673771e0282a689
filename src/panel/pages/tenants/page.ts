// /tenants.php: the list of all tenants, and the page that manages a single tenant. Only for administrators.

import { html } from 'ghtml'
import { listBackupTimes } from '../../../catalog/tables/backup-records.ts'
import { createDemoTenant, demoSlug } from '../../../tenants/demo/create-demo-tenant.ts'
import { createTenant } from '../../../tenants/lifecycle.ts'
import { listTenants, type Tenant } from '../../../tenants/tenants.ts'
import { form, submitButton, textField } from '../../components/forms/forms.ts'
import { listPage } from '../../components/lists/list-page.ts'
import { labelColumns } from '../../components/lists/table.ts'
import { buttonRow } from '../../components/sections.ts'
import { formatDate, languageOf, type Texts } from '../../i18n/index.ts'
import { currencyIn } from '../../i18n/time-zones.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, submitForm } from '../../requests/submit.ts'
import { type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { showBackup, showState, submitTenant, tenantPage } from './detail.ts'

export async function showTenants(request: SignedInRequest): Promise<PageResponse> {
  const slug = request.query.get('tenant')
  return slug === null ? tenantsPage(request) : tenantPage(request, slug)
}

export async function submitTenants(request: SignedInRequest): Promise<PageResponse> {
  const slug = request.query.get('tenant')
  if (slug === null) return submitForm(request, request.form.has('demo') ? addDemo : create, tenantsPage)
  return submitTenant(request, slug)
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

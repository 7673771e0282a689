// /tenants.php: the list of all tenants, and the page that manages a single tenant. Only for administrators.

import { html } from 'ghtml'
import { listBackupTimes } from '../../../catalog/tables/backup-records.ts'
import { demoSlug } from '../../../tenants/demo/create-demo-tenant.ts'
import { listTenants, type Tenant } from '../../../tenants/tenants.ts'
import { timeOrNever } from '../../components/days.ts'
import { listPage } from '../../components/lists/list-page.ts'
import { labelColumns } from '../../components/lists/table.ts'
import { formatDate, type Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import { type FormErrors, requireAction, submitForm } from '../../requests/submit.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { addDemo, demoCard, removeDemo } from './demo.ts'
import { showState, submitTenant, tenantPage } from './detail.ts'
import { createNewTenant, newTenantPage, newTenantUrl } from './new-tenant.ts'

export async function showTenants(request: SignedInRequest): Promise<PageResponse> {
  const slug = request.query.get('tenant')
  if (slug !== null) return tenantPage(request, slug)
  return request.query.has('new') ? newTenantPage(request) : tenantsPage(request)
}

const demoActions = { demo: addDemo, remove_demo: removeDemo }

export async function submitTenants(request: SignedInRequest): Promise<PageResponse> {
  const slug = request.query.get('tenant')
  if (slug !== null) return submitTenant(request, slug)
  if (request.query.has('new')) return submitForm(request, createNewTenant, newTenantPage)
  return submitForm(request, requireAction(request, demoActions), tenantsPage)
}

/** `errors`: of the form that adds or removes the demo tenant. */
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
      timeOrNever(texts, backups.get(tenant.id)),
      manageLink(texts, tenant),
    ],
    empty,
    emptyHelp: texts.home.noTenantHelp,
    add: { label: createTitle, to: newTenantUrl, errors },
    more: demoCard(
      request,
      tenants.find((tenant) => tenant.slug === demoSlug),
      errors,
    ),
  })
}

function manageLink(texts: Texts, { slug, name }: Tenant): string {
  const url = pageUrl('tenants.php', { tenant: slug })
  return html`<a href="${url}" class="aside">${texts.tenants.manage}<span class="hidden"> ${name}</span></a>`
}

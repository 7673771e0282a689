// Creates a demo tenant with a few branches, their people, and hardware with a history.

import type { User } from '../../accounts/users.ts'
import type { AuditActor } from '../../catalog/audit-log.ts'
import { type ChangeContext, newChangeSet } from '../../resources/records/changes.ts'
import { byId, type Resource, resourceNamed } from '../../resources/resource.ts'
import { validateChanges, validateNew } from '../../resources/validate.ts'
import { createTenant, findTenant, type Tenant } from '../../tenants/tenants.ts'
import type { PanelDependencies } from '../request.ts'
import { branches, equipment, laterChanges, people } from './demo-data.ts'

const slug = 'demo'

type Author = Omit<ChangeContext, 'now'>

/** Creates the tenant `demo` unless it exists, and returns its slug. Its records are created through the
 *  operations that the API runs. */
export async function createDemoTenant(deps: PanelDependencies, by: User, origin: AuditActor): Promise<string> {
  const { catalog, databases, resources } = deps
  if (await findTenant(catalog, slug)) return slug
  const tenant = await createTenant(catalog, databases, { slug, name: 'Demo company' }, { ...origin, by: by.id })
  const author = { actor: { userId: by.id }, requestId: 'demo', changeSet: newChangeSet(deps.now()) }
  const [customers, employees, hardware] = ['customers', 'employees', 'hardware'].map((name) =>
    resourceNamed(resources, name),
  )
  const branchIds = await Promise.all(branches.map((each) => create(deps, tenant, author, customers!, each)))
  const peopleIds = await Promise.all(
    people.map(({ branch, ...each }) =>
      create(deps, tenant, author, employees!, { ...each, customer_id: branchIds[branch]! }),
    ),
  )
  const today = deps.now()
  const itemIds = await Promise.all(
    equipment.map(({ holder, boughtDaysAgo, warrantyDays, ...each }) => {
      const dates = {
        purchase_date: day(today, -boughtDaysAgo),
        warranty_end: day(today, warrantyDays - boughtDaysAgo),
      }
      return create(deps, tenant, author, hardware!, { ...each, ...dates, employee_id: peopleIds[holder]! })
    }),
  )
  for (const { item, holder, ...values } of laterChanges) {
    const moved = holder === undefined ? {} : { employee_id: peopleIds[holder]! }
    await change(deps, tenant, author, hardware!, itemIds[item]!, { ...values, ...moved })
  }
  return slug
}

function day(from: Date, days: number): string {
  return new Date(from.getTime() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
}

async function create(
  deps: PanelDependencies,
  tenant: Tenant,
  author: Author,
  resource: Resource,
  values: object,
): Promise<number> {
  const request = {
    action: 'create',
    resource: resource.name,
    ...validateNew(resource, values),
    location: '',
  } as const
  return JSON.parse((await mutate(deps, tenant, author, request)).body).id
}

async function change(
  deps: PanelDependencies,
  tenant: Tenant,
  author: Author,
  resource: Resource,
  id: number,
  values: object,
) {
  const request = {
    action: 'update',
    resource: resource.name,
    key: byId(id),
    ...validateChanges(resource, values),
    ifMatch: null,
  } as const
  await mutate(deps, tenant, author, request)
}

function mutate(
  { storage, now }: PanelDependencies,
  tenant: Tenant,
  author: Author,
  request: Parameters<typeof storage.run<'mutate'>>[2]['request'],
) {
  const context = { ...author, now: now().toISOString() }
  return storage.run(tenant, 'mutate', { context, idempotency: null, request })
}

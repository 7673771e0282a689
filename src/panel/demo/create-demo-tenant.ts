// Creates a demo tenant with a few branches, their people, and hardware with a history.

import type { User } from '../../accounts/users.ts'
import type { AuditActor } from '../../catalog/audit/audit-log.ts'
import { byId, type Resource, resourceNamed } from '../../domain/declarations/resource.ts'
import { validateChanges, validateNew } from '../../domain/fields/validate.ts'
import { type ChangeContext, newChangeSet } from '../../domain/records/changes.ts'
import { type RecordMutation, recordOperations } from '../../domain/records/operations.ts'
import { createTenant } from '../../tenants/lifecycle.ts'
import { findTenant } from '../../tenants/tenants.ts'
import type { PanelDependencies } from '../requests/request.ts'
import { branches, created, equipment, laterChanges, people } from './demo-data.ts'
import { german } from './words/de.ts'
import { turkish } from './words/tr.ts'

export const demoSlug = 'demo'

/** The translations by locale. In other locales, the data is in English. */
const words: Record<string, Record<string, string>> = { 'de-DE': german, 'tr-TR': turkish }

/** Creates the `demo` tenant if it does not exist, and returns its slug. Creates the records with the API's operations,
 *  but with times in the past. `locale`: the data's language. */
export async function createDemoTenant(
  deps: PanelDependencies,
  by: User,
  origin: AuditActor,
  locale: string,
): Promise<string> {
  const { catalog, databases, resources, engine } = deps
  if (await findTenant(catalog, demoSlug)) return demoSlug
  const translate = (text: string) => words[locale]?.[text] ?? text
  const name = translate('Demo company')
  const tenant = await createTenant(catalog, databases, { slug: demoSlug, name }, { ...origin, by: by.id })
  const today = deps.now()
  const mutate: Mutate = async (context, request) => {
    const { body } = await engine.run(tenant, recordOperations.mutate, { context, idempotency: null, request })
    return JSON.parse(body).id
  }
  const contextOf = ({ daysAgo, at }: Moment) => contextAt(new Date(`${dayAfter(today, -daysAgo)}T${at}Z`), by)
  const [customers, employees, hardware] = ['customers', 'employees', 'hardware'].map((name) =>
    resourceNamed(resources, name),
  )
  const creating = contextOf(created)
  const translated = (values: object) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? translate(value) : value]),
    )
  const add = (resource: Resource, values: object) => mutate(creating, creation(resource, translated(values)))
  const branchIds = await Promise.all(branches.map((each) => add(customers!, each)))
  const peopleIds = await Promise.all(
    people.map(({ branch, ...each }) => add(employees!, { ...each, customer_id: branchIds[branch]! })),
  )
  const itemIds = await Promise.all(
    equipment.map(({ holder, boughtDaysAgo, warrantyDays, ...each }) => {
      const dates = datesFrom(today, { purchase_date: -boughtDaysAgo, warranty_end: warrantyDays - boughtDaysAgo })
      return add(hardware!, { ...each, ...dates, employee_id: peopleIds[holder]! })
    }),
  )
  for (const { daysAgo, at, values, dates = {}, ...changed } of laterChanges) {
    const isPerson = 'person' in changed
    const holder = isPerson || changed.holder === undefined ? {} : { employee_id: peopleIds[changed.holder]! }
    const [resource, id] = isPerson ? [employees!, peopleIds[changed.person]!] : [hardware!, itemIds[changed.item]!]
    await mutate(
      contextOf({ daysAgo, at }),
      update(resource, id, { ...translated(values ?? {}), ...datesFrom(today, dates), ...holder }),
    )
  }
  return demoSlug
}

type Moment = { daysAgo: number; at: string }
type Mutate = (context: ChangeContext, request: RecordMutation) => Promise<number>

function contextAt(time: Date, by: User): ChangeContext {
  return { now: time.toISOString(), actor: { userId: by.id }, requestId: 'demo', changeSet: newChangeSet(time) }
}

function dayAfter(from: Date, days: number): string {
  return new Date(from.getTime() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
}

/** `days`: the number of days from today to each date. */
function datesFrom(today: Date, days: Record<string, number>): Record<string, string> {
  return Object.fromEntries(Object.entries(days).map(([name, after]) => [name, dayAfter(today, after)]))
}

function creation(resource: Resource, values: object): RecordMutation {
  return { action: 'create', resource: resource.name, ...validateNew(resource, values), location: '' }
}

function update(resource: Resource, id: number, values: object): RecordMutation {
  const changes = validateChanges(resource, values)
  return { action: 'update', resource: resource.name, key: byId(id), ...changes, ifMatch: null }
}

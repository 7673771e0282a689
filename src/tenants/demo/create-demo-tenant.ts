// Creates a demo tenant: a company with two years of history (company.ts, story.ts).

import type { AuditActor } from '../../catalog/audit/audit-log.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { type DeskStep, deskOperations } from '../../domain/equipment/operations.ts'
import { type Actor, type ChangeContext, newChangeSet } from '../../domain/records/changes.ts'
import { settingsOperations } from '../../domain/settings/operations.ts'
import type { Engine } from '../../engine/engine.ts'
import type { TenantDatabases } from '../../engine/tenant-databases.ts'
import { createTenant, deleteTenant } from '../lifecycle.ts'
import type { Tenant } from '../tenants.ts'
import { calendarFrom } from './calendar.ts'
import { type Chapter, chaptersOf } from './chapters.ts'
import { translatorFor } from './words/translate.ts'

export const demoSlug = 'demo'

export type DemoDependencies = { catalog: Catalog; databases: TenantDatabases; engine: Pick<Engine, 'run'> }

/** `language`: the language of the data: `de`, `tr`, or English. `actor`: who the history says has made the changes. */
export type DemoOptions = { language: string; timeZone: string; currency: string; actor: Actor }

/** Creates the tenant `demo` with its records, or neither. Takes a second, because each change is an operation of its
 *  own, with a time in the past. Throws UserError if the tenant exists. */
export async function createDemoTenant(
  deps: DemoDependencies,
  options: DemoOptions,
  origin: AuditActor,
): Promise<Tenant> {
  const { catalog, databases } = deps
  const name = translatorFor(options.language)('Demo company')
  const tenant = await createTenant(catalog, databases, { slug: demoSlug, name }, origin)
  try {
    await tellStory(deps, tenant, options, origin.now)
  } catch (error) {
    await deleteTenant(catalog, databases, tenant, origin)
    throw error
  }
  return tenant
}

async function tellStory({ engine }: DemoDependencies, tenant: Tenant, options: DemoOptions, now: Date): Promise<void> {
  const calendar = calendarFrom(now, options.timeZone)
  const chapters = chaptersOf(options, calendar)
  const contextAt = ({ day, at }: Chapter) => contextOf(options.actor, calendar.momentAfterLast(day, at))
  const { currency, timeZone } = options
  const values = { currency, time_zone: timeZone, tag_format: 'TD-{0000}', next_tag_number: 85 }
  const context = contextAt(chapters[0]!)
  const settings = { name: tenant.name, newName: null, values, ifMatch: null }
  await engine.run(tenant, settingsOperations.changeSettings, { context, idempotency: null, request: settings })
  const ids = new Map<string, number>()
  for (const chapter of chapters) {
    const { keys, steps } = chapter.write((key) => idOf(ids, key))
    const records = await takeSteps(engine, tenant, contextAt(chapter), steps)
    for (const [index, key] of keys.entries()) ids.set(key, records[index]!.id)
  }
}

function contextOf(actor: Actor, time: Date): ChangeContext {
  return { now: time.toISOString(), actor, requestId: demoSlug, changeSet: newChangeSet(time) }
}

function idOf(ids: ReadonlyMap<string, number>, key: string): number {
  const id = ids.get(key)
  if (id === undefined) throw new Error(`The demo company has no ${key}.`)
  return id
}

async function takeSteps(
  engine: Pick<Engine, 'run'>,
  tenant: Tenant,
  context: ChangeContext,
  steps: DeskStep[],
): Promise<{ id: number }[]> {
  const change = { context, idempotency: null, request: { steps } }
  const { status, body } = await engine.run(tenant, deskOperations.desk, change)
  if (status !== 200) throw new Error(`The demo company's changes were refused: ${body}`)
  return JSON.parse(body).records
}

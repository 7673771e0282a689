import { randomUUID } from 'node:crypto'
import { resources } from '../../domain/declarations/all.ts'
import type { PersonErasure } from '../../domain/people-data/operations.ts'
import { newChangeSet } from '../../domain/records/changes.ts'
import { directStorage } from '../../engine/routing/direct-storage.ts'
import { UserError } from '../../lib/user-error.ts'
import { visibleJson } from '../../lib/visible-text.ts'
import { eraseTenant, finishErasure } from '../../tenants/erase/erase.ts'
import { erasePerson } from '../../tenants/erase/erase-person.ts'
import { findTenant, requireTenant, unknownTenant } from '../../tenants/tenants.ts'
import type { CommandHandler } from '../command.ts'
import { cliActor, withCatalog } from '../context.ts'

/** Erases a tenant permanently. Works while the server is running. */
export const eraseTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const erasure = await withCatalog(config, async (catalog, databases) => {
    const [slug, actor] = [values[0]!, cliActor()]
    const tenant = await findTenant(catalog, slug)
    const finished = tenant ? undefined : await finishErasure(catalog, databases, slug, actor.now)
    if (finished) return finished
    if (!tenant) throw new UserError(unknownTenant(slug))
    if (!options.yes) throw new UserError(`This permanently erases everything about ${slug}. To confirm, add --yes.`)
    return eraseTenant(catalog, databases, resources, tenant, actor)
  })
  if (options.json) terminal.stdout(visibleJson(erasure))
  const { records, keys, users, audit_events: events } = erasure
  const counts = Object.entries({ ...records, 'API keys': keys, users, 'security log entries': events })
  terminal.stderr(`Tenant ${values[0]} is erased (${counts.map(([name, count]) => `${name}: ${count}`).join(', ')}).`)
  terminal.stderr('Backups and exports made earlier still contain it: delete them, too.')
}

/** The resource whose records are people. */
const people = 'employees'

/** Erases one person from a tenant. Works while the server is running. */
export const erasePersonCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const id = readId(values[0]!)
  const erasure = await withCatalog(config, async (catalog, databases) => {
    const tenant = await requireTenant(catalog, options.tenant as string)
    if (!options.yes)
      throw new UserError(
        `This erases employee ${id} of ${tenant.slug} from the records and the history. To confirm, add --yes.`,
      )
    const actor = cliActor()
    const caller = { actor: { command: true as const }, requestId: randomUUID(), changeSet: newChangeSet(actor.now) }
    const input = {
      context: { now: actor.now.toISOString(), ...caller },
      idempotency: null,
      request: { resource: people, id },
    }
    const storage = directStorage(databases, resources)
    const response = await erasePerson({ catalog, storage }, tenant, input, actor)
    if (response.status !== 200) throw new UserError(`Tenant ${tenant.slug} has never had an employee ${id}.`)
    terminal.progress?.('Rewriting the free space of the database')
    await databases.compact(tenant).finally(() => terminal.progress?.(''))
    return JSON.parse(response.body) as PersonErasure
  })
  if (options.json) terminal.stdout(visibleJson(erasure))
  const { changes, stored_responses: responses, import_rows: rows } = erasure
  const counts = `${changes} changes in the history, ${responses} stored responses, ${rows} rows of imported files`
  terminal.stderr(`Employee ${id} of ${options.tenant} is erased: the record, ${counts}.`)
  terminal.stderr('Backups and exports made earlier still contain the person: see docs/guide/personal-data.md.')
}

function readId(text: string): number {
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text)
  throw new UserError(`The id of an employee is a whole number such as 7, not ${JSON.stringify(text)}.`)
}

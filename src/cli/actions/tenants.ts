import { randomUUID } from 'node:crypto'
import { listBackupTimes } from '../../catalog/tables/backup-records.ts'
import { resources } from '../../domain/declarations/all.ts'
import { programName } from '../../lib/program-name.ts'
import { UserError } from '../../lib/user-error.ts'
import { findFailingDatabases } from '../../tenants/databases/failing-databases.ts'
import { listSchemaStates } from '../../tenants/migrations/migration-status.ts'
import { finishMoves, moveTenant } from '../../tenants/move/move.ts'
import { readHistoryDays, renameTenant, setHistoryDays, setTrialEnd } from '../../tenants/tenant-settings.ts'
import { readTenantStats } from '../../tenants/tenant-stats.ts'
import {
  activateTenant,
  createTenant,
  deleteTenant,
  listTenants,
  readName,
  requireTenant,
  suspendTenant,
  type Tenant,
} from '../../tenants/tenants.ts'
import type { CommandHandler } from '../command.ts'
import { cliActor, withCatalog } from '../context.ts'
import { type Columns, printList, printResult } from '../output.ts'

export const createTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const input = {
    slug: values[0]!,
    name: options.name as string | undefined,
    trialEnds: options['trial-ends'] as string | undefined,
    server: options.server as string | undefined,
  }
  const tenant = await withCatalog(config, (catalog, databases) => createTenant(catalog, databases, input, cliActor()))
  const until = tenant.trial_ends ? `, on trial to the end of ${tenant.trial_ends}` : ''
  printResult(terminal, { json: options.json, result: tenant, value: tenant.slug })
  terminal.stderr(
    `Tenant ${tenant.slug} is ready${until}. Next: ${programName} key create ${tenant.slug} --scope '*:read' --scope '*:write'`,
  )
}

export const listTenantsCommand: CommandHandler = async ({ options }, config, terminal) => {
  const tenants = await withCatalog(config, async (catalog, databases) => {
    const states = await listSchemaStates(catalog, databases.version)
    const backups = new Map((await listBackupTimes(catalog)).map(({ id, backed_up_at }) => [id, backed_up_at]))
    const listed = await listTenants(catalog)
    const failures = await findFailingDatabases(databases, listed)
    return listed.map((tenant) => ({
      ...tenant,
      database: failures.get(tenant.id) ?? states.get(tenant.id) ?? 'behind',
      backed_up_at: backups.get(tenant.id) ?? null,
    }))
  })
  if (!options.json && tenants.length === 0)
    return terminal.stderr(`No tenants yet. To create one: ${programName} tenant create <slug>`)
  printList(terminal, { json: options.json, rows: tenants, columns: tenantColumns })
}

const tenantColumns: Columns<Tenant & { database: string }> = {
  SLUG: ({ slug }) => slug,
  STATE: ({ state }) => state,
  'TRIAL ENDS': ({ trial_ends }) => trial_ends,
  SERVER: ({ server }) => server,
  CREATED: ({ created_at }) => created_at,
  DATABASE: ({ database }) => database,
  NAME: ({ name }) => name,
}

export const suspendTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const tenant = await withCatalog(config, async (catalog) => {
    const current = await requireTenant(catalog, values[0]!)
    await suspendTenant(catalog, current, options.reason as string | undefined, cliActor())
    return requireTenant(catalog, current.slug)
  })
  printResult(terminal, { json: options.json, result: tenant })
  terminal.stderr(`Tenant ${values[0]} is suspended. Its requests are now refused.`)
}

export const activateTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const tenant = await withCatalog(config, async (catalog) => {
    const current = await requireTenant(catalog, values[0]!)
    await activateTenant(catalog, current, cliActor())
    return requireTenant(catalog, current.slug)
  })
  printResult(terminal, { json: options.json, result: tenant })
  terminal.stderr(`Tenant ${values[0]} is active.`)
}

export const setTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const [given, trialEnds] = [options['history-days'], options['trial-ends']] as (string | undefined)[]
  const name = options.name as string | undefined
  if (given === undefined && trialEnds === undefined && name === undefined)
    throw new UserError('Specify what to change: --name, --trial-ends or --history-days.')
  const days = given === undefined ? undefined : readHistoryDays(given)
  const rename = name === undefined ? undefined : { name: readName(name, values[0]!), changeSet: randomUUID() }
  const tenant = await withCatalog(config, async (catalog) => {
    const current = await requireTenant(catalog, values[0]!)
    if (trialEnds !== undefined) await setTrialEnd(catalog, current, trialEnds, cliActor())
    if (rename) await renameTenant(catalog, current, rename, cliActor())
    if (days !== undefined) await setHistoryDays(catalog, current, days, cliActor())
    return requireTenant(catalog, current.slug)
  })
  printResult(terminal, { json: options.json, result: tenant })
  if (trialEnds !== undefined) terminal.stderr(`The trial of tenant ${tenant.slug} ends on ${trialEnds}.`)
  if (rename) terminal.stderr(`The name of tenant ${tenant.slug} is ${tenant.name}.`)
  if (days === undefined) return
  const effective = days ?? config.HISTORY_RETENTION_DAYS
  const duration = effective === 0 ? 'for ever' : `for ${effective} days. A server removes older changes within an hour`
  terminal.stderr(`The history of tenant ${values[0]} is kept ${duration}.`)
}

/** Requires free disk space, see docs/guide/retention.md. */
export const compactTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const result = await withCatalog(config, async (catalog, databases) => {
    const tenant = await requireTenant(catalog, values[0]!)
    const bytesOf = async () => (await readTenantStats(databases, resources, tenant)).bytes
    const before = await bytesOf()
    terminal.progress?.(`Rewriting ${(before / 1e6).toFixed(1)} MB`)
    await databases.compact(tenant).finally(() => terminal.progress?.(''))
    return { slug: tenant.slug, bytes_before: before, bytes_after: await bytesOf() }
  })
  printResult(terminal, { json: options.json, result })
  const [before, after] = [result.bytes_before, result.bytes_after].map((bytes) => `${(bytes / 1e6).toFixed(1)} MB`)
  terminal.stderr(`Tenant ${values[0]} now uses ${after}; it used ${before} before.`)
}

/** The tenant stays available during the move, except for a moment at the end. */
export const moveTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const [slug, target] = [values[0]!, options.to as string]
  const tenant = await withCatalog(config, async (catalog, databases) => {
    const current = await requireTenant(catalog, slug)
    await moveTenant(catalog, databases, resources, current, target, cliActor())
    return requireTenant(catalog, slug)
  })
  printResult(terminal, { json: options.json, result: tenant })
  terminal.stderr(`Tenant ${slug} is now on ${target}, with its ids, history and stored responses.`)
}

export const deleteTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const { id, slug, areRecordsDeleted } = await withCatalog(config, async (catalog, databases) => {
    const tenant = await requireTenant(catalog, values[0]!)
    if (!options.yes) throw new UserError(`This deletes every record and key of ${tenant.slug}. To confirm, add --yes.`)
    await finishMoves(catalog, databases)
    return { ...tenant, areRecordsDeleted: await deleteTenant(catalog, databases, tenant, cliActor()) }
  })
  printResult(terminal, { json: options.json, result: { id, slug, deleted: true, records_deleted: areRecordsDeleted } })
  const records = areRecordsDeleted
    ? 'records and keys'
    : 'keys; its records will be deleted as soon as their server can be reached'
  terminal.stderr(`Tenant ${values[0]} is deleted, with its ${records}.`)
}

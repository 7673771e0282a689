// Commands for tenants.

import { randomUUID } from 'node:crypto'
import { listBackupTimes } from '../../catalog/tables/backup-records.ts'
import { programName } from '../../lib/program-name.ts'
import { UserError } from '../../lib/user-error.ts'
import { findFailingDatabases } from '../../tenants/databases/failing-databases.ts'
import { createTenant, deleteTenant } from '../../tenants/lifecycle.ts'
import { listSchemaStates } from '../../tenants/migrations/migration-status.ts'
import { finishMoves } from '../../tenants/move/move.ts'
import {
  activateTenant,
  listTenants,
  readHistoryDays,
  readName,
  renameTenant,
  requireTenant,
  setHistoryDays,
  setTrialEnd,
  suspendTenant,
  type Tenant,
} from '../../tenants/tenants.ts'
import { type Command, command, json, jsonArray, slug } from '../command.ts'
import { changeTenant, cliActor, withCatalog } from '../context.ts'
import { printList, type TableColumns } from '../output.ts'
import { createDemoCommand, createTenantsCommand } from './create-tenants.ts'
import { moveCommands } from './moves.ts'

export const tenantCommands: readonly Command[] = [
  createTenantsCommand,
  createDemoCommand,
  command({
    words: 'tenant create',
    help: 'Creates a tenant with an empty database.',
    arguments: slug,
    options: {
      name: { value: 'TEXT', help: 'display name' },
      'trial-ends': { value: 'YYYY-MM-DD', help: 'last day of a trial (UTC); by default, the tenant is not on trial' },
      server: { value: '<name>', help: 'database server for the tenant' },
      json,
    },
    examples: ["tenant create acme --name 'Acme Corp'", 'tenant create globex --trial-ends 2027-01-31'],
    async run({ slug, name, 'trial-ends': trialEnds, server }, { config }) {
      const tenant = await withCatalog(config, (catalog, databases) =>
        createTenant(catalog, databases, { slug, name, trialEnds, server }, cliActor()),
      )
      const until = tenant.trial_ends ? `, on trial to the end of ${tenant.trial_ends}` : ''
      const next = `${programName} key create ${tenant.slug} --scope '*:read' --scope '*:write'`
      return { result: tenant, value: tenant.slug, message: `Tenant ${tenant.slug} is ready${until}. Next: ${next}` }
    },
  }),
  command({
    words: 'tenant list',
    help: 'Lists all tenants.',
    options: { json: jsonArray },
    examples: ['tenant list', 'tenant list --json'],
    async run({ json }, { config, terminal }) {
      const tenants = await withCatalog(config, async (catalog, databases) => {
        const states = await listSchemaStates(catalog, databases.version)
        const backups = new Map((await listBackupTimes(catalog)).map(({ id, backed_up_at }) => [id, backed_up_at]))
        const allTenants = await listTenants(catalog)
        const failures = await findFailingDatabases(databases, allTenants)
        return allTenants.map((tenant) => ({
          ...tenant,
          database: failures.get(tenant.id) ?? states.get(tenant.id) ?? 'behind',
          backed_up_at: backups.get(tenant.id) ?? null,
        }))
      })
      const advice = `No tenants yet. To create one: ${programName} tenant create <slug>`
      printList(terminal, { json, rows: tenants, columns: tenantColumns, advice })
    },
  }),
  command({
    words: 'tenant suspend',
    help: 'Rejects all requests of a tenant until the tenant is activated.',
    arguments: slug,
    options: {
      reason: {
        value: 'TEXT',
        help: 'one sentence for the users of the tenant, who see it in the panel; programs do not see it',
      },
      json,
    },
    examples: ["tenant suspend acme --reason 'Invoice 7 is unpaid'"],
    async run({ slug, reason }, { config }) {
      const tenant = await changeTenant(config, slug, (catalog, current) =>
        suspendTenant(catalog, current, reason, cliActor()),
      )
      return { result: tenant, message: `Tenant ${slug} is suspended. Its requests are now refused.` }
    },
  }),
  command({
    words: 'tenant activate',
    help: 'Ends the suspension or the trial of a tenant.',
    arguments: slug,
    options: { json },
    examples: ['tenant activate acme'],
    async run({ slug }, { config }) {
      const tenant = await changeTenant(config, slug, (catalog, current) =>
        activateTenant(catalog, current, cliActor()),
      )
      return { result: tenant, message: `Tenant ${slug} is active.` }
    },
  }),
  ...moveCommands,
  command({
    words: 'tenant delete',
    help: 'Deletes a tenant with all its records and API keys, and the users who have no other tenant.',
    arguments: slug,
    options: { yes: { isShownAsRequired: true, help: 'confirms the deletion' }, json },
    examples: ['tenant delete acme --yes'],
    async run({ slug, yes }, { config }) {
      const { id, areRecordsDeleted } = await withCatalog(config, async (catalog, databases) => {
        const tenant = await requireTenant(catalog, slug)
        if (!yes) throw new UserError(`This deletes every record and key of ${tenant.slug}. To confirm, add --yes.`)
        await finishMoves(catalog, databases)
        return { ...tenant, areRecordsDeleted: await deleteTenant(catalog, databases, tenant, cliActor()) }
      })
      const records = areRecordsDeleted
        ? 'records and keys'
        : 'keys; its records will be deleted as soon as their server can be reached'
      const result = { id, slug, deleted: true, records_deleted: areRecordsDeleted }
      return { result, message: `Tenant ${slug} is deleted, with its ${records}.` }
    },
  }),
  command({
    words: 'tenant set',
    help: "Changes a tenant's name, the end of its trial, or how long its history is kept.",
    arguments: slug,
    options: {
      name: { value: 'TEXT', help: 'display name' },
      'trial-ends': { value: 'YYYY-MM-DD', help: 'new last day of the trial (UTC), for a tenant on trial' },
      'history-days': {
        value: 'N|default',
        help: 'number of days for which its history is kept; 0 = for ever; default = HISTORY_RETENTION_DAYS',
      },
      json,
    },
    examples: [
      'tenant set acme --history-days 730',
      'tenant set acme --history-days default',
      'tenant set globex --name Globex --trial-ends 2027-03-31',
    ],
    async run({ slug, 'history-days': historyDays, 'trial-ends': trialEnds, name }, { config }) {
      if (historyDays === undefined && trialEnds === undefined && name === undefined)
        throw new UserError('Specify what to change: --name, --trial-ends or --history-days.')
      const days = historyDays === undefined ? undefined : readHistoryDays(historyDays)
      const rename = name === undefined ? undefined : { name: readName(name, slug), changeSet: randomUUID() }
      const tenant = await changeTenant(config, slug, async (catalog, current) => {
        if (trialEnds !== undefined) await setTrialEnd(catalog, current, trialEnds, cliActor())
        if (rename) await renameTenant(catalog, current, rename, cliActor())
        if (days !== undefined) await setHistoryDays(catalog, current, days, cliActor())
      })
      const effective = days ?? config.HISTORY_RETENTION_DAYS
      const duration =
        effective === 0 ? 'for ever' : `for ${effective} days. A server removes older changes within an hour`
      const changes = [
        ...(trialEnds === undefined ? [] : [`The trial of tenant ${tenant.slug} ends on ${trialEnds}.`]),
        ...(rename ? [`The name of tenant ${tenant.slug} is ${tenant.name}.`] : []),
        ...(days === undefined ? [] : [`The history of tenant ${slug} is kept ${duration}.`]),
      ]
      return { result: tenant, message: changes.join('\n') }
    },
  }),
]

const tenantColumns: TableColumns<Tenant & { database: string }> = {
  SLUG: ({ slug }) => slug,
  STATE: ({ state }) => state,
  'TRIAL ENDS': ({ trial_ends }) => trial_ends,
  SERVER: ({ server }) => server,
  CREATED: ({ created_at }) => created_at,
  DATABASE: ({ database }) => database,
  NAME: ({ name }) => name,
}

// Commands that export and erase data.

import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { resources } from '../../domain/declarations/all.ts'
import type { PersonErasure } from '../../domain/people-data/operations.ts'
import { productOf } from '../../domain/product.ts'
import { newChangeSet } from '../../domain/records/changes.ts'
import { directEngine } from '../../engine/direct-engine.ts'
import { UserError } from '../../lib/user-error.ts'
import { erasePerson, eraseTenant, finishErasure } from '../../tenants/erase/erase.ts'
import { exportTenant } from '../../tenants/export/export-tenant.ts'
import { findTenant, requireTenant, unknownTenant } from '../../tenants/tenants.ts'
import { type Command, command, slug } from '../command.ts'
import { cliActor, withCatalog } from '../context.ts'

export const dataCommands: readonly Command[] = [
  /** This command reads the database directly, so it works whether or not the server is running. */
  command({
    words: 'export',
    help: "Writes a tenant's records and history to a zip file, as NDJSON and CSV. On SQLite, the file also contains the tenant's database.",
    arguments: slug,
    options: {
      to: {
        value: 'FILE.zip',
        isRequired: true,
        help: 'path of the zip file; an existing one is replaced when the export is complete',
      },
      json: { help: 'print the manifest: each file with its rows, bytes and SHA-256' },
    },
    examples: ['export acme --to acme.zip'],
    async run({ slug, to: path }, { config, terminal }) {
      const onProgress = (file: string, { rows, bytes }: { rows?: number; bytes: number }) =>
        terminal.progress?.(`${file}  ${rows === undefined ? `${megabytes(bytes)} MB` : rows.toLocaleString('en')}`)
      const manifest = await withCatalog(config, async (catalog, databases) => {
        const tenant = await requireTenant(catalog, slug)
        return exportTenant({ databases, resources, onProgress }, tenant, path).finally(() => terminal.progress?.(''))
      })
      const counts = manifest.files.flatMap(({ name, rows }) =>
        name.endsWith('.ndjson') ? [`${basename(name, '.ndjson')}: ${rows}`] : [],
      )
      return { result: manifest, value: path, message: `Exported tenant ${slug} (${counts.join(', ')}).` }
    },
  }),
  /** Erases a tenant permanently. Works while the server is running. */
  command({
    words: 'erase',
    help: 'Deletes a tenant like `tenant delete`, and everything else about it, including its entries in the security log. One entry without personal data remains; it says how much was erased, when, and by whom.',
    arguments: slug,
    options: {
      yes: { isShownAsRequired: true, help: 'confirms the erasure, which cannot be undone' },
      json: { help: 'print what was erased as JSON' },
    },
    examples: ['erase acme --yes', 'erase acme --yes --json'],
    async run({ slug, yes }, { config }) {
      const erasure = await withCatalog(config, async (catalog, databases) => {
        const actor = cliActor()
        const tenant = await findTenant(catalog, slug)
        const finished = tenant ? undefined : await finishErasure(catalog, databases, slug, actor.now)
        if (finished) return finished
        if (!tenant) throw new UserError(unknownTenant(slug))
        if (!yes) throw new UserError(`This permanently erases everything about ${slug}. To confirm, add --yes.`)
        return eraseTenant({ catalog, databases, resources }, tenant, actor)
      })
      const { records, keys, users, audit_events: events } = erasure
      const counts = Object.entries({ ...records, 'API keys': keys, users, 'security log entries': events })
      const message = `Tenant ${slug} is erased (${counts.map(([name, count]) => `${name}: ${count}`).join(', ')}).
Backups and exports made earlier still contain it: delete them, too.`
      return { result: erasure, message }
    },
  }),
  /** Erases one person from a tenant. Works while the server is running. */
  command({
    words: 'erase-person',
    help: "Removes an employee's personal data from the record, the history, saved views, import mappings, stored responses and imported files. A marker replaces the data; assignments are kept. The security log records the erasure.",
    arguments: { 'employee id': 'id of the employee, who may already be deleted' },
    options: {
      tenant: { value: '<slug>', isRequired: true, help: "the employee's tenant" },
      yes: { isShownAsRequired: true, help: 'confirms the erasure, which cannot be undone' },
      json: { help: 'print how much was erased as JSON' },
    },
    examples: ['erase-person 7 --tenant acme --yes'],
    async run({ 'employee id': employeeId, tenant: slug, yes }, { config, terminal }) {
      const id = readId(employeeId)
      const erasure = await withCatalog(config, async (catalog, databases) => {
        const tenant = await requireTenant(catalog, slug)
        if (!yes)
          throw new UserError(
            `This erases employee ${id} of ${tenant.slug} from the records and the history. To confirm, add --yes.`,
          )
        const actor = cliActor()
        const now = actor.now.toISOString()
        const changeSet = newChangeSet(actor.now)
        const context = { now, actor: { command: true as const }, requestId: randomUUID(), changeSet }
        const input = { context, idempotency: null, request: { resource: people, id } }
        const engine = directEngine(databases, productOf(resources))
        const response = await erasePerson({ catalog, engine }, tenant, input, actor)
        if (response.status !== 200) throw new UserError(`Tenant ${tenant.slug} has never had an employee ${id}.`)
        terminal.progress?.('Rewriting the free space of the database')
        await databases.compact(tenant).finally(() => terminal.progress?.(''))
        const counts: PersonErasure = JSON.parse(response.body)
        return counts
      })
      const { changes, stored_responses: responses, import_rows: rows } = erasure
      const counts = `${changes} changes in the history, ${responses} stored responses, ${rows} rows of imported files`
      const message = `Employee ${id} of ${slug} is erased: the record, ${counts}.
Backups and exports made earlier still contain the person: see docs/guide/personal-data.md.`
      return { result: erasure, message }
    },
  }),
]

function megabytes(bytes: number): string {
  return Math.round(bytes / 1e6).toLocaleString('en')
}

/** The resource whose records are people. */
const people = 'employees'

function readId(text: string): number {
  if (/^\d{1,15}$/.test(text) && Number(text) > 0) return Number(text)
  throw new UserError(`The id of an employee is a whole number such as 7, not ${JSON.stringify(text)}.`)
}

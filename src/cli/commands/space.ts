// Commands about the disk space that tenants take.

import { resources } from '../../domain/declarations/all.ts'
import { readTenantStats, type TenantStats } from '../../tenants/tenant-stats.ts'
import { listTenants, requireTenant } from '../../tenants/tenants.ts'
import { type Command, command, json, jsonArray, slug } from '../command.ts'
import { withCatalog } from '../context.ts'
import { createProgressBar, printList, type TableColumns } from '../output.ts'

export const spaceCommands: readonly Command[] = [
  /** Shows one tenant or all tenants. Works while the server is running. */
  command({
    words: 'tenant stats',
    help: 'Shows how many rows a tenant has, how much space it takes, and how fast its history grows; without a slug, all tenants.',
    arguments: { slug: { help: 'short name of the tenant', isOptional: true } },
    options: { json: jsonArray },
    examples: ['tenant stats', 'tenant stats acme --json'],
    async run({ slug, json }, { config, terminal }) {
      const stats = await withCatalog(config, async (catalog, databases) => {
        const tenants = slug === undefined ? await listTenants(catalog) : [await requireTenant(catalog, slug)]
        const bar = createProgressBar(terminal, 'Reading', 'tenants')
        const stats: TenantStats[] = []
        try {
          for (const tenant of tenants) {
            bar.update(stats.length, tenants.length)
            stats.push(await readTenantStats(databases, resources, tenant))
          }
        } finally {
          bar.end()
        }
        return stats
      })
      printList(terminal, { json, rows: stats, columns })
    },
  }),
  /** Requires free disk space, see docs/guide/retention.md. */
  command({
    words: 'tenant compact',
    help: "Returns a tenant's unused space to the disk, and erases deleted values from the file. Meanwhile, the tenant can be read, but changes may be refused with 503. On PostgreSQL, autovacuum does this.",
    arguments: slug,
    options: { json },
    examples: ['tenant compact acme'],
    async run({ slug }, { config, terminal }) {
      const result = await withCatalog(config, async (catalog, databases) => {
        const tenant = await requireTenant(catalog, slug)
        const bytesOf = async () => (await readTenantStats(databases, resources, tenant)).bytes
        const before = await bytesOf()
        terminal.progress?.(`Rewriting ${megabytes(before)}`)
        await databases.compact(tenant).finally(() => terminal.progress?.(''))
        return { slug: tenant.slug, bytes_before: before, bytes_after: await bytesOf() }
      })
      const [before, after] = [megabytes(result.bytes_before), megabytes(result.bytes_after)]
      return { result, message: `Tenant ${slug} now uses ${after}; it used ${before} before.` }
    },
  }),
]

const columns: TableColumns<TenantStats> = {
  SLUG: ({ slug }) => slug,
  ...Object.fromEntries(resources.map(({ name }) => [name.toUpperCase(), ({ rows }: TenantStats) => rows[name]!])),
  CHANGES: ({ changes }) => changes,
  SIZE: ({ bytes }) => megabytes(bytes),
  HISTORY: ({ history_bytes: bytes }) => megabytes(bytes),
  FREE: ({ free_bytes: bytes }) => (bytes === null ? '' : megabytes(bytes)),
  'HISTORY PER MONTH': ({ months }) => megabytes(average(months.map(({ bytes }) => bytes))),
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

function average(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

import { resources } from '../../domain/declarations/all.ts'
import { readTenantStats, type TenantStats } from '../../tenants/tenant-stats.ts'
import { listTenants, requireTenant } from '../../tenants/tenants.ts'
import type { CommandHandler } from '../command.ts'
import { withCatalog } from '../context.ts'
import { type Columns, printList, progressBar } from '../output.ts'

/** Shows one tenant or all tenants. Works while the server is running. */
export const tenantStatsCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const [slug] = values
  const stats = await withCatalog(config, async (catalog, databases) => {
    const tenants = slug === undefined ? await listTenants(catalog) : [await requireTenant(catalog, slug)]
    const bar = progressBar(terminal, 'Reading', 'tenants')
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
  printList(terminal, { json: options.json, rows: stats, columns })
}

const columns: Columns<TenantStats> = {
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

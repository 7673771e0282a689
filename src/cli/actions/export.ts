import { resources } from '../../domain/declarations/all.ts'
import { visibleJson } from '../../lib/visible-text.ts'
import { exportTenant } from '../../tenants/export/export-tenant.ts'
import { requireTenant } from '../../tenants/tenants.ts'
import type { CommandHandler } from '../command.ts'
import { withCatalog } from '../context.ts'

/** This command reads the database directly, so it works whether or not the server is running. */
export const exportTenantCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const path = options.to as string
  const onProgress = (file: string, { rows, bytes }: { rows?: number; bytes: number }) =>
    terminal.progress?.(`${file}  ${rows === undefined ? `${megabytes(bytes)} MB` : rows.toLocaleString('en')}`)
  const manifest = await withCatalog(config, async (catalog, databases) => {
    const tenant = await requireTenant(catalog, values[0]!)
    return exportTenant(databases, resources, tenant, path, onProgress).finally(() => terminal.progress?.(''))
  })
  terminal.stdout(options.json ? visibleJson(manifest) : path)
  const counts = manifest.files.flatMap(({ name, rows }) =>
    name.endsWith('.ndjson') ? [`${baseName(name)}: ${rows}`] : [],
  )
  terminal.stderr(`Exported tenant ${values[0]} (${counts.join(', ')}).`)
}

function megabytes(bytes: number): string {
  return Math.round(bytes / 1e6).toLocaleString('en')
}

function baseName(file: string): string {
  return file.replace(/\.\w+$/, '')
}

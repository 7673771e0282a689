// Checks that every tenant's database exists, is undamaged and has the schema of this version.

import type { TenantInspection } from '../../storage/storage.ts'
import type { Databases } from '../../tenants/databases/open-databases.ts'
import { listTenants, type Tenant } from '../../tenants/tenants.ts'
import type { Terminal } from '../command.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

/** The time limit for all tenants together. After that, databases are opened, but not searched for damage. */
const timeLimitMs = 60_000

/** The maximum number of tenants that are listed for each kind of problem. */
const maxNamed = 20

type ExaminedTenant = { tenant: Tenant; result: TenantInspection | { failure: string } }

export async function checkTenants({ catalog, databases }: Databases, { progress }: Terminal): Promise<Finding[]> {
  const tenants = await listTenants(catalog)
  const deadline = performance.now() + timeLimitMs
  const examined: ExaminedTenant[] = []
  for (const [index, tenant] of tenants.entries()) {
    progress?.(`Checking tenant ${index + 1} of ${tenants.length}: ${tenant.slug}`)
    const result = await databases.inspect(tenant, deadline).catch((error: Error) => ({ failure: error.message }))
    examined.push({ tenant, result })
  }
  progress?.('')
  const findings = [
    ...failureFindings(examined),
    ...versionFindings(examined, databases.version),
    ...unsearchedFindings(examined),
  ]
  return findings.length > 0 ? findings : [ok('tenants', `All databases are intact (${tenants.length}).`)]
}

function failureFindings(examined: ExaminedTenant[]): Finding[] {
  const failed = examined.flatMap(({ tenant: { slug }, result }) => {
    const reason = 'failure' in result ? result.failure : result.damage
    return reason === null ? [] : [{ slug, reason }]
  })
  const advice =
    'Its requests are refused with 503. Restore the tenant from a backup: tenantdesk restore <backup> --tenant <slug> --replace'
  const named = failed
    .slice(0, maxNamed)
    .map(({ slug, reason }) => failure('tenants', `The database of ${slug} cannot be used: ${reason}.`, advice))
  const rest = failed.length - named.length
  return rest > 0 ? [...named, failure('tenants', `Further databases that cannot be used: ${rest}.`, advice)] : named
}

function versionFindings(examined: ExaminedTenant[], current: number): Finding[] {
  const versions = examined.flatMap(({ tenant: { slug }, result }) =>
    'failure' in result ? [] : [{ slug, version: result.schemaVersion }],
  )
  const behind = versions.filter(({ version }) => version < current)
  const ahead = versions.filter(({ version }) => version > current)
  return [
    ...(behind.length === 0
      ? []
      : [
          warning(
            'schema_versions',
            `${behind.length} of ${examined.length} tenants have a schema older than version ${current}: ${namesOf(behind)}.`,
            'The server migrates them in the background after it starts, or on their first request. `tenantdesk tenant list` shows failures.',
          ),
        ]),
    ...(ahead.length === 0
      ? []
      : [
          failure(
            'schema_versions',
            `${ahead.length} of ${examined.length} tenants have a schema newer than version ${current}: ${namesOf(ahead)}.`,
            'Use the newer version of Tenantdesk: this one cannot serve them.',
          ),
        ]),
  ]
}

function unsearchedFindings(examined: ExaminedTenant[]): Finding[] {
  const unsearched = examined
    .filter(({ result }) => !('failure' in result) && !result.isSearched)
    .map(({ tenant }) => tenant)
  if (unsearched.length === 0) return []
  const message = `${unsearched.length} of ${examined.length} databases were not searched for damage within ${timeLimitMs / 1000} s: ${namesOf(unsearched)}.`
  return [warning('tenants', message, 'Create and verify a backup, which reads all databases: tenantdesk backup')]
}

function namesOf(tenants: { slug: string }[]): string {
  const names = tenants.slice(0, maxNamed).map(({ slug }) => slug)
  return tenants.length > maxNamed ? `${names.join(', ')} and ${tenants.length - maxNamed} more` : names.join(', ')
}

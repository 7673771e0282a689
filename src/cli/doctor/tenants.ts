// Checks every tenant's database: that it is there, undamaged, and of this version.

import type { TenantInspection } from '../../storage/storage.ts'
import type { Databases } from '../../tenants/open-databases.ts'
import { listTenants, type Tenant } from '../../tenants/tenants.ts'
import type { Terminal } from '../command.ts'
import { type Finding, failure, ok, warning } from './finding.ts'

/** For all tenants together. Large files that would take longer are opened, but not searched for damage. */
const timeLimitMs = 60_000

/** Of each kind, so many are named. */
const maxNamed = 20

type Examined = { tenant: Tenant; result: TenantInspection | { failure: string } }

export async function checkTenants({ catalog, databases }: Databases, { progress }: Terminal): Promise<Finding[]> {
  const tenants = await listTenants(catalog)
  const deadline = performance.now() + timeLimitMs
  const examined: Examined[] = []
  for (const [at, tenant] of tenants.entries()) {
    progress?.(`Checking tenant ${at + 1} of ${tenants.length}: ${tenant.slug}`)
    const result = await databases.inspect(tenant, deadline).catch((error: Error) => ({ failure: error.message }))
    examined.push({ tenant, result })
  }
  progress?.('')
  const findings = [
    ...judgeFailures(examined),
    ...judgeVersions(examined, databases.version),
    ...judgeUnsearched(examined),
  ]
  return findings.length > 0
    ? findings
    : [ok('tenants', `Databases that are in order: ${tenants.length} of ${tenants.length}.`)]
}

function judgeFailures(examined: Examined[]): Finding[] {
  const failed = examined.flatMap(({ tenant: { slug }, result }) => {
    const reason = 'failure' in result ? result.failure : result.damage
    return reason === null ? [] : [{ slug, reason }]
  })
  const advice = 'Its requests get 503. Restore it from a backup: tenantdesk restore <backup> --tenant <slug> --replace'
  const named = failed
    .slice(0, maxNamed)
    .map(({ slug, reason }) => failure('tenants', `The database of ${slug} cannot be used: ${reason}.`, advice))
  const rest = failed.length - named.length
  return rest > 0 ? [...named, failure('tenants', `So it is for ${rest} more tenants.`, advice)] : named
}

function judgeVersions(examined: Examined[], current: number): Finding[] {
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
            `${behind.length} of ${examined.length} tenants have an older schema than ${current}: ${namesOf(behind)}.`,
            'The server migrates them after its start, and each with its first request. `tenantdesk tenant list` shows failures.',
          ),
        ]),
    ...(ahead.length === 0
      ? []
      : [
          failure(
            'schema_versions',
            `${ahead.length} of ${examined.length} tenants have a newer schema than ${current}: ${namesOf(ahead)}.`,
            'Use the newer version of Tenantdesk: this one cannot serve them.',
          ),
        ]),
  ]
}

function judgeUnsearched(examined: Examined[]): Finding[] {
  const left = examined.filter(({ result }) => !('failure' in result) && !result.isSearched).map(({ tenant }) => tenant)
  if (left.length === 0) return []
  const message = `${left.length} of ${examined.length} databases were not searched for damage within ${timeLimitMs / 1000} s: ${namesOf(left)}.`
  return [warning('tenants', message, 'Make and verify a backup, which reads all of them: tenantdesk backup')]
}

function namesOf(tenants: { slug: string }[]): string {
  const names = tenants.slice(0, maxNamed).map(({ slug }) => slug)
  return tenants.length > maxNamed ? `${names.join(', ')} and ${tenants.length - maxNamed} more` : names.join(', ')
}

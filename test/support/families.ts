// Which test files run when, and on which engine. By default, a test file is in the short family on SQLite and in the
// long family on PostgreSQL. `npm test` runs the short family, and `npm run test:long` the long family.

import { globSync } from 'node:fs'

export type Family = 'short' | 'long'
export type Engine = 'sqlite' | 'postgres'

/** Folders whose tests take long. They drive browsers, kill servers, fill disks, or check thousands of random cases. */
const longFolders = ['browser', 'deploy', 'faults', 'load', 'models', 'release']

/** Files outside these folders that are in the long family, because they take more processor time than most: they start
 *  programs, reach limits, or check every endpoint. */
const longFiles = [
  'access/key-limit',
  'access/key-rate-limit',
  'access/rotate-key',
  'accounts/passwords',
  'api/import-limits',
  'api/protocol/bodies',
  'api/lists/include-scopes',
  'api/limits/json-limits',
  'api/lists/list-refusals',
  'api/lists/read-scopes',
  'api/document/openapi',
  'api/protocol/protocol',
  'api/limits/rate-limit',
  'api/document/reference',
  'api/limits/tenant-rate-limit',
  'api/limits/undo-limit',
  'cli/config',
  'cli/doctor',
  'cli/import',
  'cli/installation',
  'cli/recipes',
  'cli/terminal',
  'cli/transcripts',
  'client/browser',
  'client/bulk',
  'client/client',
  'client/imports',
  'client/python-tour',
  'client/sync-script',
  'config',
  'http/headers',
  'http/metrics',
  'http/proxies',
  'http/slow-bodies',
  'panel/accounts/administration',
  'panel/crawl',
  'panel/lists/lists',
  'readme',
  'domain/upgrade',
  'secrets',
  'tenants/backup',
  'tenants/backup-reuse',
  'tenants/backup-schedule',
  'tenants/encrypted-backups',
  'tenants/restore-catalog',
]

/** Files in the short family on PostgreSQL: at least one for each thing that depends on the engine. */
const shortOnPostgres = [
  'api/records/bulk',
  'api/history/changes',
  'api/idempotency/idempotency',
  'api/lists/lists',
  'api/records/records',
  'api/history/undo',
  'catalog/audit-log',
  'isolation',
  'domain/ids',
  'domain/search',
  'domain/copy',
  'engine/group-commit',
  'domain/history',
  'engine/mutation',
  'engine/postgres/nodes',
  'engine/postgres/pooler',
  'engine/postgres/start',
  'domain/tables',
  'tenants/states',
]

/** Folders and files that do not run on PostgreSQL, because what they test does not depend on the engine. */
const independentOfEngine = [
  'browser',
  'cli',
  'client',
  'deploy',
  'http',
  'lib',
  'release',
  'accounts/passwords',
  'api/protocol/bodies',
  'api/document/endpoint-list',
  'api/lists/include-scopes',
  'api/limits/json-limits',
  'api/lists/list-refusals',
  'api/document/openapi',
  'api/protocol/protocol',
  'api/limits/rate-limit-redis',
  'api/document/reference',
  'api/protocol/split-operations',
  'api/protocol/strict',
  'api/limits/undo-limit',
  'api/wildcard-scopes',
  'architecture',
  'config',
  'families',
  'links',
  'panel/wording/templates',
  'readme',
  'secrets',
  'security',
  'support',
]

/** The paths of all test files. */
export const testFiles = globSync('test/**/*.test.ts').sort()

/** Returns the paths of a family's test files on an engine. */
export function filesOf(family: Family, engine: Engine): string[] {
  return testFiles.filter((path) => familyOf(path, engine) === family)
}

/** Returns the family of a test file, or undefined if the file does not run on this engine. */
export function familyOf(path: string, engine: Engine): Family | undefined {
  const isOnlyFor = (folder: Engine) => path.split('/').includes(folder)
  if (isOnlyFor(engine === 'sqlite' ? 'postgres' : 'sqlite')) return undefined
  if (engine === 'sqlite') return isIn(longFolders, path) || isIn(longFiles, path) ? 'long' : 'short'
  if (isIn(independentOfEngine, path)) return undefined
  return isIn(shortOnPostgres, path) ? 'short' : 'long'
}

/** Entries that name neither a folder nor a test file, or that contradict another entry. */
export function findWrongEntries(): string[] {
  const entries = [longFolders, longFiles, shortOnPostgres, independentOfEngine].flat()
  const missing = entries.filter((entry) => !testFiles.some((path) => isIn([entry], path)))
  const contradictory = shortOnPostgres.filter((entry) =>
    isIn([...longFolders, ...independentOfEngine], `test/${entry}`),
  )
  return [...missing, ...contradictory]
}

/** Whether one of the entries is this test file, or a folder that contains the file. */
function isIn(entries: readonly string[], path: string): boolean {
  return entries.some((entry) => path === `test/${entry}.test.ts` || path.startsWith(`test/${entry}/`))
}

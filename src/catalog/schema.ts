// The catalog's schema, as a numbered list of named steps. All steps run when a catalog is created.

import { UserError } from '../lib/user-error.ts'
import { builtInServers } from './catalog.ts'

type Engine = keyof typeof defaultServers

/** `version`: the schema version after this step. `up`: statements that run in the migration's transaction. */
export type CatalogMigration = { version: number; name: string; up: readonly string[] }

/** The default of `tenants.server`. */
const defaultServers = { sqlite: builtInServers.files, postgres: builtInServers.catalog } as const

/** In release order. Released steps are never changed, because existing catalogs have already run them. */
export const catalogMigrations = (engine: Engine): readonly CatalogMigration[] => [
  {
    version: 1,
    name: 'create the catalog',
    up: [...tenants(engine), ...apiKeys, ...users, ...auditLog, ...coordination(engine)],
  },
  { version: 2, name: 'add api_keys.rate_limit', up: ['alter table api_keys add column rate_limit integer'] },
  { version: 3, name: 'create due_tenants', up: dueTenants },
  { version: 4, name: 'create catalog_copies', up: catalogCopies },
  { version: 5, name: 'add tenants.history_days', up: ['alter table tenants add column history_days integer'] },
  { version: 6, name: 'create tenant_backups and backup_runs', up: backups },
  { version: 7, name: 'add api_keys.replaced_by', up: ['alter table api_keys add column replaced_by text'] },
  { version: 8, name: 'create memberships', up: memberships },
  { version: 9, name: 'create tenant_schema', up: tenantSchema },
  { version: 10, name: 'add backup_runs.read_since and lost_files', up: backupChecks },
  { version: 11, name: 'create kept_pages', up: keptPages },
]

/** Returns the steps that a catalog at this version has not run. Throws UserError if a newer version of Tenantdesk
 *  migrated it. */
export function pendingSteps(migrations: readonly CatalogMigration[], version: number): readonly CatalogMigration[] {
  if (version > latestVersion(migrations)) throw new UserError('The catalog belongs to a newer version of Tenantdesk.')
  return migrations.filter((migration) => migration.version > version)
}

export function latestVersion(migrations: readonly CatalogMigration[]): number {
  return migrations.at(-1)!.version
}

/** `tenant_moves`: running moves. `leftover_databases`: databases to delete when their server is reachable. */
const tenants = (engine: Engine) => [
  `create table database_servers (name text primary key, encrypted_url text not null, created_at text not null)`,
  `create table tenants (
    id text primary key, slug text not null, name text not null, state text not null, trial_ends text,
    suspended_because text, server text not null default '${defaultServers[engine]}', schema_version integer,
    migration_error text, created_at text not null
  )`,
  `create unique index tenants_slug on tenants (slug) where state not in ('creating', 'deleting')`,
  `create index tenants_unfinished on tenants (state) where state in ('creating', 'deleting')`,
  `create table tenant_moves (
    tenant_id text primary key references tenants (id), source text not null, target text not null,
    phase text not null, token text not null, lease_expires_at text not null
  )`,
  `create table leftover_databases (
    tenant_id text not null, server text not null, slug text not null, state text, token text not null,
    lease_expires_at text not null, primary key (tenant_id, server)
  )`,
]

/** `created_by`: the id of a user; null for the command line. `pepper`: the number of the pepper with which the key was
 *  hashed. A later step adds `replaced_by`: the id of the key that replaced this one in a rotation. */
const apiKeys = [
  'create table peppers (number integer primary key, fingerprint text not null)',
  `create table api_keys (
    id text primary key, tenant_id text not null references tenants (id), name text not null, display text not null,
    hash text not null, pepper integer not null, scopes text not null, created_by text, created_at text not null,
    expires_at text, revoked_at text
  )`,
  'create index api_keys_tenant on api_keys (tenant_id)',
  'create index api_keys_created_by on api_keys (created_by)',
  `create table api_key_usage_hourly (
    key_id text not null references api_keys (id) on delete cascade, tenant_id text not null, hour text not null,
    requests integer not null, errors integer not null, limited integer not null, primary key (key_id, hour)
  )`,
  'create index api_key_usage_hourly_tenant on api_key_usage_hourly (tenant_id, hour)',
  'create index api_key_usage_hourly_hour on api_key_usage_hourly (hour)',
  `create table api_key_last_use (
    key_id text primary key references api_keys (id) on delete cascade, tenant_id text not null,
    last_used_at text not null, last_used_from text not null
  )`,
  'create index api_key_last_use_tenant on api_key_last_use (tenant_id)',
]

const users = [
  `create table users (
    id text primary key, email text not null, role text not null, tenant_id text references tenants (id),
    state text not null, password text, encrypted_totp_secret text, last_totp_step integer, language text, theme text,
    created_at text not null, last_signed_in_at text
  )`,
  'create unique index users_email on users (email)',
  'create index users_tenant on users (tenant_id)',
  `create table sessions (
    id text primary key, hash text not null, user_id text not null references users (id) on delete cascade,
    created_at text not null, last_seen_at text not null, address text, agent text, confirmed_at text
  )`,
  'create unique index sessions_hash on sessions (hash)',
  'create index sessions_user on sessions (user_id)',
  `create table recovery_codes (
    user_id text not null references users (id) on delete cascade, hash text not null, primary key (user_id, hash)
  )`,
  `create table one_time_links (
    hash text primary key, purpose text not null, user_id text references users (id) on delete cascade,
    expires_at text not null
  )`,
  'create index one_time_links_user on one_time_links (user_id)',
  `create table sign_in_attempts (
    subject text primary key, failures integer not null, last_at text not null, is_logged integer not null
  )`,
  'create index sign_in_attempts_last on sign_in_attempts (last_at)',
]

const auditLog = [
  `create table audit_events (
    seq integer primary key, at text not null, event text not null, user_id text, email text, tenant_id text,
    by_id text, by_email text, address text, agent text, detail text
  )`,
  'create index audit_events_tenant on audit_events (tenant_id, seq)',
  'create index audit_events_user on audit_events (user_id, seq)',
  'create index audit_events_by on audit_events (by_id, seq)',
  `create index audit_events_failures on audit_events (at) where event in
    ('sign_in_failed', 'sign_in_throttled', 'confirmation_failed', 'confirmation_throttled',
     'password_change_failed', 'password_change_throttled', 'link_refused', 'form_refused', 'page_denied')`,
  'create table audit_event_counts (event text primary key, minute text not null, events integer not null)',
]

/** `due_at`: when the next step of the tenant's jobs is due. `marked_at`: when the tenant was last marked for a new
 *  job. */
const dueTenants = [
  `create table due_tenants (
    tenant_id text primary key references tenants (id) on delete cascade, due_at text not null, marked_at text not null
  )`,
  'create index due_tenants_due on due_tenants (due_at)',
]

/** A member has a role in one or more tenants. Before this step, a user was an administrator or the manager of one
 *  tenant. */
const memberships = [
  `create table memberships (
    user_id text not null references users (id) on delete cascade, tenant_id text not null references tenants (id),
    role text not null, primary key (user_id, tenant_id)
  )`,
  'create index memberships_tenant on memberships (tenant_id)',
  `insert into memberships (user_id, tenant_id, role)
    select id, tenant_id, 'manager' from users where tenant_id is not null`,
  `update users set role = 'member' where role <> 'administrator'`,
  'drop index users_tenant',
  'alter table users drop column tenant_id',
  'alter table users add column name text',
]

/** Contains one row: the schema version to which the servers of this installation migrate tenants. */
const tenantSchema = ['create table tenant_schema (id integer primary key, version integer not null)']

/** Contains a row if the SQLite catalog was copied to PostgreSQL; the copy contains the same row. `target`: host and
 *  database. */
const catalogCopies = [
  'create table catalog_copies (id text primary key, target text not null, copied_at text not null)',
]

/** `backed_up_at`: when a backup last contained the current state of the tenant. */
const backups = [
  `create table tenant_backups (
    tenant_id text primary key references tenants (id) on delete cascade, backed_up_at text not null
  )`,
  'create index tenant_backups_time on tenant_backups (backed_up_at)',
  'create table backup_runs (directory text primary key, finished_at text, failed_at text, failure text)',
]

/** `read_since`: each file of the last backup has been read and found intact since then. `lost_files`: how many files
 *  of the backup before it were missing or damaged. */
const backupChecks = [
  'alter table backup_runs add column read_since text',
  'alter table backup_runs add column lost_files integer not null default 0',
]

/** Answers to forms that were refused (tables/kept-pages.ts). */
const keptPages = [
  'create table kept_pages (id text primary key, encrypted_page text not null, kept_at text not null)',
  'create index kept_pages_time on kept_pages (kept_at)',
]

/** On PostgreSQL, `catalog_version` already exists before the first step, because it also stores the schema version. */
const coordination = (engine: Engine) => [
  'create table leases (name text primary key, token text not null, expires_at text not null)',
  'create table service_addresses (name text primary key, origin text not null)',
  ...(engine === 'sqlite'
    ? ['create table catalog_version (changes integer not null)', 'insert into catalog_version (changes) values (0)']
    : []),
]

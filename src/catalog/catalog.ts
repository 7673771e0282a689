// The catalog: tenants, API keys, database servers and users. It never contains a tenant's records.

import type { Database } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'

export type Catalog = {
  /** The database server for new tenants unless another one is given. */
  defaultServer: string
  /** For reading; changes need a transaction. */
  database: Pick<Database, 'get' | 'all'>
  /** Runs work in a transaction; transactions run one at a time. Invalidates cached keys and tenants in every process, except
   *  with `keepsKeys`. */
  transaction<T>(work: (database: Database) => Promise<T>, effect?: typeof keepsKeys): Promise<T>
  /** A number that changes whenever any process changes tenants, keys or servers. Calls within one tick of the event loop share
   *  a query, which runs after the last of them, so the result covers everything committed before the call. */
  version(): Promise<number>
  close(): Promise<void>
}

/** For frequent transactions that do not touch tenants, keys or servers (sign-ins, say), so that cached keys stay valid. */
export const keepsKeys = { keepsKeys: true } as const

/** Database servers without a row in `servers`: the SQLite files in DATA_DIR, and the server of DATABASE_URL. */
export const builtInServers = { files: 'sqlite', catalog: 'main' } as const

/** States of a tenant whose database is being created or deleted. Such a tenant counts as missing everywhere else. */
export const transitionalStates = `('creating', 'deleting')`

/** The statements of each schema version, in order. Versions are added, never edited. */
export const catalogMigrations = (defaultServer: string): string[][] => [
  [
    `create table tenants (
      id text primary key, slug text not null, name text not null, state text not null,
      trial_ends text, created_at text not null
    )`,
    `create unique index tenants_slug on tenants (slug) where state not in ('creating', 'deleting')`,
    `create table api_keys (
      id text primary key, tenant_id text not null references tenants (id), name text not null, display text not null,
      hash text not null, pepper integer not null, scopes text not null, created_at text not null,
      expires_at text, revoked_at text
    )`,
    `create index api_keys_tenant on api_keys (tenant_id)`,
    `create table peppers (number integer primary key, fingerprint text not null)`,
  ],
  [
    `create table servers (name text primary key, sealed_url text not null, created_at text not null)`,
    `alter table tenants add column server text not null default '${defaultServer}'`,
    `create table moves (
      tenant_id text primary key references tenants (id), source text not null, target text not null,
      phase text not null, token text not null, until text not null
    )`,
  ],
  // PostgreSQL has this table before the first version, since it also stores the schema version.
  defaultServer === builtInServers.files
    ? ['create table catalog_version (changes integer not null)', 'insert into catalog_version (changes) values (0)']
    : [],
  [
    `create table users (
      id text primary key, email text not null, role text not null, tenant_id text references tenants (id),
      state text not null, password text, sealed_secret text, last_step integer, language text, theme text,
      created_at text not null, last_signed_in_at text
    )`,
    'create unique index users_email on users (email)',
    'create index users_tenant on users (tenant_id)',
    `create table sessions (
      id text primary key, hash text not null, user_id text not null references users (id), created_at text not null,
      last_seen_at text not null, address text, agent text, confirmed_at text
    )`,
    'create unique index sessions_hash on sessions (hash)',
    'create index sessions_user on sessions (user_id)',
    `create table recovery_codes (
      user_id text not null references users (id), hash text not null, primary key (user_id, hash)
    )`,
    `create table links (
      hash text primary key, purpose text not null, user_id text references users (id), until text not null
    )`,
    'create index links_user on links (user_id)',
    `create table sign_in_attempts (
      subject text primary key, failures integer not null, last_at text not null, is_told integer not null
    )`,
    'create index sign_in_attempts_last on sign_in_attempts (last_at)',
    `create table audit_events (
      seq integer primary key, at text not null, event text not null, user_id text, email text, tenant_id text,
      by_id text, by_email text, address text, agent text, detail text
    )`,
    'create index audit_events_tenant on audit_events (tenant_id, seq)',
    'create index audit_events_user on audit_events (user_id, seq)',
    'create index audit_events_by on audit_events (by_id, seq)',
  ],
  [
    `create table key_hours (
      key_id text not null, tenant_id text not null, hour text not null,
      requests integer not null, errors integer not null, limited integer not null, primary key (key_id, hour)
    )`,
    'create index key_hours_tenant on key_hours (tenant_id, hour)',
    'create index key_hours_hour on key_hours (hour)',
    `create table key_uses (
      key_id text primary key, tenant_id text not null, last_used_at text not null, last_used_from text not null
    )`,
    'create index key_uses_tenant on key_uses (tenant_id)',
  ],
  ['alter table tenants add column suspended_because text'],
  [
    `alter table tenants add column schema_version integer`,
    `alter table tenants add column migration_error text`,
    `create index tenants_unfinished on tenants (state) where state in ('creating', 'deleting')`,
    `create table leases (name text primary key, token text not null, until text not null)`,
  ],
  [
    'create table event_counts (event text primary key, minute text not null, events integer not null)',
    `create index audit_events_failures on audit_events (at) where event in
      ('sign_in_failed', 'sign_in_throttled', 'confirmation_failed', 'confirmation_throttled',
       'password_change_failed', 'password_change_throttled', 'link_refused', 'form_refused', 'page_denied')`,
  ],
  [
    `create table leftovers (
      tenant_id text not null, server text not null, slug text not null, standing text, token text not null,
      until text not null, primary key (tenant_id, server)
    )`,
  ],
  [
    'alter table api_keys add column created_by text', // id of a user; null: the command line
    `update api_keys set created_by = (
      select max(e.by_id) from audit_events e where e.event = 'key_created' and e.tenant_id = api_keys.tenant_id
        and e.detail <> replace(e.detail, '"key":"' || api_keys.id || '"', '')
    )`,
    'create index api_keys_created_by on api_keys (created_by)',
  ],
  ['create table addresses (name text primary key, origin text not null)'],
]

const latestVersion = catalogMigrations('').length

/** Rejects a catalog that a newer version of Tenantdesk has migrated. Throws UserError. */
export function requireKnownVersion(version: number): void {
  if (version > latestVersion) throw new UserError('The catalog was made by a newer version of Tenantdesk.')
}

/** Shares one query among all calls in a tick of the event loop; it runs after the last of them. */
export function coalescePerTick<T>(query: () => T | Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined
  return () => {
    pending ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      pending = undefined
      return query()
    })
    return pending
  }
}

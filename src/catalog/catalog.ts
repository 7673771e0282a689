// The catalog: who may use the service, and where. Tenants, their keys and servers, people; never a tenant's records.

import type { Database } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'

export type Catalog = {
  /** The server that new tenants are made on unless said otherwise. */
  defaultServer: string
  /** For reading; changes are made in a transaction. */
  database: Pick<Database, 'get' | 'all'>
  /** Runs work in one transaction, alone: it is there whole or not at all. Whoever remembers keys or tenants reads them
   *  again after it, unless it says that it `keepsKeys`. */
  transaction<T>(work: (database: Database) => Promise<T>, effect?: typeof keepsKeys): Promise<T>
  /** A number that differs once anyone, in this process or another, has changed tenants, keys or servers. Looked up once for
   *  all who ask in a turn of the event loop, after they have asked: it covers what was committed before the question. */
  version(): Promise<number>
  close(): Promise<void>
}

/** Said of transactions that change nothing of what is remembered of tenants and keys, such as sign-ins: they come all the
 *  time. */
export const keepsKeys = { keepsKeys: true } as const

/** Servers that need no row of their own: the files of this machine's DATA_DIR, and the server of DATABASE_URL. */
export const builtInServers = { files: 'sqlite', catalog: 'main' } as const

/** States of a tenant whose database is being made or removed. To everyone else such a tenant does not exist. */
export const transitionalStates = `('creating', 'deleting')`

/** The statements of each schema version, in order; versions are added, never edited. `home`: the server that tenants are on
 *  unless said otherwise. */
export const catalogMigrations = (home: string): string[][] => [
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
    `alter table tenants add column server text not null default '${home}'`,
    `create table moves (
      tenant_id text primary key references tenants (id), source text not null, target text not null,
      phase text not null, token text not null, until text not null
    )`,
  ],
  // On PostgreSQL it is there before the first version, which it holds.
  home === builtInServers.files
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

const present = catalogMigrations('').length

/** Refuses to work on a catalog that a newer version has changed. Throws UserError. */
export function requireKnownVersion(version: number): void {
  if (version > present) throw new UserError('The catalog was made by a newer version of Tenantdesk.')
}

/** Answers all who ask in one turn of the event loop with one look-up, made after the last of them has asked. */
export function coalescePerTick<T>(look: () => T | Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      asked = undefined
      return look()
    })
    return asked
  }
}

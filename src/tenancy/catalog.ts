// The catalog: who may use the service, and where. Tenants, their keys and servers; never a tenant's records.

import type { Database } from '../database.ts'

export type Catalog = {
  /** The server that new tenants are made on unless said otherwise. */
  home: string
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

/** Said of transactions that change nothing of tenants, keys and servers, such as sign-ins: they come all the time. */
export const keepsKeys = { keepsKeys: true } as const

/** Servers that need no row of their own: the files of this machine's DATA_DIR, and the server of DATABASE_URL. */
export const builtIn = { files: 'sqlite', catalog: 'main' } as const

/** The statements of each schema version, in order; versions are added, never edited. `home`: the server that tenants are on
 *  unless said otherwise. */
export const catalogSteps = (home: string): string[][] => [
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
  home === builtIn.files
    ? ['create table catalog_version (changes integer not null)', 'insert into catalog_version (changes) values (0)']
    : [],
]

const present = catalogSteps('').length

/** Refuses to work on a catalog that a newer version has changed. */
export function requireKnown(version: number): void {
  if (version > present) throw new Error('The catalog was made by a newer version of Tenantdesk.')
}

/** Answers all who ask in one turn of the event loop with one look-up, made after the last of them has asked. */
export function oncePerTurn<T>(look: () => T | Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined
  return () => {
    asked ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      asked = undefined
      return look()
    })
    return asked
  }
}

create table tenants (
      id text primary key, slug text not null, name text not null, state text not null,
      trial_ends text, created_at text not null
    , server text not null default 'sqlite', suspended_because text, schema_version integer, migration_error text);
create unique index tenants_slug on tenants (slug) where state not in ('creating', 'deleting');
create table api_keys (
      id text primary key, tenant_id text not null references tenants (id), name text not null, display text not null,
      hash text not null, pepper integer not null, scopes text not null, created_at text not null,
      expires_at text, revoked_at text
    );
create index api_keys_tenant on api_keys (tenant_id);
create table peppers (number integer primary key, fingerprint text not null);
create table servers (name text primary key, sealed_url text not null, created_at text not null);
create table moves (
      tenant_id text primary key references tenants (id), source text not null, target text not null,
      phase text not null, token text not null, until text not null
    );
create table catalog_version (changes integer not null);
create table users (
      id text primary key, email text not null, role text not null, tenant_id text references tenants (id),
      state text not null, password text, sealed_secret text, last_step integer, language text, theme text,
      created_at text not null, last_signed_in_at text
    );
create unique index users_email on users (email);
create index users_tenant on users (tenant_id);
create table sessions (
      id text primary key, hash text not null, user_id text not null references users (id), created_at text not null,
      last_seen_at text not null, address text, agent text, confirmed_at text
    );
create unique index sessions_hash on sessions (hash);
create index sessions_user on sessions (user_id);
create table recovery_codes (
      user_id text not null references users (id), hash text not null, primary key (user_id, hash)
    );
create table links (
      hash text primary key, purpose text not null, user_id text references users (id), until text not null
    );
create index links_user on links (user_id);
create table sign_in_attempts (
      subject text primary key, failures integer not null, last_at text not null, is_told integer not null
    );
create index sign_in_attempts_last on sign_in_attempts (last_at);
create table audit_events (
      seq integer primary key, at text not null, event text not null, user_id text, email text, tenant_id text,
      by_id text, by_email text, address text, agent text, detail text
    );
create index audit_events_tenant on audit_events (tenant_id, seq);
create index audit_events_user on audit_events (user_id, seq);
create index audit_events_by on audit_events (by_id, seq);
create table key_hours (
      key_id text not null, tenant_id text not null, hour text not null,
      requests integer not null, errors integer not null, limited integer not null, primary key (key_id, hour)
    );
create index key_hours_tenant on key_hours (tenant_id, hour);
create index key_hours_hour on key_hours (hour);
create table key_uses (
      key_id text primary key, tenant_id text not null, last_used_at text not null, last_used_from text not null
    );
create index key_uses_tenant on key_uses (tenant_id);
create index tenants_unfinished on tenants (state) where state in ('creating', 'deleting');
create table leases (name text primary key, token text not null, until text not null);
insert into tenants (id, slug, name, state, trial_ends, created_at, server, suspended_because, schema_version, migration_error) values ('5aa7ibbnlro0hm3iecs6', 'acme', 'acme', 'active', null, '2026-11-27T10:16:22.968Z', 'sqlite', null, 6, null);
insert into api_keys (id, tenant_id, name, display, hash, pepper, scopes, created_at, expires_at, revoked_at) values ('bQ9u39SiBn', '5aa7ibbnlro0hm3iecs6', 'API key', 'tdk_bQ9u…', 'b0f6dc5f327cde3d7a76213a73db34e57c458d9901294f19b1f5dab46c46da29', 1, '*:read *:write', '2026-11-27T10:16:23.244Z', null, null);
insert into peppers (number, fingerprint) values (1, 'ef6e0859e6e3eb27');
insert into catalog_version (changes) values (4);
insert into links (hash, purpose, user_id, until) values ('ac7abc27b107abc8b26f37bd242909abd2d813e7d87a6a082849e139575eec78', 'setup', null, '2026-11-27T10:46:22.433Z');
insert into audit_events (seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail) values (1, '2026-11-27T10:16:22.433Z', 'link_made', null, null, null, null, null, null, null, '{"purpose":"setup"}');
insert into audit_events (seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail) values (2, '2026-11-27T10:16:22.984Z', 'tenant_created', null, null, '5aa7ibbnlro0hm3iecs6', null, null, null, null, '{"slug":"acme"}');
insert into audit_events (seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail) values (3, '2026-11-27T10:16:23.252Z', 'key_created', null, null, '5aa7ibbnlro0hm3iecs6', null, null, null, null, '{"key":"bQ9u39SiBn"}');
insert into key_hours (key_id, tenant_id, hour, requests, errors, limited) values ('bQ9u39SiBn', '5aa7ibbnlro0hm3iecs6', '2026-11-27T10:00:00.000Z', 3, 0, 0);
insert into key_uses (key_id, tenant_id, last_used_at, last_used_from) values ('bQ9u39SiBn', '5aa7ibbnlro0hm3iecs6', '2026-11-27T10:16:23.336Z', '127.0.0.1');
pragma user_version = 7;

create table database_servers (name text primary key, encrypted_url text not null, created_at text not null);
create table tenants (
    id text primary key, slug text not null, name text not null, state text not null, trial_ends text,
    suspended_because text, server text not null default 'sqlite', schema_version integer,
    migration_error text, created_at text not null
  );
create unique index tenants_slug on tenants (slug) where state not in ('creating', 'deleting');
create index tenants_unfinished on tenants (state) where state in ('creating', 'deleting');
create table tenant_moves (
    tenant_id text primary key references tenants (id), source text not null, target text not null,
    phase text not null, token text not null, lease_expires_at text not null
  );
create table leftover_databases (
    tenant_id text not null, server text not null, slug text not null, state text, token text not null,
    lease_expires_at text not null, primary key (tenant_id, server)
  );
create table peppers (number integer primary key, fingerprint text not null);
create table api_keys (
    id text primary key, tenant_id text not null references tenants (id), name text not null, display text not null,
    hash text not null, pepper integer not null, scopes text not null, created_by text, created_at text not null,
    expires_at text, revoked_at text
  );
create index api_keys_tenant on api_keys (tenant_id);
create index api_keys_created_by on api_keys (created_by);
create table api_key_usage_hourly (
    key_id text not null references api_keys (id) on delete cascade, tenant_id text not null, hour text not null,
    requests integer not null, errors integer not null, limited integer not null, primary key (key_id, hour)
  );
create index api_key_usage_hourly_tenant on api_key_usage_hourly (tenant_id, hour);
create index api_key_usage_hourly_hour on api_key_usage_hourly (hour);
create table api_key_last_use (
    key_id text primary key references api_keys (id) on delete cascade, tenant_id text not null,
    last_used_at text not null, last_used_from text not null
  );
create index api_key_last_use_tenant on api_key_last_use (tenant_id);
create table users (
    id text primary key, email text not null, role text not null, tenant_id text references tenants (id),
    state text not null, password text, encrypted_totp_secret text, last_totp_step integer, language text, theme text,
    created_at text not null, last_signed_in_at text
  );
create unique index users_email on users (email);
create index users_tenant on users (tenant_id);
create table sessions (
    id text primary key, hash text not null, user_id text not null references users (id) on delete cascade,
    created_at text not null, last_seen_at text not null, address text, agent text, confirmed_at text
  );
create unique index sessions_hash on sessions (hash);
create index sessions_user on sessions (user_id);
create table recovery_codes (
    user_id text not null references users (id) on delete cascade, hash text not null, primary key (user_id, hash)
  );
create table one_time_links (
    hash text primary key, purpose text not null, user_id text references users (id) on delete cascade,
    expires_at text not null
  );
create index one_time_links_user on one_time_links (user_id);
create table sign_in_attempts (
    subject text primary key, failures integer not null, last_at text not null, is_logged integer not null
  );
create index sign_in_attempts_last on sign_in_attempts (last_at);
create table audit_events (
    seq integer primary key, at text not null, event text not null, user_id text, email text, tenant_id text,
    by_id text, by_email text, address text, agent text, detail text
  );
create index audit_events_tenant on audit_events (tenant_id, seq);
create index audit_events_user on audit_events (user_id, seq);
create index audit_events_by on audit_events (by_id, seq);
create index audit_events_failures on audit_events (at) where event in
    ('sign_in_failed', 'sign_in_throttled', 'confirmation_failed', 'confirmation_throttled',
     'password_change_failed', 'password_change_throttled', 'link_refused', 'form_refused', 'page_denied');
create table audit_event_counts (event text primary key, minute text not null, events integer not null);
create table leases (name text primary key, token text not null, expires_at text not null);
create table service_addresses (name text primary key, origin text not null);
create table catalog_version (changes integer not null);
insert into tenants (id, slug, name, state, trial_ends, suspended_because, server, schema_version, migration_error, created_at) values ('89pda2prjvidj96jse25', 'acme', 'acme', 'active', null, null, 'sqlite', 1, null, '2026-11-27T10:16:26.246Z');
insert into peppers (number, fingerprint) values (1, '3c9294f2229b5461');
insert into api_keys (id, tenant_id, name, display, hash, pepper, scopes, created_by, created_at, expires_at, revoked_at) values ('5PL6KfHQSw', '89pda2prjvidj96jse25', 'API key', 'tdk_5PL6…', '0df152644cccbf9103dcf96f72952aaf3fde76d848e99c875b71fb342a55fc48', 1, '*:read *:write', null, '2026-11-27T10:16:26.831Z', null, null);
insert into api_key_usage_hourly (key_id, tenant_id, hour, requests, errors, limited) values ('5PL6KfHQSw', '89pda2prjvidj96jse25', '2026-11-27T10:00:00.000Z', 3, 0, 0);
insert into api_key_last_use (key_id, tenant_id, last_used_at, last_used_from) values ('5PL6KfHQSw', '89pda2prjvidj96jse25', '2026-11-27T10:16:27.017Z', '127.0.0.1');
insert into one_time_links (hash, purpose, user_id, expires_at) values ('8a275a8f8f5a8427034182343b95e742c5b94048b436be5cd3e8cacb1f75088c', 'setup', null, '2026-11-27T10:46:25.155Z');
insert into audit_events (seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail) values (1, '2026-11-27T10:16:25.155Z', 'link_made', null, null, null, null, null, null, null, '{"purpose":"setup"}');
insert into audit_events (seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail) values (2, '2026-11-27T10:16:26.246Z', 'tenant_created', null, null, '89pda2prjvidj96jse25', null, null, null, null, '{"slug":"acme"}');
insert into audit_events (seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail) values (3, '2026-11-27T10:16:26.831Z', 'key_created', null, null, '89pda2prjvidj96jse25', null, null, null, null, '{"key":"5PL6KfHQSw"}');
insert into service_addresses (name, origin) values ('service', 'http://127.0.0.1:18302');
insert into catalog_version (changes) values (4);
pragma user_version = 1;

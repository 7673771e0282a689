CREATE SCHEMA t_ul3j23t0pstsii2ip1op;
CREATE SCHEMA tenantdesk;
CREATE TABLE t_ul3j23t0pstsii2ip1op.answers (
    seq bigint NOT NULL,
    key text NOT NULL,
    at text NOT NULL,
    fingerprint text NOT NULL,
    status bigint NOT NULL,
    body text NOT NULL,
    location text,
    scopes text
);
CREATE TABLE t_ul3j23t0pstsii2ip1op.changes (
    seq bigint NOT NULL,
    at text NOT NULL,
    resource text NOT NULL,
    record_id bigint NOT NULL,
    action text NOT NULL,
    before text,
    after text,
    api_key_id text,
    user_id text,
    request_id text NOT NULL
);
CREATE TABLE t_ul3j23t0pstsii2ip1op.counters (
    name text NOT NULL,
    last bigint NOT NULL
);
CREATE TABLE t_ul3j23t0pstsii2ip1op.customers (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    code text COLLATE pg_catalog."C",
    email text COLLATE pg_catalog."C",
    phone text COLLATE pg_catalog."C",
    address text COLLATE pg_catalog."C",
    city text COLLATE pg_catalog."C",
    country text COLLATE pg_catalog."C",
    tax_id text COLLATE pg_catalog."C",
    type text DEFAULT 'branch'::text NOT NULL COLLATE pg_catalog."C",
    is_active boolean DEFAULT true NOT NULL,
    contract_end text COLLATE pg_catalog."C",
    notes text COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    updated_at text NOT NULL COLLATE pg_catalog."C",
    search_text text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    search_grams integer[] DEFAULT '{}'::integer[] NOT NULL,
    json_tail text
);
CREATE TABLE t_ul3j23t0pstsii2ip1op.employees (
    id bigint NOT NULL,
    customer_id bigint NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    department text COLLATE pg_catalog."C",
    title text COLLATE pg_catalog."C",
    employee_no text COLLATE pg_catalog."C",
    phone text COLLATE pg_catalog."C",
    start_date text COLLATE pg_catalog."C",
    end_date text COLLATE pg_catalog."C",
    is_active boolean DEFAULT true NOT NULL,
    is_remote boolean DEFAULT false NOT NULL,
    notes text COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    updated_at text NOT NULL COLLATE pg_catalog."C",
    search_text text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    search_grams integer[] DEFAULT '{}'::integer[] NOT NULL,
    json_tail text
);
CREATE TABLE t_ul3j23t0pstsii2ip1op.hardware (
    id bigint NOT NULL,
    employee_id bigint NOT NULL,
    name text COLLATE pg_catalog."C",
    type text DEFAULT 'other'::text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'in_use'::text NOT NULL COLLATE pg_catalog."C",
    asset_tag text COLLATE pg_catalog."C",
    serial_number text COLLATE pg_catalog."C",
    manufacturer text COLLATE pg_catalog."C",
    model text COLLATE pg_catalog."C",
    purchase_date text COLLATE pg_catalog."C",
    warranty_end text COLLATE pg_catalog."C",
    purchase_cost bigint,
    is_loaner boolean DEFAULT false NOT NULL,
    notes text COLLATE pg_catalog."C",
    created_at text NOT NULL COLLATE pg_catalog."C",
    updated_at text NOT NULL COLLATE pg_catalog."C",
    search_text text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    search_grams integer[] DEFAULT '{}'::integer[] NOT NULL,
    json_tail text
);
CREATE TABLE t_ul3j23t0pstsii2ip1op.tenant (
    id text NOT NULL,
    schema_version bigint NOT NULL
);
CREATE TABLE tenantdesk.api_key_last_use (
    key_id text NOT NULL,
    tenant_id text NOT NULL,
    last_used_at text NOT NULL,
    last_used_from text NOT NULL
);
CREATE TABLE tenantdesk.api_key_usage_hourly (
    key_id text NOT NULL,
    tenant_id text NOT NULL,
    hour text NOT NULL,
    requests integer NOT NULL,
    errors integer NOT NULL,
    limited integer NOT NULL
);
CREATE TABLE tenantdesk.api_keys (
    id text NOT NULL,
    tenant_id text NOT NULL,
    name text NOT NULL,
    display text NOT NULL,
    hash text NOT NULL,
    pepper integer NOT NULL,
    scopes text NOT NULL,
    created_by text,
    created_at text NOT NULL,
    expires_at text,
    revoked_at text
);
CREATE TABLE tenantdesk.audit_event_counts (
    event text NOT NULL,
    minute text NOT NULL,
    events integer NOT NULL
);
CREATE TABLE tenantdesk.audit_events (
    seq integer NOT NULL,
    at text NOT NULL,
    event text NOT NULL,
    user_id text,
    email text,
    tenant_id text,
    by_id text,
    by_email text,
    address text,
    agent text,
    detail text
);
CREATE TABLE tenantdesk.catalog_version (
    schema_version bigint NOT NULL,
    changes bigint NOT NULL
);
CREATE TABLE tenantdesk.database_servers (
    name text NOT NULL,
    encrypted_url text NOT NULL,
    created_at text NOT NULL
);
CREATE TABLE tenantdesk.leases (
    name text NOT NULL,
    token text NOT NULL,
    expires_at text NOT NULL
);
CREATE TABLE tenantdesk.leftover_databases (
    tenant_id text NOT NULL,
    server text NOT NULL,
    slug text NOT NULL,
    state text,
    token text NOT NULL,
    lease_expires_at text NOT NULL
);
CREATE TABLE tenantdesk.one_time_links (
    hash text NOT NULL,
    purpose text NOT NULL,
    user_id text,
    expires_at text NOT NULL
);
CREATE TABLE tenantdesk.peppers (
    number integer NOT NULL,
    fingerprint text NOT NULL
);
CREATE UNLOGGED TABLE tenantdesk.rate_limit (
    key character varying(255) NOT NULL,
    points integer,
    expire bigint
);
CREATE TABLE tenantdesk.recovery_codes (
    user_id text NOT NULL,
    hash text NOT NULL
);
CREATE TABLE tenantdesk.service_addresses (
    name text NOT NULL,
    origin text NOT NULL
);
CREATE TABLE tenantdesk.sessions (
    id text NOT NULL,
    hash text NOT NULL,
    user_id text NOT NULL,
    created_at text NOT NULL,
    last_seen_at text NOT NULL,
    address text,
    agent text,
    confirmed_at text
);
CREATE TABLE tenantdesk.sign_in_attempts (
    subject text NOT NULL,
    failures integer NOT NULL,
    last_at text NOT NULL,
    is_logged integer NOT NULL
);
CREATE TABLE tenantdesk.tenant_moves (
    tenant_id text NOT NULL,
    source text NOT NULL,
    target text NOT NULL,
    phase text NOT NULL,
    token text NOT NULL,
    lease_expires_at text NOT NULL
);
CREATE TABLE tenantdesk.tenants (
    id text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    state text NOT NULL,
    trial_ends text,
    suspended_because text,
    server text DEFAULT 'main'::text NOT NULL,
    schema_version integer,
    migration_error text,
    created_at text NOT NULL
);
CREATE TABLE tenantdesk.users (
    id text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    tenant_id text,
    state text NOT NULL,
    password text,
    encrypted_totp_secret text,
    last_totp_step integer,
    language text,
    theme text,
    created_at text NOT NULL,
    last_signed_in_at text
);
INSERT INTO t_ul3j23t0pstsii2ip1op.answers (seq, key, at, fingerprint, status, body, location, scopes) VALUES
	(1, 'b55db69e-64a2-44be-b61d-1797e4babb6d', '2026-11-27T10:17:45.934Z', 'SlWw7yr_rM-FUfL0__BZlxKeK-7bDUtJnCSkuRREZw4', 201, '{"id":1,"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"created_at":"2026-11-27T10:17:45.934Z","updated_at":"2026-11-27T10:17:45.934Z"}', '/api/v1/customers.php?id=1', 'customers:create'),
	(2, '876f5155-c5e7-4386-89ee-09382329d072', '2026-11-27T10:17:45.996Z', 'pWVKoMMIyoOVn1FxYf6d0zpWi-VWReatBABhtfHvkro', 201, '{"id":1,"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"created_at":"2026-11-27T10:17:45.996Z","updated_at":"2026-11-27T10:17:45.996Z"}', '/api/v1/employees.php?id=1', 'employees:create'),
	(3, '8fb50c48-bf14-4f88-a27c-ea5081a64a52', '2026-11-27T10:17:46.028Z', 'wsZZOfSfvDwlrUOl7Waw1z4DMTE3S-2lrPEywWJ_LuU', 201, '{"id":1,"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2026-11-27T10:17:46.028Z","updated_at":"2026-11-27T10:17:46.028Z"}', '/api/v1/hardware.php?id=1', 'hardware:create');
INSERT INTO t_ul3j23t0pstsii2ip1op.changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id) VALUES
	(1, '2026-11-27T10:17:45.934Z', 'customers', 1, 'create', NULL, '{"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null}', 'RYkEHBBTYu', NULL, 'f3a876b2-aa53-4e3d-a197-a8426d48da5f'),
	(2, '2026-11-27T10:17:45.996Z', 'employees', 1, 'create', NULL, '{"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null}', 'RYkEHBBTYu', NULL, '3c252ba0-cbda-4a78-b1ed-becb58287ece'),
	(3, '2026-11-27T10:17:46.028Z', 'hardware', 1, 'create', NULL, '{"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null}', 'RYkEHBBTYu', NULL, '7ac35416-ed95-4f55-aa9e-08decfde87c5');
INSERT INTO t_ul3j23t0pstsii2ip1op.counters (name, last) VALUES
	('customers', 1),
	('employees', 1),
	('hardware', 1),
	('answers', 3);
INSERT INTO t_ul3j23t0pstsii2ip1op.customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, created_at, updated_at, search_text, search_grams, json_tail) VALUES
	(1, 'Head office', NULL, NULL, NULL, NULL, 'Istanbul', NULL, NULL, 'branch', true, NULL, NULL, '2026-11-27T10:17:45.934Z', '2026-11-27T10:17:45.934Z', '﷐head office﷑﷒﷓﷔﷕istanbul﷖﷗﷘﷙', '{634481836,246407968,110707327,-919675085,1198386450,-1319813803,1293244181,-928558136,144751774,-1911359636,175222551,1357895710,1489281609,-1786981912,-678598885,446493192,-488561650,-1909437585,-728087520,289409277,1227681961,-847091748,184313543,-791011902,162590845,-1745817268,-664044801}', ',"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"created_at":"2026-11-27T10:17:45.934Z","updated_at":"2026-11-27T10:17:45.934Z"');
INSERT INTO t_ul3j23t0pstsii2ip1op.employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, created_at, updated_at, search_text, search_grams, json_tail) VALUES
	(1, 1, 'ada@example.com', 'Ada', NULL, NULL, NULL, NULL, NULL, NULL, true, false, NULL, '2026-11-27T10:17:45.996Z', '2026-11-27T10:17:45.996Z', '﷐ada@example.com﷑ada﷒﷓﷔﷕﷖﷗', '{-433197889,-919675104,119804564,-917010324,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426647,1272269088,-450736897,119804574,-1930593719,-1786981912,-678598885,446493186,1504304445}', ',"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"created_at":"2026-11-27T10:17:45.996Z","updated_at":"2026-11-27T10:17:45.996Z"');
INSERT INTO t_ul3j23t0pstsii2ip1op.hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, created_at, updated_at, search_text, search_grams, json_tail) VALUES
	(1, 1, NULL, 'laptop', 'in_use', 'TD-1', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '2026-11-27T10:17:46.028Z', '2026-11-27T10:17:46.028Z', '﷐﷑td-1﷒﷓﷔﷕﷖', '{379471919,-1524513985,1365196852,124189136,860338590,1553190409,-1786981912,-678598885,446493186}', ',"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2026-11-27T10:17:46.028Z","updated_at":"2026-11-27T10:17:46.028Z"');
INSERT INTO t_ul3j23t0pstsii2ip1op.tenant (id, schema_version) VALUES
	('ul3j23t0pstsii2ip1op', 1);
INSERT INTO tenantdesk.api_key_last_use (key_id, tenant_id, last_used_at, last_used_from) VALUES
	('RYkEHBBTYu', 'ul3j23t0pstsii2ip1op', '2026-11-27T10:17:46.070Z', '127.0.0.1');
INSERT INTO tenantdesk.api_key_usage_hourly (key_id, tenant_id, hour, requests, errors, limited) VALUES
	('RYkEHBBTYu', 'ul3j23t0pstsii2ip1op', '2026-11-27T10:00:00.000Z', 3, 0, 0);
INSERT INTO tenantdesk.api_keys (id, tenant_id, name, display, hash, pepper, scopes, created_by, created_at, expires_at, revoked_at) VALUES
	('RYkEHBBTYu', 'ul3j23t0pstsii2ip1op', 'API key', 'tdk_RYkE…', 'b920ba10b62934819bc8ec0175187f4e38af0f37a7b1e7164bdda9b54cfd4c35', 1, '*:read *:write', NULL, '2026-11-27T10:17:45.833Z', NULL, NULL);
INSERT INTO tenantdesk.audit_events (seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail) VALUES
	(1, '2026-11-27T10:17:44.139Z', 'link_made', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"purpose":"setup"}'),
	(2, '2026-11-27T10:17:44.944Z', 'tenant_created', NULL, NULL, 'ul3j23t0pstsii2ip1op', NULL, NULL, NULL, NULL, '{"slug":"acme"}'),
	(3, '2026-11-27T10:17:45.833Z', 'key_created', NULL, NULL, 'ul3j23t0pstsii2ip1op', NULL, NULL, NULL, NULL, '{"key":"RYkEHBBTYu"}');
INSERT INTO tenantdesk.catalog_version (schema_version, changes) VALUES
	(1, 4);
INSERT INTO tenantdesk.one_time_links (hash, purpose, user_id, expires_at) VALUES
	('29d0e0cf424f83dbf6a16c3e14bf1a54652a1bcd6403769061c66eb507efc7ba', 'setup', NULL, '2026-11-27T10:47:44.139Z');
INSERT INTO tenantdesk.peppers (number, fingerprint) VALUES
	(1, 'e0bf4e10a00a1853');
INSERT INTO tenantdesk.rate_limit (key, points, expire) VALUES
	('key:RYkEHBBTYu', 3, 1795774725930),
	('tenant:ul3j23t0pstsii2ip1op', 3, 1795774725930);
INSERT INTO tenantdesk.service_addresses (name, origin) VALUES
	('service', 'http://127.0.0.1:18302');
INSERT INTO tenantdesk.tenants (id, slug, name, state, trial_ends, suspended_because, server, schema_version, migration_error, created_at) VALUES
	('ul3j23t0pstsii2ip1op', 'acme', 'acme', 'active', NULL, NULL, 'main', 1, NULL, '2026-11-27T10:17:44.944Z');
ALTER TABLE ONLY t_ul3j23t0pstsii2ip1op.answers
    ADD CONSTRAINT answers_key_key UNIQUE (key);
ALTER TABLE ONLY t_ul3j23t0pstsii2ip1op.answers
    ADD CONSTRAINT answers_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY t_ul3j23t0pstsii2ip1op.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY t_ul3j23t0pstsii2ip1op.counters
    ADD CONSTRAINT counters_pkey PRIMARY KEY (name);
ALTER TABLE ONLY t_ul3j23t0pstsii2ip1op.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY t_ul3j23t0pstsii2ip1op.employees
    ADD CONSTRAINT employees_pkey PRIMARY KEY (id);
ALTER TABLE ONLY t_ul3j23t0pstsii2ip1op.hardware
    ADD CONSTRAINT hardware_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tenantdesk.api_key_last_use
    ADD CONSTRAINT api_key_last_use_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY tenantdesk.api_key_usage_hourly
    ADD CONSTRAINT api_key_usage_hourly_pkey PRIMARY KEY (key_id, hour);
ALTER TABLE ONLY tenantdesk.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tenantdesk.audit_event_counts
    ADD CONSTRAINT audit_event_counts_pkey PRIMARY KEY (event);
ALTER TABLE ONLY tenantdesk.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY tenantdesk.database_servers
    ADD CONSTRAINT database_servers_pkey PRIMARY KEY (name);
ALTER TABLE ONLY tenantdesk.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (name);
ALTER TABLE ONLY tenantdesk.leftover_databases
    ADD CONSTRAINT leftover_databases_pkey PRIMARY KEY (tenant_id, server);
ALTER TABLE ONLY tenantdesk.one_time_links
    ADD CONSTRAINT one_time_links_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY tenantdesk.peppers
    ADD CONSTRAINT peppers_pkey PRIMARY KEY (number);
ALTER TABLE ONLY tenantdesk.rate_limit
    ADD CONSTRAINT rate_limit_pkey PRIMARY KEY (key);
ALTER TABLE ONLY tenantdesk.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, hash);
ALTER TABLE ONLY tenantdesk.service_addresses
    ADD CONSTRAINT service_addresses_pkey PRIMARY KEY (name);
ALTER TABLE ONLY tenantdesk.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tenantdesk.sign_in_attempts
    ADD CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (subject);
ALTER TABLE ONLY tenantdesk.tenant_moves
    ADD CONSTRAINT tenant_moves_pkey PRIMARY KEY (tenant_id);
ALTER TABLE ONLY tenantdesk.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tenantdesk.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX changes_action ON t_ul3j23t0pstsii2ip1op.changes USING btree (resource, action, seq);
CREATE INDEX changes_record ON t_ul3j23t0pstsii2ip1op.changes USING btree (resource, record_id, seq);
CREATE INDEX employees_customer_id ON t_ul3j23t0pstsii2ip1op.employees USING btree (customer_id NULLS FIRST, id);
CREATE UNIQUE INDEX hardware_asset_tag ON t_ul3j23t0pstsii2ip1op.hardware USING btree (asset_tag);
CREATE INDEX hardware_employee_id ON t_ul3j23t0pstsii2ip1op.hardware USING btree (employee_id NULLS FIRST, id);
CREATE INDEX api_key_last_use_tenant ON tenantdesk.api_key_last_use USING btree (tenant_id);
CREATE INDEX api_key_usage_hourly_hour ON tenantdesk.api_key_usage_hourly USING btree (hour);
CREATE INDEX api_key_usage_hourly_tenant ON tenantdesk.api_key_usage_hourly USING btree (tenant_id, hour);
CREATE INDEX api_keys_created_by ON tenantdesk.api_keys USING btree (created_by);
CREATE INDEX api_keys_tenant ON tenantdesk.api_keys USING btree (tenant_id);
CREATE INDEX audit_events_by ON tenantdesk.audit_events USING btree (by_id, seq);
CREATE INDEX audit_events_failures ON tenantdesk.audit_events USING btree (at) WHERE (event = ANY (ARRAY['sign_in_failed'::text, 'sign_in_throttled'::text, 'confirmation_failed'::text, 'confirmation_throttled'::text, 'password_change_failed'::text, 'password_change_throttled'::text, 'link_refused'::text, 'form_refused'::text, 'page_denied'::text]));
CREATE INDEX audit_events_tenant ON tenantdesk.audit_events USING btree (tenant_id, seq);
CREATE INDEX audit_events_user ON tenantdesk.audit_events USING btree (user_id, seq);
CREATE INDEX one_time_links_user ON tenantdesk.one_time_links USING btree (user_id);
CREATE UNIQUE INDEX sessions_hash ON tenantdesk.sessions USING btree (hash);
CREATE INDEX sessions_user ON tenantdesk.sessions USING btree (user_id);
CREATE INDEX sign_in_attempts_last ON tenantdesk.sign_in_attempts USING btree (last_at);
CREATE UNIQUE INDEX tenants_slug ON tenantdesk.tenants USING btree (slug) WHERE (state <> ALL (ARRAY['creating'::text, 'deleting'::text]));
CREATE INDEX tenants_unfinished ON tenantdesk.tenants USING btree (state) WHERE (state = ANY (ARRAY['creating'::text, 'deleting'::text]));
CREATE UNIQUE INDEX users_email ON tenantdesk.users USING btree (email);
CREATE INDEX users_tenant ON tenantdesk.users USING btree (tenant_id);
ALTER TABLE ONLY t_ul3j23t0pstsii2ip1op.employees
    ADD CONSTRAINT employees_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES t_ul3j23t0pstsii2ip1op.customers(id);
ALTER TABLE ONLY t_ul3j23t0pstsii2ip1op.hardware
    ADD CONSTRAINT hardware_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES t_ul3j23t0pstsii2ip1op.employees(id);
ALTER TABLE ONLY tenantdesk.api_key_last_use
    ADD CONSTRAINT api_key_last_use_key_id_fkey FOREIGN KEY (key_id) REFERENCES tenantdesk.api_keys(id) ON DELETE CASCADE;
ALTER TABLE ONLY tenantdesk.api_key_usage_hourly
    ADD CONSTRAINT api_key_usage_hourly_key_id_fkey FOREIGN KEY (key_id) REFERENCES tenantdesk.api_keys(id) ON DELETE CASCADE;
ALTER TABLE ONLY tenantdesk.api_keys
    ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenantdesk.tenants(id);
ALTER TABLE ONLY tenantdesk.one_time_links
    ADD CONSTRAINT one_time_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES tenantdesk.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY tenantdesk.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES tenantdesk.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY tenantdesk.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES tenantdesk.users(id) ON DELETE CASCADE;
ALTER TABLE ONLY tenantdesk.tenant_moves
    ADD CONSTRAINT tenant_moves_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenantdesk.tenants(id);
ALTER TABLE ONLY tenantdesk.users
    ADD CONSTRAINT users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenantdesk.tenants(id);

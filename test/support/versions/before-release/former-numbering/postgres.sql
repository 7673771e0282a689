CREATE SCHEMA t_9a6frcm2tati0g9d3ktd;
CREATE SCHEMA tenantdesk;
CREATE TABLE t_9a6frcm2tati0g9d3ktd.answers (
    seq bigint NOT NULL,
    key text NOT NULL,
    at text NOT NULL,
    fingerprint text NOT NULL,
    status bigint NOT NULL,
    body text NOT NULL,
    location text
);
ALTER TABLE t_9a6frcm2tati0g9d3ktd.answers ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME t_9a6frcm2tati0g9d3ktd.answers_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE t_9a6frcm2tati0g9d3ktd.changes (
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
CREATE TABLE t_9a6frcm2tati0g9d3ktd.customers (
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
ALTER TABLE t_9a6frcm2tati0g9d3ktd.customers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME t_9a6frcm2tati0g9d3ktd.customers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE t_9a6frcm2tati0g9d3ktd.employees (
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
ALTER TABLE t_9a6frcm2tati0g9d3ktd.employees ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME t_9a6frcm2tati0g9d3ktd.employees_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE t_9a6frcm2tati0g9d3ktd.hardware (
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
ALTER TABLE t_9a6frcm2tati0g9d3ktd.hardware ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME t_9a6frcm2tati0g9d3ktd.hardware_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE t_9a6frcm2tati0g9d3ktd.tenant (
    id text NOT NULL,
    schema_version bigint DEFAULT 0 NOT NULL
);
CREATE TABLE tenantdesk.api_keys (
    id text NOT NULL,
    tenant_id text NOT NULL,
    name text NOT NULL,
    display text NOT NULL,
    hash text NOT NULL,
    pepper integer NOT NULL,
    scopes text NOT NULL,
    created_at text NOT NULL,
    expires_at text,
    revoked_at text
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
CREATE TABLE tenantdesk.key_hours (
    key_id text NOT NULL,
    tenant_id text NOT NULL,
    hour text NOT NULL,
    requests integer NOT NULL,
    errors integer NOT NULL,
    limited integer NOT NULL
);
CREATE TABLE tenantdesk.key_uses (
    key_id text NOT NULL,
    tenant_id text NOT NULL,
    last_used_at text NOT NULL,
    last_used_from text NOT NULL
);
CREATE TABLE tenantdesk.leases (
    name text NOT NULL,
    token text NOT NULL,
    until text NOT NULL
);
CREATE TABLE tenantdesk.links (
    hash text NOT NULL,
    purpose text NOT NULL,
    user_id text,
    until text NOT NULL
);
CREATE TABLE tenantdesk.moves (
    tenant_id text NOT NULL,
    source text NOT NULL,
    target text NOT NULL,
    phase text NOT NULL,
    token text NOT NULL,
    until text NOT NULL
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
CREATE TABLE tenantdesk.servers (
    name text NOT NULL,
    sealed_url text NOT NULL,
    created_at text NOT NULL
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
    is_told integer NOT NULL
);
CREATE TABLE tenantdesk.tenants (
    id text NOT NULL,
    slug text NOT NULL,
    name text NOT NULL,
    state text NOT NULL,
    trial_ends text,
    created_at text NOT NULL,
    server text DEFAULT 'main'::text NOT NULL,
    suspended_because text,
    schema_version integer,
    migration_error text
);
CREATE TABLE tenantdesk.users (
    id text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    tenant_id text,
    state text NOT NULL,
    password text,
    sealed_secret text,
    last_step integer,
    language text,
    theme text,
    created_at text NOT NULL,
    last_signed_in_at text
);
INSERT INTO t_9a6frcm2tati0g9d3ktd.answers (seq, key, at, fingerprint, status, body, location) OVERRIDING SYSTEM VALUE VALUES
	(1, 'e848a45b-6878-4162-909e-93b01d9a42fc', '2026-11-27T10:17:40.881Z', 'SlWw7yr_rM-FUfL0__BZlxKeK-7bDUtJnCSkuRREZw4', 201, '{"id":1,"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"created_at":"2026-11-27T10:17:40.881Z","updated_at":"2026-11-27T10:17:40.881Z"}', '/api/v1/customers.php?id=1'),
	(2, '3eafdd21-eb63-43a9-b2a2-cebf136967cf', '2026-11-27T10:17:40.960Z', 'pWVKoMMIyoOVn1FxYf6d0zpWi-VWReatBABhtfHvkro', 201, '{"id":1,"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"created_at":"2026-11-27T10:17:40.960Z","updated_at":"2026-11-27T10:17:40.960Z"}', '/api/v1/employees.php?id=1'),
	(3, '2812934c-c16d-47e4-86ef-a121981decf4', '2026-11-27T10:17:41.023Z', 'wsZZOfSfvDwlrUOl7Waw1z4DMTE3S-2lrPEywWJ_LuU', 201, '{"id":1,"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2026-11-27T10:17:41.023Z","updated_at":"2026-11-27T10:17:41.023Z"}', '/api/v1/hardware.php?id=1');
INSERT INTO t_9a6frcm2tati0g9d3ktd.changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id) VALUES
	(1, '2026-11-27T10:17:40.881Z', 'customers', 1, 'create', NULL, '{"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null}', 'C05GhbVZPh', NULL, '21954e64-e51f-4592-acd7-7ab2ede470b4'),
	(2, '2026-11-27T10:17:40.960Z', 'employees', 1, 'create', NULL, '{"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null}', 'C05GhbVZPh', NULL, 'eb952f45-c423-4c5e-bed3-b9e96f2964e4'),
	(3, '2026-11-27T10:17:41.023Z', 'hardware', 1, 'create', NULL, '{"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null}', 'C05GhbVZPh', NULL, '3c1c5b97-1cee-46ed-a37c-4d46a0edaa15');
INSERT INTO t_9a6frcm2tati0g9d3ktd.customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, created_at, updated_at, search_text, search_grams, json_tail) OVERRIDING SYSTEM VALUE VALUES
	(1, 'Head office', NULL, NULL, NULL, NULL, 'Istanbul', NULL, NULL, 'branch', true, NULL, NULL, '2026-11-27T10:17:40.881Z', '2026-11-27T10:17:40.881Z', '﷐head office﷑﷒﷓﷔﷕istanbul﷖﷗﷘﷙', '{634481836,246407968,110707327,-919675085,1198386450,-1319813803,1293244181,-928558136,144751774,-1911359636,175222551,1357895710,1489281609,-1786981912,-678598885,446493192,-488561650,-1909437585,-728087520,289409277,1227681961,-847091748,184313543,-791011902,162590845,-1745817268,-664044801}', ',"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"created_at":"2026-11-27T10:17:40.881Z","updated_at":"2026-11-27T10:17:40.881Z"');
INSERT INTO t_9a6frcm2tati0g9d3ktd.employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, created_at, updated_at, search_text, search_grams, json_tail) OVERRIDING SYSTEM VALUE VALUES
	(1, 1, 'ada@example.com', 'Ada', NULL, NULL, NULL, NULL, NULL, NULL, true, false, NULL, '2026-11-27T10:17:40.960Z', '2026-11-27T10:17:40.960Z', '﷐ada@example.com﷑ada﷒﷓﷔﷕﷖﷗', '{-433197889,-919675104,119804564,-917010324,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426647,1272269088,-450736897,119804574,-1930593719,-1786981912,-678598885,446493186,1504304445}', ',"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"created_at":"2026-11-27T10:17:40.960Z","updated_at":"2026-11-27T10:17:40.960Z"');
INSERT INTO t_9a6frcm2tati0g9d3ktd.hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, created_at, updated_at, search_text, search_grams, json_tail) OVERRIDING SYSTEM VALUE VALUES
	(1, 1, NULL, 'laptop', 'in_use', 'TD-1', NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, '2026-11-27T10:17:41.023Z', '2026-11-27T10:17:41.023Z', '﷐﷑td-1﷒﷓﷔﷕﷖', '{379471919,-1524513985,1365196852,124189136,860338590,1553190409,-1786981912,-678598885,446493186}', ',"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2026-11-27T10:17:41.023Z","updated_at":"2026-11-27T10:17:41.023Z"');
INSERT INTO t_9a6frcm2tati0g9d3ktd.tenant (id, schema_version) VALUES
	('9a6frcm2tati0g9d3ktd', 6);
INSERT INTO tenantdesk.api_keys (id, tenant_id, name, display, hash, pepper, scopes, created_at, expires_at, revoked_at) VALUES
	('C05GhbVZPh', '9a6frcm2tati0g9d3ktd', 'API key', 'tdk_C05G…', '4ba50bdbe0b43893afb5830d4305a48a613d4ad9fb8a146248509041b87f1627', 1, '*:read *:write', '2026-11-27T10:17:40.708Z', NULL, NULL);
INSERT INTO tenantdesk.audit_events (seq, at, event, user_id, email, tenant_id, by_id, by_email, address, agent, detail) VALUES
	(1, '2026-11-27T10:17:39.105Z', 'link_made', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"purpose":"setup"}'),
	(2, '2026-11-27T10:17:40.271Z', 'tenant_created', NULL, NULL, '9a6frcm2tati0g9d3ktd', NULL, NULL, NULL, NULL, '{"slug":"acme"}'),
	(3, '2026-11-27T10:17:40.770Z', 'key_created', NULL, NULL, '9a6frcm2tati0g9d3ktd', NULL, NULL, NULL, NULL, '{"key":"C05GhbVZPh"}');
INSERT INTO tenantdesk.catalog_version (schema_version, changes) VALUES
	(7, 4);
INSERT INTO tenantdesk.key_hours (key_id, tenant_id, hour, requests, errors, limited) VALUES
	('C05GhbVZPh', '9a6frcm2tati0g9d3ktd', '2026-11-27T10:00:00.000Z', 3, 0, 0);
INSERT INTO tenantdesk.key_uses (key_id, tenant_id, last_used_at, last_used_from) VALUES
	('C05GhbVZPh', '9a6frcm2tati0g9d3ktd', '2026-11-27T10:17:41.037Z', '127.0.0.1');
INSERT INTO tenantdesk.links (hash, purpose, user_id, until) VALUES
	('4f079bba0f8bd9039ad4a9463ca334834b3ebdd081f775532ea5174ef9d6873b', 'setup', NULL, '2026-11-27T10:47:39.105Z');
INSERT INTO tenantdesk.peppers (number, fingerprint) VALUES
	(1, 'ceb39beab6efdd15');
INSERT INTO tenantdesk.rate_limit (key, points, expire) VALUES
	('key:C05GhbVZPh', 3, 1795774720860);
INSERT INTO tenantdesk.tenants (id, slug, name, state, trial_ends, created_at, server, suspended_because, schema_version, migration_error) VALUES
	('9a6frcm2tati0g9d3ktd', 'acme', 'acme', 'active', NULL, '2026-11-27T10:17:39.834Z', 'main', NULL, 6, NULL);
ALTER TABLE ONLY t_9a6frcm2tati0g9d3ktd.answers
    ADD CONSTRAINT answers_key_key UNIQUE (key);
ALTER TABLE ONLY t_9a6frcm2tati0g9d3ktd.answers
    ADD CONSTRAINT answers_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY t_9a6frcm2tati0g9d3ktd.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY t_9a6frcm2tati0g9d3ktd.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY t_9a6frcm2tati0g9d3ktd.employees
    ADD CONSTRAINT employees_pkey PRIMARY KEY (id);
ALTER TABLE ONLY t_9a6frcm2tati0g9d3ktd.hardware
    ADD CONSTRAINT hardware_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tenantdesk.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tenantdesk.audit_events
    ADD CONSTRAINT audit_events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY tenantdesk.key_hours
    ADD CONSTRAINT key_hours_pkey PRIMARY KEY (key_id, hour);
ALTER TABLE ONLY tenantdesk.key_uses
    ADD CONSTRAINT key_uses_pkey PRIMARY KEY (key_id);
ALTER TABLE ONLY tenantdesk.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (name);
ALTER TABLE ONLY tenantdesk.links
    ADD CONSTRAINT links_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY tenantdesk.moves
    ADD CONSTRAINT moves_pkey PRIMARY KEY (tenant_id);
ALTER TABLE ONLY tenantdesk.peppers
    ADD CONSTRAINT peppers_pkey PRIMARY KEY (number);
ALTER TABLE ONLY tenantdesk.rate_limit
    ADD CONSTRAINT rate_limit_pkey PRIMARY KEY (key);
ALTER TABLE ONLY tenantdesk.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (user_id, hash);
ALTER TABLE ONLY tenantdesk.servers
    ADD CONSTRAINT servers_pkey PRIMARY KEY (name);
ALTER TABLE ONLY tenantdesk.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tenantdesk.sign_in_attempts
    ADD CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (subject);
ALTER TABLE ONLY tenantdesk.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY tenantdesk.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);
CREATE INDEX changes_action ON t_9a6frcm2tati0g9d3ktd.changes USING btree (resource, action, seq);
CREATE INDEX changes_record ON t_9a6frcm2tati0g9d3ktd.changes USING btree (resource, record_id, seq);
CREATE INDEX employees_customer_id ON t_9a6frcm2tati0g9d3ktd.employees USING btree (customer_id NULLS FIRST, id);
CREATE UNIQUE INDEX hardware_asset_tag ON t_9a6frcm2tati0g9d3ktd.hardware USING btree (asset_tag);
CREATE INDEX hardware_employee_id ON t_9a6frcm2tati0g9d3ktd.hardware USING btree (employee_id NULLS FIRST, id);
CREATE INDEX api_keys_tenant ON tenantdesk.api_keys USING btree (tenant_id);
CREATE INDEX audit_events_by ON tenantdesk.audit_events USING btree (by_id, seq);
CREATE INDEX audit_events_tenant ON tenantdesk.audit_events USING btree (tenant_id, seq);
CREATE INDEX audit_events_user ON tenantdesk.audit_events USING btree (user_id, seq);
CREATE INDEX key_hours_hour ON tenantdesk.key_hours USING btree (hour);
CREATE INDEX key_hours_tenant ON tenantdesk.key_hours USING btree (tenant_id, hour);
CREATE INDEX key_uses_tenant ON tenantdesk.key_uses USING btree (tenant_id);
CREATE INDEX links_user ON tenantdesk.links USING btree (user_id);
CREATE UNIQUE INDEX sessions_hash ON tenantdesk.sessions USING btree (hash);
CREATE INDEX sessions_user ON tenantdesk.sessions USING btree (user_id);
CREATE INDEX sign_in_attempts_last ON tenantdesk.sign_in_attempts USING btree (last_at);
CREATE UNIQUE INDEX tenants_slug ON tenantdesk.tenants USING btree (slug) WHERE (state <> ALL (ARRAY['creating'::text, 'deleting'::text]));
CREATE INDEX tenants_unfinished ON tenantdesk.tenants USING btree (state) WHERE (state = ANY (ARRAY['creating'::text, 'deleting'::text]));
CREATE UNIQUE INDEX users_email ON tenantdesk.users USING btree (email);
CREATE INDEX users_tenant ON tenantdesk.users USING btree (tenant_id);
ALTER TABLE ONLY t_9a6frcm2tati0g9d3ktd.employees
    ADD CONSTRAINT employees_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES t_9a6frcm2tati0g9d3ktd.customers(id);
ALTER TABLE ONLY t_9a6frcm2tati0g9d3ktd.hardware
    ADD CONSTRAINT hardware_employee_id_fkey FOREIGN KEY (employee_id) REFERENCES t_9a6frcm2tati0g9d3ktd.employees(id);
ALTER TABLE ONLY tenantdesk.api_keys
    ADD CONSTRAINT api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenantdesk.tenants(id);
ALTER TABLE ONLY tenantdesk.links
    ADD CONSTRAINT links_user_id_fkey FOREIGN KEY (user_id) REFERENCES tenantdesk.users(id);
ALTER TABLE ONLY tenantdesk.moves
    ADD CONSTRAINT moves_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenantdesk.tenants(id);
ALTER TABLE ONLY tenantdesk.recovery_codes
    ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES tenantdesk.users(id);
ALTER TABLE ONLY tenantdesk.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES tenantdesk.users(id);
ALTER TABLE ONLY tenantdesk.users
    ADD CONSTRAINT users_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenantdesk.tenants(id);

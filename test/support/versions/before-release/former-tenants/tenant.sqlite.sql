create table tenant (
  id text not null
) strict;
create table counters (
  name text primary key,
  last integer not null
) strict;
create table customers (
  id integer primary key,
  name text not null,
  code text,
  email text,
  phone text,
  address text,
  city text,
  country text,
  tax_id text,
  type text not null default 'branch',
  is_active integer not null default 1,
  contract_end text,
  notes text,
  created_at text not null,
  updated_at text not null,
  search_text text not null default '',
  json_tail text
) strict;
create table employees (
  id integer primary key,
  customer_id integer not null references customers (id),
  email text not null,
  name text,
  department text,
  title text,
  employee_no text,
  phone text,
  start_date text,
  end_date text,
  is_active integer not null default 1,
  is_remote integer not null default 0,
  notes text,
  created_at text not null,
  updated_at text not null,
  search_text text not null default '',
  json_tail text
) strict;
create index employees_customer_id on employees (customer_id);
create table hardware (
  id integer primary key,
  employee_id integer not null references employees (id),
  name text,
  type text not null default 'other',
  status text not null default 'in_use',
  asset_tag text,
  serial_number text,
  manufacturer text,
  model text,
  purchase_date text,
  warranty_end text,
  purchase_cost integer,
  is_loaner integer not null default 0,
  notes text,
  created_at text not null,
  updated_at text not null,
  search_text text not null default '',
  json_tail text
) strict;
create index hardware_employee_id on hardware (employee_id);
create unique index hardware_asset_tag on hardware (asset_tag);
create table changes (
  seq integer primary key,
  at text not null,
  resource text not null,
  record_id integer not null,
  action text not null,
  before text,
  after text,
  api_key_id text,
  user_id text,
  request_id text not null
) strict;
create index changes_record on changes (resource, record_id);
create index changes_action on changes (resource, action);
create table answers (
  seq integer primary key,
  key text not null unique,
  at text not null,
  fingerprint text not null,
  status integer not null,
  body text not null,
  location text,
  scopes text
) strict;
insert into tenant (id) values ('89pda2prjvidj96jse25');
insert into counters (name, last) values ('customers', 1);
insert into counters (name, last) values ('employees', 1);
insert into counters (name, last) values ('hardware', 1);
insert into counters (name, last) values ('answers', 3);
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, created_at, updated_at, search_text, json_tail) values (1, 'Head office', null, null, null, null, 'Istanbul', null, null, 'branch', 1, null, null, '2026-11-27T10:16:26.956Z', '2026-11-27T10:16:26.956Z', '﷐head office﷑﷒﷓﷔﷕istanbul﷖﷗﷘﷙', ',"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"created_at":"2026-11-27T10:16:26.956Z","updated_at":"2026-11-27T10:16:26.956Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, created_at, updated_at, search_text, json_tail) values (1, 1, 'ada@example.com', 'Ada', null, null, null, null, null, null, 1, 0, null, '2026-11-27T10:16:26.990Z', '2026-11-27T10:16:26.990Z', '﷐ada@example.com﷑ada﷒﷓﷔﷕﷖﷗', ',"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"created_at":"2026-11-27T10:16:26.990Z","updated_at":"2026-11-27T10:16:26.990Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, created_at, updated_at, search_text, json_tail) values (1, 1, null, 'laptop', 'in_use', 'TD-1', null, null, null, null, null, null, 0, null, '2026-11-27T10:16:27.011Z', '2026-11-27T10:16:27.011Z', '﷐﷑td-1﷒﷓﷔﷕﷖', ',"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2026-11-27T10:16:27.011Z","updated_at":"2026-11-27T10:16:27.011Z"');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id) values (1, '2026-11-27T10:16:26.956Z', 'customers', 1, 'create', null, '{"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null}', '5PL6KfHQSw', null, 'e7854729-a247-4cf5-8f89-38e69eec6d67');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id) values (2, '2026-11-27T10:16:26.990Z', 'employees', 1, 'create', null, '{"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null}', '5PL6KfHQSw', null, '3fca2497-6062-4215-ac8f-c065991436d1');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id) values (3, '2026-11-27T10:16:27.011Z', 'hardware', 1, 'create', null, '{"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null}', '5PL6KfHQSw', null, '111b7f82-9465-4c2d-8a79-9c01d10cff5b');
insert into answers (seq, key, at, fingerprint, status, body, location, scopes) values (1, '13ef1300-8281-4ac4-a0a0-aabacb87c9d5', '2026-11-27T10:16:26.956Z', 'SlWw7yr_rM-FUfL0__BZlxKeK-7bDUtJnCSkuRREZw4', 201, '{"id":1,"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"created_at":"2026-11-27T10:16:26.956Z","updated_at":"2026-11-27T10:16:26.956Z"}', '/api/v1/customers.php?id=1', 'customers:create');
insert into answers (seq, key, at, fingerprint, status, body, location, scopes) values (2, '7730be69-6ec5-4d5e-bb92-2735e098358b', '2026-11-27T10:16:26.990Z', 'pWVKoMMIyoOVn1FxYf6d0zpWi-VWReatBABhtfHvkro', 201, '{"id":1,"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"created_at":"2026-11-27T10:16:26.990Z","updated_at":"2026-11-27T10:16:26.990Z"}', '/api/v1/employees.php?id=1', 'employees:create');
insert into answers (seq, key, at, fingerprint, status, body, location, scopes) values (3, '6afd0ceb-de80-4a57-9a43-85b9e1c48bf5', '2026-11-27T10:16:27.011Z', 'wsZZOfSfvDwlrUOl7Waw1z4DMTE3S-2lrPEywWJ_LuU', 201, '{"id":1,"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2026-11-27T10:16:27.011Z","updated_at":"2026-11-27T10:16:27.011Z"}', '/api/v1/hardware.php?id=1', 'hardware:create');
pragma user_version = 1;

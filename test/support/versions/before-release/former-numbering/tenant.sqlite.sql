create table tenant (id text not null) strict;
create table changes (
    seq integer primary key, at text not null, resource text not null, record_id integer not null,
    action text not null, before text, after text, api_key_id text, user_id text, request_id text not null
  ) strict;
create table answers (
    seq integer primary key autoincrement, key text not null unique, at text not null, fingerprint text not null,
    status integer not null, body text not null, location text
  ) strict;
create index changes_record on changes (resource, record_id);
create index changes_action on changes (resource, action);
create table customers (
  id integer primary key autoincrement,
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
  id integer primary key autoincrement,
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
  id integer primary key autoincrement,
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
insert into tenant (id) values ('5aa7ibbnlro0hm3iecs6');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id) values (1, '2026-11-27T10:16:23.289Z', 'customers', 1, 'create', null, '{"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null}', 'bQ9u39SiBn', null, '8f6f5768-25e3-4c35-add1-99c8b5f09508');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id) values (2, '2026-11-27T10:16:23.315Z', 'employees', 1, 'create', null, '{"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null}', 'bQ9u39SiBn', null, '88f969d5-c868-4d40-92a4-67f3f8055c69');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id) values (3, '2026-11-27T10:16:23.333Z', 'hardware', 1, 'create', null, '{"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null}', 'bQ9u39SiBn', null, '6a925a71-5298-4b1f-813e-17d4e27e1a13');
insert into answers (seq, key, at, fingerprint, status, body, location) values (1, '4dcde4bc-e659-4967-a8cd-9cc5fbd43a65', '2026-11-27T10:16:23.289Z', 'SlWw7yr_rM-FUfL0__BZlxKeK-7bDUtJnCSkuRREZw4', 201, '{"id":1,"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"created_at":"2026-11-27T10:16:23.289Z","updated_at":"2026-11-27T10:16:23.289Z"}', '/api/v1/customers.php?id=1');
insert into answers (seq, key, at, fingerprint, status, body, location) values (2, '2976699f-aeac-4b86-a1ac-7325493374ed', '2026-11-27T10:16:23.315Z', 'pWVKoMMIyoOVn1FxYf6d0zpWi-VWReatBABhtfHvkro', 201, '{"id":1,"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"created_at":"2026-11-27T10:16:23.315Z","updated_at":"2026-11-27T10:16:23.315Z"}', '/api/v1/employees.php?id=1');
insert into answers (seq, key, at, fingerprint, status, body, location) values (3, '4bffb112-bc83-43fd-b22b-a103492e296d', '2026-11-27T10:16:23.333Z', 'wsZZOfSfvDwlrUOl7Waw1z4DMTE3S-2lrPEywWJ_LuU', 201, '{"id":1,"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2026-11-27T10:16:23.333Z","updated_at":"2026-11-27T10:16:23.333Z"}', '/api/v1/hardware.php?id=1');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, created_at, updated_at, search_text, json_tail) values (1, 'Head office', null, null, null, null, 'Istanbul', null, null, 'branch', 1, null, null, '2026-11-27T10:16:23.289Z', '2026-11-27T10:16:23.289Z', '﷐head office﷑﷒﷓﷔﷕istanbul﷖﷗﷘﷙', ',"name":"Head office","code":null,"email":null,"phone":null,"address":null,"city":"Istanbul","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"created_at":"2026-11-27T10:16:23.289Z","updated_at":"2026-11-27T10:16:23.289Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, created_at, updated_at, search_text, json_tail) values (1, 1, 'ada@example.com', 'Ada', null, null, null, null, null, null, 1, 0, null, '2026-11-27T10:16:23.315Z', '2026-11-27T10:16:23.315Z', '﷐ada@example.com﷑ada﷒﷓﷔﷕﷖﷗', ',"customer_id":1,"email":"ada@example.com","name":"Ada","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"created_at":"2026-11-27T10:16:23.315Z","updated_at":"2026-11-27T10:16:23.315Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, created_at, updated_at, search_text, json_tail) values (1, 1, null, 'laptop', 'in_use', 'TD-1', null, null, null, null, null, null, 0, null, '2026-11-27T10:16:23.333Z', '2026-11-27T10:16:23.333Z', '﷐﷑td-1﷒﷓﷔﷕﷖', ',"employee_id":1,"name":null,"type":"laptop","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2026-11-27T10:16:23.333Z","updated_at":"2026-11-27T10:16:23.333Z"');
pragma user_version = 6;

create table tenant (
  id text not null,
  state text not null
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
create table stored_responses (
  seq integer primary key,
  key text not null unique,
  at text not null,
  fingerprint text not null,
  status integer not null,
  body text not null,
  location text,
  scopes text
) strict;
insert into counters (name, last) values ('customers', 2);
insert into counters (name, last) values ('employees', 1);
insert into counters (name, last) values ('hardware', 2);
insert into counters (name, last) values ('stored_responses', 1);
insert into customers (id, name, city, type, is_active, notes, created_at, updated_at, search_text, json_tail) values (1, 'Ünal İnşaat', 'Çorlu', 'branch', 1, 'straße', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ünal inşaat﷐﷕çorlu﷕﷘strasse﷘', ',"name":"Ünal İnşaat","code":null,"email":null,"phone":null,"address":null,"city":"Çorlu","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"straße","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, type, is_active, created_at, updated_at, search_text, json_tail) values (2, 'aa', 'branch', 1, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐aa﷐', ',"name":"aa","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, is_active, is_remote, created_at, updated_at, search_text, json_tail) values (1, 1, 'Ada@example.com', 1, 0, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ada@example.com﷐', ',"customer_id":1,"email":"Ada@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, is_loaner, created_at, updated_at, search_text, json_tail) values (1, 1, 'z', 'other', 'in_use', 'TD-0', 0, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐z﷐﷑td-0﷑', ',"employee_id":1,"name":"z","type":"other","status":"in_use","asset_tag":"TD-0","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, is_loaner, created_at, updated_at, search_text, json_tail) values (2, 1, 'Ä', 'other', 'in_use', 'TD-1', 0, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ä﷐﷑td-1﷑', ',"employee_id":1,"name":"Ä","type":"other","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id) values (1, '2030-01-01T00:00:00.000Z', 'customers', 1, 'create', '{"name":"Ünal İnşaat","code":null,"email":null,"phone":null,"address":null,"city":"Çorlu","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"straße"}', 'roysQxUYrj', 'request-1');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id) values (2, '2030-01-01T00:00:00.000Z', 'customers', 2, 'create', '{"name":"aa","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null}', 'roysQxUYrj', 'request-2');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id) values (3, '2030-01-01T00:00:00.000Z', 'employees', 1, 'create', '{"customer_id":1,"email":"Ada@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null}', 'roysQxUYrj', 'request-3');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id) values (4, '2030-01-01T00:00:00.000Z', 'hardware', 1, 'create', '{"employee_id":1,"name":"z","type":"other","status":"in_use","asset_tag":"TD-0","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null}', 'roysQxUYrj', 'request-4');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id) values (5, '2030-01-01T00:00:00.000Z', 'hardware', 2, 'create', '{"employee_id":1,"name":"Ä","type":"other","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null}', 'roysQxUYrj', 'request-5');
insert into stored_responses (seq, key, at, fingerprint, status, body, location, scopes) values (1, '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b', '2030-01-01T00:00:00.000Z', 'I9YUawIN3n-CCxbliRMIxdeClY09fQasajeqLmwgDks', 201, '{"id":1,"name":"Ünal İnşaat","code":null,"email":null,"phone":null,"address":null,"city":"Çorlu","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"straße","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}', '/api/v1/customers.php?id=1', 'customers:create');

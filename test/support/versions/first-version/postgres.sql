create table tenant (
  id text not null,
  state text not null,
  schema_version bigint not null
);
create table counters (
  name text primary key,
  last bigint not null
);
create table customers (
  id bigint primary key,
  name text collate "C" not null,
  code text collate "C",
  email text collate "C",
  phone text collate "C",
  address text collate "C",
  city text collate "C",
  country text collate "C",
  tax_id text collate "C",
  type text collate "C" not null default 'branch',
  is_active boolean not null default true,
  contract_end text collate "C",
  notes text collate "C",
  created_at text collate "C" not null,
  updated_at text collate "C" not null,
  search_text text collate "C" not null default '',
  search_grams integer[] not null default '{}',
  json_tail text
);
create table employees (
  id bigint primary key,
  customer_id bigint not null references customers (id),
  email text collate "C" not null,
  name text collate "C",
  department text collate "C",
  title text collate "C",
  employee_no text collate "C",
  phone text collate "C",
  start_date text collate "C",
  end_date text collate "C",
  is_active boolean not null default true,
  is_remote boolean not null default false,
  notes text collate "C",
  created_at text collate "C" not null,
  updated_at text collate "C" not null,
  search_text text collate "C" not null default '',
  search_grams integer[] not null default '{}',
  json_tail text
);
create index employees_customer_id on employees (customer_id nulls first, id);
create table hardware (
  id bigint primary key,
  employee_id bigint not null references employees (id),
  name text collate "C",
  type text collate "C" not null default 'other',
  status text collate "C" not null default 'in_use',
  asset_tag text collate "C",
  serial_number text collate "C",
  manufacturer text collate "C",
  model text collate "C",
  purchase_date text collate "C",
  warranty_end text collate "C",
  purchase_cost bigint,
  is_loaner boolean not null default false,
  notes text collate "C",
  created_at text collate "C" not null,
  updated_at text collate "C" not null,
  search_text text collate "C" not null default '',
  search_grams integer[] not null default '{}',
  json_tail text
);
create index hardware_employee_id on hardware (employee_id nulls first, id);
create unique index hardware_asset_tag on hardware (asset_tag);
create table changes (
  seq bigint primary key,
  at text not null,
  resource text not null,
  record_id bigint not null,
  action text not null,
  before text,
  after text,
  api_key_id text,
  user_id text,
  request_id text not null
);
create index changes_record on changes (resource, record_id, seq);
create index changes_action on changes (resource, action, seq);
create table stored_responses (
  seq bigint primary key,
  key text not null unique,
  at text not null,
  fingerprint text not null,
  status bigint not null,
  body text not null,
  location text,
  scopes text
);
insert into counters (name, last) values ('stored_responses', 1);
insert into counters (name, last) values ('customers', 2);
insert into counters (name, last) values ('employees', 1);
insert into counters (name, last) values ('hardware', 2);
insert into customers (id, name, city, type, is_active, notes, created_at, updated_at, search_text, search_grams, json_tail) values (1, 'Ünal İnşaat', 'Çorlu', 'branch', true, 'straße', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ünal inşaat﷐﷕çorlu﷕﷘strasse﷘', '{641418365,-2031397600,226718087,-919324365,1281089544,827709949,1309600164,-1910799200,1683030816,156370095,-917460124,-2071476517,379313421,1662205522,952142361,1293757447,1429769180,208493275,1164444300,-643131506,1791772143,-728087527,-783953504,352973326,-1990219250,-1802040212,344833484}', ',"name":"Ünal İnşaat","code":null,"email":null,"phone":null,"address":null,"city":"Çorlu","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"straße","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, type, is_active, created_at, updated_at, search_text, search_grams, json_tail) values (2, 'aa', 'branch', true, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐aa﷐', '{-433197920,156370084}', ',"name":"aa","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, is_active, is_remote, created_at, updated_at, search_text, search_grams, json_tail) values (1, 1, 'Ada@example.com', true, false, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ada@example.com﷐', '{-433197889,-919675104,119804564,-917010324,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426660}', ',"customer_id":1,"email":"Ada@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, is_loaner, created_at, updated_at, search_text, search_grams, json_tail) values (1, 1, 'z', 'other', 'in_use', 'TD-0', false, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐z﷐﷑td-0﷑', '{-1506972188,2106903639,379471919,-1524513985,1365196852,124189155,-213461673}', ',"employee_id":1,"name":"z","type":"other","status":"in_use","asset_tag":"TD-0","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, is_loaner, created_at, updated_at, search_text, search_grams, json_tail) values (2, 1, 'Ä', 'other', 'in_use', 'TD-1', false, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ä﷐﷑td-1﷑', '{641473124,373100631,379471919,-1524513985,1365196852,124189136,860338583}', ',"employee_id":1,"name":"Ä","type":"other","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id) values (1, '2030-01-01T00:00:00.000Z', 'customers', 1, 'create', '{"name":"Ünal İnşaat","code":null,"email":null,"phone":null,"address":null,"city":"Çorlu","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"straße"}', 'yJIh8jseQO', 'request-1');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id) values (2, '2030-01-01T00:00:00.000Z', 'customers', 2, 'create', '{"name":"aa","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null}', 'yJIh8jseQO', 'request-2');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id) values (3, '2030-01-01T00:00:00.000Z', 'employees', 1, 'create', '{"customer_id":1,"email":"Ada@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null}', 'yJIh8jseQO', 'request-3');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id) values (4, '2030-01-01T00:00:00.000Z', 'hardware', 1, 'create', '{"employee_id":1,"name":"z","type":"other","status":"in_use","asset_tag":"TD-0","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null}', 'yJIh8jseQO', 'request-4');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id) values (5, '2030-01-01T00:00:00.000Z', 'hardware', 2, 'create', '{"employee_id":1,"name":"Ä","type":"other","status":"in_use","asset_tag":"TD-1","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":null}', 'yJIh8jseQO', 'request-5');
insert into stored_responses (seq, key, at, fingerprint, status, body, location, scopes) values (1, '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b', '2030-01-01T00:00:00.000Z', 'I9YUawIN3n-CCxbliRMIxdeClY09fQasajeqLmwgDks', 201, '{"id":1,"name":"Ünal İnşaat","code":null,"email":null,"phone":null,"address":null,"city":"Çorlu","country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"straße","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}', '/api/v1/customers.php?id=1', 'customers:create');

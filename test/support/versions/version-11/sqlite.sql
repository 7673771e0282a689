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
  external_id text,
  created_at text not null,
  updated_at text not null,
  search_text text not null default '',
  json_tail text
) strict;
create unique index customers_external_id on customers (external_id);
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
  external_id text,
  kind text not null default 'person',
  created_at text not null,
  updated_at text not null,
  search_text text not null default '',
  json_tail text
) strict;
create index employees_customer_id on employees (customer_id);
create unique index employees_external_id on employees (external_id);
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
  external_id text,
  due_back text,
  last_seen_at text,
  created_at text not null,
  updated_at text not null,
  search_text text not null default '',
  json_tail text
) strict;
create index hardware_employee_id on hardware (employee_id);
create unique index hardware_asset_tag on hardware (asset_tag);
create unique index hardware_external_id on hardware (external_id);
create table settings (
  id integer primary key,
  currency text not null default 'EUR',
  time_zone text not null default 'UTC',
  customers_called text not null default 'branches',
  warranty_notice_days integer not null default 60,
  tag_format text,
  next_tag_number integer not null default 1,
  form_text text,
  form_shows_cost integer not null default 0,
  created_at text not null,
  updated_at text not null,
  search_text text not null default '',
  json_tail text
) strict;
create table views (
  id integer primary key,
  name text not null,
  resource text not null,
  query text not null default '',
  columns text,
  is_shared integer not null default 0,
  api_key_id text,
  user_id text,
  created_at text not null,
  updated_at text not null,
  search_text text not null default '',
  json_tail text
) strict;
create table hand_over_forms (
  id integer primary key,
  kind text not null,
  number integer not null,
  items integer,
  employee_id integer not null,
  change_set text,
  copies integer not null default 1,
  created_at text not null,
  updated_at text not null,
  search_text text not null default '',
  json_tail text
) strict;
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
  request_id text not null,
  change_set text
) strict;
create index changes_record on changes (resource, record_id);
create index changes_action on changes (resource, action);
create index changes_change_set on changes (change_set) where change_set is not null;
create index changes_former_holder on changes (before ->> 'employee_id') where before ->> 'employee_id' is not null;
create table history_start (
  seq integer primary key,
  at text not null
) strict;
create table stored_responses (
  seq integer primary key,
  key text not null unique,
  at text not null,
  fingerprint text not null,
  status integer not null,
  body text not null,
  location text,
  scopes text,
  change_set text
) strict;
create table jobs (
  id integer primary key,
  kind text not null,
  state text not null,
  input text not null,
  cursor text not null,
  progress text not null,
  due_at text,
  created_at text not null,
  finished_at text,
  lease_token text,
  lease_until text
) strict;
create index jobs_due on jobs (due_at) where due_at is not null;
create table import_parts (
  seq integer primary key,
  job_id integer not null,
  part integer not null,
  content text not null
) strict;
create unique index import_parts_part on import_parts (job_id, part);
create table import_values (
  seq integer primary key,
  job_id integer not null,
  field text not null,
  value text not null,
  row integer not null
) strict;
create unique index import_values_value on import_values (job_id, field, value);
create table import_failures (
  seq integer primary key,
  job_id integer not null,
  pass integer not null,
  row integer not null,
  cells text not null,
  errors text not null
) strict;
create index import_failures_row on import_failures (job_id, pass, row);
insert into counters (name, last) values ('customers', 4);
insert into counters (name, last) values ('employees', 1);
insert into counters (name, last) values ('hand_over_forms', 0);
insert into counters (name, last) values ('hardware', 0);
insert into counters (name, last) values ('import_failures', 6);
insert into counters (name, last) values ('import_parts', 5);
insert into counters (name, last) values ('import_values', 8);
insert into counters (name, last) values ('jobs', 3);
insert into counters (name, last) values ('settings', 0);
insert into counters (name, last) values ('stored_responses', 0);
insert into counters (name, last) values ('views', 0);
insert into customers (id, name, type, is_active, created_at, updated_at, search_text, json_tail) values (1, 'With an employee', 'branch', 1, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐with an employee﷐', ',"name":"With an employee","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, type, is_active, created_at, updated_at, search_text, json_tail) values (2, 'Without employees', 'branch', 1, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐without employees﷐', ',"name":"Without employees","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, type, is_active, external_id, created_at, updated_at, search_text, json_tail) values (3, 'Third', 'branch', 1, 'c-3', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐third﷐﷙c-3﷙c3﷙', ',"name":"Third","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":"c-3","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, type, is_active, external_id, created_at, updated_at, search_text, json_tail) values (4, 'Fourth', 'branch', 1, 'c-4', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐fourth﷐﷙c-4﷙c4﷙', ',"name":"Fourth","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":"c-4","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, is_active, is_remote, kind, created_at, updated_at, search_text, json_tail) values (1, 1, 'ada@example.com', 1, 0, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ada@example.com﷐', ',"customer_id":1,"email":"ada@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id, change_set) values (1, '2030-01-01T00:00:00.000Z', 'customers', 1, 'create', '{"name":"With an employee","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":null}', 'k', 'r', '01943a1b-c000-7000-8000-000000000001');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id, change_set) values (2, '2030-01-01T00:00:00.000Z', 'customers', 2, 'create', '{"name":"Without employees","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":null}', 'k', 'r', '01943a1b-c000-7000-8000-000000000002');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id, change_set) values (3, '2030-01-01T00:00:00.000Z', 'employees', 1, 'create', '{"customer_id":1,"email":"ada@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'k', 'r', '01943a1b-c000-7000-8000-000000000003');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id, change_set) values (4, '2030-01-01T00:00:00.000Z', 'customers', 3, 'create', '{"name":"Third","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":"c-3"}', 'k', 'r', '01943a1b-c000-7000-8000-000000000004');
insert into changes (seq, at, resource, record_id, action, after, api_key_id, request_id, change_set) values (5, '2030-01-01T00:00:00.000Z', 'customers', 4, 'create', '{"name":"Fourth","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":"c-4"}', 'k', 'r', '01943a1b-c000-7000-8000-000000000008');
insert into jobs (id, kind, state, input, cursor, progress, due_at, created_at, finished_at, lease_token, lease_until) values (1, 'import', 'done', '{"resource":"customers","mode":"valid_rows","match":"external_id","columns":{"columns":[{"title":"name","target":{"kind":"field","name":"name"}},{"title":"external_id","target":{"kind":"field","name":"external_id"}}],"match":1},"delimiter":",","assumptions":[],"rows":2,"parts":1,"origin":{"actor":{"apiKeyId":"k"},"requestId":"r","changeSet":"01943a1b-c000-7000-8000-000000000004","revertSet":"01943a1b-c000-7000-8000-000000000005"}}', '{"phase":"forget","pass":2}', '{"processed":2,"created":1,"updated":0,"unchanged":0,"invalid":1}', '2030-01-31T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', 'recorder', '2030-01-01T00:00:05.000Z');
insert into jobs (id, kind, state, input, cursor, progress, due_at, created_at, finished_at, lease_token, lease_until) values (2, 'bulk_edit', 'checked', '{"resource":"customers","task":"delete","selected":2,"seq":4,"origin":{"actor":{"apiKeyId":"k"},"requestId":"r","changeSet":"01943a1b-c000-7000-8000-000000000007"},"edit":{"resource":"customers","action":"delete"},"parts":1}', '{"phase":"discard","pass":1}', '{"changed":1,"unchanged":0,"refused":1,"processed":2}', '2030-01-02T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', 'recorder', '2030-01-01T00:00:05.000Z');
insert into jobs (id, kind, state, input, cursor, progress, due_at, created_at, lease_token, lease_until) values (3, 'import', 'running', '{"resource":"customers","mode":"valid_rows","match":"external_id","columns":{"columns":[{"title":"name","target":{"kind":"field","name":"name"}},{"title":"external_id","target":{"kind":"field","name":"external_id"}}],"match":1},"delimiter":",","assumptions":[],"rows":6,"parts":3,"origin":{"actor":{"apiKeyId":"k"},"requestId":"r","changeSet":"01943a1b-c000-7000-8000-000000000008","revertSet":"01943a1b-c000-7000-8000-000000000009"}}', '{"phase":"run","pass":2,"part":1}', '{"processed":2,"created":1,"updated":0,"unchanged":0,"invalid":1}', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', 'recorder', '2030-01-01T00:00:05.000Z');
insert into import_parts (seq, job_id, part, content) values (2, 2, 0, '[[1],[2]]');
insert into import_parts (seq, job_id, part, content) values (3, 3, 0, '[[2,"Fourth","c-4"],[3,"","c-y"]]');
insert into import_parts (seq, job_id, part, content) values (4, 3, 1, '[[4,"Fifth","c-5"],[5,"Sixth","c-6"]]');
insert into import_parts (seq, job_id, part, content) values (5, 3, 2, '[[6,"","c-z"],[7,"Third, renamed","c-3"]]');
insert into import_values (seq, job_id, field, value, row) values (3, 3, 'external_id', 'c-4', 2);
insert into import_values (seq, job_id, field, value, row) values (4, 3, 'external_id', 'c-y', 3);
insert into import_values (seq, job_id, field, value, row) values (5, 3, 'external_id', 'c-5', 4);
insert into import_values (seq, job_id, field, value, row) values (6, 3, 'external_id', 'c-6', 5);
insert into import_values (seq, job_id, field, value, row) values (7, 3, 'external_id', 'c-z', 6);
insert into import_values (seq, job_id, field, value, row) values (8, 3, 'external_id', 'c-3', 7);
insert into import_failures (seq, job_id, pass, row, cells, errors) values (2, 1, 2, 3, '["","c-x"]', '[{"row":3,"column":"name","code":"required","message":"This field is required."}]');
insert into import_failures (seq, job_id, pass, row, cells, errors) values (3, 2, 1, 1, '[]', '[{"row":1,"column":null,"code":"in_use","message":""}]');
insert into import_failures (seq, job_id, pass, row, cells, errors) values (4, 3, 1, 3, '["","c-y"]', '[{"row":3,"column":"name","code":"required","message":"This field is required."}]');
insert into import_failures (seq, job_id, pass, row, cells, errors) values (5, 3, 1, 6, '["","c-z"]', '[{"row":6,"column":"name","code":"required","message":"This field is required."}]');
insert into import_failures (seq, job_id, pass, row, cells, errors) values (6, 3, 2, 3, '["","c-y"]', '[{"row":3,"column":"name","code":"required","message":"This field is required."}]');

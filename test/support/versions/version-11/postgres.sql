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
  external_id text collate "C",
  created_at text collate "C" not null,
  updated_at text collate "C" not null,
  search_text text collate "C" not null default '',
  search_grams integer[] not null default '{}',
  json_tail text
);
create unique index customers_external_id on customers (external_id);
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
  external_id text collate "C",
  kind text collate "C" not null default 'person',
  created_at text collate "C" not null,
  updated_at text collate "C" not null,
  search_text text collate "C" not null default '',
  search_grams integer[] not null default '{}',
  json_tail text
);
create index employees_customer_id on employees (customer_id nulls first, id);
create unique index employees_external_id on employees (external_id);
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
  external_id text collate "C",
  due_back text collate "C",
  last_seen_at text collate "C",
  created_at text collate "C" not null,
  updated_at text collate "C" not null,
  search_text text collate "C" not null default '',
  search_grams integer[] not null default '{}',
  json_tail text
);
create index hardware_employee_id on hardware (employee_id nulls first, id);
create unique index hardware_asset_tag on hardware (asset_tag);
create unique index hardware_external_id on hardware (external_id);
create table settings (
  id bigint primary key,
  currency text collate "C" not null default 'EUR',
  time_zone text collate "C" not null default 'UTC',
  customers_called text collate "C" not null default 'branches',
  warranty_notice_days bigint not null default 60,
  tag_format text collate "C",
  next_tag_number bigint not null default 1,
  form_text text collate "C",
  form_shows_cost boolean not null default false,
  created_at text collate "C" not null,
  updated_at text collate "C" not null,
  search_text text collate "C" not null default '',
  search_grams integer[] not null default '{}',
  json_tail text
);
create table views (
  id bigint primary key,
  name text collate "C" not null,
  resource text collate "C" not null,
  query text collate "C" not null default '',
  columns text collate "C",
  is_shared boolean not null default false,
  api_key_id text collate "C",
  user_id text collate "C",
  created_at text collate "C" not null,
  updated_at text collate "C" not null,
  search_text text collate "C" not null default '',
  search_grams integer[] not null default '{}',
  json_tail text
);
create table hand_over_forms (
  id bigint primary key,
  kind text collate "C" not null,
  number bigint not null,
  items bigint,
  employee_id bigint not null,
  change_set text collate "C",
  copies bigint not null default 1,
  created_at text collate "C" not null,
  updated_at text collate "C" not null,
  search_text text collate "C" not null default '',
  search_grams integer[] not null default '{}',
  json_tail text
);
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
  request_id text not null,
  change_set text
);
create index changes_record on changes (resource, record_id, seq);
create index changes_action on changes (resource, action, seq);
create index changes_change_set on changes (change_set, seq) where change_set is not null;
create index changes_former_holder on changes ((cast(before as json) ->> 'employee_id'), seq) where cast(before as json) ->> 'employee_id' is not null;
create table history_start (
  seq bigint primary key,
  at text not null
);
create table stored_responses (
  seq bigint primary key,
  key text not null unique,
  at text not null,
  fingerprint text not null,
  status bigint not null,
  body text not null,
  location text,
  scopes text,
  change_set text
);
create table jobs (
  id bigint primary key,
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
);
create index jobs_due on jobs (due_at) where due_at is not null;
create table import_parts (
  seq bigint primary key,
  job_id bigint not null,
  part bigint not null,
  content text not null
);
create unique index import_parts_part on import_parts (job_id, part);
create table import_values (
  seq bigint primary key,
  job_id bigint not null,
  field text not null,
  value text not null,
  row bigint not null
);
create unique index import_values_value on import_values (job_id, field, value);
create table import_failures (
  seq bigint primary key,
  job_id bigint not null,
  pass bigint not null,
  row bigint not null,
  cells text not null,
  errors text not null
);
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
insert into customers (id, name, type, is_active, created_at, updated_at, search_text, search_grams, json_tail) values (1, 'With an employee', 'branch', true, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐with an employee﷐', '{1714658312,300593839,-835663333,1363277107,1325161376,827277309,1227681971,1299774892,826952436,109640547,-879317625,1400937938,-1939826824,220095596,402491180,110874980}', ',"name":"With an employee","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, type, is_active, created_at, updated_at, search_text, search_grams, json_tail) values (2, 'Without employees', 'branch', true, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐without employees﷐', '{1714658312,300593839,-835663333,1363277074,-1901869924,220131695,-791311373,1359683436,826952436,109640547,-879317625,1400937938,-1939826824,220095596,402491180,110874958,-2037719836}', ',"name":"Without employees","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, type, is_active, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (3, 'Third', 'branch', true, 'c-3', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐third﷐﷙c-3﷙c3﷙', '{640945755,1363277064,245868569,1311780543,1426845156,-1902352129,379137566,1785118516,179040718,-1287198913,458644254,1785118478,-1974032705}', ',"name":"Third","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":"c-3","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, type, is_active, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (4, 'Fourth', 'branch', true, 'c-4', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐fourth﷐﷙c-4﷙c4﷙', '{-1512917230,-2002610148,220131673,1355989359,1426405851,1363277092,-2003293697,379137566,1785118516,179040751,-213497217,512781598,1785118511,-899944705}', ',"name":"Fourth","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":null,"external_id":"c-4","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, is_active, is_remote, kind, created_at, updated_at, search_text, search_grams, json_tail) values (1, 1, 'ada@example.com', true, false, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ada@example.com﷐', '{-433197889,-919675104,119804564,-917010324,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426660}', ',"customer_id":1,"email":"ada@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
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

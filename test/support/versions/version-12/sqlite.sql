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
create table job_parts (
  seq integer primary key,
  job_id integer not null,
  part integer not null,
  content text not null
) strict;
create unique index job_parts_part on job_parts (job_id, part);
create table job_failures (
  seq integer primary key,
  job_id integer not null,
  pass integer not null,
  row integer not null,
  cells text not null,
  errors text not null
) strict;
create index job_failures_row on job_failures (job_id, pass, row);
create table import_values (
  seq integer primary key,
  job_id integer not null,
  field text not null,
  value text not null,
  row integer not null
) strict;
create unique index import_values_value on import_values (job_id, field, value);
insert into counters (name, last) values ('customers', 10);
insert into counters (name, last) values ('employees', 7);
insert into counters (name, last) values ('hand_over_forms', 0);
insert into counters (name, last) values ('hardware', 4);
insert into counters (name, last) values ('import_values', 0);
insert into counters (name, last) values ('job_failures', 0);
insert into counters (name, last) values ('job_parts', 0);
insert into counters (name, last) values ('jobs', 0);
insert into counters (name, last) values ('settings', 1);
insert into counters (name, last) values ('stored_responses', 1);
insert into counters (name, last) values ('views', 1);
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, json_tail) values (1, 'Özil & Söhne', null, null, null, null, null, null, null, 'branch', 1, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ozil & sohne﷐﷘weisswurste﷘', ',"name":"Özil & Söhne","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, json_tail) values (2, 'anna', null, null, null, null, null, null, null, 'branch', 1, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐anna﷐﷘weisswurste﷘', ',"name":"anna","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, json_tail) values (3, 'Çelik A.Ş.', null, null, null, null, null, null, null, 'branch', 1, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐celik a.s.﷐﷘weisswurste﷘', ',"name":"Çelik A.Ş.","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, json_tail) values (4, 'Anna', null, null, null, null, null, null, null, 'branch', 1, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐anna﷐﷘weisswurste﷘', ',"name":"Anna","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, json_tail) values (5, 'Deniz', null, null, null, null, null, null, null, 'branch', 1, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐deniz﷐﷘weisswurste﷘', ',"name":"Deniz","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, json_tail) values (6, 'Jörg Müller', null, null, null, null, null, null, null, 'branch', 1, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐jorg muller﷐﷘weisswurste﷘', ',"name":"Jörg Müller","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, json_tail) values (7, 'Joerg Mueller', null, null, null, null, null, null, null, 'branch', 1, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐joerg mueller﷐﷘weisswurste﷘', ',"name":"Joerg Mueller","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, json_tail) values (8, 'O’Brien', null, null, null, null, null, null, null, 'branch', 1, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐o’brien﷐﷘weisswurste﷘', ',"name":"O’Brien","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, json_tail) values (9, 'Zoë‐Anne', null, null, null, null, null, null, null, 'branch', 1, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐zoe‐anne﷐﷘weisswurste﷘', ',"name":"Zoë‐Anne","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, json_tail) values (10, 'Zoe', null, null, null, null, null, null, null, 'branch', 1, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐zoe﷐﷘weisswurste﷘', ',"name":"Zoe","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, json_tail) values (1, 1, 'Joerg.Mueller@Example.com', 'Jörg Müller', null, null, null, null, null, null, 1, 0, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐joerg.mueller@example.com﷐﷑jorg muller﷑', ',"customer_id":1,"email":"Joerg.Mueller@Example.com","name":"Jörg Müller","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, json_tail) values (2, 1, 'anon@example.com', null, null, null, null, null, null, null, 1, 0, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐anon@example.com﷐', ',"customer_id":1,"email":"anon@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, json_tail) values (3, 1, 'joerg.mueller@example.com', 'ilker', null, null, null, null, null, null, 1, 0, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐joerg.mueller@example.com﷐﷑ilker﷑', ',"customer_id":1,"email":"joerg.mueller@example.com","name":"ilker","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, json_tail) values (4, 1, 'ilker@example.com', 'İlker', null, null, null, null, null, null, 1, 0, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ilker@example.com﷐﷑ilker﷑', ',"customer_id":1,"email":"ilker@example.com","name":"İlker","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, json_tail) values (5, 1, 'celik@example.com', 'Çelik', null, null, null, null, null, null, 1, 0, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐celik@example.com﷐﷑celik﷑', ',"customer_id":1,"email":"celik@example.com","name":"Çelik","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, json_tail) values (6, 1, 'vd@example.com', 'van Dyk', null, null, null, null, null, null, 1, 0, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐vd@example.com﷐﷑van dyk﷑', ',"customer_id":1,"email":"vd@example.com","name":"van Dyk","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, json_tail) values (7, 1, 'zoe@example.com', 'Zoe', null, null, null, null, null, null, 1, 0, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐zoe@example.com﷐﷑zoe﷑', ',"customer_id":1,"email":"zoe@example.com","name":"Zoe","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, external_id, due_back, last_seen_at, created_at, updated_at, search_text, json_tail) values (1, 1, 'Überwachungsgerät', 'other', 'in_use', 'TD-0001', null, null, null, null, null, null, 0, 'Für Jörg', null, null, null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐uberwachungsgerat﷐﷑td-0001﷑td0001﷑﷕fur jorg﷕', ',"employee_id":1,"name":"Überwachungsgerät","type":"other","status":"in_use","asset_tag":"TD-0001","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, external_id, due_back, last_seen_at, created_at, updated_at, search_text, json_tail) values (2, 1, 'uhr', 'other', 'in_use', 'TD-0002', null, null, null, null, null, null, 0, 'Für Jörg', null, null, null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐uhr﷐﷑td-0002﷑td0002﷑﷕fur jorg﷕', ',"employee_id":1,"name":"uhr","type":"other","status":"in_use","asset_tag":"TD-0002","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, external_id, due_back, last_seen_at, created_at, updated_at, search_text, json_tail) values (3, 1, 'Uhr', 'other', 'in_repair', 'TD-0004', null, null, null, null, null, null, 0, 'Für Jörg', null, null, null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐uhr﷐﷑td-0004﷑td0004﷑﷕fur jorg﷕', ',"employee_id":1,"name":"Uhr","type":"other","status":"in_repair","asset_tag":"TD-0004","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, external_id, due_back, last_seen_at, created_at, updated_at, search_text, json_tail) values (4, 1, null, 'other', 'in_use', null, null, null, null, null, null, null, 0, 'Für Jörg', null, null, null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷕fur jorg﷕', ',"employee_id":1,"name":null,"type":"other","status":"in_use","asset_tag":null,"serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into settings (id, currency, time_zone, customers_called, warranty_notice_days, tag_format, next_tag_number, form_text, form_shows_cost, created_at, updated_at, search_text, json_tail) values (1, 'EUR', 'Europe/Berlin', 'branches', 60, 'TD-{0000}', 3, null, 0, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐eur﷐﷑europe/berlin﷑﷒td-{0000}﷒', ',"currency":"EUR","time_zone":"Europe/Berlin","customers_called":"branches","warranty_notice_days":60,"tag_format":"TD-{0000}","next_tag_number":3,"form_text":null,"form_shows_cost":false,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into views (id, name, resource, query, columns, is_shared, api_key_id, user_id, created_at, updated_at, search_text, json_tail) values (1, 'Wächter', 'hardware', 'sort=name', null, 0, 'L3N7Rwuepa', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐wachter﷐﷑sort=name﷑﷓l3n7rwuepa﷓', ',"name":"Wächter","resource":"hardware","query":"sort=name","columns":null,"is_shared":false,"api_key_id":"L3N7Rwuepa","user_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (1, '2030-01-01T00:00:00.000Z', 'settings', 1, 'create', null, '{"currency":"EUR","time_zone":"Europe/Berlin","customers_called":"branches","warranty_notice_days":60,"tag_format":"TD-{0000}","next_tag_number":3,"form_text":null,"form_shows_cost":false}', 'L3N7Rwuepa', null, '8323c377-5d8b-49f0-9d4a-063ab14d5312', '01b8dac5-b400-7fd5-a764-5589be932ee9');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (2, '2030-01-01T00:00:00.000Z', 'customers', 1, 'create', null, '{"name":"Özil & Söhne","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'L3N7Rwuepa', null, 'c6cfb8d8-8abe-473b-9645-b0f740e44b48', '01b8dac5-b400-7392-8f28-a88c2f407731');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (3, '2030-01-01T00:00:00.000Z', 'customers', 2, 'create', null, '{"name":"anna","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'L3N7Rwuepa', null, '2dff0344-0979-4901-8bd7-02eddf9053be', '01b8dac5-b400-723f-a0a0-c139a2c6100b');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (4, '2030-01-01T00:00:00.000Z', 'customers', 3, 'create', null, '{"name":"Çelik A.Ş.","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'L3N7Rwuepa', null, 'a8954879-2788-40f8-af82-1b53e09d1963', '01b8dac5-b400-7c06-93b6-b0b6d919f364');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (5, '2030-01-01T00:00:00.000Z', 'customers', 4, 'create', null, '{"name":"Anna","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'L3N7Rwuepa', null, '09a6f406-6c9e-4ff1-a3cc-b74ee660cf13', '01b8dac5-b400-76e9-9421-c58158258f5f');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (6, '2030-01-01T00:00:00.000Z', 'customers', 5, 'create', null, '{"name":"Deniz","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'L3N7Rwuepa', null, 'a287a108-05ed-4b63-b0af-f954e4546545', '01b8dac5-b400-72dd-9c4b-3dbfeb6b62b8');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (7, '2030-01-01T00:00:00.000Z', 'customers', 6, 'create', null, '{"name":"Jörg Müller","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'L3N7Rwuepa', null, 'a1c59c62-1dac-4330-abed-290c2882ca14', '01b8dac5-b400-77ce-9d1f-ab7445630dbf');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (8, '2030-01-01T00:00:00.000Z', 'customers', 7, 'create', null, '{"name":"Joerg Mueller","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'L3N7Rwuepa', null, 'b6897658-b587-4e07-ad56-d4dc84337c96', '01b8dac5-b400-7833-b8fa-1ba02adfdc45');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (9, '2030-01-01T00:00:00.000Z', 'customers', 8, 'create', null, '{"name":"O’Brien","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'L3N7Rwuepa', null, 'c036a196-7d00-46e2-a168-322c8169a2da', '01b8dac5-b400-781e-8b34-3d77e28c2ff2');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (10, '2030-01-01T00:00:00.000Z', 'customers', 9, 'create', null, '{"name":"Zoë‐Anne","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'L3N7Rwuepa', null, '01787dfa-7293-4f14-839e-f14334f10e23', '01b8dac5-b400-71fa-a3f0-e678afdb6068');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (11, '2030-01-01T00:00:00.000Z', 'customers', 10, 'create', null, '{"name":"Zoe","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'L3N7Rwuepa', null, 'f64c2d59-5fd6-4159-9acc-b4aa3c6a98da', '01b8dac5-b400-7167-ae90-83e05b624135');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (12, '2030-01-01T00:00:00.000Z', 'employees', 1, 'create', null, '{"customer_id":1,"email":"Joerg.Mueller@Example.com","name":"Jörg Müller","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'L3N7Rwuepa', null, 'ac5b2d06-eeab-43ee-9166-ce09897cc9be', '01b8dac5-b400-7f2b-af23-ae82fbe05c1b');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (13, '2030-01-01T00:00:00.000Z', 'employees', 2, 'create', null, '{"customer_id":1,"email":"anon@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'L3N7Rwuepa', null, '757e4ac1-3067-4770-ba02-38dc425b3294', '01b8dac5-b400-7ee0-952e-55ef3f1d79e3');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (14, '2030-01-01T00:00:00.000Z', 'employees', 3, 'create', null, '{"customer_id":1,"email":"joerg.mueller@example.com","name":"ilker","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'L3N7Rwuepa', null, 'c810483f-dcad-4905-a68b-75895f3328eb', '01b8dac5-b400-7d0d-825c-5732de9e47a6');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (15, '2030-01-01T00:00:00.000Z', 'employees', 4, 'create', null, '{"customer_id":1,"email":"ilker@example.com","name":"İlker","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'L3N7Rwuepa', null, 'adbbbf94-d997-45ea-956a-e10c2003e625', '01b8dac5-b400-7cf5-a583-38816df76c9c');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (16, '2030-01-01T00:00:00.000Z', 'employees', 5, 'create', null, '{"customer_id":1,"email":"celik@example.com","name":"Çelik","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'L3N7Rwuepa', null, 'bc60e457-4820-4c89-ae93-f34d5216aa5c', '01b8dac5-b400-7212-93d5-8f32ad4b5708');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (17, '2030-01-01T00:00:00.000Z', 'employees', 6, 'create', null, '{"customer_id":1,"email":"vd@example.com","name":"van Dyk","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'L3N7Rwuepa', null, '21768f40-8250-48f8-aac7-1aa179603ba3', '01b8dac5-b400-76a8-ad9c-3310d2391c36');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (18, '2030-01-01T00:00:00.000Z', 'employees', 7, 'create', null, '{"customer_id":1,"email":"zoe@example.com","name":"Zoe","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'L3N7Rwuepa', null, 'b36cc392-e100-4fdb-b8df-83b43762d620', '01b8dac5-b400-7b90-be7c-faa0f0dfff06');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (19, '2030-01-01T00:00:00.000Z', 'hardware', 1, 'create', null, '{"employee_id":1,"name":"Überwachungsgerät","type":"other","status":"in_use","asset_tag":"TD-0001","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null}', 'L3N7Rwuepa', null, '98970c94-257d-4518-9d3f-d7a3ffed3d08', '01b8dac5-b400-7408-9302-597c97ff9ccd');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (20, '2030-01-01T00:00:00.000Z', 'hardware', 2, 'create', null, '{"employee_id":1,"name":"uhr","type":"other","status":"in_use","asset_tag":"TD-0002","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null}', 'L3N7Rwuepa', null, 'deb589c5-72a6-463f-9438-a2a4ffa96d37', '01b8dac5-b400-76fa-a180-9f2a5772e5ba');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (21, '2030-01-01T00:00:00.000Z', 'hardware', 3, 'create', null, '{"employee_id":1,"name":"Uhr","type":"other","status":"in_use","asset_tag":"TD-0004","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null}', 'L3N7Rwuepa', null, '33a3258d-9cbd-4f16-a41c-387c332e6df1', '01b8dac5-b400-7262-b537-5950b8cd85a7');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (22, '2030-01-01T00:00:00.000Z', 'hardware', 4, 'create', null, '{"employee_id":1,"name":null,"type":"other","status":"in_use","asset_tag":null,"serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null}', 'L3N7Rwuepa', null, 'ee1871f6-ff9a-4c98-a9b1-2f8938b20ae1', '01b8dac5-b400-7fa8-ad5c-aa825862d8ca');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (23, '2030-01-01T00:00:00.000Z', 'hardware', 3, 'update', '{"status":"in_use"}', '{"status":"in_repair"}', 'L3N7Rwuepa', null, 'c8a02a1a-195b-4746-8564-82d5fd3ab12c', '01b8dac5-b400-76e7-b508-6b1e3721c800');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (24, '2030-01-01T00:00:00.000Z', 'views', 1, 'create', null, '{"name":"Wächter","resource":"hardware","query":"sort=name","columns":null,"is_shared":false,"api_key_id":"L3N7Rwuepa","user_id":null}', 'L3N7Rwuepa', null, 'ed356ba0-1a0b-430b-be11-ca702dbdd98a', '01b8dac5-b400-7598-ab67-d478ad30d9c3');
insert into stored_responses (seq, key, at, fingerprint, status, body, location, scopes, change_set) values (1, '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b', '2030-01-01T00:00:00.000Z', 'ogCvZVdgWp0BgyCf7mq40fNaxAB9SncEVZR5HD3IhzI', 200, '{"id":3,"employee_id":1,"name":"Uhr","type":"other","status":"in_repair","asset_tag":"TD-0004","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}', null, 'hardware:update', '01b8dac5-b400-76e7-b508-6b1e3721c800');

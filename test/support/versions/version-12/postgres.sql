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
create table job_parts (
  seq bigint primary key,
  job_id bigint not null,
  part bigint not null,
  content text not null
);
create unique index job_parts_part on job_parts (job_id, part);
create table job_failures (
  seq bigint primary key,
  job_id bigint not null,
  pass bigint not null,
  row bigint not null,
  cells text not null,
  errors text not null
);
create index job_failures_row on job_failures (job_id, pass, row);
create table import_values (
  seq bigint primary key,
  job_id bigint not null,
  field text not null,
  value text not null,
  row bigint not null
);
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
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (1, 'Özil & Söhne', null, null, null, null, null, null, null, 'branch', true, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ozil & sohne﷐﷘weisswurste﷘', '{1708191201,1293055496,434535111,-837677005,1281089557,-247416909,1885466254,-1319352238,-1802137253,-854090307,-828153748,227410596,284112076,1452919802,1794373356,301792136,110652494,-1909437618,-1802040198,-1801797796,301371289,1355989326,-1794444881,-728087508,289455564}', ',"name":"Özil & Söhne","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (2, 'anna', null, null, null, null, null, null, null, 'branch', true, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐anna﷐﷘weisswurste﷘', '{-433197891,1227681981,-846942496,226718116,216867276,1452919802,1794373356,301792136,110652494,-1909437618,-1802040198,-1801797796,301371289,1355989326,-1794444881,-728087508,289455564}', ',"name":"anna","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (3, 'Çelik A.Ş.', null, null, null, null, null, null, null, 'branch', true, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐celik a.s.﷐﷘weisswurste﷘', '{1708270828,175222535,-963158136,209673702,-1909386893,-814173984,827277309,1227079822,-1256940355,1416308068,1626725388,1452919802,1794373356,301792136,110652494,-1909437618,-1802040198,-1801797796,301371289,1355989326,-1794444881,-728087508,289455564}', ',"name":"Çelik A.Ş.","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (4, 'Anna', null, null, null, null, null, null, null, 'branch', true, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐anna﷐﷘weisswurste﷘', '{-433197891,1227681981,-846942496,226718116,216867276,1452919802,1794373356,301792136,110652494,-1909437618,-1802040198,-1801797796,301371289,1355989326,-1794444881,-728087508,289455564}', ',"name":"Anna","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (5, 'Deniz', null, null, null, null, null, null, null, 'branch', true, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐deniz﷐﷘weisswurste﷘', '{634649004,119844797,1183392776,227454881,1312016548,2106903628,1452919802,1794373356,301792136,110652494,-1909437618,-1802040198,-1801797796,301371289,1355989326,-1794444881,-728087508,289455564}', ',"name":"Deniz","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (6, 'Jörg Müller', null, null, null, null, null, null, null, 'branch', true, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐jorg muller﷐﷘weisswurste﷘', '{-1512580590,-1883104679,1293757450,-1794602829,-935543628,827811036,194139719,-791011897,1281361196,208078553,1183560484,-2102753972,1452919802,1794373356,301792136,110652494,-1909437618,-1802040198,-1801797796,301371289,1355989326,-1794444881,-728087508,289455564}', ',"name":"Jörg Müller","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (7, 'Joerg Mueller', null, null, null, null, null, null, null, 'branch', true, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐joerg mueller﷐﷘weisswurste﷘', '{-1512580590,-1883104660,218842457,1183560458,-1794602829,-935543628,827811036,194139756,282925831,-963158137,1281361196,208078553,1183560484,-2102753972,1452919802,1794373356,301792136,110652494,-1909437618,-1802040198,-1801797796,301371289,1355989326,-1794444881,-728087508,289455564}', ',"name":"Joerg Mueller","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (8, 'O’Brien', null, null, null, null, null, null, null, 'branch', true, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐o’brien﷐﷘weisswurste﷘', '{1708191210,7643433,1057570713,-891099256,356194348,236262141,1183392804,-2008365940,1452919802,1794373356,301792136,110652494,-1909437618,-1802040198,-1801797796,301371289,1355989326,-1794444881,-728087508,289455564}', ',"name":"O’Brien","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (9, 'Zoë‐Anne', null, null, null, null, null, null, null, 'branch', true, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐zoe‐anne﷐﷘weisswurste﷘', '{-1506972206,-1712979860,218842481,-1173402080,-85106563,1227681981,-846942484,227410596,284112076,1452919802,1794373356,301792136,110652494,-1909437618,-1802040198,-1801797796,301371289,1355989326,-1794444881,-728087508,289455564}', ',"name":"Zoë‐Anne","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into customers (id, name, code, email, phone, address, city, country, tax_id, type, is_active, contract_end, notes, external_id, created_at, updated_at, search_text, search_grams, json_tail) values (10, 'Zoe', null, null, null, null, null, null, null, 'branch', true, null, 'Weißwürste', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐zoe﷐﷘weisswurste﷘', '{-1506972206,-1712979860,218842468,284112076,1452919802,1794373356,301792136,110652494,-1909437618,-1802040198,-1801797796,301371289,1355989326,-1794444881,-728087508,289455564}', ',"name":"Zoe","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, search_grams, json_tail) values (1, 1, 'Joerg.Mueller@Example.com', 'Jörg Müller', null, null, null, null, null, null, true, false, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐joerg.mueller@example.com﷐﷑jorg muller﷑', '{-1512580590,-1883104660,218842457,1183560458,-1794602819,1208251956,890720284,194139756,282925831,-963158137,1281361196,208078553,1183560468,1428023020,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426660,198874583,379471921,622906770,-1883104679,1293757450,-1794602829,-935543628,827811036,194139719,-791011897,1183560471}', ',"customer_id":1,"email":"Joerg.Mueller@Example.com","name":"Jörg Müller","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, search_grams, json_tail) values (2, 1, 'anon@example.com', null, null, null, null, null, null, null, true, false, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐anon@example.com﷐', '{-433197891,1227681938,-1920765123,1293138196,1304311148,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426660}', ',"customer_id":1,"email":"anon@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, search_grams, json_tail) values (3, 1, 'joerg.mueller@example.com', 'ilker', null, null, null, null, null, null, true, false, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐joerg.mueller@example.com﷐﷑ilker﷑', '{-1512580590,-1883104660,218842457,1183560458,-1794602819,1208251956,890720284,194139756,282925831,-963158137,1281361196,208078553,1183560468,1428023020,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426660,198874583,379471880,-450795833,-837677018,-1939798932,256985113,1183560471}', ',"customer_id":1,"email":"joerg.mueller@example.com","name":"ilker","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, search_grams, json_tail) values (4, 1, 'ilker@example.com', 'İlker', null, null, null, null, null, null, true, false, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐ilker@example.com﷐﷑ilker﷑', '{-438894265,-837677018,-1939798932,256985113,1183560468,1428023020,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426660,198874583,379471880,-450795833,1183560471}', ',"customer_id":1,"email":"ilker@example.com","name":"İlker","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, search_grams, json_tail) values (5, 1, 'celik@example.com', 'Çelik', null, null, null, null, null, null, true, false, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐celik@example.com﷐﷑celik﷑', '{1708270828,175222535,-963158136,209673702,-1909386924,-816502548,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426660,198874583,379471902,1696732780,-1909386921}', ',"customer_id":1,"email":"celik@example.com","name":"Çelik","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, search_grams, json_tail) values (6, 1, 'vd@example.com', 'van Dyk', null, null, null, null, null, null, true, false, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐vd@example.com﷐﷑van dyk﷑', '{-1506477825,1382434708,1193366892,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426660,198874583,379471877,624888480,308481149,1227681971,1299774911,1900712248,121301158,-1746369385}', ',"customer_id":1,"email":"vd@example.com","name":"van Dyk","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into employees (id, customer_id, email, name, department, title, employee_no, phone, start_date, end_date, is_active, is_remote, notes, external_id, kind, created_at, updated_at, search_text, search_grams, json_tail) values (7, 1, 'zoe@example.com', 'Zoe', null, null, null, null, null, null, true, false, null, null, 'person', '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐zoe@example.com﷐﷑zoe﷑', '{-1506972206,-1712979860,218842452,-961233236,-169204149,-963668832,415669364,153902563,-879317625,1400937964,208078589,1184027678,-1256275822,-1972270156,219426660,198874583,379471905,623032722,218842455}', ',"customer_id":1,"email":"zoe@example.com","name":"Zoe","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, external_id, due_back, last_seen_at, created_at, updated_at, search_text, search_grams, json_tail) values (1, 1, 'Überwachungsgerät', 'other', 'in_use', 'TD-0001', null, null, null, null, null, null, false, 'Für Jörg', null, null, null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐uberwachungsgerat﷐﷑td-0001﷑td0001﷑﷕fur jorg﷕', '{-432790103,1356631404,182856409,1183560506,-1794816864,301296798,-1991090661,-898623012,245477181,1356252746,-1920051954,-2010053686,-1802548372,135560793,1183560480,352973359,-917460124,-2071476521,379471919,-1524513985,1365196852,124189155,-213461661,2069162019,2069162000,995366359,479408495,1365196835,1197938979,479408475,415504917,585153116,144714137,1355989363,1426149105,-245992814,-1883104679,1293757450,-1794602853}', ',"employee_id":1,"name":"Überwachungsgerät","type":"other","status":"in_use","asset_tag":"TD-0001","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, external_id, due_back, last_seen_at, created_at, updated_at, search_text, search_grams, json_tail) values (2, 1, 'uhr', 'other', 'in_use', 'TD-0002', null, null, null, null, null, null, false, 'Für Jörg', null, null, null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐uhr﷐﷑td-0002﷑td0002﷑﷕fur jorg﷕', '{-432790117,-790959399,-828374684,-2102753961,379471919,-1524513985,1365196852,124189155,-213461661,2069162019,2069162009,-77843817,452004335,1365196835,1197938979,452004315,415504917,585153116,144714137,1355989363,1426149105,-245992814,-1883104679,1293757450,-1794602853}', ',"employee_id":1,"name":"uhr","type":"other","status":"in_use","asset_tag":"TD-0002","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, external_id, due_back, last_seen_at, created_at, updated_at, search_text, search_grams, json_tail) values (3, 1, 'Uhr', 'other', 'in_repair', 'TD-0004', null, null, null, null, null, null, false, 'Für Jörg', null, null, null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐uhr﷐﷑td-0004﷑td0004﷑﷕fur jorg﷕', '{-432790117,-790959399,-828374684,-2102753961,379471919,-1524513985,1365196852,124189155,-213461661,2069162019,2069162031,2069658391,512971567,1365196835,1197938979,512971547,415504917,585153116,144714137,1355989363,1426149105,-245992814,-1883104679,1293757450,-1794602853}', ',"employee_id":1,"name":"Uhr","type":"other","status":"in_repair","asset_tag":"TD-0004","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into hardware (id, employee_id, name, type, status, asset_tag, serial_number, manufacturer, model, purchase_date, warranty_end, purchase_cost, is_loaner, notes, external_id, due_back, last_seen_at, created_at, updated_at, search_text, search_grams, json_tail) values (4, 1, null, 'other', 'in_use', null, null, null, null, null, null, null, false, 'Für Jörg', null, null, null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷕fur jorg﷕', '{585153116,144714137,1355989363,1426149105,-245992814,-1883104679,1293757450,-1794602853}', ',"employee_id":1,"name":null,"type":"other","status":"in_use","asset_tag":null,"serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into settings (id, currency, time_zone, customers_called, warranty_notice_days, tag_format, next_tag_number, form_text, form_shows_cost, created_at, updated_at, search_text, search_grams, json_tail) values (1, 'EUR', 'Europe/Berlin', 'branches', 60, 'TD-{0000}', 3, null, false, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐eur﷐﷑europe/berlin﷑﷒td-{0000}﷒', '{-439184804,109978969,1355989348,-2102753961,379471916,-450432036,1355989330,-1791371613,-853743700,327654418,-2037222935,1956620716,182856409,1183560455,1429769160,209673725,1309600151,1212915806,1489281647,657503231,1365196852,124189142,-1286935261,-648814877,2069162019,2069162020,996515550}', ',"currency":"EUR","time_zone":"Europe/Berlin","customers_called":"branches","warranty_notice_days":60,"tag_format":"TD-{0000}","next_tag_number":3,"form_text":null,"form_shows_cost":false,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into views (id, name, resource, query, columns, is_shared, api_key_id, user_id, created_at, updated_at, search_text, search_grams, json_tail) values (1, 'Wächter', 'hardware', 'sort=name', null, false, 'LxJEPzxMGR', null, '2030-01-01T00:00:00.000Z', '2030-01-01T00:00:00.000Z', '﷐wachter﷐﷑sort=name﷑﷓lxjepzxmgr﷓', '{1714658336,301296798,-1991090661,-898622993,1319127276,289455577,1183560484,-2102753961,379471886,1696612946,-1802137255,1293757487,1426405860,289079229,2097701280,226718132,153902572,194028119,1357895689,-1731737721,-1499450357,1281510961,-657941204,264699363,-963974495,-745721781,1508592180,415829834,-1953367847,1211199241}', ',"name":"Wächter","resource":"hardware","query":"sort=name","columns":null,"is_shared":false,"api_key_id":"LxJEPzxMGR","user_id":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (1, '2030-01-01T00:00:00.000Z', 'settings', 1, 'create', null, '{"currency":"EUR","time_zone":"Europe/Berlin","customers_called":"branches","warranty_notice_days":60,"tag_format":"TD-{0000}","next_tag_number":3,"form_text":null,"form_shows_cost":false}', 'LxJEPzxMGR', null, '77b4cc93-83bf-400f-942b-5161387b7b20', '01b8dac5-b400-73e1-9c4d-1802575eaaa4');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (2, '2030-01-01T00:00:00.000Z', 'customers', 1, 'create', null, '{"name":"Özil & Söhne","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'LxJEPzxMGR', null, '765f39ec-8594-4640-9644-ddb1e63a9701', '01b8dac5-b400-7a4b-b618-8c5cbf6305c3');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (3, '2030-01-01T00:00:00.000Z', 'customers', 2, 'create', null, '{"name":"anna","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'LxJEPzxMGR', null, '5b28526b-1dda-47f3-abdd-b7a6567d3c0c', '01b8dac5-b400-7370-ba63-2e8ea0d12b36');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (4, '2030-01-01T00:00:00.000Z', 'customers', 3, 'create', null, '{"name":"Çelik A.Ş.","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'LxJEPzxMGR', null, '8360c13f-24e0-4f4d-8732-83db51c24f17', '01b8dac5-b400-7b35-9f12-059733d75981');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (5, '2030-01-01T00:00:00.000Z', 'customers', 4, 'create', null, '{"name":"Anna","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'LxJEPzxMGR', null, 'e54dec1d-4db8-4d9d-b278-3cc53b1158f4', '01b8dac5-b400-7ae4-a510-0d950056d58f');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (6, '2030-01-01T00:00:00.000Z', 'customers', 5, 'create', null, '{"name":"Deniz","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'LxJEPzxMGR', null, 'e537a778-a72e-4584-a22a-4d8fa0def008', '01b8dac5-b400-74b8-8b01-a0c4debb55fb');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (7, '2030-01-01T00:00:00.000Z', 'customers', 6, 'create', null, '{"name":"Jörg Müller","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'LxJEPzxMGR', null, 'b7b15783-5184-48f1-b3d6-df5b671c9110', '01b8dac5-b400-7795-97e7-c7b93209829c');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (8, '2030-01-01T00:00:00.000Z', 'customers', 7, 'create', null, '{"name":"Joerg Mueller","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'LxJEPzxMGR', null, '3cbd76e2-9c8d-408e-96ca-102477feb441', '01b8dac5-b400-7105-b476-36103742afbf');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (9, '2030-01-01T00:00:00.000Z', 'customers', 8, 'create', null, '{"name":"O’Brien","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'LxJEPzxMGR', null, 'a09976c9-0917-4f94-b989-8db6106ac77e', '01b8dac5-b400-7aa3-8f17-ef5d7fe3db11');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (10, '2030-01-01T00:00:00.000Z', 'customers', 9, 'create', null, '{"name":"Zoë‐Anne","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'LxJEPzxMGR', null, '34cabace-981e-406a-bce2-51fb0c46ab30', '01b8dac5-b400-7de8-81b2-2505b5577180');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (11, '2030-01-01T00:00:00.000Z', 'customers', 10, 'create', null, '{"name":"Zoe","code":null,"email":null,"phone":null,"address":null,"city":null,"country":null,"tax_id":null,"type":"branch","is_active":true,"contract_end":null,"notes":"Weißwürste","external_id":null}', 'LxJEPzxMGR', null, 'b2879996-3044-4acc-a058-08d1e1a261a7', '01b8dac5-b400-716f-b076-27bab3cbf336');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (12, '2030-01-01T00:00:00.000Z', 'employees', 1, 'create', null, '{"customer_id":1,"email":"Joerg.Mueller@Example.com","name":"Jörg Müller","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'LxJEPzxMGR', null, '2f9f971e-b358-4105-8eb8-13d1318a56c4', '01b8dac5-b400-71f9-83ae-e0e23648f7ce');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (13, '2030-01-01T00:00:00.000Z', 'employees', 2, 'create', null, '{"customer_id":1,"email":"anon@example.com","name":null,"department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'LxJEPzxMGR', null, '6b15da6f-768f-4452-b99f-9c5d07422343', '01b8dac5-b400-7a2f-a6c4-e985ea20e57f');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (14, '2030-01-01T00:00:00.000Z', 'employees', 3, 'create', null, '{"customer_id":1,"email":"joerg.mueller@example.com","name":"ilker","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'LxJEPzxMGR', null, '28955827-6f1e-46dd-8a64-aa27f6cc5b1a', '01b8dac5-b400-700b-bf38-0b8b7a6e55ce');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (15, '2030-01-01T00:00:00.000Z', 'employees', 4, 'create', null, '{"customer_id":1,"email":"ilker@example.com","name":"İlker","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'LxJEPzxMGR', null, '6a7ba701-175e-495b-bd1b-4c9a30cca417', '01b8dac5-b400-70cc-b395-e37626332b94');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (16, '2030-01-01T00:00:00.000Z', 'employees', 5, 'create', null, '{"customer_id":1,"email":"celik@example.com","name":"Çelik","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'LxJEPzxMGR', null, '26ffa6c3-8a4e-4a8d-8d92-a9b74d3c44b4', '01b8dac5-b400-7c63-be63-6a520874a336');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (17, '2030-01-01T00:00:00.000Z', 'employees', 6, 'create', null, '{"customer_id":1,"email":"vd@example.com","name":"van Dyk","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'LxJEPzxMGR', null, '06b73c20-b495-4f52-90f6-de75a5786907', '01b8dac5-b400-7c49-819a-24416d3ae30a');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (18, '2030-01-01T00:00:00.000Z', 'employees', 7, 'create', null, '{"customer_id":1,"email":"zoe@example.com","name":"Zoe","department":null,"title":null,"employee_no":null,"phone":null,"start_date":null,"end_date":null,"is_active":true,"is_remote":false,"notes":null,"external_id":null,"kind":"person"}', 'LxJEPzxMGR', null, '0f3b34e6-dea1-4a7d-ad8c-e9d2cf183185', '01b8dac5-b400-71be-8ebf-c84f9dfc831e');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (19, '2030-01-01T00:00:00.000Z', 'hardware', 1, 'create', null, '{"employee_id":1,"name":"Überwachungsgerät","type":"other","status":"in_use","asset_tag":"TD-0001","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null}', 'LxJEPzxMGR', null, '09cce317-5188-42c0-96cd-aef52f9a7c55', '01b8dac5-b400-7b78-b5d6-f299bacd0376');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (20, '2030-01-01T00:00:00.000Z', 'hardware', 2, 'create', null, '{"employee_id":1,"name":"uhr","type":"other","status":"in_use","asset_tag":"TD-0002","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null}', 'LxJEPzxMGR', null, '4f8f7233-0593-4724-bf71-2dd8559f7a66', '01b8dac5-b400-79ba-8b89-095d95846e24');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (21, '2030-01-01T00:00:00.000Z', 'hardware', 3, 'create', null, '{"employee_id":1,"name":"Uhr","type":"other","status":"in_use","asset_tag":"TD-0004","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null}', 'LxJEPzxMGR', null, '6eb9025e-69b4-48ec-a883-787f0d59bf99', '01b8dac5-b400-727b-8cd3-7acfca243bdc');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (22, '2030-01-01T00:00:00.000Z', 'hardware', 4, 'create', null, '{"employee_id":1,"name":null,"type":"other","status":"in_use","asset_tag":null,"serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null}', 'LxJEPzxMGR', null, '7cc3135b-0481-46c8-a4d3-21a44a385dea', '01b8dac5-b400-76ba-ae58-35f29c2516da');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (23, '2030-01-01T00:00:00.000Z', 'hardware', 3, 'update', '{"status":"in_use"}', '{"status":"in_repair"}', 'LxJEPzxMGR', null, '9ee65187-0d74-4d4a-baf8-77c7651cc161', '01b8dac5-b400-7f96-b2c3-ba7175cee4d6');
insert into changes (seq, at, resource, record_id, action, before, after, api_key_id, user_id, request_id, change_set) values (24, '2030-01-01T00:00:00.000Z', 'views', 1, 'create', null, '{"name":"Wächter","resource":"hardware","query":"sort=name","columns":null,"is_shared":false,"api_key_id":"LxJEPzxMGR","user_id":null}', 'LxJEPzxMGR', null, 'c012a4b1-46bd-489e-b5f9-6c8a50b64e1c', '01b8dac5-b400-7011-800f-f014ec04a349');
insert into stored_responses (seq, key, at, fingerprint, status, body, location, scopes, change_set) values (1, '0190a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b', '2030-01-01T00:00:00.000Z', 'ogCvZVdgWp0BgyCf7mq40fNaxAB9SncEVZR5HD3IhzI', 200, '{"id":3,"employee_id":1,"name":"Uhr","type":"other","status":"in_repair","asset_tag":"TD-0004","serial_number":null,"manufacturer":null,"model":null,"purchase_date":null,"warranty_end":null,"purchase_cost":null,"is_loaner":false,"notes":"Für Jörg","external_id":null,"due_back":null,"last_seen_at":null,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}', null, 'hardware:update', '01b8dac5-b400-7f96-b2c3-ba7175cee4d6');

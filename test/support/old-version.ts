// A tenant's database as older versions of the schema made it.

import { engine } from './service.ts'
import type { TenantDatabase } from './tenant-database.ts'

const tables = ['customers', 'employees', 'hardware']

/** Takes away what version 8 has brought: the engine gives the numbers again. */
export async function makeBeforeCounters(inside: TenantDatabase): Promise<void> {
  await takeCounters(inside)
  await setVersion(inside, 7)
}

/** Takes away what version 6 and later ones have brought, and says that it is the version given, which is not so different. */
export async function makeBeforeJson(inside: TenantDatabase, version: number): Promise<void> {
  await takeJson(inside, version)
  if (engine === 'sqlite') return
  const grams = `drop column search_grams, add column search_grams smallint[] not null default '{}'`
  for (const table of tables) await inside.run(`alter table ${table} ${grams}`)
}

async function takeJson(inside: TenantDatabase, version: number): Promise<void> {
  await takeCounters(inside)
  for (const table of tables) await inside.run(`alter table ${table} drop column json_tail`)
  await inside.run('alter table answers drop column scopes')
  await setVersion(inside, version)
}

async function takeCounters(inside: TenantDatabase): Promise<void> {
  if (engine === 'sqlite') return takeCountersOfFile(inside)
  const counters = await inside.all('select name, last from counters')
  for (const { name, last } of counters) {
    const key = name === 'answers' ? 'seq' : 'id'
    await inside.run(`alter table ${name} alter column ${key} add generated always as identity`)
    if (last > 0) await inside.run(`select setval(pg_get_serial_sequence('${name}', '${key}')::regclass, ${last})`)
  }
  await inside.run('drop table counters')
}

/** The text of a table is what SQLite makes it of. */
async function takeCountersOfFile(inside: TenantDatabase): Promise<void> {
  const key = 'integer primary key'
  await inside.run(`
    create table numbered (id ${key} autoincrement); drop table numbered; -- leaves sqlite_sequence
    pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, '${key}', '${key} autoincrement')
      where type = 'table' and name in (select name from counters);
    pragma writable_schema = reset;
    insert into sqlite_sequence (name, seq) select name, last from counters where last > 0;
    drop table counters`)
}

async function setVersion(inside: TenantDatabase, version: number): Promise<void> {
  const isSqlite = engine === 'sqlite'
  await inside.run(isSqlite ? `pragma user_version = ${version}` : `update tenant set schema_version = ${version}`)
}

/** Takes away whatever versions after the first have brought. */
export async function makeOld(inside: TenantDatabase): Promise<void> {
  if (engine === 'postgres') return makeOldSchema(inside)
  const indexes = await inside.all(`select name from sqlite_master where type = 'index' and sql is not null`)
  const kept = ['employees_customer_id', 'hardware_employee_id', 'hardware_asset_tag']
  for (const { name } of indexes) if (!kept.includes(name)) await inside.run(`drop index ${name}`)
  for (const table of tables) {
    await inside.run(`
      drop trigger if exists ${table}_insert; drop trigger if exists ${table}_update;
      drop trigger if exists ${table}_delete; drop table if exists ${table}_unsearched;
      drop table if exists ${table}_search; alter table ${table} drop column search_text`)
  }
  await takeJson(inside, 1)
}

async function makeOldSchema(inside: TenantDatabase): Promise<void> {
  const indexes = await inside.all(`select indexname as name from pg_indexes where schemaname = current_schema()`)
  for (const { name } of indexes) {
    if (!name.endsWith('_pkey') && name !== 'hardware_asset_tag' && !name.startsWith('answers')) {
      await inside.run(`drop index ${name}`)
    }
  }
  await inside.run('create index employees_customer_id on employees (customer_id)')
  await inside.run('create index hardware_employee_id on hardware (employee_id)')
  const columns = await inside.all(`select table_name, column_name from information_schema.columns
    where table_schema = current_schema() and collation_name = 'C'`)
  for (const { table_name, column_name } of columns) {
    await inside.run(`alter table ${table_name} alter column ${column_name} type text collate "default"`)
  }
  for (const table of tables) {
    await inside.run(`alter table ${table} drop column search_text, drop column search_grams`)
  }
  await takeJson(inside, 1)
}

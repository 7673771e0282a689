// A tenant's database as older versions of the schema made it.

import type { Inside } from './inside.ts'
import { engine } from './service.ts'

const tables = ['customers', 'employees', 'hardware']

/** Takes away what version 6 and later ones have brought, and says that it is the version given, which is not so different. */
export async function makeBeforeJson(inside: Inside, version: number): Promise<void> {
  await takeJson(inside, version)
  if (engine === 'sqlite') return
  const grams = `drop column search_grams, add column search_grams smallint[] not null default '{}'`
  for (const table of tables) await inside.run(`alter table ${table} ${grams}`)
}

async function takeJson(inside: Inside, version: number): Promise<void> {
  for (const table of tables) await inside.run(`alter table ${table} drop column json_tail`)
  await inside.run('alter table answers drop column scopes')
  const isSqlite = engine === 'sqlite'
  await inside.run(isSqlite ? `pragma user_version = ${version}` : `update tenant set schema_version = ${version}`)
}

/** Takes away whatever versions after the first have brought. */
export async function makeOld(inside: Inside): Promise<void> {
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

async function makeOldSchema(inside: Inside): Promise<void> {
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

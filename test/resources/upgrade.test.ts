// A tenant as version 1 of the schema made it, brought up when it is next opened.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Inside, insideOf } from '../inside.ts'
import { type Client, engine, makeKey, makeTenant, startService, temporaryDirectory } from '../service.ts'

const settings = { DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) }
const tables = ['customers', 'employees', 'hardware']

/** Takes away whatever later versions have brought. */
async function makeOld(inside: Inside): Promise<void> {
  if (engine === 'postgres') return makeOldSchema(inside)
  const indexes = await inside.all(`select name from sqlite_master where type = 'index' and sql is not null`)
  const kept = ['employees_customer_id', 'hardware_employee_id', 'hardware_asset_tag']
  for (const { name } of indexes) if (!kept.includes(name)) await inside.run(`drop index ${name}`)
  for (const table of tables) {
    await inside.run(`
      drop trigger ${table}_insert; drop trigger ${table}_update; drop trigger ${table}_delete;
      drop table ${table}_unsearched; drop table ${table}_search; alter table ${table} drop column search_text`)
  }
  await inside.run('pragma user_version = 1')
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
  await inside.run('update tenant set schema_version = 1')
}

/** Columns, indexes, triggers and tables, without the text they were once written in. */
async function schemaOf(inside: Inside): Promise<unknown[]> {
  if (engine === 'postgres') {
    return inside.all(`
      select table_name as name, column_name as part, data_type || coalesce(column_default, '') || is_nullable ||
        coalesce(collation_name, '') as form from information_schema.columns where table_schema = current_schema()
      union all
      select tablename, indexname, replace(indexdef, current_schema() || '.', '') from pg_indexes
        where schemaname = current_schema() order by 1, 2`)
  }
  return inside.all(`
    select m.type, m.name, c.name as part, c.type as form, c."notnull", c.dflt_value, c.cid from sqlite_master m
      join pragma_table_xinfo(m.name) c where m.type in ('table', 'index')
    union all
    select type, name, tbl_name, sql, null, null, null from sqlite_master where type in ('index', 'trigger')
    order by 1, 2, 7`)
}

async function fill(client: Client): Promise<void> {
  await client('POST', '/customers.php', { name: 'Ünal İnşaat', city: 'Çorlu', notes: 'straße' })
  await client('POST', '/customers.php', { name: 'aa' })
  await client('POST', '/employees.php', { customer_id: 1, email: 'Ada@example.com' })
  for (let at = 0; at < 30; at++) {
    await client('POST', '/hardware.php', { employee_id: 1, asset_tag: `TD-${at}`, name: at % 2 ? 'Ä' : 'z' })
  }
}

const questions = [
  ...[
    '/customers.php?q=INSAAT',
    '/customers.php?q=iNŞAAT+corlu',
    '/customers.php?q=İNŞAAT+çorlu',
    '/customers.php?q=STRASSE',
  ],
  ...['/customers.php?sort=-name', '/employees.php?q=ada', '/hardware.php?q=td-2&sort=name&limit=200'],
  ...['/hardware.php?name[contains]=ä&total=true', '/hardware.php?customer_id=1&sort=-asset_tag'],
]

test('a tenant of version 1 becomes what a new one is, and its records are found in the same ways', async () => {
  const [old, fresh] = [await makeTenant(settings, 'old'), await makeTenant(settings, 'fresh')]
  const now = () => new Date('2030-01-01T00:00:00.000Z')
  const before = await startService(settings, { now })
  for (const token of [old, fresh]) await fill(before.client(token))
  await before.service.close()
  const [inOld, inFresh] = [await insideOf(settings, 'old'), await insideOf(settings, 'fresh')]
  await makeOld(inOld)
  assert.notDeepEqual(await schemaOf(inOld), await schemaOf(inFresh))

  const after = await startService(settings, { now })
  const [first, second] = [after.client(old), after.client(await makeKey(settings, 'fresh'))]
  const answers = await Promise.all(questions.map((path) => first('GET', path)))
  assert.deepEqual(await schemaOf(inOld), await schemaOf(inFresh))
  for (const [at, path] of questions.entries()) {
    assert.deepEqual([answers[at]!.status, answers[at]!.body.data], [200, (await second('GET', path)).body.data], path)
  }
  assert.equal(answers[2]!.body.data.length, 1)
  assert.equal(answers[6]!.body.data.length, 11)
  await first('PUT', '/customers.php?id=2', { notes: 'written since' })
  assert.equal((await first('GET', '/customers.php?q=since+aa')).body.data.length, 1)
})

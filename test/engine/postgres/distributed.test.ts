// The service's statements also run on Citus, where each tenant's schema is a shard.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { citusRefusal, hasQueryInValues } from '../../support/databases/distributed.ts'

test('no insert of the service has a sub-query within values', () => {
  const files = globSync('src/**/*.ts')
  assert.ok(files.length > 100)
  assert.deepEqual(
    files.filter((path) => hasQueryInValues(readFileSync(path, 'utf8'))),
    [],
  )
})

test('the check finds statements that Citus would refuse, and no others', () => {
  const refused = [
    'insert into changes (seq, at) values ((select coalesce(max(seq), 0) + 1 from changes), ?)',
    'insert into a (b, c) values (?, ?), (?,\n  coalesce(?, (SELECT 1)))',
    `insert into a (b) values ('it''s (', (select 1))`,
    'create table a (id bigint generated always as identity primary key)',
    'create table a (id bigserial)',
    `select nextval('a')`,
    'create temporary table a (b text)',
    'create index concurrently a on b (c)',
    'select pg_advisory_lock(1)',
    'update a set b = random()',
    'select 1 from t_aaaaaaaaaaaaaaaaaaaa.customers',
  ]
  for (const sql of refused) assert.ok(citusRefusal(sql), sql)
  const accepted = [
    'insert into changes (seq, at) select coalesce(max(seq), 0) + 1, ? from changes',
    'insert into a (b) values (?) on conflict (b) do update set c = (select 1)',
    'select id from tenant for update',
    'update a set b = ? where c in (select d from e)',
    `select pg_advisory_xact_lock(?)`,
  ]
  for (const sql of accepted) assert.equal(citusRefusal(sql), undefined, sql)
})

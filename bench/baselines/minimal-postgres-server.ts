// Shows, as a baseline, how fast node:http and pg are without any checks. Each create request inserts the record and
// its history row in one transaction, with pipelined statements. History rows are numbered without gaps, as in the
// service.
// Run as `node bench/baselines/minimal-postgres-server.ts DATABASE_URL`.

import pg from 'pg'
import { customers } from '../../src/domain/declarations/customers.ts'
import { answer, serve } from './serve.ts'

const fields = Object.keys(customers.fields)
const columns = [...fields, 'created_at', 'updated_at']

/** The pool has the same number of connections as the service's pool. */
const pool = new pg.Pool({ connectionString: process.argv[2]!, max: 20, pipeline: true } as pg.PoolConfig)
await pool.query(`
  create table customers (id integer generated always as identity primary key, ${columns.map((name) => `${name} text`).join(', ')});
  create table counter (last integer not null);
  insert into counter values (0);
  create table changes (seq integer primary key, at text not null, after text not null)`)
const insert = `insert into customers (${columns.join(', ')}) values (${columns.map((_, index) => `$${index + 1}`).join(', ')}) returning *`
const insertChange = `with next as (update counter set last = last + 1 returning last)
  insert into changes select last, $1, $2 from next`

serve(async ({ method, url }, response, body) => {
  if (method === 'GET') answer(response, 200, JSON.stringify(await read(url!)))
  else answer(response, 201, JSON.stringify(await create(body)))
})

async function create(body: string): Promise<unknown> {
  const values = JSON.parse(body) as Record<string, string>
  const now = new Date().toISOString()
  const client = await pool.connect()
  try {
    const [, inserted] = await Promise.all([
      client.query('begin'),
      client.query({ name: 'insert', text: insert, values: [...fields.map((name) => values[name] ?? null), now, now] }),
      client.query({ name: 'insert change', text: insertChange, values: [now, body] }),
      client.query('commit'),
    ])
    return inserted.rows[0]
  } finally {
    client.release()
  }
}

async function read(url: string): Promise<unknown> {
  const id = /\?id=(\d+)$/.exec(url)?.[1]
  if (id === undefined) {
    const { rows } = await pool.query({ name: 'list', text: 'select * from customers order by id limit 50' })
    return { data: rows, page: { limit: 50, has_more: true } }
  }
  return (await pool.query({ name: 'find', text: 'select * from customers where id = $1', values: [id] })).rows[0]
}

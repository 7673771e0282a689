// Shows, as a baseline, how fast node:http and node:sqlite are without any checks. Create requests that arrive in the
// same tick of the event loop share a transaction, and therefore an fsync.
// Run as `node bench/baselines/minimal-server.ts DATABASE_FILE`.

import type { ServerResponse } from 'node:http'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { customers } from '../../src/domain/declarations/customers.ts'
import { answer, serve } from './serve.ts'

type Write = { body: Record<string, SQLInputValue>; response: ServerResponse }

const fields = Object.keys(customers.fields)
const columns = [...fields, 'created_at', 'updated_at']

const database = new DatabaseSync(process.argv[2]!)
database.exec('pragma journal_mode = wal; pragma synchronous = full')
database.exec(`create table customers (id integer primary key autoincrement, ${columns.join(', ')})`)
const insert = database.prepare(
  `insert into customers (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) returning *`,
)
const find = database.prepare('select * from customers where id = ?')
const list = database.prepare('select * from customers order by id limit 50')

let waiting: Write[] = []

serve(({ method, url }, response, body) => {
  if (method === 'GET') answer(response, 200, JSON.stringify(read(url!)))
  else if (waiting.push({ body: JSON.parse(body), response }) === 1) setImmediate(commit)
})

function read(url: string): object | undefined {
  const [, name, value] = /\?(\w+)=(\d+)$/.exec(url)!
  return name === 'id' ? find.get(value!) : { data: list.all(), page: { limit: 50, has_more: true } }
}

function commit(): void {
  const writes = waiting
  waiting = []
  database.exec('begin')
  const rows = writes.map(({ body }) => {
    const now = new Date().toISOString()
    return insert.get(...fields.map((field) => body[field] ?? null), now, now)
  })
  database.exec('commit')
  for (const [index, { response }] of writes.entries()) answer(response, 201, JSON.stringify(rows[index]))
}

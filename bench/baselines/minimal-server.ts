// What node:http and node:sqlite allow when nothing is checked. Creates of one tick of the event loop share a transaction,
// and so one fsync. Run as `node bench/baselines/minimal-server.ts DATABASE_FILE`.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { customers } from '../../src/resources/declarations/customers.ts'

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

const server = createServer((request, response) => {
  if (request.method === 'GET') return answer(response, 200, read(request.url!))
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString())
    if (waiting.push({ body, response }) === 1) setImmediate(commit)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`The API is at http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit())

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
  for (const [at, { response }] of writes.entries()) answer(response, 201, rows[at])
}

function answer(response: ServerResponse, status: number, row: object | undefined): void {
  const body = JSON.stringify(row)
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

// Runs in the worker threads of fsync.ts: commits a record and its history row in each of the thread's files in turn.

import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { customers } from '../../src/domain/declarations/customers.ts'
import { emptyValue } from '../../src/domain/declarations/resource.ts'
import { changeColumns, newChangeSet } from '../../src/domain/records/changes.ts'
import { derivedValues } from '../../src/domain/schema/derived.ts'
import { operations } from '../harness/operations.ts'

const requestBody = JSON.parse(operations[0]!.bodies![0]!) as Record<string, string>
const values = Object.fromEntries(
  Object.entries(customers.fields).map(([name, field]) => [name, requestBody[name] ?? emptyValue(field)]),
)
const now = new Date().toISOString()
const members = { ...values, created_at: now, updated_at: now }
const record = { ...members, ...derivedValues('sqlite', customers, members) }
const boundValues = Object.values(record).map((value) => (typeof value === 'boolean' ? Number(value) : value))
const names = Object.keys(record)
const after = JSON.stringify(values)

const files = (workerData as string[]).map(openFile)
let next = 0

parentPort!.on('message', (seconds: number) => {
  const end = performance.now() + seconds * 1000
  const times: number[] = []
  while (performance.now() < end) {
    const start = performance.now()
    commit(files[next]!)
    times.push(performance.now() - start)
    next = (next + 1) % files.length
  }
  parentPort!.postMessage(times)
})

type File = ReturnType<typeof openFile>

/** Opens a file with the service's durability settings. */
function openFile(path: string) {
  const database = new DatabaseSync(path)
  database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -1024')
  return {
    begin: database.prepare('begin immediate'),
    insert: database.prepare(
      `insert into customers (${names.join(', ')}) values (${names.map(() => '?').join(', ')}) returning id`,
    ),
    insertChange: database.prepare(`insert into changes (${changeColumns.join(', ')})
      values ((select coalesce(max(seq), 0) + 1 from changes), ?, 'customers', ?, 'create', null, ?, ?, null, ?, ?)`),
    commit: database.prepare('commit'),
  }
}

function commit({ begin, insert, insertChange, commit }: File): void {
  begin.run()
  const { id } = insert.get(...(boundValues as (string | number | null)[])) as { id: number }
  insertChange.run(now, id, after, 'key', 'request', newChangeSet(new Date()))
  commit.run()
}

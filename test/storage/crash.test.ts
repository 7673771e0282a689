import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { insideOf, placesOf, query } from '../inside.ts'
import {
  type Client,
  command,
  type Environment,
  engine,
  type Json,
  makeKey,
  makeTenant,
  networkClient,
  onEngine,
  type Response,
  startProcess,
  startService,
  temporaryDirectory,
} from '../service.ts'

/** Every random choice follows from it; SEED=… makes them again. */
const seed = Number(process.env.SEED ?? randomInt(2 ** 31))
const random = randomFrom(seed)
const said = (what: string) => `${what} (SEED=${seed})`

/** Numbers from 0 up to 1, always the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A change that a client wants exactly once; the answer is null while none has come. */
type Wish = {
  method: 'POST' | 'PUT' | 'DELETE'
  id: number | null
  body: Record<string, string> | undefined
  key: string
  requestId: string
  answer: Response | null
}

/** One client at work on records of its own, one request at a time. */
type Worker = { name: string; wishes: Wish[]; records: Map<number, Record<string, string>> }

function nextWish(worker: Worker): Wish {
  const ids = [...worker.records.keys()]
  const id = ids[Math.floor(random() * ids.length)] ?? null
  const requestId = `${worker.name}-${worker.wishes.length}`
  const common = { key: randomUUID(), requestId, answer: null }
  const choice = id === null ? 0 : random()
  if (choice < 0.5) return { method: 'POST', id: null, body: { name: requestId, city: 'first' }, ...common }
  if (choice < 0.85) return { method: 'PUT', id, body: { city: requestId }, ...common }
  return { method: 'DELETE', id, body: undefined, ...common }
}

function send(client: Client, { method, id, body, key, requestId }: Wish): Promise<Response> {
  const path = id === null ? '/customers.php' : `/customers.php?id=${id}`
  return client(method, path, body, { 'idempotency-key': key, 'x-request-id': requestId })
}

/** Notes the first answer to a wish, and what the client now knows it has. */
function note(worker: Worker, wish: Wish, answer: Response): void {
  assert.equal(answer.status, wish.method === 'POST' ? 201 : 200, said(`${wish.requestId} ${answer.text}`))
  wish.answer = answer
  const id = answer.body.id as number
  if (wish.method === 'DELETE') worker.records.delete(id)
  else worker.records.set(id, { ...worker.records.get(id), ...wish.body })
}

/** Sends one wish after the other until the server is gone. */
async function load(client: Client, worker: Worker): Promise<void> {
  for (;;) {
    const wish = nextWish(worker)
    worker.wishes.push(wish)
    const answer = await send(client, wish).catch(() => null)
    if (!answer) return
    note(worker, wish, answer)
  }
}

/** Sends every wish again: an answered one gets its first answer, an unanswered one is carried out now or was before. */
async function retry(client: Client, worker: Worker): Promise<void> {
  for (const wish of worker.wishes) {
    if (!wish.answer) {
      const [one, two] = await Promise.all([send(client, wish), send(client, wish)])
      assert.equal(one.text, two.text, said(wish.requestId))
      note(worker, wish, one)
    }
    const again = await send(client, wish)
    assert.equal(again.headers['idempotent-replayed'], 'true', said(`${wish.requestId} ran a second time`))
    assert.deepEqual([again.status, again.text, again.headers.location], first(wish.answer!), said(wish.requestId))
  }
}

function first({ status, text, headers }: Response) {
  return [status, text, headers.location]
}

test('kill -9 under load: what was acknowledged is there exactly once, and every retry gets the first answer', async () => {
  const DATA_DIR = temporaryDirectory()
  const token = await makeTenant({ DATA_DIR }, 'acme')
  const workers = Array.from({ length: 6 }, (_, at): Worker => ({ name: `w${at}`, wishes: [], records: new Map() }))
  const wishes = () => workers.flatMap((worker) => worker.wishes)
  let unanswered = 0
  for (let kills = 0; kills < 4; kills++) {
    const server = await startProcess({ DATA_DIR }, { nodes: 1 }) // that one of several dies: postgres/crash.test.ts
    const client = networkClient(server.url, token)
    await Promise.all(workers.map((worker) => retry(client, worker)))
    const working = Promise.all(workers.map((worker) => load(client, worker)))
    const enough = wishes().length + 20 + random() * 60
    while (wishes().length < enough) await wait(1)
    await wait(random() * 10)
    await server.end('SIGKILL')
    await working
    unanswered += wishes().filter(({ answer }) => !answer).length
  }
  assert.ok(unanswered >= 4, said('the kills met requests'))
  const server = await startProcess({ DATA_DIR }, { nodes: 1 })
  await Promise.all(workers.map((worker) => retry(networkClient(server.url, token), worker)))
  await server.end('SIGKILL')

  const { all } = await insideOf({ DATA_DIR }, 'acme')
  if (engine === 'sqlite')
    assert.equal((await all('pragma integrity_check'))[0].integrity_check, 'ok', said('integrity'))
  requireHistory(await all('select * from changes order by seq'), wishes())
  const known = workers.flatMap((worker) => [...worker.records].map(([id, fields]) => ({ id, ...fields })))
  assert.deepEqual(
    await all('select id, name, city from customers order by id'),
    known.sort((a, b) => a.id - b.id),
    said('the records are those the clients know of'),
  )
  const answers = await all('select key, status from answers order by key')
  const first = wishes().map(({ key, answer }) => ({ key, status: answer!.status }))
  assert.deepEqual(
    answers,
    first.sort((a, b) => (a.key < b.key ? -1 : 1)),
    said('one answer is kept for each'),
  )
})

/** One row per wish, numbered without a gap, each saying what was wished for. */
function requireHistory(rows: Json[], wishes: Wish[]): void {
  const actions = { POST: 'create', PUT: 'update', DELETE: 'delete' }
  assert.deepEqual(
    rows.map((row) => row.seq),
    wishes.map((_, at) => at + 1),
    said('one row per change, without a gap'),
  )
  const byRequest = new Map(rows.map((row) => [row.request_id, row]))
  for (const { requestId, method, answer, body } of wishes) {
    const row = byRequest.get(requestId)
    assert.deepEqual([row?.action, row?.record_id], [actions[method], answer!.body.id], said(requestId))
    if (body) assert.equal(JSON.parse(row.after).city, body.city, said(requestId))
  }
}

/** Creates a tenant in a process of its own, which is killed at `moment`; whether it was. */
async function createAndKill(settings: Environment, slug: string, moment: () => Promise<boolean>): Promise<boolean> {
  const child = spawn(process.execPath, ['src/main.ts', 'tenant', 'create', slug], {
    env: { ...process.env, ...(await onEngine(settings)) },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  while (child.exitCode === null && !(await moment())) await wait(1)
  child.kill('SIGKILL')
  await ended
  return child.signalCode === 'SIGKILL'
}

/** What appears one after the other while a tenant is created. */
const signs = {
  sqlite: [/^catalog\.sqlite$/, /\.sqlite\.new$/, /\.new-journal$/, /\.new-wal$/, /\/\w{20}\.sqlite$/],
  postgres: [/^schema tenantdesk$/, /^creating/, /^schema t_/, /^active/],
}[engine]

/** What is there so far: files, or schemas and rows of the catalog. */
async function thingsIn(settings: Environment): Promise<string[]> {
  const { DATA_DIR, DATABASE_URL } = await onEngine(settings)
  if (!DATABASE_URL) return readdirSync(DATA_DIR!, { recursive: true }) as string[]
  const schemas = await query(DATABASE_URL, 'tenantdesk', `select 'schema ' || nspname as thing from pg_namespace`)
  const rows = await query(DATABASE_URL, 'tenantdesk', `select state || id as thing from tenants`).catch(() => [])
  return [...schemas, ...rows].map(({ thing }) => thing)
}

test('kill -9 while a tenant is created: it is there whole or not at all, and leaves nothing behind', async () => {
  const settings = { DATA_DIR: temporaryDirectory() }
  const slugs: string[] = []
  let killed = 0
  async function strike(moment: () => Promise<boolean>): Promise<void> {
    const slug = `tenant-${slugs.length}`
    slugs.push(slug)
    if (await createAndKill(settings, slug, moment)) killed++
    await requireWholeOrNothing(settings, slug)
  }

  for (const sign of signs) {
    const before = new Set(await thingsIn(settings))
    await strike(async () => (await thingsIn(settings)).some((thing) => !before.has(thing) && sign.test(thing)))
  }
  const delays = Array.from({ length: 4 }, () => random() * 600)
  await Promise.all(
    delays.map((delay) => {
      const end = Date.now() + delay
      return strike(async () => Date.now() >= end)
    }),
  )
  assert.ok(killed >= 4, said(`only ${killed} of ${slugs.length} were killed`))

  const inAnHour = () => new Date(Date.now() + 60 * 60 * 1000)
  const service = await startService(settings, { now: inAnHour })
  for (const slug of slugs) {
    const client = service.client(await makeKey(settings, slug))
    assert.equal((await client('POST', '/customers.php', { name: slug })).status, 201, said(slug))
  }
  const ids = (await listTenants(settings)).map(({ id }) => id)
  const left = (await placesOf(settings)).map(
    (name) => /^(?:t_)?(\w{20})(?:\.sqlite(?:-wal|-shm)?)?$/.exec(name)?.[1] ?? name,
  )
  assert.deepEqual([...new Set(left)].sort(), ids.sort(), said('something stray is left'))
})

async function listTenants(settings: Environment): Promise<Json[]> {
  return JSON.parse((await command(settings, 'tenant', 'list', '--json')).out)
}

/** The list shows the tenant only when it is whole; creating it again works, or is refused because it is there. */
async function requireWholeOrNothing(settings: Environment, slug: string): Promise<void> {
  const tenant = (await listTenants(settings)).find((each) => each.slug === slug)
  if (tenant) {
    const tables = (await (await insideOf(settings, slug)).all('select id from tenant')).map(({ id }) => id)
    assert.deepEqual(tables, [tenant.id], said(`${slug} has no database`))
  }
  const again = await command(settings, 'tenant', 'create', slug)
  assert.deepEqual([again.exit, again.out], tenant ? [1, ''] : [0, `${slug}\n`], said(again.said))
  if (tenant) assert.equal(again.said, `There is a tenant ${slug} already.\n`)
}

// Two services on one database: whatever one does, the other knows at the next request.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { resources } from '../../../src/resources/all.ts'
import type { Resource } from '../../../src/resources/resource.ts'
import { insideOf } from '../../inside.ts'
import { assertRefused, keyId } from '../../refusals.ts'
import {
  type Client,
  command,
  makeKey,
  makeTenant,
  onEngine,
  type Response,
  startService,
  temporaryDirectory,
} from '../../service.ts'

/** The command line makes tenants without it: the services add it when they first use one. */
const licences = {
  name: 'licences',
  one: 'licence',
  since: 2,
  fields: { product: { kind: 'text', max: 40, required: true } },
} as const satisfies Resource

const { DATABASE_URL = '' } = await onEngine({ DATA_DIR: temporaryDirectory() })
const shared = { DATABASE_URL, API_KEY_PEPPER: 'p'.repeat(32) }
const start = (settings = {}) => startService({ ...shared, ...settings }, { resources: [...resources, licences] })
const nodes = await Promise.all([start(), start()])
const { environment } = nodes[0]
const [limitedOne, limitedTwo] = await Promise.all([
  start({ RATE_LIMIT_PER_MINUTE: '10' }),
  start({ RATE_LIMIT_PER_MINUTE: '10' }),
])

/** A tenant, and a client of it at each node. */
async function newTenant(slug: string): Promise<[one: Client, two: Client]> {
  return atBoth(await makeTenant(environment, slug))
}

function atBoth(token: string): [one: Client, two: Client] {
  return [nodes[0].client(token), nodes[1].client(token)]
}

/** Both refuse, or both serve. */
async function requireBoth(
  clients: Client[],
  code?: 'key_revoked' | 'invalid_key' | 'tenant_suspended',
): Promise<void> {
  for (const client of clients) {
    const answer = await client('POST', '/customers.php', { name: 'x' })
    if (code) assertRefused(answer, code)
    else assert.equal(answer.status, 201)
  }
}

const isReplay = ({ headers }: Response) => headers['idempotent-replayed'] === 'true'

test('one Idempotency-Key to both nodes at once makes one record, and both get the same answer', async () => {
  const [one, two] = await newTenant('once')
  const keys = Array.from({ length: 30 }, () => randomUUID())
  await Promise.all(
    keys.map(async (key) => {
      const headers = { 'idempotency-key': key }
      const answers = await Promise.all(
        [one, two, one, two].map((client) => client('POST', '/customers.php', { name: key }, headers)),
      )
      assert.deepEqual(
        answers.map(({ status, text }) => [status, text]),
        answers.map(() => [201, answers[0]!.text]),
      )
      assert.equal(answers.filter((answer) => !isReplay(answer)).length, 1)
    }),
  )
  const inside = await insideOf(environment, 'once')
  const names = (await inside.all('select name from customers')).map(({ name }) => name)
  assert.deepEqual(names.sort(), keys.sort())
  assert.equal((await inside.all('select seq from changes')).length, keys.length)
})

test('a key revoked, then deleted, is refused by both nodes from the next request', async () => {
  const token = await makeTenant(environment, 'keys')
  const clients = atBoth(token)
  const others = atBoth(await makeKey(environment, 'keys'))
  await requireBoth(clients)
  await command(environment, 'key', 'revoke', keyId(token))
  await requireBoth(clients, 'key_revoked')
  await requireBoth(others)
  await command(environment, 'key', 'delete', keyId(token))
  await requireBoth(clients, 'invalid_key')
  await requireBoth(others)
})

test('a tenant suspended, activated, deleted is so at both nodes from the next request', async () => {
  const clients = await newTenant('states')
  await requireBoth(clients)
  await command(environment, 'tenant', 'suspend', 'states')
  await requireBoth(clients, 'tenant_suspended')
  await command(environment, 'tenant', 'activate', 'states')
  await requireBoth(clients)
  await command(environment, 'tenant', 'delete', 'states', '--yes')
  await requireBoth(clients, 'invalid_key')
  await requireBoth(await newTenant('states'))
})

test('creations through both nodes at once get ids of their own and a history without a gap', async () => {
  const [one, two] = await newTenant('creations')
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, at) => {
      const client = at % 2 ? one : two
      if (at % 8 < 2) return client('POST', '/employees.php', { customer_id: 987_654, email: 'a@b.c' })
      return client('POST', '/customers.php', { name: `number ${at}` })
    }),
  )
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as number)
  assert.deepEqual([made.length, new Set(made).size], [60, 60])
  const history = await (await insideOf(environment, 'creations')).all('select * from changes order by seq')
  assert.deepEqual(
    history.map(({ seq }) => seq),
    made.map((_, at) => at + 1),
  )
  assert.deepEqual(
    history.map(({ record_id }) => record_id).sort((a, b) => a - b),
    made.sort((a, b) => a - b),
  )
})

test('of two nodes that give out one asset tag at once, one does; of two that delete one record, one does', async () => {
  const [one, two] = await newTenant('races')
  const customer_id = (await one('POST', '/customers.php', { name: 'C' })).body.id
  const employee_id = (await one('POST', '/employees.php', { customer_id, email: 'a@b.c' })).body.id
  for (let turn = 0; turn < 10; turn++) {
    const wish = { employee_id, asset_tag: `TD-${turn}` }
    const made = await Promise.all([one, two].map((client) => client('POST', '/hardware.php', wish)))
    assert.deepEqual(made.map(({ status }) => status).sort(), [201, 422])
    assert.equal(made.find(({ status }) => status === 422)!.body.errors.asset_tag.code, 'duplicate')
    const { id } = made.find(({ status }) => status === 201)!.body
    const gone = await Promise.all([one, two].map((client) => client('DELETE', `/hardware.php?id=${id}`)))
    assert.deepEqual(gone.map(({ status }) => status).sort(), [200, 404])
  }
  const history = await (await insideOf(environment, 'races')).all('select seq, action from changes order by seq')
  assert.deepEqual(
    history.map(({ seq }) => seq),
    Array.from({ length: 22 }, (_, at) => at + 1),
  )
})

test('a record is not deleted at one node while the other makes one that refers to it', async () => {
  const [one, two] = await newTenant('references')
  for (let turn = 0; turn < 20; turn++) {
    const customer_id = (await one('POST', '/customers.php', { name: 'C' })).body.id
    const [deleted, made] = await Promise.all([
      one('DELETE', `/customers.php?id=${customer_id}`),
      two('POST', '/employees.php', { customer_id, email: 'a@b.c' }),
    ])
    const outcome = `${deleted.body.error?.code ?? deleted.status} ${made.body.error?.code ?? made.status}`
    assert.ok(['200 invalid_customer', 'conflict 201'].includes(outcome), outcome)
  }
})

test('both nodes bring a tenant to their schema at once, and both serve it', async () => {
  for (const slug of ['upgrade-1', 'upgrade-2', 'upgrade-3']) {
    const clients = await newTenant(slug)
    const made = await Promise.all(clients.map((client) => client('POST', '/licences.php', { product: 'Editor' })))
    assert.deepEqual(
      made.map(({ status }) => status),
      [201, 201],
    )
    assert.deepEqual(made.map(({ body }) => body.id).sort(), [1, 2])
  }
})

test('of two commands that make one tenant at once, one does', async () => {
  const made = await Promise.all([1, 2].map(() => command(environment, 'tenant', 'create', 'contested')))
  assert.deepEqual(made.map(({ exit }) => exit).sort(), [0, 1])
  assert.equal(made.find(({ exit }) => exit === 1)!.said, 'There is a tenant contested already.\n')
  await requireBoth(atBoth(await makeKey(environment, 'contested')))
})

test('the requests of a key are counted together', async () => {
  const token = await makeTenant(environment, 'counted')
  const clients = [limitedOne.client(token), limitedTwo.client(token)]
  const answers: Response[] = []
  for (let turn = 0; turn < 10; turn++) answers.push(await clients[turn % 2]!('GET', '/customers.php'))
  assert.deepEqual(
    answers.map(({ status, headers }) => `${status} ${headers['x-ratelimit-remaining']}`),
    answers.map((_, at) => `200 ${9 - at}`),
  )
  assert.equal(new Set(answers.map(({ headers }) => headers['x-ratelimit-reset'])).size, 1)
  for (const client of clients) assertRefused(await client('GET', '/customers.php'), 'rate_limited')
})

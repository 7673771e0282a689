// A tenant as version 1 of the schema made it, brought up when it is next opened.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeOld } from '../support/old-version.ts'
import { type Client, createKey, engine, makeTenant, startService, temporaryDirectory } from '../support/service.ts'
import { insertRecords, schemaOf, tenantDatabaseOf } from '../support/tenant-database.ts'

const settings = { DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) }

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
  const [inOld, inFresh] = [await tenantDatabaseOf(settings, 'old'), await tenantDatabaseOf(settings, 'fresh')]
  await makeOld(inOld)
  assert.notDeepEqual(await schemaOf(inOld), await schemaOf(inFresh))

  const after = await startService(settings, { now })
  const [first, second] = [after.client(old), after.client(await createKey(settings, 'fresh'))]
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

test('while a large tenant is brought up, others are served, and it is afterwards', async () => {
  const [large, small] = [await makeTenant(settings, 'large'), await makeTenant(settings, 'small')]
  const inside = await tenantDatabaseOf(settings, 'large')
  const count = engine === 'postgres' ? 10_000 : 40_000
  await insertRecords(inside, 'customers', count, { name: `'Name ' || n`, notes: `'note ' || n` })
  await makeOld(inside)
  const { client } = await startService(settings)
  const [one, other] = [client(large), client(small)]
  assert.equal((await other('GET', '/customers.php')).status, 200)
  let isUp = false
  const upgrade = (async () => {
    let answer = await one('GET', `/customers.php?q=${count - 1}`)
    for (let turn = 0; turn < 60 && answer.status === 503; turn++) {
      await sleep(500)
      answer = await one('GET', `/customers.php?q=${count - 1}`)
    }
    isUp = true
    return answer
  })()
  let meanwhile = 0 // 1 when they wait for it
  for (; !isUp; meanwhile++) {
    assert.equal((await other('POST', '/customers.php', { name: 'C' })).status, 201)
    await sleep(20)
  }
  assert.ok(meanwhile >= 5, `${meanwhile} answers meanwhile`)
  assert.deepEqual(
    (await upgrade).body.data.map(({ id }: { id: number }) => id),
    [count - 1],
  )
})

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { copyFileSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { filesIn } from '../../support/faults/files.ts'
import { makeTenant, startService, temporaryDirectory } from '../../support/service.ts'

const canary = 'KANARYA'

test('a stopped server leaves one file per tenant, and a file replaced by another tenant’s file is refused', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const [acmeKey, globexKey] = [await makeTenant(environment, 'acme'), await makeTenant(environment, 'globex')]
  const { service, client } = await startService(environment)
  for (const [token, name] of [
    [acmeKey, 'Own'],
    [globexKey, canary],
  ] as const) {
    assert.equal((await client(token)('POST', '/customers.php', { name })).status, 201)
  }
  await service.close()
  const files = filesIn(`${environment.DATA_DIR}/tenants`)
  assert.equal(files.length, 2, String(files))
  const isOfGlobex = (path: string) => readFileSync(path).includes(canary)
  const [globexFile, acmeFile] = [files.find(isOfGlobex)!, files.find((path) => !isOfGlobex(path))!]
  copyFileSync(acmeFile, `${environment.DATA_DIR}/aside`)
  copyFileSync(globexFile, acmeFile)

  const restarted = await startService(environment)
  const [acme, globex] = [restarted.client(acmeKey), restarted.client(globexKey)]
  const refused = await acme('GET', '/customers.php')
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'tenant_unavailable'])
  assert.ok(!refused.text.includes(canary))
  assert.equal((await globex('GET', '/customers.php')).status, 200)
  await restarted.service.close()
  copyFileSync(`${environment.DATA_DIR}/aside`, acmeFile)
  const restored = await startService(environment)
  const { body } = await restored.client(acmeKey)('GET', '/customers.php?id=1')
  assert.equal(body.name, 'Own')
})

test('only the change that fails with an internal error is rolled back; other changes in the same commit are applied', async () => {
  const { tenant, environment } = await startService()
  const client = await tenant('acme')
  const key = randomUUID()
  const create = (name: string, key = randomUUID()) =>
    client('POST', '/customers.php', { name }, { 'idempotency-key': key })
  await create('First')
  const tenantDatabase = await tenantDatabaseOf(environment, 'acme')
  await tenantDatabase.run(`create trigger broken before insert on changes when new.after like '%Broken%'
    begin select raise(abort, 'broken'); end`)
  const names = Array.from({ length: 40 }, (_, index) => (index % 10 === 5 ? `Broken ${index}` : `Valid ${index}`))
  const responses = await Promise.all(names.map((name, index) => create(name, index === 5 ? key : undefined)))
  assert.deepEqual(
    responses.map(({ status }) => status),
    names.map((name) => (name.startsWith('Broken') ? 500 : 201)),
  )
  assert.deepEqual(
    (await tenantDatabase.all('select name from customers where id > 1 order by id')).map(({ name }) => name),
    names.filter((name) => name.startsWith('Valid')),
  )
  const rows = await tenantDatabase.all('select seq, record_id from changes order by seq')
  assert.deepEqual(
    rows,
    rows.map((_, index) => ({ seq: index + 1, record_id: index + 1 })),
  )
  await tenantDatabase.run('drop trigger broken')
  assert.equal((await create('Broken 5', key)).status, 201, 'the key of a failed request can be used again')
})

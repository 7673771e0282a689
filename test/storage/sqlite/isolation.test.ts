import assert from 'node:assert/strict'
import { copyFileSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { makeTenant, networkClient, startProcess, temporaryDirectory } from '../../service.ts'

const canary = 'KANARYA'

test('after the end of the server there is one file per tenant, and one in the place of another is not served', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const [acmeKey, globexKey] = [await makeTenant(environment, 'acme'), await makeTenant(environment, 'globex')]
  const server = await startProcess(environment)
  for (const [token, name] of [
    [acmeKey, 'Own'],
    [globexKey, canary],
  ] as const) {
    assert.equal((await networkClient(server.url, token)('POST', '/customers.php', { name })).status, 201)
  }
  await server.end('SIGTERM')
  const files = globSync(`${environment.DATA_DIR}/tenants/*/*`)
  assert.equal(files.length, 2, String(files))
  const isForeign = (path: string) => readFileSync(path).includes(canary)
  const [foreign, own] = [files.find(isForeign)!, files.find((path) => !isForeign(path))!]
  copyFileSync(own, `${environment.DATA_DIR}/aside`)
  copyFileSync(foreign, own)

  const again = await startProcess(environment)
  const [acme, globex] = [networkClient(again.url, acmeKey), networkClient(again.url, globexKey)]
  const refused = await acme('GET', '/customers.php')
  assert.deepEqual([refused.status, refused.body.error.code], [503, 'tenant_unavailable'])
  assert.ok(!refused.text.includes(canary))
  assert.equal((await globex('GET', '/customers.php')).status, 200)
  await again.end('SIGTERM')
  copyFileSync(`${environment.DATA_DIR}/aside`, own)
  const mended = await startProcess(environment)
  const { body } = await networkClient(mended.url, acmeKey)('GET', '/customers.php?id=1')
  assert.equal(body.name, 'Own')
})

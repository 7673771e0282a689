// The limit on valid API keys per tenant, for keys created on the command line and in the panel.

import '../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { keyId } from '../support/api/shared-errors.ts'
import { addValidKeys, maxValidKeys } from '../support/api/valid-keys.ts'
import { createPanelUser, signIn } from '../support/panel/panel-client.ts'
import { command, type Environment, startService, temporaryDirectory, withEngineUrl } from '../support/service.ts'

/** Creates the tenant acme in a new installation. `createKey` creates a key for it on the command line. */
async function createAcme() {
  const environment: Environment = { DATA_DIR: temporaryDirectory(), API_KEY_PEPPER: 'p'.repeat(32) }
  await command(environment, 'tenant', 'create', 'acme')
  const createKey = (...options: string[]) =>
    command(environment, 'key', 'create', 'acme', '--scope', '*:read', ...options)
  const countValidKeys = async () => {
    const keys: { state: string }[] = JSON.parse((await command(environment, 'key', 'list', 'acme', '--json')).stdout)
    return keys.filter(({ state }) => state === 'valid').length
  }
  return { environment, createKey, countValidKeys }
}

/** Creates a key in a separate process, as an operator does. */
async function createInSeparateProcess(environment: Environment): Promise<{ exitCode: number; stderr: string }> {
  const env = { ...process.env, ...(await withEngineUrl(environment)) }
  const line = ['src/main.ts', 'key', 'create', 'acme', '--scope', '*:read']
  return new Promise((resolve) => {
    const child = execFile(process.execPath, line, { env }, (_error, _out, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stderr }),
    )
  })
}

test('a tenant cannot have more than 100 valid keys, and the refusal says what to do', async () => {
  const { environment, createKey, countValidKeys } = await createAcme()
  await addValidKeys(environment, 'acme', maxValidKeys - 2)
  const created = [await createKey(), await createKey('--expires', '2099-01-01')]
  const refused = await createKey()
  assert.deepEqual([refused.exitCode, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^Tenant acme has 100 valid API keys, the maximum; .*revoke.*\.\n$/)
  assert.equal(await countValidKeys(), maxValidKeys)
  await command(environment, 'tenant', 'create', 'zeta')
  assert.equal((await command(environment, 'key', 'create', 'zeta', '--scope', '*:read')).exitCode, 0)

  await command(environment, 'key', 'revoke', keyId(created[0]!.stdout))
  assert.equal((await createKey()).exitCode, 0)
  assert.equal((await createKey()).exitCode, 1)
  await command(environment, 'key', 'delete', keyId(created[1]!.stdout))
  assert.equal((await createKey()).exitCode, 0)
  assert.equal((await createKey()).exitCode, 1)
  assert.equal(await countValidKeys(), maxValidKeys)
})

test('expired keys do not count against the limit', async () => {
  const { environment, createKey } = await createAcme()
  await addValidKeys(environment, 'acme', maxValidKeys - 1)
  let now = new Date()
  const { service, environment: settings } = await startService(environment, { now: () => now, nodes: 1 })
  await createPanelUser(settings, 'm@example.com', 'acme')
  assert.equal((await createKey('--expires', now.toISOString().slice(0, 10))).exitCode, 0)
  now = new Date(now.getTime() + 25 * 60 * 60_000)
  const manager = await signIn(new URL(await service.listen()).origin, 'm@example.com')
  const created = await manager.submit('api_keys.php', {
    name: 'next',
    scope: 'customers:read',
    password: 'a quiet harbour at dawn',
  })
  assert.match(created.html, /tdk_\w{48}/)
})

test('a tenant can have at most 100 valid keys, even if keys are created concurrently', async () => {
  const { environment, countValidKeys } = await createAcme()
  await addValidKeys(environment, 'acme', maxValidKeys - 2)
  assert.equal(await countValidKeys(), maxValidKeys - 2)
  const created = await Promise.all(Array.from({ length: 4 }, () => createInSeparateProcess(environment)))
  const refused = created.filter(({ exitCode }) => exitCode !== 0)
  assert.equal(refused.length, 2)
  for (const { exitCode, stderr } of refused)
    assert.deepEqual([exitCode, /100 valid API keys/.test(stderr)], [1, true], stderr)
  assert.equal(await countValidKeys(), maxValidKeys)
})

test('the panel refuses to create more than 100 valid keys', async () => {
  const { environment, countValidKeys } = await createAcme()
  await addValidKeys(environment, 'acme', maxValidKeys)
  const { service, environment: settings } = await startService(environment, { nodes: 1 })
  await createPanelUser(settings, 'm@example.com', 'acme')
  const manager = await signIn(new URL(await service.listen()).origin, 'm@example.com')
  const form = { name: 'second', scope: 'customers:read', password: 'a quiet harbour at dawn' }
  const refused = await manager.submit('api_keys.php', form)
  assert.match(refused.html, /The limit of valid API keys is reached/)
  assert.doesNotMatch(refused.html, /tdk_\w{48}/)
  assert.equal(await countValidKeys(), maxValidKeys)
})

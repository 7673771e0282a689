// `tenantdesk key rotate` (contract §20).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listEvents } from '../../src/catalog/audit/audit-log.ts'
import { keyId } from '../support/api/shared-errors.ts'
import { addValidKeys, maxValidKeys } from '../support/api/valid-keys.ts'
import { createPanelUser, decodeHtml, signIn, withCatalogOf } from '../support/panel/panel-client.ts'
import { runProgram, wordsOf } from '../support/program.ts'
import { command, type Json, makeTenant, startService } from '../support/service.ts'

const hourMs = 3_600_000

let offsetMs = 0
const now = () => new Date(Date.now() + offsetMs)
const { environment, client, listen } = await startService({}, { now })
const first = await makeTenant(environment, 'acme')

const run = (line: string) => command(environment, ...wordsOf(line))

async function outputOf(line: string): Promise<string> {
  const { exitCode, stdout, stderr } = await run(line)
  assert.equal(exitCode, 0, stderr)
  return stdout.trim()
}

const rotate = async (token: string, options = '') => outputOf(`key rotate ${keyId(token)} ${options}`)

/** Sends a request with the key, with the clock advanced by `afterMs`, and returns its status or error code. */
async function outcomeOf(token: string, afterMs = 0): Promise<string> {
  offsetMs = afterMs
  const { status, body } = await client(token)('GET', '/customers.php')
  offsetMs = 0
  return body.error?.code ?? String(status)
}

async function keyOf(token: string): Promise<Json> {
  const keys: Json[] = JSON.parse(await outputOf('key list acme --json'))
  return keys.find(({ id }) => id === keyId(token))
}

/** Runs a command that must fail. `words`: further arguments, which can be empty. Returns its output on stderr. */
async function refusal(line: string, ...words: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await command(environment, ...wordsOf(line), ...words)
  assert.deepEqual([exitCode, stdout], [1, ''], `${line} ${words}`)
  return stderr
}

test('a rotated key keeps working for 24 hours, and the new key has the same name, scopes, limit and expiry', async () => {
  const options = '--scope customers:read --name Sync --rate-limit 70 --expires 2999-12-31'
  const old = await outputOf(`key create acme ${options}`)
  const { exitCode, stdout, stderr } = await run(`key rotate ${keyId(old)}`)
  const [token] = stdout.split('\n') as [string]
  assert.equal(exitCode, 0, stderr)
  assert.match(stdout, /^tdk_[0-9A-Za-z]{48}\n$/)
  assert.match(stderr, new RegExp(`^API key ${keyId(token)} has the permissions of ${keyId(old)}, until 2999-12-31`))
  const permissionsOf = ({ name, scopes, rate_limit, state }: Json) => ({ name, scopes, rate_limit, state })
  const [before, after] = [await keyOf(old), await keyOf(token)]
  assert.deepEqual(permissionsOf(after), { name: 'Sync', scopes: ['customers:read'], rate_limit: 70, state: 'valid' })
  assert.deepEqual(permissionsOf(before), permissionsOf(after))
  assert.deepEqual([before.replaced_by, after.replaced_by], [after.id, null])
  assert.equal(after.expires_at, '2999-12-31T23:59:59.999Z')
  const outcomes = [await outcomeOf(old), await outcomeOf(token), await outcomeOf(old, 23.9 * hourMs)]
  assert.deepEqual(outcomes, ['200', '200', '200'])
  assert.deepEqual([await outcomeOf(old, 24.1 * hourMs), await outcomeOf(token, 24.1 * hourMs)], ['key_revoked', '200'])
  await outputOf(`key delete ${after.id}`)
  await outputOf(`key delete ${before.id}`)
})

test('--overlap sets how long the old key keeps working; with --overlap 0, the old key is revoked immediately', async () => {
  const old = await outputOf('key create acme --scope *:read')
  const second = await rotate(old, '--overlap 0')
  assert.deepEqual([await outcomeOf(old), await outcomeOf(second)], ['key_revoked', '200'])
  assert.equal((await keyOf(old)).state, 'revoked')
  const third = await rotate(second, '--overlap 30m --expires 2999-01-01')
  assert.equal((await keyOf(third)).expires_at, '2999-01-01T23:59:59.999Z')
  assert.deepEqual(
    [await outcomeOf(second, 0.4 * hourMs), await outcomeOf(second, 0.6 * hourMs)],
    ['200', 'key_revoked'],
  )
  const result: Json = JSON.parse(await rotate(third, '--overlap 7d --json'))
  assert.deepEqual([result.replaces, result.name, await outcomeOf(result.key)], [keyId(third), 'API key', '200'])
  const days = (Date.parse(result.old_works_until) - Date.now()) / (24 * hourMs)
  assert.ok(days > 6.99 && days <= 7, String(days))
  for (const token of [old, second, third, result.key]) await outputOf(`key delete ${keyId(token)}`)
})

test('an overlap does not postpone the expiry of the old key', async () => {
  const today = new Date().toISOString().slice(0, 10)
  const old = await outputOf(`key create acme --scope *:read --expires ${today}`)
  const token = await rotate(old, '--overlap 90d --expires 2999-12-31')
  assert.equal((await keyOf(old)).expires_at, `${today}T23:59:59.999Z`)
  for (const key of [old, token]) await outputOf(`key delete ${keyId(key)}`)
})

test('a tenant that has reached its key limit can still rotate keys', async () => {
  const old = await makeTenant(environment, 'full')
  await addValidKeys(environment, 'full', maxValidKeys - 1)
  assert.match(await refusal('key create full --scope *:read'), /100 valid API keys/)
  await rotate(old)
  assert.match(await refusal('key create full --scope *:read'), /100 valid API keys/)
})

test('only one of two simultaneous rotations of a key succeeds, and a replaced or revoked key cannot be rotated', async () => {
  const old = await outputOf('key create acme --scope *:read')
  const lines = [1, 2].map(() => runProgram(environment, `key rotate ${keyId(old)}`))
  const outcomes = (await Promise.all(lines)).sort((a, b) => a.exitCode - b.exitCode)
  assert.deepEqual(
    outcomes.map(({ exitCode }) => exitCode),
    [0, 1],
  )
  const token = outcomes[0]!.stdout.trim()
  assert.equal(
    outcomes[1]!.stderr,
    `API key ${keyId(old)} has already been replaced by ${keyId(token)}; rotate that one instead.\n`,
  )
  await outputOf(`key revoke ${keyId(token)}`)
  assert.match(await refusal(`key rotate ${keyId(token)}`), /has expired or been revoked/)
  const last = await rotate(old)
  for (const key of [old, token, last]) await outputOf(`key delete ${keyId(key)}`)
})

test('a rotation with an unknown id, an invalid overlap or a past expiry date is refused, and no key is created', async () => {
  assert.match(await refusal('key rotate 0000000000'), /^There is no API key with this id/)
  assert.ok(!(await refusal(`key rotate ${first}`)).includes('tdk_'), 'the message does not repeat the key')
  for (const overlap of ['', '24', '1.5h', 'tomorrow', '91d', '999999d', '1w', '-1h', ' 1h', '24H']) {
    const stderr = await refusal(`key rotate ${keyId(first)}`, `--overlap=${overlap}`)
    assert.match(stderr, /is not an overlap/, overlap)
  }
  assert.match(await refusal(`key rotate ${keyId(first)} --expires 2020-01-01`), /in the past/)
  assert.equal(JSON.parse(await outputOf('key list acme --json')).length, 1)
})

test('the security log names both keys, and the panel shows how long the old key will work', async () => {
  const old = await outputOf('key create acme --scope *:read --name Rotated')
  const token = await rotate(old)
  const events = await withCatalogOf(environment, (catalog) => listEvents(catalog, { limit: 2 }))
  assert.deepEqual(
    events.map(({ event, detail }) => [event, (detail as Json).key]),
    [
      ['key_rotated', keyId(old)],
      ['key_created', keyId(token)],
    ],
  )
  assert.ok(!JSON.stringify(events).includes(token.slice(14)))
  await createPanelUser(environment, 'm@example.com', 'acme')
  const manager = await signIn(new URL(await listen()).origin, 'm@example.com')
  const page = await manager.get(`api_keys.php?key=${keyId(old)}`)
  assert.match(decodeHtml(page.html.replaceAll(/<[^>]*>/g, ' ')), /Valid\s+until \d.* \d\d:\d\d/)
  for (const key of [old, token]) await outputOf(`key delete ${keyId(key)}`)
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { createApiKey } from '../../src/access/api-keys.ts'
import { createAuthenticator } from '../../src/access/authenticator.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { createTenant } from '../../src/tenants/lifecycle.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { dumpAll } from '../support/databases/tenant-database.ts'
import {
  command,
  createKey,
  engine,
  makeTenant,
  networkClient,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Computes a CRC-32 bit by bit from the definition in the contract, independently of the service's code. */
function crc32(text: string): number {
  let rest = 0xffffffff
  for (const byte of Buffer.from(text)) {
    rest ^= byte
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0)
  }
  return (rest ^ 0xffffffff) >>> 0
}

/** Returns the six base62 digits that complete a token with this beginning. */
function checksum(beginning: string): string {
  let rest = crc32(beginning)
  let digits = ''
  while (digits.length < 6) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

const withChecksum = (beginning: string) => beginning + checksum(beginning)

/** Replaces the character at this position with another base62 character. */
function tamper(text: string, position: number): string {
  const other = text[position] === 'a' ? 'b' : 'a'
  return text.slice(0, position) + other + text.slice(position + 1)
}

const { environment, request, client } = await startService()
const token = await makeTenant(environment, 'acme')

/** Sends a request with this Authorization header. Returns `200`, or the refusal's code. */
async function outcomeOf(authorization: string | undefined, path = '/customers.php'): Promise<string> {
  const { status, body } = await request('GET', path, authorization === undefined ? {} : { authorization })
  if (status === 200) return '200'
  assert.equal(status, 401)
  assert.deepEqual(body, { error: { code: body.error.code, message: body.error.message, status: 401 } })
  return body.error.code
}

test('a key consists of tdk_, a 10-character id, a 32-character secret and a 6-character CRC-32, all in base62', async () => {
  for (let count = 0; count < 20; count++) {
    const created = await createKey(environment, 'acme')
    assert.match(created, /^tdk_[0-9A-Za-z]{48}$/)
    assert.equal(created, withChecksum(created.slice(0, 46)))
  }
  const ids = JSON.parse((await command(environment, 'key', 'list', 'acme', '--json')).stdout)
  assert.ok(ids.some(({ id }: { id: string }) => id === token.slice(4, 14)))
})

test('a request without a bearer token in its Authorization header is refused with unauthorized', async () => {
  for (const header of [undefined, '', token, `Basic ${token}`, `Token ${token}`, `Bearer${token}`, 'Digest x=1']) {
    assert.equal(await outcomeOf(header), 'unauthorized', String(header))
  }
})

test('the name of the Bearer scheme is case-insensitive', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR'])
    assert.equal(await outcomeOf(`${scheme} ${token}`), '200')
})

test('a token that does not start with tdk_ or has fewer than 40 characters is refused with invalid_key_format', async () => {
  const tokens = [`tdk_${'a'.repeat(35)}`, 'tdk_', 'tdk', 'x', `TDK_${token.slice(4)}`, `xdk_${token.slice(4)}`]
  for (const wrong of [...tokens, token.slice(4), `sk_${'a'.repeat(60)}`, `"${token}"`, token.slice(0, 39)]) {
    assert.equal(await outcomeOf(`Bearer ${wrong}`), 'invalid_key_format', wrong)
  }
})

test('a token that starts with tdk_ and has at least 40 characters, but is not a key, is refused with invalid_key', async () => {
  const [id, secret] = [token.slice(4, 14), token.slice(14, 46)]
  const wrong = {
    '40 characters': `tdk_${'a'.repeat(36)}`,
    'the key cut to 40 characters': token.slice(0, 40),
    '51 characters': token.slice(0, 51),
    '53 characters': `${token}a`,
    'a long text': `tdk_${'a'.repeat(4000)}`,
    'characters outside base62': `tdk_${'-'.repeat(48)}`,
    'unknown id': withChecksum(`tdk_${tamper(id, 0)}${secret}`),
    'another unknown id': withChecksum(`tdk_${'0'.repeat(10)}${secret}`),
    'wrong checksum': tamper(token, 51),
    'mistyped id': tamper(token, 4),
    'mistyped secret': tamper(token, 20),
    'checksum over everything but the prefix': token.slice(0, 46) + checksum(token.slice(4, 46)),
    'SQL in place of the id': withChecksum(`tdk_' or 1=1--${secret}`),
  }
  for (const [name, text] of Object.entries(wrong)) assert.equal(await outcomeOf(`Bearer ${text}`), 'invalid_key', name)
})

test('a key with any character of its secret changed is refused with invalid_key, even after the right key has been used', async () => {
  assert.equal(await outcomeOf(`Bearer ${token}`), '200')
  for (let position = 14; position < 46; position++) {
    const changed = withChecksum(tamper(token.slice(0, 46), position))
    assert.equal(await outcomeOf(`Bearer ${changed}`), 'invalid_key', `position ${position}`)
  }
  const other = await createKey(environment, 'acme')
  assert.equal(await outcomeOf(`Bearer ${withChecksum(token.slice(0, 14) + other.slice(14, 46))}`), 'invalid_key')
  assert.equal(await outcomeOf(`Bearer ${token}`), '200')
})

test('a key outside the Authorization header is ignored', async () => {
  for (const query of [`api_key=${token}`, `access_token=${token}`, `authorization=Bearer%20${token}`]) {
    assert.equal(await outcomeOf(undefined, `/customers.php?${query}`), 'unauthorized')
  }
  const places = { 'x-api-key': token, cookie: `api_key=${token}`, 'proxy-authorization': `Bearer ${token}` }
  for (const [name, value] of Object.entries(places)) {
    assert.equal((await request('GET', '/customers.php', { [name]: value })).body.error.code, 'unauthorized', name)
  }
  const body = JSON.stringify({ name: 'A', api_key: token, access_token: token, authorization: `Bearer ${token}` })
  const posted = await request('POST', '/customers.php', { 'content-type': 'application/json' }, body)
  assert.equal(posted.body.error.code, 'unauthorized')
})

test('a revoked key is refused with key_revoked; a revoked key with a wrong secret and a deleted key are refused with invalid_key', async () => {
  const [revoked, deleted] = [await createKey(environment, 'acme'), await createKey(environment, 'acme')]
  assert.equal(await outcomeOf(`Bearer ${revoked}`), '200')
  assert.equal(await outcomeOf(`Bearer ${deleted}`), '200')
  await command(environment, 'key', 'revoke', revoked.slice(4, 14))
  await command(environment, 'key', 'delete', deleted.slice(4, 14))
  assert.equal(await outcomeOf(`Bearer ${revoked}`), 'key_revoked')
  assert.equal(await outcomeOf(`Bearer ${withChecksum(tamper(revoked.slice(0, 46), 30))}`), 'invalid_key')
  assert.equal(await outcomeOf(`Bearer ${deleted}`), 'invalid_key')
  assert.equal((await client(token)('GET', '/customers.php')).status, 200)
})

/** Opens a catalog with one tenant. `create` creates a key without the command line. */
async function openForKeys() {
  const settings = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  await command(settings, 'tenant', 'create', 'acme')
  const databases = await openDatabases(readConfig(settings), resources)
  const pepper = { current: 1, secrets: new Map([[1, 'p'.repeat(32)]]) }
  const input = { scopes: ['*:read'], allScopes: ['*:read'] }
  const actor = { now: new Date(), by: null, address: null, agent: null }
  const acme = await requireTenant(databases.catalog, 'acme')
  const addTenant = (slug: string) => createTenant(databases.catalog, databases.databases, { slug }, actor)
  const create = (tenant = acme) => createApiKey({ catalog: databases.catalog, pepper }, tenant, input, actor)
  return { databases, pepper, addTenant, create }
}

test('a key with a wrong checksum is refused without a catalog query; every use of a valid key reads the catalog version', async () => {
  const { databases, pepper, create } = await openForKeys()
  const { id, token } = await create()
  let versionReads = 0
  const version = () => {
    versionReads++
    return databases.catalog.version()
  }
  const authenticator = createAuthenticator({ ...databases.catalog, version }, pepper)
  for (const round of [1, 2]) {
    assert.equal((await authenticator.find(token))?.id, id)
    for (const position of [5, 20, 50]) assert.equal(await authenticator.find(tamper(token, position)), undefined)
    assert.equal(versionReads, round)
  }
  await databases.close()
})

test('the ids and secrets of 1,000 keys are distinct, and their characters are uniformly distributed', {
  skip: engine === 'postgres' && 'keys do not depend on the engine',
}, async () => {
  const { databases, addTenant, create } = await openForKeys()
  const created: string[] = []
  for (let number = 0; number < 10; number++) {
    const tenant = await addTenant(`tenant-${number}`)
    for (let count = 0; count < 100; count++) created.push((await create(tenant)).token)
  }
  await databases.close()
  assert.equal(new Set(created.map((key) => key.slice(4, 14))).size, 1000)
  assert.equal(new Set(created.map((key) => key.slice(14, 46))).size, 1000)
  for (let position = 4; position < 46; position++) {
    assert.ok(new Set(created.map((key) => key[position])).size >= 58, `position ${position}`)
  }
  const characters = created.map((key) => key.slice(4, 46)).join('')
  const counts = [...base62].map((character) => characters.split(character).length - 1)
  // By chance, a count deviates by 5 sigma (129) in one of 28,000 runs. If characters were chosen with `byte % 62`, the
  // counts of eight characters would deviate by 143 on average.
  const expected = characters.length / 62 // 677
  for (const count of counts) assert.ok(Math.abs(count - expected) < 129, `${counts}`)
})

test('neither the stored data nor the server log contains a key or its unpeppered hash', async () => {
  const settings = await withEngineUrl({ DATA_DIR: temporaryDirectory(), PORT: '0', LOG_LEVEL: 'trace' })
  const key = await makeTenant(settings, 'acme')
  const revoked = await createKey(settings, 'acme')
  const server = spawn(process.execPath, ['src/main.ts', 'serve'], { env: { ...process.env, ...settings } })
  after(() => server.kill('SIGKILL'))
  const written = { log: '', stderr: '' }
  server.stdout.on('data', (chunk) => {
    written.log += chunk
  })
  const url = await new Promise<string>((resolve) =>
    server.stderr.on('data', (chunk) => {
      written.stderr += chunk
      const ready = /API is at ([^\s"]+)/.exec(written.stderr)
      if (ready) resolve(ready[1]!)
    }),
  )
  await command(settings, 'key', 'revoke', revoked.slice(4, 14))
  const acme = networkClient(url, key)
  const invalidClient = networkClient(url, tamper(key, 51))
  assert.equal((await acme('POST', '/customers.php', { name: 'Head office' })).status, 201)
  for (const request of [acme, invalidClient, networkClient(url, revoked)]) {
    await request('GET', `/customers.php?api_key=${key}`)
    await request('GET', `/customers.php/${key}`)
    await request('GET', `/${key}?${key}=${key}`)
    await request('PUT', `/customers.php?id=${key}`, `{"api_key": "${key}"`, { 'x-api-key': key, cookie: `key=${key}` })
    await request('POST', '/customers.php', { name: 'A' }, { 'idempotency-key': key, 'if-match': key })
    for (const id of [key, `job-7/${key}?${key}`, key.repeat(2)]) {
      const { headers } = await request('POST', '/customers.php', { name: 'A' }, { 'x-request-id': id })
      assert.equal(headers['x-request-id'], id)
    }
  }
  await fetch(new URL(`/${key}`, url), { headers: { referer: `${url}?${key}`, 'user-agent': key } })
  const ended = once(server, 'close')
  server.kill('SIGTERM')
  await ended

  assert.ok(written.log.trim().split('\n').length >= 16, 'every request is logged')
  const texts = await dumpAll(settings)
  for (const stored of [key.slice(4, 14), 'Head office']) {
    assert.ok(
      [...texts.values()].some((bytes) => bytes.includes(stored)),
      `a complete dump contains ${stored}`,
    )
  }
  texts.set('log', Buffer.from(written.log + written.stderr))
  for (const needle of [key, revoked].flatMap(readableForms)) {
    for (const [name, bytes] of texts)
      assert.ok(!bytes.includes(needle), `${name} does not contain ${needle.toString('latin1')}`)
  }
})

/** Returns the forms of a key that must not be stored: the key, its secret and its unpeppered hashes. */
function readableForms(key: string): Buffer[] {
  const plain = [key, key.slice(4), key.slice(14, 46), key.slice(14, 30), key.slice(30, 46)].map((text) =>
    Buffer.from(text),
  )
  const hashes = ['md5', 'sha1', 'sha256', 'sha512'].flatMap((algorithm) =>
    [key, key.slice(14, 46)].map((text) => createHash(algorithm).update(text).digest()),
  )
  const encodings = ['hex', 'base64', 'base64url'] as const
  const encoded = [...plain.slice(0, 3), ...hashes].flatMap((bytes) =>
    encodings.map((encoding) => Buffer.from(bytes.toString(encoding).replace(/=+$/, ''))),
  )
  return [...plain, ...hashes, ...encoded]
}

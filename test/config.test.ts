import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openService } from '../src/app/service.ts'
import { readConfig, removedSettings } from '../src/config.ts'
import { assertStartFails, runProgram } from './support/program.ts'
import {
  command,
  createKey,
  type Environment,
  generousTimeouts,
  makeTenant,
  startService,
  temporaryDirectory,
} from './support/service.ts'

const oneSentence = /^[^\n]+\.\n$/

const preflight = (origin: string) => ({
  origin,
  'access-control-request-method': 'PUT',
  'access-control-request-headers': 'authorization,content-type,idempotency-key,if-match',
})

test('every setting has the default that the contract gives', () => {
  const { METRICS_TOKEN, ...config } = readConfig({})
  assert.deepEqual(config, {
    PORT: 8080,
    HOST: '127.0.0.1',
    DATA_DIR: './data',
    DATABASE_URL: '',
    DATABASE_POOL_MAX: 20,
    SHUTDOWN_DELAY: 0,
    API_BASE_PATH: '/api/v1',
    RATE_LIMIT_PER_MINUTE: 100,
    TENANT_RATE_LIMIT_PER_MINUTE: null,
    RATE_LIMIT_REDIS_URL: '',
    IDEMPOTENCY_REUSE: 'replay',
    IMPORT_LIMIT_BYTES: 52428800,
    BODY_LIMIT_BYTES: 1048576,
    BULK_LIMIT: 1000,
    BULK_BODY_LIMIT_BYTES: 10485760,
    MIN_FREE_DISK_BYTES: 104857600,
    HISTORY_RETENTION_DAYS: 0,
    AUDIT_RETENTION_DAYS: 0,
    CORS_ORIGINS: [],
    API_KEY_PEPPER: new Map(),
    LOG_LEVEL: 'info',
    SERVER_TIMING: false,
    TRUST_PROXY: false,
    BACKUP_EVERY: null,
    BACKUP_DIR: '',
    BACKUP_KEEP: 14,
    BACKUP_PASSPHRASE: '',
    REQUIRE_TWO_FACTOR: 'none',
    PUBLIC_URL: '',
  })
  assert.equal(METRICS_TOKEN, '')
})

test('an invalid value is refused with one sentence that names the setting', async () => {
  const wrong: Record<string, string[]> = {
    PORT: ['-1', '65536', 'http', '80.5', '0x50', '1e3'],
    API_BASE_PATH: ['api/v1', '/api v1', '/api?x', '/api#x', '//', '/api//v1', 'http://localhost/api'],
    RATE_LIMIT_PER_MINUTE: ['-1', 'many', '1.5', 'Infinity'],
    TENANT_RATE_LIMIT_PER_MINUTE: ['-1', 'many', '1.5', 'unlimited'],
    IDEMPOTENCY_REUSE: ['maybe', 'REPLAY ', 'replay,reject'],
    BODY_LIMIT_BYTES: ['0', '-1', '1MB', 'NaN'],
    MIN_FREE_DISK_BYTES: ['-1', '100MB', ''.padEnd(20, '9')],
    CORS_ORIGINS: ['app.example.com', 'https://app.example.com/path', 'https://a.example https://b.example'],
    LOG_LEVEL: ['loud', '30', 'info,debug'],
    SERVER_TIMING: ['1', 'yes', 'TRUE'],
    TRUST_PROXY: ['true', 'perhaps', '10.0.0.0/33'],
    PUBLIC_URL: ['assets.example.com', 'ftp://assets.example.com', 'https://', '/api'],
  }
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const { exitCode, stdout, stderr } = await command({ DATA_DIR: '/nowhere', [name]: value }, 'tenant', 'list')
      assert.deepEqual([exitCode, stdout], [1, ''], `${name}=${value}`)
      assert.match(stderr, oneSentence, `${name}=${value}`)
      assert.ok(stderr.includes(name), `${name}=${value}: ${stderr}`)
    }
  }
})

test('a setting that no longer exists is refused by the server and by commands with one sentence, unless it is empty', async () => {
  const directory = temporaryDirectory()
  for (const name of Object.keys(removedSettings)) {
    const { exitCode, stdout, stderr } = await command({ DATA_DIR: '/nowhere', [name]: '1' }, 'tenant', 'list')
    assert.deepEqual([exitCode, stdout], [1, ''], name)
    assert.match(stderr, oneSentence, name)
    assert.match(stderr, new RegExp(`^${name} no longer exists: .*; remove it\\.\n$`))
    assert.doesNotThrow(() => readConfig({ [name]: '' }))
  }
  const settings = { DATA_DIR: directory, SLOW_OPERATION_MS: '500' }
  assert.match(await assertStartFails(settings), /^SLOW_OPERATION_MS no longer exists: .*; remove it\.\n$/)
  const path = join(directory, '.env')
  writeFileSync(path, 'SLOW_OPERATION_MS=500\n', { mode: 0o600 })
  const { stderr } = await command({ DATA_DIR: directory }, 'tenant', 'list')
  assert.ok(stderr.endsWith(`; remove it (${path}).\n`), stderr)
})

test('an invalid secret is refused with one sentence that names the setting but not the value', async () => {
  const secrets = {
    DATABASE_URL: ['mysql://root:hunter2@database/tenants', 'postgres:hunter2', 'postgres://root:hunter2@host:99999/x'],
    API_KEY_PEPPER: ['hunter2'],
    RATE_LIMIT_REDIS_URL: [
      'http://:hunter2@store',
      'redis://:hunter2@',
      'redis://:hunter2@store/one',
      'valkey://:hunter2%@store',
    ],
  }
  for (const [name, values] of Object.entries(secrets)) {
    for (const value of values) {
      const { exitCode, stdout, stderr } = await command({ DATA_DIR: '/nowhere', [name]: value }, 'tenant', 'list')
      assert.deepEqual([exitCode, stdout], [1, ''], value)
      assert.match(stderr, oneSentence, name)
      assert.ok(stderr.includes(name) && !stderr.includes('hunter2'), stderr)
    }
  }
})

test('a secret can be read from the file named by its _FILE setting, but the setting without _FILE takes precedence', () => {
  const file = join(temporaryDirectory(), 'secret')
  const secret = 'postgres://tenantdesk:hunter2@database/tenantdesk'
  writeFileSync(file, `${secret}\n`)
  assert.equal(readConfig({ DATABASE_URL_FILE: file }).DATABASE_URL, secret)
  assert.equal(readConfig({ DATABASE_URL_FILE: file, DATABASE_URL: '' }).DATABASE_URL, secret)
  assert.equal(
    readConfig({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://other/x' }).DATABASE_URL,
    'postgres://other/x',
  )
  assert.throws(() => readConfig({ METRICS_TOKEN_FILE: `${file}-2` }), {
    message: `METRICS_TOKEN cannot be read from METRICS_TOKEN_FILE=${file}-2: ENOENT.`,
  })
  assert.throws(
    () => readConfig({ RATE_LIMIT_REDIS_URL_FILE: file }),
    (error: Error) => !error.message.includes('hunter2'),
  )
  assert.equal(readConfig({ HOST_FILE: file }).HOST, '127.0.0.1')
})

test('the service refuses to start if DATA_DIR is a file, and prints one sentence that names the setting', async () => {
  const file = join(temporaryDirectory(), 'file')
  writeFileSync(file, '')
  const { exitCode, stderr } = await runProgram({ DATA_DIR: file, PORT: '0', LOG_LEVEL: 'silent' }, 'serve')
  assert.equal(exitCode, 1, stderr)
  assert.match(stderr, oneSentence)
  assert.match(stderr, /DATA_DIR/)
})

test('the service refuses to start if PORT is in use or HOST belongs to another machine, and names the setting in one sentence', async () => {
  const otherServer = createServer().listen(0, '127.0.0.1')
  after(() => otherServer.close())
  await once(otherServer, 'listening')
  const { port } = otherServer.address() as { port: number }
  const errorOf = (settings: Environment) => assertStartFails({ DATA_DIR: temporaryDirectory(), ...settings })
  const [portError, hostError] = await Promise.all([errorOf({ PORT: String(port) }), errorOf({ HOST: '192.0.2.1' })])
  assert.match(portError, oneSentence)
  assert.match(portError, /PORT/)
  assert.match(hostError, oneSentence)
  assert.match(hostError, /HOST/)
})

test('API_BASE_PATH=/ puts the API at the root, beside the operational endpoints', async () => {
  const { service, request, tenant } = await startService({ API_BASE_PATH: '/' })
  const acme = await tenant('acme')
  const created = await acme('POST', '/customers.php', { name: 'Root' })
  assert.deepEqual([created.status, created.headers.location], [201, `/customers.php?id=${created.body.id}`])
  assert.equal((await acme('GET', created.headers.location!)).text, created.text)
  assert.equal((await request('GET', '/customers.php', {})).body.error.code, 'unauthorized')
  assert.equal((await request('GET', '/api/v1/customers.php', {})).body.error.code, 'unauthorized')
  assert.equal((await acme('GET', '/api/v1/customers.php')).status, 404)
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    assert.equal((await service.server.inject({ url: path })).statusCode, 200, path)
  }
})

test('API_BASE_PATH can move the API to another path, with or without a trailing slash', async () => {
  for (const base of ['/assets', '/assets/']) {
    const { service, environment } = await startService({ API_BASE_PATH: base })
    const headers = { authorization: `Bearer ${await makeTenant(environment, 'acme')}` }
    const url = '/assets/customers.php'
    const created = await service.server.inject({ method: 'POST', url, headers, payload: { name: 'Moved' } })
    assert.equal(created.headers.location, `${url}?id=${created.json().id}`)
    assert.equal((await service.server.inject({ url: '/healthz' })).statusCode, 200)
    assert.equal((await service.server.inject({ url: '/api/v1/customers.php', headers })).statusCode, 404)
  }
})

test('if CORS_ORIGINS is not set, OPTIONS is refused and no response has CORS headers', async () => {
  const { request, tenant } = await startService()
  const acme = await tenant('acme')
  const refused = await request('OPTIONS', '/customers.php', preflight('https://app.example.com'))
  assert.deepEqual([refused.status, refused.body.error.code], [401, 'unauthorized'])
  const unsupported = await acme('OPTIONS', '/customers.php', undefined, preflight('https://app.example.com'))
  assert.deepEqual([unsupported.status, unsupported.body.error.code], [405, 'method_not_allowed'])
  assert.equal(unsupported.headers.allow, 'GET, HEAD, POST, PUT, DELETE')
  const response = await acme('GET', '/customers.php', undefined, { origin: 'https://app.example.com' })
  for (const { headers } of [refused, unsupported, response]) {
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control-')),
      [],
    )
  }
})

test('only scripts from the origins in CORS_ORIGINS can call the API and read the response headers they need', async () => {
  const origins = ['https://app.example.com', 'http://localhost:5173']
  const { request, tenant } = await startService({ CORS_ORIGINS: origins.join(', ') })
  const acme = await tenant('acme')
  const list = (headers: Record<string, string>, name: string) => headers[name]!.toLowerCase().split(/\s*,\s*/)
  for (const origin of origins) {
    const allowed = await request('OPTIONS', '/customers.php', preflight(origin))
    assert.equal(allowed.status, 204)
    assert.equal(allowed.headers['access-control-allow-origin'], origin)
    assert.deepEqual(list(allowed.headers, 'access-control-allow-methods').sort(), [
      'delete',
      'get',
      'head',
      'post',
      'put',
    ])
    const headers = list(allowed.headers, 'access-control-allow-headers')
    for (const name of ['authorization', 'content-type', 'idempotency-key', 'if-match']) {
      assert.ok(headers.includes(name), name)
    }
    const response = await acme('GET', '/customers.php', undefined, { origin })
    assert.equal(response.headers['access-control-allow-origin'], origin)
    assert.ok(list(response.headers, 'vary').includes('origin'))
    const exposed = list(response.headers, 'access-control-expose-headers')
    const requiredHeaders = [
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'retry-after',
      'x-request-id',
    ]
    const replayHeaders = ['idempotent-replayed', 'idempotency-mismatch']
    for (const name of [...requiredHeaders, ...replayHeaders, 'location', 'link', 'etag', 'change-set']) {
      assert.ok(exposed.includes(name), name)
    }
    const refusal = await request('GET', '/customers.php', { origin })
    assert.deepEqual([refusal.status, refusal.headers['access-control-allow-origin']], [401, origin])
  }
  for (const origin of ['https://evil.example', 'https://app.example.com.evil.example', 'null']) {
    for (const [method, headers] of [
      ['OPTIONS', preflight(origin)],
      ['GET', { origin }],
    ] as const) {
      const response = await acme(method, '/customers.php', undefined, headers)
      assert.equal(response.headers['access-control-allow-origin'], undefined, `${method} from ${origin}`)
    }
  }
})

test('a preflight response has a request id', async () => {
  const { request } = await startService({ CORS_ORIGINS: 'https://app.example.com' })
  const headers = { ...preflight('https://app.example.com'), 'x-request-id': 'preflight-1' }
  assert.equal((await request('OPTIONS', '/customers.php', headers)).headers['x-request-id'], 'preflight-1')
})

test('a body of BODY_LIMIT_BYTES is accepted, and a larger body is refused', async () => {
  const { tenant } = await startService({ BODY_LIMIT_BYTES: '64' })
  const acme = await tenant('acme')
  const body = (size: number) => JSON.stringify({ name: 'Head office' }).padEnd(size)
  assert.equal((await acme('POST', '/customers.php', body(64))).status, 201)
  const refused = await acme('POST', '/customers.php', body(65))
  assert.deepEqual([refused.status, refused.body.error.code], [413, 'payload_too_large'])
})

test('the Location header starts with PUBLIC_URL', async () => {
  for (const address of ['https://assets.example.com', 'https://assets.example.com/']) {
    const { tenant } = await startService({ PUBLIC_URL: address })
    const acme = await tenant('acme')
    const created = await acme('POST', '/customers.php', { name: 'Public' })
    assert.equal(created.headers.location, `https://assets.example.com/api/v1/customers.php?id=${created.body.id}`)
  }
})

test('if METRICS_TOKEN is set, only clients that send the token can read /metrics; otherwise only the local machine can', async () => {
  const withoutToken = (await startService()).service.server
  const withToken = (await startService({ METRICS_TOKEN: 'a-long-metrics-token' })).service.server
  const scrape = (server: typeof withoutToken, remoteAddress: string, authorization?: string) =>
    server.inject({ url: '/metrics', remoteAddress, headers: { ...(authorization && { authorization }) } })
  for (const response of [
    await scrape(withoutToken, '127.0.0.1'),
    await scrape(withoutToken, '::1'),
    await scrape(withToken, '203.0.113.7', 'Bearer a-long-metrics-token'),
  ]) {
    assert.equal(response.statusCode, 200)
    assert.match(response.payload, /^# TYPE tenantdesk_http_requests_total counter$/m)
  }
  for (const response of [
    await scrape(withoutToken, '203.0.113.7'),
    await scrape(withToken, '127.0.0.1'),
    await scrape(withToken, '127.0.0.1', 'Bearer a-long-metrics-toke'),
    await scrape(withToken, '127.0.0.1', 'a-long-metrics-token'),
    await scrape(withToken, '203.0.113.7', 'Bearer '),
  ]) {
    assert.ok(response.statusCode >= 400, String(response.statusCode))
    assert.equal(typeof response.json().error.code, 'string')
    assert.doesNotMatch(response.payload, /tenantdesk_|a-long/)
  }
})

/** Starts a service, sends one request with each token, and returns the status or error code of each response. */
async function outcomesOf(settings: Environment, tokens: string[]): Promise<string[]> {
  const config = readConfig({ LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '0', ...settings })
  const { server, close } = await openService(config, { workers: 1, ...generousTimeouts })
  const outcomes: string[] = []
  for (const token of tokens) {
    const url = '/api/v1/customers.php'
    const response = await server.inject({ url, headers: { authorization: `Bearer ${token}` } })
    outcomes.push(response.json().error?.code ?? String(response.statusCode))
  }
  await close()
  return outcomes
}

const [first, second, third] = ['1', '2', '3'].map((digit) => digit.repeat(32)) as [string, string, string]

test('API_KEY_PEPPER replaces the pepper file: no file is created, and keys depend only on the setting', async () => {
  const DATA_DIR = temporaryDirectory()
  const token = await makeTenant({ DATA_DIR, API_KEY_PEPPER: first }, 'acme')
  assert.deepEqual(await outcomesOf({ DATA_DIR, API_KEY_PEPPER: first }, [token]), ['200'])
  assert.deepEqual(await outcomesOf({ DATA_DIR, API_KEY_PEPPER: `1:${first}` }, [token]), ['200'])
  assert.equal(existsSync(join(DATA_DIR, 'pepper')), false)
  await assert.rejects(startService({ DATA_DIR, API_KEY_PEPPER: second }), /Pepper 1 is not the one/)
  assert.equal((await command({ DATA_DIR }, 'key', 'create', 'acme', '--scope', '*:read')).exitCode, 1)
  assert.deepEqual(await outcomesOf({ DATA_DIR, API_KEY_PEPPER: first }, [token]), ['200'])
})

test('keys hashed with an older pepper stay valid, new keys use the newest pepper, and a pepper in use cannot be omitted', async () => {
  const DATA_DIR = temporaryDirectory()
  const old = await makeTenant({ DATA_DIR, API_KEY_PEPPER: first }, 'acme')
  await command(
    { DATA_DIR, API_KEY_PEPPER: first },
    'server',
    'add',
    'big',
    'postgres://db.example/tenants',
    '--offline',
  )
  const twoPeppers = `2:${second},1:${first}`
  const newer = await createKey({ DATA_DIR, API_KEY_PEPPER: twoPeppers }, 'acme')
  assert.deepEqual(await outcomesOf({ DATA_DIR, API_KEY_PEPPER: twoPeppers }, [old, newer]), ['200', '200'])
  const threePeppers = `1:${first}\n2:${second}\n10:${third}`
  assert.deepEqual(await outcomesOf({ DATA_DIR, API_KEY_PEPPER: threePeppers }, [old, newer]), ['200', '200'])
  const settings = { DATA_DIR, API_KEY_PEPPER: threePeppers }
  const newest = await createKey(settings, 'acme')
  const withoutFirst = { DATA_DIR, API_KEY_PEPPER: `2:${second},10:${third}` }
  await assert.rejects(outcomesOf(withoutFirst, []), /Pepper 1 is missing, and API keys depend on it/)
  await command(settings, 'key', 'revoke', old.slice(4, 14))
  await assert.rejects(outcomesOf(withoutFirst, []), /Pepper 1 is missing, and servers depend on it/)
  await command(settings, 'server', 'remove', 'big')
  assert.deepEqual(await outcomesOf(withoutFirst, [old, newer, newest]), ['invalid_key', '200', '200'])
})

test('the service refuses to start if the pepper file cannot be read, and the message gives the reason', async () => {
  const DATA_DIR = temporaryDirectory()
  mkdirSync(join(DATA_DIR, 'pepper'))
  await assert.rejects(startService({ DATA_DIR }), /The pepper cannot be read: EISDIR/)
})

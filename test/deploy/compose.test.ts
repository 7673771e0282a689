import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'
import { readConfig, settings } from '../../src/config.ts'
import { type Json, temporaryDirectory } from '../service.ts'

const text = readFileSync('compose.yaml', 'utf8')

const secrets = {
  POSTGRES_PASSWORD: 'a'.repeat(48),
  VALKEY_PASSWORD: 'b'.repeat(48),
  API_KEY_PEPPER: 'c'.repeat(48),
}

/** The file with its variables filled in as Compose does it: `${NAME:?what}` stops, `${NAME:-default}` does not. */
function compose(variables: Record<string, string | undefined>): Json {
  const filled = text.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name, kind, word) => {
    const value = variables[name]
    if (value) return value
    if (kind === '?') throw new Error(`${name} ${word}`)
    return word
  })
  assert.doesNotMatch(filled, /\$/)
  return parse(filled)
}

const { services, networks, volumes } = compose(secrets)
const all = Object.entries<Json>(services)

test('without one of its secrets nothing starts', () => {
  for (const name of Object.keys(secrets)) {
    assert.throws(() => compose({ ...secrets, [name]: undefined }), { message: `${name} is not set` })
    assert.throws(() => compose({ ...secrets, [name]: '' }), { message: `${name} is not set` })
  }
})

test('the secrets are made by the line in docs/deployment.md, for their owner alone', () => {
  const directory = temporaryDirectory()
  const [line] = /^\(umask 077.*$/m.exec(readFileSync('docs/deployment.md', 'utf8'))!
  const made = spawnSync('bash', ['-ec', line], { cwd: directory, encoding: 'utf8' })
  assert.equal(made.status, 0, made.stderr)
  const file = join(directory, '.env')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const { services: filled } = compose(parseEnv(readFileSync(file, 'utf8')) as Record<string, string>)
  assert.equal(readConfig(filled.node.environment).API_KEY_PEPPER.get(1)?.length, 64)
})

test('no secret is written in the file', () => {
  for (const line of text.split('\n').filter((each) => /password|pepper|auth|secret|token/i.test(each))) {
    assert.match(line, /^#|\$\{(POSTGRES_PASSWORD|VALKEY_PASSWORD|API_KEY_PEPPER):\?/, line)
  }
})

test('every image has a version, and every service a health check and a policy for its end', () => {
  for (const [name, { image, build, healthcheck, restart }] of all) {
    if (image) assert.match(image, /:\d[\w.]*-\w+$/, name)
    else assert.equal(build, '.', name)
    assert.equal(healthcheck.test[0], 'CMD', name)
    assert.equal(restart, 'unless-stopped', name)
  }
})

test('nothing is published but the proxy, on loopback unless said otherwise', () => {
  assert.deepEqual(services.proxy.ports, ['127.0.0.1:8080:8080'])
  assert.deepEqual(compose({ ...secrets, LISTEN: '80' }).services.proxy.ports, ['80:8080'])
  assert.deepEqual(networks, { outside: null, inside: { internal: true } })
  for (const [name, service] of all.filter(([each]) => each !== 'proxy')) {
    assert.equal(service.ports, undefined, name)
    assert.deepEqual(service.networks, ['inside'], name)
  }
})

test('no service can gain rights; those of ours and those without data cannot write to their own files', () => {
  for (const [name, service] of all) {
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name)
    if (name === 'database') continue
    assert.deepEqual([service.read_only, service.cap_drop], [true, ['ALL']], name)
  }
})

test('what a service waits for is there and tells its health', () => {
  const waits = all.flatMap(([, service]) => Object.entries<Json>(service.depends_on ?? {}))
  assert.equal(waits.length, 3)
  for (const [name, { condition }] of waits) {
    assert.equal(condition, 'service_healthy', name)
    assert.ok(services[name].healthcheck, name)
  }
})

test('the settings of a node exist, are right, and point at the services beside it', () => {
  const { environment, deploy } = services.node
  assert.equal(deploy.replicas, 3)
  for (const name of Object.keys(environment)) assert.ok(name in settings, name)
  const config = readConfig(environment)
  assert.equal(config.TRUST_PROXY, 1)
  const [database, valkey] = [new URL(config.DATABASE_URL), new URL(config.RATE_LIMIT_URL)]
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = services[database.hostname].environment
  assert.deepEqual(
    [database.username, database.password, database.pathname],
    [POSTGRES_USER, POSTGRES_PASSWORD, `/${POSTGRES_DB}`],
  )
  assert.ok(services[valkey.hostname].command.join(' ').includes(`--requirepass ${valkey.password}`))
})

test('the data of PostgreSQL is in a volume of its own', () => {
  assert.deepEqual(volumes, { database: null })
  assert.deepEqual(services.database.volumes, ['database:/var/lib/postgresql'])
})

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'
import { readConfig, serverSettings } from '../../src/config.ts'
import { type Json, temporaryDirectory } from '../support/service.ts'

const text = readFileSync('compose.yaml', 'utf8')

const secrets = {
  POSTGRES_PASSWORD: 'a'.repeat(48),
  DATABASE_PASSWORD: 'd'.repeat(48),
  VALKEY_PASSWORD: 'b'.repeat(48),
  API_KEY_PEPPER: 'c'.repeat(48),
}

/** Replaces the variables in the file as Compose does. An unset `${NAME:?message}` fails, an unset `${NAME:-default}`
 *  becomes the default, and `$$` becomes `$`. */
function compose(variables: Record<string, string | undefined>): Json {
  const filled = text.replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name, kind, word) => {
    const value = variables[name]
    if (value) return value
    if (kind === '?') throw new Error(`${name} ${word}`)
    return word
  })
  assert.doesNotMatch(filled, /(?<!\$)\$(?!\$)/)
  return parse(filled.replaceAll('$$', '$'))
}

const { services, networks, volumes } = compose(secrets)
const all = Object.entries<Json>(services)

test('Compose refuses to start if a secret is missing', () => {
  for (const name of Object.keys(secrets)) {
    assert.throws(() => compose({ ...secrets, [name]: undefined }), { message: `${name} is not set` })
    assert.throws(() => compose({ ...secrets, [name]: '' }), { message: `${name} is not set` })
  }
})

test('the command in docs/guide/install.md creates the secrets for compose.yaml, readable only by their owner', () => {
  const directory = temporaryDirectory()
  const [line] = /^\(umask 077.*$/m.exec(readFileSync('docs/guide/install.md', 'utf8'))!
  const created = spawnSync('bash', ['-ec', line], { cwd: directory, encoding: 'utf8' })
  assert.equal(created.status, 0, created.stderr)
  const file = join(directory, '.env')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const { services: filled } = compose(parseEnv(readFileSync(file, 'utf8')) as Record<string, string>)
  assert.equal(readConfig(filled.node.environment).API_KEY_PEPPER.get(1)?.length, 64)
})

test('compose.yaml contains no secret', () => {
  const lines = text.split('\n').map((line) => line.replace(/ ?# .*/, ''))
  for (const line of lines.filter((each) => /password|pepper|auth|secret|token|requirepass/i.test(each))) {
    assert.match(line, /\$\{(POSTGRES|DATABASE|VALKEY)_PASSWORD:\?|\$\{API_KEY_PEPPER:\?|\$\$REDISCLI_AUTH$/, line)
  }
})

test('no secret is passed as a command-line argument, which every user of the machine can read', () => {
  for (const [name, { command, healthcheck }] of all) {
    const words = JSON.stringify([command, healthcheck])
    for (const secret of Object.values(secrets)) assert.ok(!words.includes(secret), name)
  }
})

test('every service in compose.yaml has a memory limit and a process limit', () => {
  for (const [name, { mem_limit, pids_limit }] of all) {
    assert.match(String(mem_limit), /^\d+[mg]$/, name)
    assert.ok(pids_limit > 0, name)
  }
})

test('every image in compose.yaml has a version, and every service has a health check and a restart policy', () => {
  for (const [name, { image, build, healthcheck, restart }] of all) {
    if (image) assert.match(image, /:\d[\w.]*-\w+$/, name)
    else assert.equal(build, '.', name)
    assert.equal(healthcheck.test[0], 'CMD', name)
    assert.equal(restart, 'unless-stopped', name)
  }
})

test('compose.yaml publishes only the proxy, on loopback by default', () => {
  assert.deepEqual(services.proxy.ports, ['127.0.0.1:8080:8080'])
  assert.deepEqual(compose({ ...secrets, LISTEN: '80' }).services.proxy.ports, ['80:8080'])
  assert.deepEqual(networks, { outside: null, inside: { internal: true } })
  for (const [name, service] of all.filter(([each]) => each !== 'proxy')) {
    assert.equal(service.ports, undefined, name)
    assert.deepEqual(service.networks, ['inside'], name)
  }
})

test('no service in compose.yaml can gain privileges or write to its root file system; PostgreSQL keeps the capabilities it needs to start', () => {
  for (const [name, { security_opt, read_only, cap_drop, cap_add }] of all) {
    assert.deepEqual(security_opt, ['no-new-privileges:true'], name)
    assert.deepEqual([read_only, cap_drop], [true, ['ALL']], name)
    const kept = ['CHOWN', 'DAC_READ_SEARCH', 'FOWNER', 'SETGID', 'SETUID']
    assert.deepEqual(cap_add, name === 'database' ? kept : undefined, name)
  }
})

test('every service that another service depends on exists and has a health check', () => {
  const waits = all.flatMap(([, service]) => Object.entries<Json>(service.depends_on ?? {}))
  assert.equal(waits.length, 3)
  for (const [name, { condition }] of waits) {
    assert.equal(condition, 'service_healthy', name)
    assert.ok(services[name].healthcheck, name)
  }
})

test('the settings of a node in compose.yaml exist, are valid and point to the other services', () => {
  const { environment, deploy } = services.node
  assert.equal(deploy.replicas, 3)
  for (const name of Object.keys(environment)) assert.ok(name in serverSettings, name)
  const config = readConfig(environment)
  assert.equal(config.TRUST_PROXY, 1)
  const [database, valkey] = [new URL(config.DATABASE_URL), new URL(config.RATE_LIMIT_REDIS_URL)]
  const { DATABASE_PASSWORD, POSTGRES_USER } = services[database.hostname].environment
  assert.deepEqual(
    [database.username, database.password, database.pathname],
    ['tenantdesk', DATABASE_PASSWORD, '/tenantdesk'],
  )
  assert.notEqual(database.username, POSTGRES_USER)
  assert.ok(!JSON.stringify(services.node).includes(secrets.POSTGRES_PASSWORD))
  assert.equal(services[valkey.hostname].environment.REDISCLI_AUTH, valkey.password)
  assert.match(services[valkey.hostname].command.at(-1), /^requirepass \$REDISCLI_AUTH$/m)
})

test('PostgreSQL’s data is in a separate volume', () => {
  assert.deepEqual(volumes, { database: null })
  const [data, script] = services.database.volumes
  assert.equal(data, 'database:/var/lib/postgresql')
  assert.equal(script, './init-database.sh:/docker-entrypoint-initdb.d/init-database.sh:ro')
  assert.ok(existsSync('init-database.sh'))
})

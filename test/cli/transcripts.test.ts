import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Membership } from '../../src/accounts/memberships.ts'
import { useSetupLink } from '../../src/accounts/one-time-links/one-time-links.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { type Outcome, runProgram, wordsOf } from '../support/program.ts'
import { resourceNames } from '../support/resource-names.ts'
import {
  command,
  createKey,
  makeTenant,
  prepare,
  startProcess,
  startService,
  temporaryDirectory,
} from '../support/service.ts'

/** Creates a data directory with a tenant. `type` runs a command line there, and `json` also parses its output. */
async function terminal() {
  const environment = { DATA_DIR: temporaryDirectory() }
  const type = (line: string): Promise<Outcome> => command(environment, ...wordsOf(line))
  await type('tenant create acme')
  const json = async (line: string) => JSON.parse((await type(`${line} --json`)).stdout)
  return { environment, type, json }
}

const sentence = /^\S[^\n]*\.\n$/

function assertRefused(outcome: Outcome, label: string): void {
  assert.deepEqual([outcome.exitCode, outcome.stdout], [1, ''], label)
  assert.match(outcome.stderr, sentence, label)
}

function assertUsage(outcome: Outcome, label: string): void {
  assert.deepEqual([outcome.exitCode, outcome.stdout], [2, ''], label)
  assert.match(outcome.stderr, /^\S.*\nUsage:\n( {2}tenantdesk \S.*\n)+$/, label)
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const link = /^http:\/\/127\.0\.0\.1:8080\/setup\.php#token=[\w-]{43}\n$/

test('a command writes only its result to stdout, and confirms changes on stderr', async () => {
  const { type } = await terminal()
  const transcript: [line: string, out: RegExp, stderr: RegExp][] = [
    ['tenant create globex', /^globex\n$/, /^Tenant globex .*\n$/],
    ['tenant create initech --name Initech --trial-ends 2999-12-31', /^initech\n$/, /2999-12-31/],
    ['tenant list', /^acme .*\nglobex .*\ninitech .*Initech\n$/, /^$/],
    ["tenant suspend globex --reason 'Invoice 7 is unpaid'", /^$/, /globex is suspended/],
    ['tenant activate globex', /^$/, /globex is active/],
    ['key create acme --scope customers:read', /^tdk_[0-9A-Za-z]{48}\n$/, /acme/],
    ["key create acme --scope '*:read' --scope *:write --name Sync", /^tdk_[0-9A-Za-z]{48}\n$/, /acme/],
    [
      'key create acme --scope customers:read --expires 2999-12-31',
      /^tdk_[0-9A-Za-z]{48}\n$/,
      /to the end of 2999-12-31/,
    ],
    ['key list acme', /^.* customers:read .*\n.* \*:read \*:write .*Sync\n.* customers:read .*\n$/, /^$/],
    [
      'user create ada@example.com --role administrator',
      link,
      /^Invitation for ada@example\.com \(administrator\): .*\n$/,
    ],
    [
      'user create Grace@example.com --role manager --tenant acme',
      link,
      /grace@example\.com \(manager of tenant acme\)/,
    ],
    ['user list', /^ada@example\.com +administrator +invited\ngrace@example\.com +manager +acme +invited\n$/, /^$/],
    ['user reset grace@example.com', link, /^User grace@example\.com can choose a new password .*\n$/],
    ['user reset ada@EXAMPLE.com --second-factor', link, /Their second factor is off\./],
    ['user delete ada@example.com', /^$/, /ada@example\.com is deleted/],
    ['tenant delete globex --yes', /^$/, /globex is deleted/],
    ['tenant list', /^acme .*\ninitech .*\n$/, /^$/],
  ]
  for (const [line, out, stderr] of transcript) {
    const outcome = await type(line)
    assert.equal(outcome.exitCode, 0, `${line}: ${outcome.stderr}`)
    assert.match(outcome.stdout, out, line)
    assert.match(outcome.stderr, stderr, line)
  }
})

test('the program prints the output of commands, exits with their exit codes, and does not print stack traces', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await prepare(environment)
  const created = await runProgram(environment, "tenant create acme --name 'Acme Corp 🏢'")
  assert.deepEqual([created.exitCode, created.stdout], [0, 'acme\n'])
  assert.match(created.stderr, /^Tenant acme [^\n]*\n$/)
  assertRefused(await runProgram(environment, 'tenant create acme'), 'existing tenant')
  assertUsage(await runProgram(environment, 'tenant burn acme'), 'unknown command')
  const list = await runProgram(environment, 'tenant list --json')
  assert.deepEqual([list.exitCode, list.stderr], [0, ''])
  assert.equal(JSON.parse(list.stdout)[0].name, 'Acme Corp 🏢')
})

test('given invalid arguments, a command prints the usage and exits with code 2', async () => {
  const { type, json } = await terminal()
  const lines = [
    '',
    'tenant',
    'key',
    'burn',
    'tenant burn acme',
    'tenants list',
    'key make acme',
    '--json',
    'serve now',
    'serve --port 80',
    'tenant list --jsn',
    'tenant list acme',
    'tenant list --json=yes',
    'key list acme --yes',
    'tenant create',
    'tenant suspend',
    'tenant activate',
    'tenant delete --yes',
    'tenant create acme two',
    'tenant create two --name',
    'tenant create two --trial-ends',
    'tenant create two --colour red',
    'tenant suspend acme globex',
    'tenant suspend acme --yes',
    'tenant create two --name --trial-ends 2999-01-01',
    'key create acme',
    'key create --scope *:read',
    'key create acme --scope',
    'key list',
    'key revoke',
    'user',
    'user create',
    'user create a@example.com',
    'user create --role manager',
    'user list acme',
    'user delete',
    'user create a@example.com --role',
    'user reset',
    'user reset a@example.com --password x',
    'user make a',
    'key delete',
    'key revoke a b',
    'key delete a b',
    'key create acme *:read --scope *:read',
  ]
  for (const line of lines) assertUsage(await type(line), `tenantdesk ${line}`)
  assert.deepEqual(
    (await json('tenant list')).map(({ slug, state }: { slug: string; state: string }) => [slug, state]),
    [['acme', 'active']],
  )
  assert.deepEqual(await json('key list acme'), [])
})

test('after a mistake, the usage lists only the commands that the line may have meant', async () => {
  const { type } = await terminal()
  const usageOf = async (line: string) => (await type(line)).stderr.split('\n').filter((each) => each.startsWith('  '))
  assert.deepEqual(
    (await usageOf('key revoke')).map((each) => each.split(/ <| \[/)[0]),
    ['  tenantdesk key revoke --all --lost-pepper', '  tenantdesk key revoke'],
  )
  const groups = [
    ['tenant burn acme', 'tenant '],
    ['user', 'user '],
    ['tennant suspend acme', 'tenant suspend '],
    ['tenant lst', 'tenant list '],
  ] as const
  for (const [line, words] of groups) {
    const lines = await usageOf(line)
    assert.ok(lines.length > 0 && lines.every((each) => each.startsWith(`  tenantdesk ${words}`)), lines.join('\n'))
  }
  assert.ok((await usageOf('burn')).length > 30)
})

test('key set changes a key’s name, scopes, rate limit and expiry, for its next request', async () => {
  const { environment, type, json } = await terminal()
  const service = await startService(environment)
  const client = service.client((await type('key create acme --scope customers:read --rate-limit 5')).stdout.trim())
  const [{ id }] = await json('key list acme')
  assert.deepEqual((await client('GET', '/customers.php')).headers['x-ratelimit-limit'], '5')
  const changed = await type(
    `key set ${id} --name 'Power BI' --scope customers:write --rate-limit 0 --expires 2999-12-31`,
  )
  assert.deepEqual([changed.exitCode, changed.stdout], [0, ''])
  assert.match(changed.stderr, /Power BI.*customers:write.*until 2999-12-31T23:59:59\.999Z, rate limit unlimited/)
  assert.equal((await client('GET', '/customers.php')).status, 403)
  const written = await client('POST', '/customers.php', { name: 'x' })
  assert.deepEqual([written.status, written.headers['x-ratelimit-limit']], [201, undefined])
  await type(`key set ${id} --expires never --rate-limit default`)
  const [key] = await json('key list acme')
  assert.deepEqual(
    [key.name, key.scopes, key.rate_limit, key.expires_at],
    ['Power BI', ['customers:write'], null, null],
  )
  for (const options of ['', '--scope nothing:read', '--rate-limit x', '--expires 2020-01-01', '--expires soon'])
    assertRefused(await type(`key set ${id} ${options}`), options)
  assertRefused(await type('key set aaaaaaaaaa --name x'), 'unknown key')
})

test('user set can make a user an administrator, who then chooses a new password', async () => {
  const { type, json } = await terminal()
  await type('user create eve@example.com --role manager --tenant acme')
  const made = await type('user set eve@example.com --role administrator --name Eve')
  assert.match(made.stdout, link)
  assert.match(made.stderr, /eve@example\.com is an administrator\./)
  const [user] = await json('user list')
  assert.deepEqual([user.role, user.name, user.state, user.roles], ['administrator', 'Eve', 'invited', []])
  const again = await type('user set eve@example.com --role administrator')
  assert.deepEqual([again.exitCode, again.stdout], [0, ''])
  assertRefused(await type('user set eve@example.com --role administrator --tenant acme'), 'with a tenant')
})

test('tenant create --from creates all tenants of a file, or none', async () => {
  const { environment, type, json } = await terminal()
  const file = join(environment.DATA_DIR, 'list.csv')
  const create = (text: string) => {
    writeFileSync(file, text)
    return type(`tenant create --from '${file}'`)
  }
  const slugs = async () => (await json('tenant list')).map(({ slug }: { slug: string }) => slug)
  const refusals = [
    'name\nNobody\n',
    'slug\n',
    'slug,colour\none,red\n',
    'slug\none\nTwo!\n',
    'slug\none\none\n',
    'slug\none\nacme\n',
    'slug,trial_ends\none,2999-12-31\ntwo,2999-02-30\n',
    'slug,name\none,"a\u001b[8m"\n',
  ]
  for (const text of refusals) {
    assertRefused(await create(text), text)
    assert.deepEqual(await slugs(), ['acme'], text)
  }
  assertRefused(await type(`tenant create --from '${file}.none'`), 'no file')
  const created = await create('\ufeffslug;name;trial_ends\r\nglobex;"Globex; Inc";\r\ninitech;;2999-12-31\r\n')
  assert.deepEqual(
    [created.exitCode, created.stdout, created.stderr],
    [0, 'globex\ninitech\n', '2 tenants are ready.\n'],
  )
  const listed = (await json('tenant list')).map((each: Record<string, string>) => [
    each.slug,
    each.name,
    each.trial_ends,
  ])
  assert.deepEqual(listed, [
    ['acme', 'acme', null],
    ['globex', 'Globex; Inc', null],
    ['initech', 'initech', '2999-12-31'],
  ])
})

test('text that a tenant set reaches a terminal without control characters', async () => {
  const { environment, type } = await terminal()
  const { client } = await startService(environment)
  const settings = client((await type("key create acme --scope '*:write' --scope '*:read'")).stdout.trim())
  for (const name of [
    'GAMMA\nroot2  active',
    'a\u001b[8m',
    'a\u009b8m',
    'a\u202eb',
    'a\u2066b',
    'a\u2028b',
    'a\u200fb',
    'a\u061cb',
  ]) {
    const { status, body } = await settings('PUT', '/settings.php', { name })
    assert.deepEqual([status, body.errors?.name?.code], [422, 'invalid_text'], JSON.stringify(name))
    const view = await settings('POST', '/views.php', { name, resource: 'hardware' })
    assert.deepEqual([view.status, view.body.errors?.name?.code], [422, 'invalid_text'], JSON.stringify(name))
  }
  const database = new DatabaseSync(join(environment.DATA_DIR, 'catalog.sqlite'))
  database.prepare('update tenants set name = ?').run('GAMMA\nroot2\u001b[8m\u009b\u202e\u200f\u061c')
  database.close()
  for (const line of ['tenant list', 'tenant list --json', 'doctor', 'tenant set acme --history-days 10 --json']) {
    const { stdout, stderr } = await type(line)
    assert.doesNotMatch(`${stdout}${stderr}`.replaceAll('\n', ''), /[\p{Cc}\p{Bidi_Control}]/u, line)
    assert.doesNotMatch(stdout, /^root2/m, line)
  }
})

test('--help explains a single command, a group of commands or all commands', async () => {
  const { type } = await terminal()
  const create = await type('key create --help')
  assert.deepEqual([create.exitCode, create.stderr], [0, ''])
  assert.match(
    create.stdout,
    /^Usage: tenantdesk key create <slug> --scope <scope> \[--scope …\] .*\n\n[A-Z].*\.\n\n {2}<slug> {2,}\S/,
  )
  assert.match((await type('key revoke -h')).stdout, /key revoke --all --lost-pepper\n.*key revoke <key id>\n/s)
  const group = (await type('tenant --help')).stdout
  assert.ok(group.includes('tenantdesk tenant move <slug> --to <server>') && !group.includes('key create'), group)
  for (const line of ['--help', '-h', 'help', 'burn --help'])
    assert.ok((await type(line)).stdout.includes('user list'), line)
})

test('a refused command prints the reason and exits with code 1', async () => {
  const { type, json } = await terminal()
  const slugs = ['a', 'A1', 'Acme2', '1acme', '-acme', 'ac_me', 'ac.me', "'ac me'", 'çelik', `a${'b'.repeat(40)}`, "''"]
  const dates = ['2026-02-30', '2026-13-01', '2026-1-1', '01.02.2026', 'tomorrow', '2026-01-01T00:00:00Z']
  const scopes = [
    'customers',
    'customers:',
    ':read',
    'customers:look',
    'people:read',
    '*',
    '*:*',
    'customers:Read',
    "''",
  ]
  const lines = [
    ...slugs.map((slug) => `tenant create -- ${slug}`),
    ...dates.map((date) => `tenant create dated --trial-ends ${date}`),
    ...scopes.map((scope) => `key create acme --scope customers:read --scope ${scope}`),
    ...dates.map((date) => `key create acme --scope *:read --expires ${date}`),
    'key create acme --scope *:read --expires 2020-01-31',
    `tenant suspend acme --reason ${'x'.repeat(201)}`,
    'tenant create acme',
    'tenant suspend nobody',
    'tenant activate nobody',
    'tenant delete nobody --yes',
    'tenant delete nobody',
    'tenant delete acme',
    'key create nobody --scope *:read',
    'key list nobody',
    'user create ada --role administrator',
    'user create ada@example.com --role owner',
    'user create ada@example.com --role manager',
    'user create ada@example.com --role manager --tenant nobody',
    'user create ada@example.com --role administrator --tenant acme',
    'user delete ada@example.com',
    'user reset ada@example.com',
    'user delete nobody',
    'key list nobody --json',
    'key revoke 0000000000',
    'key delete 0000000000',
    'key revoke acme',
  ]
  for (const line of lines) assertRefused(await type(line), `tenantdesk ${line}`)
  assert.equal((await json('tenant list')).length, 1)
  assert.deepEqual(await json('key list acme'), [])
})

test('a catalog of a newer version is refused and not changed', async () => {
  const { environment, type } = await terminal()
  const catalog = new DatabaseSync(join(environment.DATA_DIR, 'catalog.sqlite'), { timeout: 5000 })
  const setVersion = (version: number) => catalog.exec(`pragma user_version = ${version}`)
  const { user_version } = catalog.prepare('pragma user_version').get() as { user_version: number }
  setVersion(user_version + 1)
  for (const line of ['tenant list', 'serve']) assertRefused(await type(line), line)
  setVersion(user_version)
  catalog.close()
  assert.equal((await type('tenant list')).exitCode, 0)
})

test('a slug has 2 to 40 characters from a-z, 0-9 and -, starting with a letter', async () => {
  const { type } = await terminal()
  for (const slug of ['ab', 'a1', 'a-', 'a-b-9', `z${'9'.repeat(39)}`]) {
    assert.deepEqual((await type(`tenant create ${slug}`)).stdout, `${slug}\n`)
  }
})

test('a key can have any scope in the contract, and has exactly the scopes given when it was created', async () => {
  const { type, json } = await terminal()
  const actions = ['read', 'write', 'create', 'update', 'delete']
  const resourceScopes = resourceNames.flatMap((name) => actions.map((action) => `${name}:${action}`))
  const scopes = [...resourceScopes, 'changes:read', '*:read', '*:write']
  const created = await type(`key create acme ${scopes.map((scope) => `--scope ${scope}`).join(' ')}`)
  assert.equal(created.exitCode, 0, created.stderr)
  const [key] = await json('key list acme')
  assert.deepEqual([...key.scopes].sort(), [...scopes].sort())
})

test('--json prints one array, which is empty if there is nothing to list', async () => {
  const { environment, type, json } = await terminal()
  assert.deepEqual(await json('key list acme'), [])
  assert.equal((await command({ DATA_DIR: temporaryDirectory() }, 'tenant', 'list', '--json')).stdout, '[]\n')
  const token = (await type('key create acme --scope *:read --name Sync')).stdout.trim()
  const listed = await type('key list acme --json')
  const [key, ...rest] = JSON.parse(listed.stdout)
  assert.deepEqual(rest, [])
  assert.deepEqual([key.id, key.name, key.state], [token.slice(4, 14), 'Sync', 'valid'])
  assert.match(key.created_at, time)
  assert.ok(!listed.stdout.includes(token.slice(14)), 'a list contains no secret')
  await type(`key revoke ${key.id}`)
  assert.equal((await json('key list acme'))[0].state, 'revoked')
  await type(`key delete ${key.id}`)
  assert.deepEqual(await json('key list acme'), [])
  assertRefused(await type(`key revoke ${key.id}`), 'a deleted key')
  assert.equal((await createKey(environment, 'acme')).length, 52)
})

test('tenant list shows each tenant’s name unchanged, its state, and the reason for a suspension', async () => {
  const { type, json } = await terminal()
  const name = 'Ünïcödé & Söhne  «A"B» 🏢🌍'
  await type(`tenant create wide --name '${name}'`)
  await type('tenant create past --trial-ends 2020-01-31')
  await type('tenant create coming --trial-ends 2999-12-31')
  await type("tenant suspend wide --reason ' Invoice 7, «open» '")
  const tenants = await json('tenant list')
  const shown = (tenant: Record<string, string>) => [tenant.slug, tenant.name, tenant.state]
  assert.deepEqual(tenants.map(shown), [
    ['acme', 'acme', 'active'],
    ['coming', 'coming', 'trial'],
    ['past', 'past', 'trial'],
    ['wide', name, 'suspended'],
  ])
  for (const tenant of tenants) assert.match(tenant.created_at, time)
  const reasons = async () =>
    (await json('tenant list')).map(({ suspended_because }: Record<string, string>) => suspended_because)
  assert.deepEqual(await reasons(), [null, null, null, 'Invoice 7, «open»'])
  assert.ok((await type('tenant list')).stdout.includes(name))
  await type('tenant activate past')
  await type('tenant activate wide')
  const states = (await json('tenant list')).map(({ state }: { state: string }) => state)
  assert.deepEqual(states, ['active', 'trial', 'active', 'active'])
  assert.deepEqual(await reasons(), [null, null, null, null])
})

test('several processes can create tenants concurrently, but only one process can create a tenant with a given slug', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await prepare(environment)
  const numbers = [1, 2, 3, 4]
  const [different, same] = await Promise.all([
    Promise.all(numbers.map((number) => runProgram(environment, `tenant create tenant-${number}`))),
    Promise.all(numbers.map(() => runProgram(environment, 'tenant create same'))),
  ])
  for (const outcome of different) assert.equal(outcome.exitCode, 0, outcome.stderr)
  const [created, ...refused] = same.sort((a, b) => a.exitCode - b.exitCode)
  assert.deepEqual([created!.exitCode, created!.stdout], [0, 'same\n'], created!.stderr)
  for (const outcome of refused) assertRefused(outcome, 'same slug')
  const slugs = JSON.parse((await command(environment, 'tenant', 'list', '--json')).stdout)
  assert.deepEqual(
    slugs.map(({ slug }: { slug: string }) => slug),
    ['same', ...numbers.map((number) => `tenant-${number}`)],
  )
})

test('a command takes effect on a running server from the next request', async () => {
  const { environment, client } = await startService()
  const run = async (line: string) => assert.equal((await command(environment, ...wordsOf(line))).exitCode, 0, line)
  const runInNewProcess = async (line: string) => assert.equal((await runProgram(environment, line)).exitCode, 0, line)
  await run('tenant create acme')
  const token = await createKey(environment, 'acme')
  const acme = client(token)
  const outcome = async () => {
    const { status, body } = await acme('GET', '/customers.php')
    return [status, body.error?.code]
  }
  assert.deepEqual(await outcome(), [200, undefined])
  await runInNewProcess('tenant suspend acme')
  assert.deepEqual(await outcome(), [403, 'tenant_suspended'])
  await run('tenant activate acme')
  assert.deepEqual(await outcome(), [200, undefined])
  await runInNewProcess(`key revoke ${token.slice(4, 14)}`)
  assert.deepEqual(await outcome(), [401, 'key_revoked'])
  await run(`key delete ${token.slice(4, 14)}`)
  assert.deepEqual(await outcome(), [401, 'invalid_key'])
  const other = client(await createKey(environment, 'acme'))
  assert.equal((await other('POST', '/customers.php', { name: 'Head office' })).status, 201)
  await run('tenant delete acme --yes')
  assert.deepEqual((await other('GET', '/customers.php')).body.error.code, 'invalid_key')
  const withoutKey = client(await createKey(environment, 'acme').catch(() => ''))
  assert.equal((await withoutKey('GET', '/customers.php')).status, 401, 'no key can be created for a deleted tenant')
  await run('tenant create acme')
  const renewed = client(await createKey(environment, 'acme'))
  assert.deepEqual(
    (await renewed('GET', '/customers.php')).body.data,
    [],
    'none of the deleted tenant’s data comes back',
  )
  assert.equal((await other('GET', '/customers.php')).body.error.code, 'invalid_key')
})

test('a trial tenant’s requests are served until the end of the trial’s last day and then refused', async () => {
  const { environment, client } = await startService()
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
  for (const [slug, day, status] of [
    ['coming', tomorrow, 200],
    ['past', '2020-01-31', 403],
  ] as const) {
    await command(environment, 'tenant', 'create', slug, '--trial-ends', day)
    const tenant = client(await createKey(environment, slug))
    assert.equal((await tenant('GET', '/customers.php')).status, status)
    await command(environment, 'tenant', 'activate', slug)
    assert.equal((await tenant('GET', '/customers.php')).status, 200)
  }
})

test('the list of users shows roles, tenants and states, and links start with PUBLIC_URL', async () => {
  const { environment, type, json } = await terminal()
  assert.deepEqual(await json('user list'), [])
  await type('user create ada@example.com --role manager --tenant acme')
  const [{ id, created_at, tenant_id, roles, ...user }] = await json('user list')
  assert.match(created_at, time)
  assert.ok(id && tenant_id)
  assert.deepEqual(roles, [{ tenant_id, tenant_slug: 'acme', tenant_name: 'acme', role: 'manager' }])
  assert.deepEqual(user, {
    email: 'ada@example.com',
    name: null,
    role: 'manager',
    tenant_slug: 'acme',
    state: 'invited',
    has_second_factor: false,
    language: null,
    theme: null,
    last_signed_in_at: null,
  })
  for (const [settings, origin] of [
    [{ PUBLIC_URL: 'https://assets.example.com/' }, 'https://assets.example.com'],
    [{ HOST: '::', PORT: '9000' }, 'http://127.0.0.1:9000'],
    [{ HOST: '::1' }, 'http://[::1]:8080'],
  ] as const) {
    const { stdout } = await command({ ...environment, ...settings }, 'user', 'reset', 'ada@example.com')
    assert.equal(stdout.split('#')[0], `${origin}/setup.php`)
  }
})

test('serve exits with code 0 on SIGTERM and SIGINT, and prints the set-up link until there is an administrator', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const stderrOfRun = async (signal: 'SIGINT' | 'SIGTERM') => {
    const server = await startProcess(environment)
    const ended = once(server.process, 'close')
    server.process.kill(signal)
    assert.deepEqual(await ended, [0, null], signal)
    return server.stderr()
  }
  const first = await stderrOfRun('SIGTERM')
  const [, token = ''] = /\nNo administrator yet\.[^\n]+ http:\S+:\d+\/setup\.php#token=(\S+)\n/.exec(first) ?? []
  assert.ok(first.startsWith('Tenantdesk is ready. '), first)
  assert.ok(first.indexOf('setup.php') < first.indexOf('No tenants yet'), first)
  const engine = await openDatabases(readConfig(environment), resources)
  const origin = { now: new Date(), by: null, address: null, agent: null }
  const credentials = { email: 'root@example.com', password: 'violet harbour nine lanterns' }
  await useSetupLink(engine.catalog, token, credentials, origin)
  await engine.close()
  assert.doesNotMatch(await stderrOfRun('SIGINT'), /setup\.php|No administrator yet/)
})

test('no log line contains the set-up link, and once there is a tenant, the log names the command instead', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const first = await startProcess(environment)
  await first.end('SIGTERM')
  assert.ok(first.stderrLines().some((line) => line.startsWith('No administrator yet. Open this link')))
  assert.ok(first.stderrLines().every((line) => !line.startsWith('{') || !line.includes('setup.php')))
  assert.match(first.stderr(), /^No tenants yet\. In a second terminal, as user \S+, from this directory, run:$/m)
  await makeTenant(environment, 'acme')
  const second = await startProcess(environment)
  await second.end('SIGTERM')
  assert.doesNotMatch(second.stderr(), /setup\.php/)
  assert.match(
    second.stderr(),
    /^No administrator yet\. To create one: \S.* user create <email> --role administrator$/m,
  )
})

test('serve ignores SIGHUP', async () => {
  const server = await startProcess({ DATA_DIR: temporaryDirectory() })
  server.process.kill('SIGHUP')
  for (let request = 0; request < 3; request++) assert.equal((await fetch(new URL('/readyz', server.url))).status, 200)
  assert.deepEqual([server.process.exitCode, server.process.signalCode], [null, null])
  await server.end('SIGTERM')
  assert.equal(server.process.exitCode, 0)
})

test('a user can have roles in several tenants; user set can change the roles but not remove the last one', async () => {
  const { environment, type, json } = await terminal()
  await command(environment, 'tenant', 'create', 'beta')
  const created = await type('user create eve@example.com --name Eve --role viewer --tenant acme --tenant beta')
  assert.match(created.stderr, /\(viewer of tenant acme, viewer of tenant beta\)/)
  await command(environment, 'tenant', 'create', 'gamma')
  const added = await type('user set eve@example.com --role viewer --tenant gamma')
  assert.match(added.stdout, /^http\S+#token=\S+\n$/, 'the first role in a further tenant needs a new password')
  await type('user set eve@example.com --remove-tenant gamma')
  const changed = await type('user set eve@example.com --role manager --tenant beta --name Evelyn')
  assert.deepEqual([changed.stdout, changed.exitCode], ['', 0])
  assert.match(changed.stderr, /Evelyn.* is viewer of tenant acme, manager of tenant beta\./)
  const rolesOf = async () =>
    (await json('user list'))[0].roles.map(({ tenant_slug, role }: Membership) => [tenant_slug, role])
  assert.deepEqual(await rolesOf(), [
    ['acme', 'viewer'],
    ['beta', 'manager'],
  ])
  await type('user set eve@example.com --remove-tenant acme')
  assert.deepEqual(await rolesOf(), [['beta', 'manager']])
  for (const line of [
    '--remove-tenant beta',
    '--remove-tenant acme',
    '--role viewer',
    '--tenant acme',
    '',
    '--role administrator --tenant acme',
    '--role viewer --tenant acme --tenant nobody',
  ])
    assert.equal((await type(`user set eve@example.com ${line}`.trim())).exitCode, 1, line)
  assert.deepEqual(await rolesOf(), [['beta', 'manager']])
})

test('tenant set renames a tenant, and can change the end date of an existing trial', async () => {
  const { type, json } = await terminal()
  await type('tenant create globex --trial-ends 2020-01-31')
  const set = await type("tenant set globex --name 'Globex Ltd' --trial-ends 2035-01-31")
  assert.deepEqual([set.exitCode, set.stdout], [0, ''])
  const globex = (await json('tenant list')).find(({ slug }: { slug: string }) => slug === 'globex')
  assert.deepEqual([globex.name, globex.state, globex.trial_ends], ['Globex Ltd', 'trial', '2035-01-31'])
  for (const line of ['acme --trial-ends 2035-01-31', 'globex --trial-ends 2035-02-30', 'globex', 'nobody --name X'])
    assertRefused(await type(`tenant set ${line}`), line)
})

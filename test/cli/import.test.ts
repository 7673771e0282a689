// `tenantdesk import` checks a file and imports it, with or without a running server.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { eventually } from '../support/eventually.ts'
import { command, makeTenant, networkClient, startProcess, temporaryDirectory } from '../support/service.ts'

const directory = temporaryDirectory()

function fileOf(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

test('tenantdesk import checks a file without a server, and names every error with its row and column', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await makeTenant(environment, 'acme')
  const path = fileOf('branches.csv', 'Titel;Land;Farbe\nHQ;DE;red\nD1;D;blue\n')
  const runImport = (...options: string[]) =>
    command(environment, 'import', 'customers', path, '--tenant', 'acme', '--map', 'Titel=name', ...options)
  const checked = await runImport()
  assert.deepEqual([checked.exitCode, checked.stdout], [1, '1\n'])
  assert.match(checked.stderr, /The column "Farbe" is unknown and ignored\./)
  assert.match(checked.stderr, /Row 3, Land: Must be a country or its two-letter code: Germany or DE\./)
  assert.match(checked.stderr, /checked, not imported: 1 created, .* 1 invalid\./)
  const refused = await runImport('--run')
  assert.deepEqual([refused.exitCode, /1 of 2 rows are invalid; nothing was imported/.test(refused.stderr)], [1, true])
  const outcome = await runImport('--run', '--valid-rows', '--json')
  assert.equal(outcome.exitCode, 0, outcome.stderr)
  const report = JSON.parse(outcome.stdout)
  assert.deepEqual([report.state, report.created, report.invalid], ['done', 1, 1])
})

test('tenantdesk import sets values for all rows, and replaces cells before they are read', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await makeTenant(environment, 'acme')
  const path = fileOf('clients.csv', 'name,Art (neu)\nHQ,a=b\nD1,\n')
  const line = ['import', 'customers', path, '--tenant', 'acme', '--map', 'Art (neu)=type']
  const value = ['--value', 'Art (neu)|a=b=headquarters']
  const outcome = await command(
    environment,
    ...line,
    ...value,
    '--set',
    'type=warehouse',
    '--set',
    'country=DE',
    '--run',
  )
  assert.equal(outcome.exitCode, 0, outcome.stderr)
  const database = await tenantDatabaseOf(environment, 'acme')
  assert.deepEqual(await database.all('select name, type, country from customers order by id'), [
    { name: 'HQ', type: 'headquarters', country: 'DE' },
    { name: 'D1', type: 'warehouse', country: 'DE' },
  ])
})

test('tenantdesk import works while the server is running', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const server = await startProcess(environment, { nodes: 1 })
  const client = networkClient(server.url, await makeTenant(environment, 'acme'))
  await client('POST', '/customers.php', { name: 'Before' })
  const lines = Array.from({ length: 300 }, (_, index) => `Branch ${index}`)
  const path = fileOf('many.csv', ['name', ...lines].join('\r\n'))
  const outcome = await command(environment, 'import', 'customers', path, '--tenant', 'acme', '--run')
  assert.equal(outcome.exitCode, 0, outcome.stderr)
  assert.equal((await client('GET', '/customers.php?total=true')).body.page.total, 301)
  const { body } = await client('GET', `/imports.php?id=${outcome.stdout.trim()}`)
  const { data } = (await client('GET', `/changes.php?change_set=${body.change_set}&limit=1`)).body
  assert.deepEqual([data[0].api_key_id, data[0].user_id], [null, null])
  await server.end('SIGTERM')
})

test('Ctrl-C ends tenantdesk import with a sentence, and the server continues the import', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const token = await makeTenant(environment, 'acme')
  const count = 20_000
  const path = fileOf('long.csv', `name\n${'Branch\n'.repeat(count)}`)
  const line = ['src/main.ts', 'import', 'customers', path, '--tenant', 'acme', '--run']
  const child = spawn(process.execPath, line, { env: { ...process.env, ...environment } })
  const ended = once(child, 'close')
  const errors = text(child.stderr)
  const database = await tenantDatabaseOf(environment, 'acme')
  const hasBegun = async () => (await database.all('select 1 from customers limit 1')).length > 0
  await eventually('the command imports records', hasBegun, { everyMs: 20 })
  child.kill('SIGINT')
  assert.deepEqual(await ended, [null, 'SIGINT'])
  assert.match(await errors, /^Import 1 is not cancelled: a server continues it, at once or when it starts\.$/m)

  const server = await startProcess(environment, { nodes: 1 })
  const client = networkClient(server.url, token)
  const report = () => client('GET', '/imports.php?id=1')
  await eventually('the import is done', async () => (await report()).body.state === 'done', { withinMs: 60_000 })
  assert.equal((await client('GET', '/customers.php?total=true')).body.page.total, count)
  await server.end('SIGTERM')
})

test('tenantdesk import refuses invalid files and options with one sentence', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await makeTenant(environment, 'acme')
  const good = fileOf('good.csv', 'name\nA\n')
  const refusals: [line: string[], reason: RegExp][] = [
    [['pens', good], /resource is "pens"/],
    [['customers', join(directory, 'missing.csv')], /cannot be read/],
    [['customers', directory], /cannot be read/],
    [['customers', fileOf('book.csv', 'PK\x03\x04')], /Excel workbook/],
    [['customers', good, '--match', 'name'], /match cannot be "name"/],
    [['customers', good, '--map', 'name'], /--map must be/],
    [['customers', good, '--set', 'type'], /--set must be/],
    [['customers', good, '--set', 'type=x'], /set\[type\].*one of/],
    [['customers', good, '--set', 'type=branch', '--set', 'type=client'], /given more than once/],
    [['customers', good, '--value', 'name=x'], /--value must be/],
    [['customers', good, '--valid-rows'], /requires --run/],
    [['customers', good, '--mapping', 'Intuna'], /There is no mapping "Intuna" for customers; known: snipe-it, /],
    [['customers', good, '--save-as', 'jamf'], /The mapping jamf is shipped/],
  ]
  for (const [line, reason] of refusals) {
    const { exitCode, stderr, stdout } = await command(environment, 'import', ...line, '--tenant', 'acme')
    assert.deepEqual([exitCode, stdout], [1, ''], stderr)
    assert.match(stderr, reason)
  }
  assert.equal((await command(environment, 'import', 'customers', good)).exitCode, 2)
})

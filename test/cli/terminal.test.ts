// How commands print their output for programs (--json) and for people at a terminal.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../../src/cli/commands/all.ts'
import { createProgressBar } from '../../src/cli/output.ts'
import { wordsOf } from '../support/program.ts'
import { command, type Json, temporaryDirectory, withEngineUrl } from '../support/service.ts'

/** Commands that print no data: the server, and the command that prints shell scripts. */
const withoutJson = ['serve', 'completion']

test('every command except serve and completion accepts --json', () => {
  const commandsWithoutJson = commands.filter(({ options }) => !options?.json).map(({ words }) => words)
  assert.deepEqual(commandsWithoutJson, withoutJson)
})

test('--json prints the result of a command as one object, and messages still go to standard error', async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  const type = async (line: string): Promise<Json> => {
    const { exitCode, stdout, stderr } = await command(environment, ...wordsOf(line), '--json')
    assert.deepEqual([exitCode, stdout.split('\n').length], [0, 2], `${line}: ${stderr}`)
    assert.match(stderr, /^[A-Z].*\.?\n/, line)
    return JSON.parse(stdout)
  }
  const tenant = await type('tenant create acme --name Acme')
  assert.deepEqual([tenant.slug, tenant.name, tenant.state], ['acme', 'Acme', 'active'])
  assert.equal((await type('tenant suspend acme --reason Unpaid')).suspended_because, 'Unpaid')
  assert.equal((await type('tenant activate acme')).state, 'active')
  const { key, ...rest } = await type('key create acme --scope customers:read --rate-limit 7')
  assert.match(key, /^tdk_[0-9A-Za-z]{48}$/)
  assert.deepEqual([rest.scopes, rest.rate_limit, rest.state], [['customers:read'], 7, 'valid'])
  assert.equal((await type(`key revoke ${rest.id}`)).state, 'revoked')
  assert.deepEqual(await type(`key delete ${rest.id}`), { id: rest.id, deleted: true })
  const user = await type('user create ada@example.com --role administrator')
  assert.deepEqual([user.email, user.role], ['ada@example.com', 'administrator'])
  assert.match(user.link, /setup\.php#token=/)
  assert.match((await type('user reset ada@example.com')).link, /setup\.php#token=/)
  assert.equal((await type('user delete ada@example.com')).deleted, true)
  assert.deepEqual(await type('server add big postgres://127.0.0.1:1/none --offline'), { name: 'big' })
  assert.deepEqual(await type('server set big postgres://127.0.0.1:1/other --offline'), { name: 'big' })
  assert.deepEqual(await type('server remove big'), { name: 'big', deleted: true, tenants_left: [] })
  const deleted = await type('tenant delete acme --yes')
  assert.deepEqual([deleted.slug, deleted.deleted, deleted.records_deleted], ['acme', true, true])
})

/** Runs a command on a terminal that `script` provides. Returns the output, with ␛ for the escape character. The
 *  command inherits only PATH, because CI, NO_COLOR and FORCE_COLOR would change the output. */
async function onTerminal(environment: Record<string, string>, line: string): Promise<string> {
  const settings = { PATH: process.env.PATH, TERM: 'xterm-256color', ...(await withEngineUrl(environment)) }
  const shell = ['--quiet', '--return', '--command', `${process.execPath} src/main.ts ${line}`, '/dev/null']
  const { status, stdout } = spawnSync('script', shell, { env: settings, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
  return stdout.replaceAll('\r\n', '\n').replaceAll('\x1b', '␛')
}

const onLinux = { skip: process.platform !== 'linux' && '`script` has other options on this system' }

test('a table has headings only on a terminal, and they are bold unless NO_COLOR is set', onLinux, async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await command(environment, 'tenant', 'create', 'acme')
  assert.match((await command(environment, 'tenant', 'list')).stdout, /^acme +active .*\n$/)
  assert.match(await onTerminal(environment, 'tenant list'), /^␛\[1mSLUG +STATE .*NAME␛\[22m\nacme +active .*\n$/)
  assert.match(await onTerminal({ ...environment, NO_COLOR: '1' }, 'tenant list'), /^SLUG +STATE .*NAME\nacme .*\n$/)
  assert.match(await onTerminal({ ...environment, NO_COLOR: '1' }, 'tenant list --help'), /^Usage: /)
})

test(
  'a long-running command shows a progress line on a terminal, and removes the line at the end',
  onLinux,
  async () => {
    const environment = { DATA_DIR: temporaryDirectory() }
    await command(environment, 'tenant', 'create', 'acme')
    const file = join(environment.DATA_DIR, 'acme.zip')
    const written = await onTerminal(environment, `export acme --to ${file}`)
    assert.match(written, /^(\r␛\[K[^\n]*)+\r␛\[K\S*acme\.zip\nExported tenant acme .*\n$/)
  },
)

test('the first start on a terminal shows the set-up link first, and only sentences for people', onLinux, async () => {
  const DATA_DIR = temporaryDirectory()
  chmodSync(DATA_DIR, 0o755)
  const environment = { DATA_DIR, PORT: '0' }
  const start = async () => {
    const settings = { PATH: process.env.PATH, TERM: 'xterm-256color', ...(await withEngineUrl(environment)) }
    const shell = ['--quiet', '--command', `exec ${process.execPath} src/main.ts serve`, '/dev/null']
    const server = spawn('script', shell, { env: settings })
    let output = ''
    for await (const data of server.stdout.setEncoding('utf8')) {
      output += data
      if (/\/docs\b/.test(output)) break
    }
    server.kill('SIGTERM')
    return output.replaceAll('\r\n', '\n')
  }
  const first = await start()
  assert.match(
    first,
    /^Tenantdesk is ready\. Open this link [^\n]+:\n\n {2}http\S+\/setup\.php#token=\S+\n\nFor programs, /,
  )
  assert.doesNotMatch(first, /^\{|Other users|curl/m)
})

test('the progress line has a bar, a percentage, counts and, after a second, the time left', () => {
  const lines: string[] = []
  const terminal = { stdout() {}, stderr() {}, readLine: async () => '', progress: (text: string) => lines.push(text) }
  let now = 5000
  const bar = createProgressBar(terminal as never, 'acme', 'rows', () => now)
  bar.update(500, 1000)
  now += 3000
  bar.update(600, 1000)
  bar.update(0, 0)
  bar.end()
  assert.deepEqual(
    lines.map((line) => line.trimEnd()),
    [
      'acme  [==========          ]  50%  500 of 1,000 rows',
      'acme  [============        ]  60%  600 of 1,000 rows  2 s left',
      'acme  [====================] 100%  0 of 0 rows',
      '',
    ],
  )
})

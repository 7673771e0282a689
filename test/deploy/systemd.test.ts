import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { test } from 'node:test'
import { startProcess, temporaryDirectory } from '../support/service.ts'

const unit = readFileSync('deploy/tenantdesk.service', 'utf8')
const skip = spawnSync('systemd-analyze', ['--version']).status !== 0 && 'systemd-analyze is not installed'

test('the systemd unit is valid, and its exposure is rated OK', { skip }, () => {
  const file = join(temporaryDirectory(), 'tenantdesk.service')
  writeFileSync(file, unit.replace('/usr/local/bin/tenantdesk', process.execPath))
  const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  assert.deepEqual([verified.status, verified.stderr], [0, ''])
  const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file], {
    encoding: 'utf8',
  })
  assert.equal(rated.status, 0, rated.stdout)
})

test('the systemd unit limits memory arenas in the same way as npm start, and allows executable memory, which V8 requires', () => {
  const [arenas] = /MALLOC_ARENA_MAX=\d+/.exec(JSON.parse(readFileSync('package.json', 'utf8')).scripts.start)!
  assert.ok(unit.includes(`Environment=${arenas}\n`))
  assert.doesNotMatch(unit, /^MemoryDenyWriteExecute/m)
})

/** Runs the script that the unit starts after the server. `serverPid`: the process id that systemd passes. */
function startWaiting(settings: Record<string, string>, serverPid: number) {
  const [, installed = ''] = /^ExecStartPost=-\/usr\/bin\/env node (\S+)$/m.exec(unit)!
  const script = join(temporaryDirectory(), 'wait.mjs')
  const text = readFileSync(join('deploy', basename(installed)), 'utf8')
  writeFileSync(script, text.replace('/usr/local/bin/tenantdesk', resolve('bin/tenantdesk.js')))
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
  const env = { ...process.env, ...settings, PATH, MAINPID: String(serverPid) }
  const child = spawn(process.execPath, [script], { env, stdio: 'ignore' })
  return { child, ended: once(child, 'close') }
}

test('`systemctl start` returns when the server is ready, or when it has ended', async () => {
  const DATA_DIR = temporaryDirectory()
  const first = await startProcess({ DATA_DIR }, { nodes: 1 })
  const { port: PORT } = new URL(first.url)
  await first.end('SIGTERM')
  const settings = { DATA_DIR, PORT, HOST: '127.0.0.1' }

  await startWaiting(settings, first.process.pid!).ended
  const { child, ended } = startWaiting(settings, process.pid)
  await startWaiting(settings, first.process.pid!).ended // so the other script has certainly asked the port
  assert.equal(child.exitCode, null)
  const server = await startProcess(settings, { nodes: 1 })
  assert.deepEqual(await ended, [0, null])
  await server.end('SIGTERM')
})

const guide = (name: string) => readFileSync(`docs/guide/${name}.md`, 'utf8')

test('the guide and the unit say how the service may write to the directory for backups', () => {
  const backups = guide('back-up-and-restore')
  const [, directory] = /^BACKUP_DIR=(\S+)$/m.exec(backups)!
  assert.match(unit, /^ProtectSystem=strict$/m)
  assert.ok(unit.includes(`\n#ReadWritePaths=-${directory}\n`))
  assert.ok(backups.includes(`ReadWritePaths=-${directory}\\n`))
})

test('the guides’ lines for cron run the installed program, not a package of that name in the registry', () => {
  const guides = globSync('docs/guide/**/*.md').map((path) => readFileSync(path, 'utf8'))
  const lines = guides.flatMap((text) => text.match(/^(?:[\d*,/-]+ ){5}.*tenantdesk .*$/gm) ?? [])
  assert.ok(lines.length >= 2)
  for (const line of lines)
    assert.match(line, /^(?:\S+ ){5} *tenantdesk +(DATA_DIR=\S+ )?\/usr\/local\/bin\/tenantdesk /)
  for (const line of lines) if (/ backup /.test(line)) assert.match(line, / DATA_DIR=\//)
})

test('the guide goes back to an older version with commands that its reader may run, and restores as the service’s user', () => {
  const [, goingBack = ''] = guide('upgrade').split('\n## Go back\n')
  const [, block] = /```sh\n(.*?)```/s.exec(goingBack)!
  const commands = block!.trim().split('\n')
  const asUser = /^sudo -u tenantdesk env DATA_DIR=\/var\/lib\/tenantdesk tenantdesk restore /
  assert.equal(commands.filter((line) => asUser.test(line)).length, 1)
  for (const line of commands) assert.match(line, /^sudo /)
})

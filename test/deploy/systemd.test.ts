import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../support/service.ts'

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

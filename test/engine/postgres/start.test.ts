// A server that starts while PostgreSQL cannot be reached.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { openService } from '../../../src/app/service.ts'
import { readConfig } from '../../../src/config.ts'
import { Unavailable } from '../../../src/engine/database/database.ts'
import { eventually } from '../../support/eventually.ts'
import { startProxy } from '../../support/servers/tcp-proxy.ts'
import { type Json, temporaryDirectory, withEngineUrl } from '../../support/service.ts'

const nowhere = 'postgres://127.0.0.1:1/none'

test('a starting server waits until PostgreSQL can be reached, and logs that it is waiting', async () => {
  const { DATABASE_URL = '' } = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  const proxy = await startProxy(DATABASE_URL)
  proxy.redirectTo(nowhere)
  const lines: Json[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line)) })
  const config = readConfig({ DATA_DIR: temporaryDirectory(), DATABASE_URL: proxy.url })
  const opening = openService(config, { log })
  await eventually('the server logs that it is waiting', () => lines.length > 0)
  proxy.redirectTo(DATABASE_URL)
  await using service = await opening
  assert.equal((await service.server.inject('/readyz')).statusCode, 200)
  assert.deepEqual(
    lines.map(({ msg, secondsLeft }) => [msg, secondsLeft]),
    [['waiting for PostgreSQL', 30]],
  )
})

test('if PostgreSQL cannot be reached, a starting server gives up after its timeout, and no sooner', async () => {
  for (const startTimeoutMs of [0, 1000]) {
    const startedAt = performance.now()
    const config = readConfig({ DATA_DIR: temporaryDirectory(), DATABASE_URL: nowhere })
    await assert.rejects(openService(config, { startTimeoutMs, log: pino({ level: 'silent' }) }), Unavailable)
    assert.ok(performance.now() - startedAt >= startTimeoutMs)
  }
})

test('SIGTERM stops a server that is waiting for PostgreSQL', async () => {
  const settings = { DATA_DIR: temporaryDirectory(), DATABASE_URL: nowhere, PORT: '0' }
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
    env: { ...process.env, ...settings, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  after(() => child.kill('SIGKILL'))
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  assert.deepEqual(await exit, [0, null])
})

// A server whose output is read by programs that exit or stop reading.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../support/servers/free-port.ts'
import { temporaryDirectory } from '../../support/service.ts'

/** Runs a shell line that starts a server and connects its output to pipes. In `line`, `$SERVE` stands for the commands
 *  that start the server. */
async function startInShell(line: string) {
  const directory = temporaryDirectory()
  const port = await freePort()
  const [pidFile, exitFile] = [join(directory, 'pid'), join(directory, 'exit')]
  const serve = `{ ${process.execPath} src/main.ts serve & echo $! > ${pidFile}; wait $!; echo $? > ${exitFile}; }`
  const settings = { DATA_DIR: join(directory, 'data'), PORT: String(port), RATE_LIMIT_PER_MINUTE: '0' }
  const shell = spawn('sh', ['-c', line.replace('$SERVE', serve)], {
    env: { ...process.env, LOG_LEVEL: 'info', ...settings },
    stdio: 'ignore',
    detached: true, // in a new process group, so that all its processes can be killed
  })
  const shellEnded = once(shell, 'exit')
  after(() => {
    try {
      process.kill(-shell.pid!, 'SIGKILL')
    } catch {} // all processes of the group have exited
  })

  async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const deadline = Date.now() + 30_000
    while (!(await condition())) {
      if (Date.now() > deadline) assert.fail(`${what}: not within 30 seconds`)
      await wait(50)
    }
  }

  async function responds(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(3000) })).ok
    } catch {
      return false
    }
  }

  /** Sends requests with the longest path that is logged. Each request adds more than half a kilobyte to the log. */
  async function fillLog(requests: number): Promise<void> {
    for (let sent = 0; sent < requests; sent += 50) {
      const url = `http://127.0.0.1:${port}/${'segment/'.repeat(24)}`
      const request = () => fetch(url, { signal: AbortSignal.timeout(5000) }).then((response) => response.text())
      await Promise.all(Array.from({ length: 50 }, request))
    }
  }

  await until(() => existsSync(pidFile) && responds(), 'the server responds')
  return {
    until,
    shellEnded,
    responds,
    fillLog,
    /** Sends SIGTERM. Returns the server's exit code. */
    async end(): Promise<number> {
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGTERM')
      await until(() => existsSync(exitFile) && readFileSync(exitFile, 'utf8') !== '', 'the server exits')
      return Number(readFileSync(exitFile, 'utf8'))
    },
  }
}

const pipes: [what: string, line: string][] = [
  ['standard output and standard error lose their reader', '$SERVE 2>&1 | head -n 1'],
  ['standard output and standard error have no reader from the beginning', '$SERVE 2>&1 | true'],
  ['standard output loses its reader', '$SERVE 2>/dev/null | true'],
  ['standard error loses its reader', '{ $SERVE 2>&1 >/dev/null; } | true'],
  ['standard output and standard error have a reader that reads nothing', '$SERVE 2>&1 | sleep 1000'],
  ['standard output has a reader that reads nothing', '$SERVE 2>/dev/null | sleep 1000'],
]

for (const [what, line] of pipes) {
  test(`a server continues to respond and stops on SIGTERM when its ${what}`, async () => {
    const server = await startInShell(line)
    await server.fillLog(300) // more than twice the capacity of a pipe
    assert.ok(await server.responds())
    assert.equal(await server.end(), 0)
  })
}

test('a server whose output is closed at start serves requests and stops on SIGTERM', async () => {
  const server = await startInShell('$SERVE >&- 2>&-')
  await server.fillLog(50)
  assert.ok(await server.responds())
  assert.equal(await server.end(), 0)
})

test('a log that was not read for a while continues with complete lines', async () => {
  const [go, read] = ['go', 'read'].map((name) => join(temporaryDirectory(), name)) as [string, string]
  const reader = `{ while [ ! -e ${go} ]; do sleep 0.1; done; cat > ${read}; }`
  const server = await startInShell(`$SERVE 2>/dev/null | ${reader}`)
  await server.fillLog(2200) // more than the server buffers for a reader
  writeFileSync(go, '')
  await server.until(() => existsSync(read), 'the log is read')
  await server.fillLog(50)
  assert.equal(await server.end(), 0)
  await server.shellEnded
  const lines = readFileSync(read, 'utf8').trimEnd().split('\n')
  assert.ok(lines.length > 500, String(lines.length))
  for (const text of lines) JSON.parse(text)
})

test('if standard output and standard error are one stream, every line is JSON with an ISO time', async () => {
  const path = join(temporaryDirectory(), 'merged')
  const server = await startInShell(`$SERVE >${path} 2>&1`)
  await server.fillLog(50)
  assert.equal(await server.end(), 0)
  const written = readFileSync(path, 'utf8').trimEnd().split('\n')
  const lines = written.filter((line) => !/^No administrator yet\. .*setup\.php#token=/.test(line))
  assert.ok(written.length - lines.length <= 1, 'only the set-up link is no log line, because logs are collected')
  const parsed = lines.map((line) => JSON.parse(line))
  assert.ok(parsed.length > 50)
  for (const { time, level, msg } of parsed) {
    assert.equal(new Date(time).toISOString(), time)
    assert.ok(typeof level === 'number' && typeof msg === 'string')
  }
  assert.ok(parsed.some(({ msg }) => msg.startsWith('Tenantdesk is ready. The API is at http://')))
})

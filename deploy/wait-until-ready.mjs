// Waits until the server that systemd has just started is ready, for at most a minute. Never fails, because a server that
// is not ready, for example because its disk is nearly full, still serves reads. tenantdesk.service runs this script.

import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'

const listed = JSON.parse(
  execFileSync('/usr/local/bin/tenantdesk', ['config', '--json'], { stdio: ['ignore', 'pipe', 'ignore'] }),
)
const { PORT, HOST } = Object.fromEntries(listed.map(({ name, value }) => [name, value]))
const host = ['0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST
const url = `http://${host.includes(':') ? `[${host}]` : host}:${PORT}/readyz`
const deadline = performance.now() + 60_000

while (performance.now() < deadline && isRunning(Number(process.env.MAINPID)) && !(await isReady())) await wait(100)

async function isReady() {
  return fetch(url, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  )
}

function isRunning(id) {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

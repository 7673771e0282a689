// HAProxy with the configuration that compose.yaml uses, in front of a test's nodes.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { eventually } from '../eventually.ts'
import { temporaryDirectory } from '../service.ts'
import { freePort } from './free-port.ts'

export const configuration = readFileSync('haproxy.cfg', 'utf8')

/** The reason to skip a test; false if HAProxy is installed. */
export const haproxySkipReason = spawnSync('haproxy', ['-v']).status !== 0 && 'haproxy is not installed'

/** Returns the text of haproxy.cfg with this test's port and node addresses. */
function configurationFor(port: number, nodes: { port: string }[]): string {
  const servers = nodes.map((node, index) => `  server node${index + 1} 127.0.0.1:${node.port}`).join('\n')
  const text = configuration.replace('bind :8080', `bind 127.0.0.1:${port}`).replace(/^ *server-template .*$/m, servers)
  assert.equal(text.split('\n').length, configuration.split('\n').length + nodes.length - 1)
  return text
}

/** Starts the proxy and waits until it accepts requests. `change` edits the configuration. The returned function
 *  `logged` returns the log so far. */
export async function startHaproxy(nodes: { port: string }[], change = (text: string) => text) {
  const port = await freePort()
  const file = join(temporaryDirectory(), 'haproxy.cfg')
  writeFileSync(file, change(configurationFor(port, nodes)))
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'ignore'] })
  after(() => child.kill('SIGKILL'))
  let log = ''
  child.stdout.on('data', (chunk) => {
    log += chunk
  })
  const url = `http://127.0.0.1:${port}/api/v1`
  await eventually('the proxy listens', () => fetch(url).catch(() => null))
  return { url, logged: () => log }
}

// nginx and Caddy run with TLS on this machine, with their configuration files in deploy/.

import assert from 'node:assert/strict'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { host, isInstalled, proxyNames, startTlsProxy } from '../support/servers/tls-proxies.ts'
import { makeTenant, startProcess, temporaryDirectory } from '../support/service.ts'

const installed = proxyNames.filter(isInstalled)
const DATA_DIR = temporaryDirectory()
const logFile = join(temporaryDirectory(), 'log')
const token = installed.length > 0 ? await makeTenant({ DATA_DIR }, 'acme') : ''
const json = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

async function startServer() {
  const log = openSync(logFile, 'a')
  const settings = { DATA_DIR, PUBLIC_URL: `https://${host}`, TRUST_PROXY: '1', LOG_LEVEL: 'info' }
  const server = await startProcess(settings, { nodes: 1, log })
  closeSync(log)
  return server
}

for (const name of proxyNames) {
  const skip = !installed.includes(name) && `${name} is not installed`

  test(`behind ${name}, clients use TLS, cannot fake an address, and can upload 2 MB and download CSV files`, {
    skip,
  }, async () => {
    const server = await startServer()
    const { send, logged, httpPort } = await startTlsProxy(name, server.url)
    const claims = {
      'x-forwarded-for': '203.0.113.7',
      'x-forwarded-host': 'evil.example',
      forwarded: 'for=203.0.113.8',
    }
    const created = await send('POST', '/api/v1/customers.php', { ...json, ...claims }, '{"name":"Head office"}')
    assert.equal(created.status, 201)
    assert.match(created.headers.location!, new RegExp(`^https://${host}/api/v1/customers\\.php\\?id=\\d+$`))
    assert.match(created.headers['strict-transport-security']!, /^max-age=31536000; includeSubDomains$/)
    const id = created.headers['x-request-id']!
    const lines = () => readFileSync(logFile, 'utf8').split('\n')
    const line = await eventually('the request is logged', () => lines().find((each) => each.includes(id)))
    assert.equal(JSON.parse(line).address, '127.0.0.1')
    const page = await send('GET', '/login.php')
    assert.match(String(page.headers['set-cookie']), /; Secure/)

    const rows = Array.from({ length: 20_000 }, (_, index) => `Branch ${index},${'x'.repeat(100)}\r\n`).join('')
    const csv = { ...json, 'content-type': 'text/csv' }
    const upload = await send('POST', '/api/v1/imports.php?resource=customers', csv, `name,notes\r\n${rows}`)
    assert.equal(upload.status, 202, upload.text)
    const file = await send('GET', '/api/v1/customers.php?format=csv&name=Head%20office', json)
    assert.match(file.text, /,Head office,/)

    await eventually('the proxy logs', () => logged().includes('/api/v1/imports.php'))
    assert.doesNotMatch(logged(), /resource=|Head%20office|Bearer/)
    if (name === 'nginx') {
      const options = { redirect: 'manual', headers: { host } } as const
      const plain = await fetch(`http://127.0.0.1:${httpPort}/login.php`, options)
      assert.deepEqual(
        [plain.status, plain.headers.get('location')?.replace(/^https:\/\/[^/]+/, '')],
        [308, '/login.php'],
      )
      assert.equal(plain.headers.get('server'), 'nginx', 'the version of the proxy is not shown')
    }

    await server.end('SIGTERM')
    const down = await send('GET', '/api/v1/customers.php', json)
    assert.deepEqual([down.status, down.headers['retry-after']], [503, '5'])
    assert.equal(JSON.parse(down.text).error.code, 'tenant_unavailable')
  })
}

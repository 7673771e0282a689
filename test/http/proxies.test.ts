// TRUST_PROXY: forwarded headers are used only if the setting covers the proxy that sends them (contract §20).

import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { pino } from 'pino'
import { readConfig } from '../../src/config.ts'
import { createPanelUser, password, signIn } from '../support/panel/panel-client.ts'
import { type Environment, type Json, startService } from '../support/service.ts'

/** Starts a service with this TRUST_PROXY. `addressOf` sends a request and returns the client address in the log. */
async function startServiceTrusting(trust: string, settings: Environment = {}) {
  const lines: Json[] = []
  const write = (chunk: Buffer, _encoding: string, callback: () => void) => {
    for (const line of String(chunk).trim().split('\n')) lines.push(JSON.parse(line))
    callback()
  }
  const log = pino({ level: 'debug' }, new Writable({ write }))
  const { service } = await startService({ TRUST_PROXY: trust, ...settings }, { log, nodes: 1 })
  return {
    service,
    lines,
    async addressOf(headers: Record<string, string>, remoteAddress = '127.0.0.1'): Promise<string> {
      const id = `request-${lines.length}`
      const requestHeaders = { ...headers, 'x-request-id': id }
      await service.server.inject({ url: '/api/v1/customers.php', headers: requestHeaders, remoteAddress })
      return lines.find(({ requestId }) => requestId === id).address
    },
  }
}

test('if TRUST_PROXY is false or not set, the client address is the connection’s peer address, and the first forwarded address causes a warning', async () => {
  for (const setting of ['', 'false', '0']) {
    const { addressOf, lines } = await startServiceTrusting(setting)
    const warnings = () => lines.filter(({ level, msg }) => level === 40 && msg.includes('TRUST_PROXY'))
    assert.equal(await addressOf({}), '127.0.0.1')
    assert.equal(warnings().length, 0)
    assert.equal(await addressOf({ 'x-forwarded-for': '203.0.113.7' }), '127.0.0.1')
    assert.equal(await addressOf({ 'x-forwarded-for': '203.0.113.8' }), '127.0.0.1')
    assert.equal(warnings().length, 1)
  }
})

test('if TRUST_PROXY is n, the last n proxies are trusted, and the client address is the address that connected to the outermost trusted proxy', async () => {
  const one = await startServiceTrusting('1')
  assert.equal(await one.addressOf({}), '127.0.0.1')
  assert.equal(await one.addressOf({ 'x-forwarded-for': '203.0.113.7' }), '203.0.113.7')
  assert.equal(await one.addressOf({ 'x-forwarded-for': '6.6.6.6, 203.0.113.7' }), '203.0.113.7')
  assert.equal(await one.addressOf({ 'x-forwarded-for': '6.6.6.6,6.6.6.7,2001:db8::7' }), '2001:db8::7')
  const two = await startServiceTrusting('2')
  assert.equal(await two.addressOf({ 'x-forwarded-for': '6.6.6.6, 203.0.113.7, 10.0.0.1' }), '203.0.113.7')
})

test('if TRUST_PROXY lists addresses and networks, only proxies with those addresses are trusted', async () => {
  const { addressOf } = await startServiceTrusting('127.0.0.1, 10.0.0.0/8, 2001:db8:1::/48')
  const forwarded = { 'x-forwarded-for': '6.6.6.6, 203.0.113.7, 2001:db8:1::5, 10.1.2.3' }
  assert.equal(await addressOf(forwarded), '203.0.113.7')
  assert.equal(await addressOf(forwarded, '::ffff:10.9.9.9'), '203.0.113.7')
  assert.equal(await addressOf(forwarded, '192.0.2.1'), '192.0.2.1')
  assert.equal(await addressOf(forwarded, '127.0.0.2'), '127.0.0.2')
})

test('an invalid forwarded address is ignored, and so are all addresses that precede it in the header', async () => {
  for (const setting of ['1', '127.0.0.1']) {
    const { addressOf } = await startServiceTrusting(setting)
    for (const given of ['"><script>alert(1)</script>', 'unknown', '1', '127.1', '203.0.113.7:80', '6.6.6.6, ?', ',']) {
      assert.equal(await addressOf({ 'x-forwarded-for': given }), '127.0.0.1', given)
    }
    assert.equal(await addressOf({ 'x-forwarded-for': '"><script>, 203.0.113.7' }), '203.0.113.7')
  }
  const { addressOf } = await startServiceTrusting('3')
  assert.equal(await addressOf({ 'x-forwarded-for': '6.6.6.6, "><script>, 203.0.113.7' }), '203.0.113.7')
})

test('cookies are Secure if a trusted proxy reports that the client uses TLS', async () => {
  for (const [setting, peer, proto, isSecure] of [
    ['1', '127.0.0.1', 'https', true],
    ['1', '127.0.0.1', 'http, HTTPS', true],
    ['1', '127.0.0.1', 'https, http', false],
    ['1', '127.0.0.1', 'https"><script>', false],
    ['10.0.0.0/8', '127.0.0.1', 'https', false],
    ['false', '127.0.0.1', 'https', false],
  ] as const) {
    const { service } = await startServiceTrusting(setting)
    const headers = { 'x-forwarded-proto': proto }
    const response = await service.server.inject({ url: '/login.php', headers, remoteAddress: peer })
    assert.equal(String(response.headers['set-cookie']).includes('; Secure'), isSecure, `${setting} ${proto}`)
  }
})

test('links on pages never use X-Forwarded-Host', async () => {
  for (const setting of ['false', '1', '127.0.0.1']) {
    const { environment, listen } = await startService({ TRUST_PROXY: setting })
    await createPanelUser(environment, 'root@example.com')
    const origin = await listen().then((url) => new URL(url).origin)
    const proxied = { 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '203.0.113.7' }
    const root = await signIn(origin, 'root@example.com')
    const fields = { email: 'new@example.com', role: 'administrator', password }
    const { html } = await root.submit('users.php', fields, /./, proxied)
    assert.ok(html.includes(`${origin}/setup.php`), setting)
    assert.doesNotMatch(html, /evil\.example/, setting)
  }
})

test('an invalid TRUST_PROXY, such as true, is refused with a message that explains the valid values', () => {
  for (const value of [
    'true',
    'yes',
    '1.5',
    '-1',
    '100',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    'proxy.local',
    '::/129',
    '1,2',
  ]) {
    assert.throws(() => readConfig({ TRUST_PROXY: value }), {
      message: `TRUST_PROXY must be false, the number of proxies in front of this server (usually 1), or their addresses and networks, such as 127.0.0.1,10.0.0.0/8, not ${JSON.stringify(value)}.`,
    })
  }
})

test('a server that other machines can reach warns if PUBLIC_URL is not set', async () => {
  for (const [settings, isWarned] of [
    [{ HOST: '0.0.0.0' }, true],
    [{ HOST: '::' }, true],
    [{ HOST: '0.0.0.0', PUBLIC_URL: 'https://assets.example.com' }, false],
    [{ HOST: '127.0.0.1' }, false],
    [{ HOST: '::1' }, false],
  ] as const) {
    const { lines } = await startServiceTrusting('1', settings)
    assert.equal(
      lines.some(({ level, msg }) => level === 40 && msg.includes('PUBLIC_URL')),
      isWarned,
      JSON.stringify(settings),
    )
  }
})

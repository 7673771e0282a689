// A client that knows only the API's URL can find the API's endpoints (contract §14).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { methodsOf } from '../../../src/api/endpoint.ts'
import { endpointsOf } from '../../../src/api/endpoints/all.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { assertCommonHeaders, assertRefused } from '../../support/api/shared-errors.ts'
import { startService } from '../../support/service.ts'

const { request, tenant } = await startService({ RATE_LIMIT_PER_MINUTE: '100' })

test('the root of the API lists every endpoint and the URL of the reference, and does not require a key', async () => {
  const response = await request('GET', '/', {})
  assert.equal(response.status, 200)
  assertCommonHeaders(response)
  assert.equal(response.headers['x-ratelimit-limit'], undefined)
  const { endpoints, ...urls } = response.body
  assert.deepEqual(urls, { reference: '/docs', openapi: '/api/v1/openapi.json' })
  const declared = Map.groupBy(endpointsOf(resources), ({ path }) => path)
  const expected = [...declared].map(([path, endpointsOfPath]) => ({
    url: `/api/v1${path}`,
    methods: [...new Set(endpointsOfPath.flatMap(methodsOf))],
  }))
  assert.deepEqual(endpoints, expected)
  const head = await request('HEAD', '/', {})
  assert.deepEqual([head.status, head.text], [200, ''])
})

test('the URLs listed at the root of the API start with PUBLIC_URL', async () => {
  const { request } = await startService({ PUBLIC_URL: 'https://example.com/assets', API_BASE_PATH: '/v1' })
  const { reference, openapi, endpoints } = (await request('GET', '/', {})).body
  const urls = [reference, openapi, endpoints[0].url]
  const expected = ['docs', 'v1/openapi.json', 'v1/customers.php']
  assert.deepEqual(
    urls,
    expected.map((path) => `https://example.com/assets/${path}`),
  )
})

test('the root of the API is read-only', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    assertRefused(await request(method, '/', {}), 'method_not_allowed', method, ['GET', 'HEAD'])
  }
})

test('if the API is at the root of the server, / still serves the panel', async () => {
  const { service, request } = await startService({ API_BASE_PATH: '/' })
  const response = await service.server.inject('/')
  assert.deepEqual([response.statusCode, response.headers['x-ratelimit-limit']], [303, undefined])
  const { paths } = (await request('GET', '/openapi.json', {})).body
  assert.equal(paths['/'], undefined)
})

test('the 404 response to an unknown path contains the URL of the reference', async () => {
  const local = await tenant('acme')
  const installation = await startService({ PUBLIC_URL: 'https://example.com/assets' })
  const published = await installation.tenant('acme')
  for (const [client, url] of [
    [local, '/docs'],
    [published, 'https://example.com/assets/docs'],
  ] as const) {
    for (const path of ['/customer.php', '/me', '/customers.php/7', '//']) {
      const refused = await client('GET', path)
      assertRefused(refused, 'not_found')
      assert.ok(refused.body.error.message.endsWith(` ${url}`), refused.body.error.message)
    }
  }
})

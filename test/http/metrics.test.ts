// A server's metrics and their names.

import assert from 'node:assert/strict'
import { globSync, renameSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { createPanelUser, openBrowser, signIn } from '../support/panel/panel-client.ts'
import { command, createKey, engine, makeTenant, startService } from '../support/service.ts'

const started = await startService({ RATE_LIMIT_PER_MINUTE: '5' }, { nodes: 1, watchIntervalMs: 20 })
const { environment, service, client, request } = started
const acme = client(await makeTenant(environment, 'acme'))
const { origin } = new URL(await started.listen())

type Sample = { name: string; labels: Record<string, string>; value: number }

async function scrape(): Promise<{ text: string; samples: Sample[] }> {
  const { payload: text, statusCode } = await service.server.inject('/metrics')
  assert.equal(statusCode, 200)
  const samples = [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name, labels = '', value]) => ({
    name: name!,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label, text]) => [label!, text!])),
    value: Number(value),
  }))
  return { text, samples }
}

/** Returns the value of the metric with these labels, or undefined if there is no such metric. */
async function metricValue(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const { samples } = await scrape()
  const isWanted = (sample: Sample) =>
    sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  return samples.find(isWanted)?.value
}

const metric = 'tenantdesk_http_request_duration_seconds_count'

test('every metric follows the Prometheus conventions: a prefix, a unit, _total for counters, and a help text', async () => {
  const { text } = await scrape()
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({ name: name!, type: type! }))
  const ownMetrics = types.filter(({ name }) => !/^(process|nodejs)_/.test(name))
  assert.ok(ownMetrics.length > 15)
  for (const { name, type } of ownMetrics) {
    assert.match(name, /^tenantdesk_[a-z][a-z_]*$/)
    assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`)
    assert.doesNotMatch(name, /_(ms|milliseconds|kb|mb|percent|minutes|hours|count|sum|bucket)(_|$)/, name)
    assert.match(text, new RegExp(`^# HELP ${name} \\S`, 'm'))
  }
  for (const { name } of types) assert.equal(types.filter((other) => other.name === name).length, 1, name)
})

test('the duration of requests to the API and the panel is measured by method, declared route and status class', async () => {
  await acme('GET', '/customers.php?id=1')
  await openBrowser(origin).get('login.php?next=secret')
  for (const path of ['/nothing.php', '/customers.php/deep', `/${'x'.repeat(50)}`]) await acme('GET', path)
  await service.server.inject('/no-page.php')
  const countOf = (route: string, status_class: string) => metricValue(metric, { method: 'GET', route, status_class })
  await eventually('all requests are counted', async () => (await countOf('other', '4xx')) === 4)
  assert.equal(await countOf('/api/v1/customers.php', '4xx'), 1)
  assert.equal(await countOf('/login.php', '2xx'), 1)
  const { samples } = await scrape()
  const routes = new Set(samples.map(({ labels }) => labels.route).filter((route) => route !== undefined))
  for (const route of routes) assert.match(route, /^(other|(\/[a-z0-9_.]*)+)$/)
  assert.ok(routes.size < 10, [...routes].join(' '))
})

test('no metric label contains text from a client: an unknown method is counted as other', async () => {
  await service.server.inject({ method: 'PROPFIND' as 'GET', url: '/api/v1/customers.php' })
  await eventually('the request is counted', async () =>
    metricValue('tenantdesk_http_requests_total', { method: 'other' }),
  )
  const { text } = await scrape()
  assert.doesNotMatch(text, /acme|PROPFIND|secret|tdk_/)
})

test('requests refused by a rate limit are counted separately for each kind of limit', async () => {
  const limited = client(await createKey(environment, 'acme'))
  for (let count = 0; count < 7; count++) await limited('GET', '/customers.php')
  assert.equal(await metricValue('tenantdesk_rate_limit_rejections_total', { limit: 'key' }), 2)
  assert.equal(await metricValue('tenantdesk_rate_limit_rejections_total', { limit: 'session' }), 0)
})

test('each component has a metric that is 1 for its current state and 0 for other states', async () => {
  const { samples } = await scrape()
  const states = samples.filter(({ name }) => name === 'tenantdesk_component_state')
  const components = new Set(states.map(({ labels }) => labels.component))
  assert.equal(states.length, 3 * components.size)
  for (const { labels, value } of states) assert.equal(value, labels.state === 'ok' ? 1 : 0, JSON.stringify(labels))
})

test('there are metrics for disk space, tenants, jobs, versions and the event loop', async () => {
  const [free, size] = [
    await metricValue('tenantdesk_disk_free_bytes'),
    await metricValue('tenantdesk_disk_size_bytes'),
  ]
  assert.ok(free! > 0 && size! > free!)
  await command(environment, 'tenant', 'create', 'later', '--trial-ends', '2999-01-01')
  assert.equal(await metricValue('tenantdesk_tenants', { state: 'trial' }), 1)
  for (const state of ['waiting', 'running'])
    assert.equal(await metricValue('tenantdesk_job_queue_tenants', { state }), 0, state)
  assert.equal(await metricValue('tenantdesk_job_queue_oldest_age_seconds'), 0)
  assert.ok((await metricValue('nodejs_eventloop_lag_p99_seconds'))! > 0)
  assert.ok((await metricValue('process_resident_memory_bytes'))! > 1e6)
  assert.equal(await metricValue('tenantdesk_build_info', { node: process.versions.node }), 1)
})

test('a failing tenant database causes a warning in /readyz and increases a metric, but does not affect other tenants', {
  skip: engine === 'postgres' && 'on PostgreSQL, tenants have no files',
}, async () => {
  await createPanelUser(environment, 'root@example.com')
  const globex = client(await makeTenant(environment, 'globex'))
  const before = new Set(globSync(`${environment.DATA_DIR}/tenants/*/*.sqlite`))
  const victim = client(await makeTenant(environment, 'victim'))
  const [file] = globSync(`${environment.DATA_DIR}/tenants/*/*.sqlite`).filter((path) => !before.has(path))
  const tenants = async () => (await service.server.inject('/readyz')).json().components.at(-1)
  const unavailable = (reason: string) => metricValue('tenantdesk_tenants_unavailable', { reason })

  renameSync(file!, `${file}.away`)
  await eventually('an idle tenant is checked too', async () => (await unavailable('unreachable')) === 1)
  assert.equal((await service.server.inject('/readyz')).statusCode, 200)
  assert.deepEqual(await tenants(), {
    component: 'tenants',
    status: 'warning',
    message: 'The databases of 1 tenant are failing.',
  })
  assert.equal(await metricValue('tenantdesk_component_state', { component: 'tenants', state: 'warning' }), 1)
  assert.equal((await globex('GET', '/customers.php')).status, 200)

  writeFileSync(file!, 'Not a database.\n'.repeat(1000))
  await eventually('the damage is found', async () => (await unavailable('damaged')) === 1)
  assert.equal((await victim('GET', '/customers.php')).status, 503)
  assert.match((await tenants()).message, /\(1 damaged\)/)
  const root = await signIn(origin, 'root@example.com')
  assert.match((await root.get('')).html, /victim/)

  renameSync(`${file}.away`, file!)
  await eventually('the tenant works again', async () => (await unavailable('damaged')) === 0)
  assert.equal((await victim('GET', '/customers.php')).status, 200)
  assert.deepEqual(await tenants(), { component: 'tenants', status: 'ok' })
})

test('a metric that cannot be read is omitted, and all other metrics are still present', async () => {
  const { corruptCatalog } = await import('../support/databases/tenant-database.ts')
  await corruptCatalog(environment)
  assert.equal(await metricValue('tenantdesk_tenants', { state: 'active' }), undefined)
  assert.equal(await metricValue('tenantdesk_job_queue_oldest_age_seconds'), undefined)
  assert.equal(await metricValue('tenantdesk_component_state', { component: 'catalog', state: 'error' }), 1)
  assert.ok((await metricValue('tenantdesk_disk_free_bytes'))! > 0)
  assert.equal((await request('GET', '/customers.php', {})).status, 401)
})

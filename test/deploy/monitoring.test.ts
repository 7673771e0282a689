// The files in docs/monitoring. Every expression must be valid PromQL and use only metrics, labels and values that a
// server exposes.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { eventually } from '../support/eventually.ts'
import { type Json, makeTenant, startService, temporaryDirectory } from '../support/service.ts'

const directory = 'docs/monitoring'
const rules: Json[] = parse(readFileSync(`${directory}/tenantdesk-alerts.yaml`, 'utf8')).groups[0].rules
const dashboard: Json = JSON.parse(readFileSync(`${directory}/grafana-dashboard.json`, 'utf8'))
const panels: Json[] = dashboard.panels.filter(({ type }: Json) => type !== 'row')

/** The labels of each metric that a server exposes, with their values. */
type Exposed = Map<string, Map<string, Set<string>>>

async function exposedMetrics(): Promise<Exposed> {
  const redisTimeouts = { answerMs: 100, startMs: 100 }
  const backups = { BACKUP_EVERY: '24h', BACKUP_DIR: join(temporaryDirectory(), 'backups') }
  const settings = { DATABASE_URL: '', RATE_LIMIT_REDIS_URL: 'redis://127.0.0.1:1', ...backups }
  const overrides = { nodes: 1, redisTimeouts, backupPollIntervalMs: 50 }
  const { service, environment, client } = await startService(settings, overrides)
  const acme = client(await makeTenant(environment, 'acme'))
  await acme('POST', '/customers.php', { name: 'Head office' })
  return eventually('the request is measured, and a backup was made', async () => {
    const { payload } = await service.server.inject('/metrics')
    const exposed: Exposed = new Map()
    for (const [, name, labels = ''] of payload.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
      const known = exposed.get(name!) ?? new Map<string, Set<string>>()
      for (const [, label, value] of labels.matchAll(/(\w+)="([^"]*)"/g))
        known.set(label!, (known.get(label!) ?? new Set()).add(value!))
      exposed.set(name!, known)
    }
    const expected = ['tenantdesk_http_request_duration_seconds_count', 'tenantdesk_backup_read_timestamp_seconds']
    return expected.every((name) => exposed.has(name)) && exposed
  })
}

const exposed = await exposedMetrics()

/** Prometheus adds these labels to each series. */
const targetLabels = ['instance', 'job']

/** Labels whose values depend on the deployment or the traffic, and are not checked. */
const openLabels = new Set([...targetLabels, 'route', 'method', 'status', 'status_class', 'le'])

type Matcher = { label: string; operator: string; value: string }
type Selector = { metric: string; matchers: Matcher[] }

/** Returns the selectors and the grouping labels of an expression. Throws an error if it is not valid PromQL. */
function read(expression: string): { selectors: Selector[]; grouping: string[] } {
  const text = expression.replaceAll('$__rate_interval', '5m')
  const [selectors, grouping]: [Selector[], string[]] = [[], []]
  parser.parse(text).iterate({
    enter({ name, from, to, type, node }) {
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`)
      const own = text.slice(from, to)
      if (name === 'VectorSelector') selectors.push({ metric: '', matchers: [] })
      if (name === 'Identifier') selectors.at(-1)!.metric = own
      if (name === 'UnquotedLabelMatcher') {
        const [, label, operator, value] = /^(\w+)\s*([=!~]+)\s*"(.*)"$/s.exec(own)!
        selectors.at(-1)!.matchers.push({ label: label!, operator: operator!, value: value! })
      }
      if (name === 'LabelName' && node.parent?.name === 'GroupingLabels') grouping.push(own)
    },
  })
  assert.ok(selectors.length > 0, text)
  return { selectors, grouping }
}

function requireExposed(expression: string): void {
  const { selectors, grouping } = read(expression)
  const grouped = new Set([...targetLabels, 'le'])
  for (const { metric, matchers } of selectors) {
    const labels = metric === 'up' ? new Map<string, Set<string>>() : exposed.get(metric)
    assert.ok(labels, `no server exposes the metric ${metric}: ${expression}`)
    for (const name of labels.keys()) grouped.add(name)
    for (const { label, operator, value } of matchers) {
      assert.ok(labels.has(label) || targetLabels.includes(label), `${metric} has no label ${label}: ${expression}`)
      if (openLabels.has(label)) continue
      const wanted = operator.includes('~') ? value.split('|') : [value]
      for (const each of wanted) assert.ok(labels.get(label)!.has(each), `${metric} has no ${label}="${each}"`)
    }
  }
  for (const label of grouping) assert.ok(grouped.has(label), `no metric has the label ${label}: ${expression}`)
}

test('the check rejects invalid PromQL, and metrics, labels and values that no server exposes', () => {
  const refused = [
    'sum by (instance (up)',
    'rate(tenantdesk_http_requests_total[5x])',
    'tenantdesk_nothing_total > 0',
    'tenantdesk_tenants{kind="active"}',
    'tenantdesk_tenants{state="happy"}',
    'sum by (tenant) (tenantdesk_tenants)',
  ]
  for (const expression of refused) assert.throws(() => requireExposed(expression), expression)
  requireExposed('sum by (state) (tenantdesk_tenants{state="active"}) > 0')
})

test('every alert rule uses metrics, labels and values that a server exposes', () => {
  assert.ok(rules.length > 10)
  for (const { expr } of rules) requireExposed(expr)
})

test('every alert has a severity, a summary with existing labels, and a section in the guide', () => {
  const guide = readFileSync('docs/guide/monitor.md', 'utf8')
  const names = rules.map(({ alert }) => alert)
  assert.equal(new Set(names).size, names.length)
  for (const { alert, expr, labels, annotations } of rules) {
    assert.match(alert, /^Tenantdesk[A-Z]\w+$/)
    assert.match(labels.severity, /^(critical|warning)$/, alert)
    assert.ok(guide.includes(`\n### ${alert}\n`), `docs/guide/monitor.md has no section ${alert}`)
    const { selectors } = read(expr)
    const present = new Set([
      ...targetLabels,
      ...selectors.flatMap(({ metric }) => [...(exposed.get(metric)?.keys() ?? [])]),
    ])
    for (const [, label] of annotations.summary.matchAll(/\$labels\.(\w+)/g)) assert.ok(present.has(label!), alert)
  }
  const sections = [...guide.matchAll(/^### (Tenantdesk\w+)$/gm)].map(([, name]) => name)
  assert.deepEqual(sections.toSorted(), names.toSorted())
})

test('every panel on the dashboard uses metrics, labels and values that a server exposes', () => {
  assert.ok(panels.length > 10)
  for (const { title, description, targets, fieldConfig } of panels) {
    assert.ok(title && description && fieldConfig.defaults.unit, title)
    for (const { expr } of targets) requireExposed(expr)
  }
})

test('the panel of failed requests shows 0 before the first failure', () => {
  const { targets } = panels.find(({ title }) => title === 'Failed requests')
  const all = read(targets[0].expr).selectors.filter(({ matchers }) =>
    matchers.every(({ label }) => label === 'instance'),
  )
  assert.ok(all.length === 2 && /\) or 0 \* sum by \(instance\)/.test(targets[0].expr), targets[0].expr)
})

test('an alert fires if Prometheus has no target at all', () => {
  assert.ok(rules.some(({ expr }) => /^absent\(up\{/.test(expr)))
})

test('the panels on the dashboard have unique ids and do not overlap', () => {
  const ids = dashboard.panels.map(({ id }: Json) => id)
  assert.equal(new Set(ids).size, ids.length)
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }: Json) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  )
  assert.equal(new Set(cells).size, cells.length)
  assert.ok(dashboard.panels.every(({ gridPos: { x, w } }: Json) => x + w <= 24))
})

test('Prometheus is configured to scrape each node and to load the rules', () => {
  const { scrape_configs, rule_files } = parse(readFileSync(`${directory}/prometheus.yaml`, 'utf8'))
  assert.deepEqual(rule_files, ['tenantdesk-alerts.yaml'])
  assert.equal(scrape_configs[0].job_name, 'tenantdesk')
  assert.equal(scrape_configs[0].static_configs[0].targets.length, 3)
})

// The demo tenant: a made-up company with two years of history.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { german } from '../../src/tenants/demo/words/de.ts'
import { turkish } from '../../src/tenants/demo/words/tr.ts'
import { type Client, command, createKey, networkClient, startService } from '../support/service.ts'

type Row = Record<string, unknown> & { id: number }
type ChangeRow = { at: string; resource: string; id: number; action: string; change_set: string }

const { environment, listen } = await startService({ RATE_LIMIT_PER_MINUTE: '0' })
const apiUrl = await listen()

/** Creates the demo tenant with a command, which must succeed. Returns a client with a key of it. */
async function createDemo(...options: string[]): Promise<Client> {
  const { exitCode, stdout, stderr } = await command(environment, 'tenant', 'create', '--demo', ...options)
  assert.deepEqual([exitCode, stdout], [0, 'demo\n'], stderr)
  return networkClient(apiUrl, await createKey(environment, 'demo'))
}

async function removeDemo(): Promise<void> {
  assert.equal((await command(environment, 'tenant', 'delete', 'demo', '--yes')).exitCode, 0)
}

async function listAll(client: Client, path: string): Promise<Row[]> {
  const { body } = await client('GET', `${path}${path.includes('?') ? '&' : '?'}limit=100`)
  return body.data
}

async function listChanges(client: Client): Promise<ChangeRow[]> {
  const rows: ChangeRow[] = []
  for (let since = 0; ; ) {
    const { body } = await client('GET', `/changes.php?limit=200&since=${since}`)
    rows.push(...body.data)
    if (body.data.length === 0) return rows
    since = body.page.since
  }
}

const dayMs = 24 * 60 * 60_000

test('each record of the demo company has its history, in chronological order, within the working hours of two years', async () => {
  const client = await createDemo('--time-zone', 'America/New_York')
  const changes = await listChanges(client)
  assert.ok(changes.length > 200)
  const times = changes.map(({ at }) => at)
  assert.deepEqual(times, times.toSorted())
  const age = (Date.now() - Date.parse(times[0]!)) / dayMs
  assert.ok(age > 729 && age < 736, `${age} days`)
  assert.ok(Date.parse(times.at(-1)!) < Date.now())
  const format = new Intl.DateTimeFormat('en', {
    timeZone: 'America/New_York',
    weekday: 'short',
    hour: 'numeric',
    hourCycle: 'h23',
  })
  for (const time of times) {
    const [weekday, hour] = format.format(new Date(time)).split(/\D*[, ]+/)
    assert.ok(!['Sat', 'Sun'].includes(weekday!) && Number(hour) >= 8 && Number(hour) < 18, `${weekday} ${hour}`)
  }
  for (const resource of ['customers', 'employees', 'hardware']) {
    const created = new Map(
      changes
        .filter((change) => change.resource === resource && change.action === 'create')
        .map(({ id, at }) => [id, at]),
    )
    const records = await listAll(client, `/${resource}.php`)
    assert.equal(records.length, created.size, resource)
    for (const { id, created_at } of records) assert.equal(created_at, created.get(id), `${resource} ${id}`)
  }
  await removeDemo()
})

test('the demo company shows every kind of work that a desk has today', async () => {
  const client = await createDemo()
  const count = async (path: string) => (await listAll(client, path)).length
  assert.equal(await count('/hardware.php?loan=overdue'), 2)
  assert.equal(await count('/hardware.php?loan=out'), 3)
  assert.ok((await count('/hardware.php?warranty=60d')) >= 5)
  assert.equal(await count('/hardware.php?status=in_repair'), 2)
  assert.equal(await count('/hardware.php?status=lost'), 1)
  assert.ok((await count('/hardware.php?status=spare')) > 15)
  assert.equal(await count('/employees.php?employment=30d&kind=person'), 2, 'people who leave soon')
  assert.ok((await count('/employees.php?employment=left')) >= 6)
  const places = await listAll(client, '/employees.php?kind=storage')
  assert.ok(places.some(({ name }) => name === 'Loan pool') && places.some(({ name }) => name === 'IT store room'))
  const leavers = new Set((await listAll(client, '/employees.php?employment=left')).map(({ id }) => id))
  const items = await listAll(client, '/hardware.php')
  const outstanding = items.filter(({ employee_id }) => leavers.has(employee_id as number))
  assert.deepEqual(outstanding.map(({ asset_tag }) => asset_tag).sort(), ['NW-0102', 'NW-0104'], 'Tom has left')
  const origins = places.flatMap(({ id }) => items.filter(({ employee_id }) => employee_id === id))
  assert.ok(origins.every(({ status }) => ['spare', 'reserved', 'lost', 'retired'].includes(String(status))))
  const tags = items.map(({ asset_tag }) => String(asset_tag))
  assert.equal(new Set(items.map(({ serial_number }) => serial_number)).size, tags.length, 'serial numbers differ')
  await removeDemo()
})

test('the demo company is in the chosen language, time zone and currency, and a value that does not exist is refused', async () => {
  for (const [option, value] of [
    ['--language', 'fr'],
    ['--time-zone', 'Mars'],
    ['--currency', 'XXXX'],
  ] as const) {
    const { exitCode, stderr } = await command(environment, 'tenant', 'create', '--demo', option, value)
    assert.equal(exitCode, 1)
    assert.match(stderr, new RegExp(`^${option} takes .*${value}`))
  }
  const client = await createDemo('--language', 'tr', '--time-zone', 'Europe/Istanbul', '--currency', 'TRY')
  const { name, currency, time_zone } = (await client('GET', '/settings.php')).body
  assert.deepEqual([name, currency, time_zone], ['Demo Şirketi', 'TRY', 'Europe/Istanbul'])
  const [laptop] = await listAll(client, '/hardware.php?asset_tag=TD-0001')
  assert.equal(laptop!.name, 'Dizüstü, Ada')
  assert.ok(Number(laptop!.purchase_cost) > 5_000_000, 'prices are plausible in the currency')
  assert.equal((await command(environment, 'tenant', 'create', '--demo')).exitCode, 1, 'there is only one')
  await removeDemo()
})

test('each German and Turkish translation of the demo data belongs to one of its texts', async () => {
  const client = await createDemo()
  const { name } = (await client('GET', '/settings.php')).body
  const records = await Promise.all(
    ['customers', 'employees', 'hardware'].map((each) => listAll(client, `/${each}.php`)),
  )
  const history = JSON.stringify(await listChanges(client))
  const texts = new Set(records.flat().flatMap((record) => Object.values(record)))
  const isUsed = (text: string) =>
    text === name || texts.has(text) || history.includes(JSON.stringify(text).slice(1, -1))
  for (const words of [german, turkish])
    assert.deepEqual(
      Object.keys(words).filter((text) => !isUsed(text)),
      [],
    )
  await removeDemo()
})

// /readyz lists each component that the service requires, and says why a component is not ready.

import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { test } from 'node:test'
import { pino } from 'pino'
import { corruptCatalog } from '../support/databases/tenant-database.ts'
import { type Json, startService, temporaryDirectory } from '../support/service.ts'

const lines: Json[] = []
const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line)) })

type Server = Awaited<ReturnType<typeof startService>>['service']['server']

async function readiness(server: Server): Promise<{ status: number; body: Json; states: Record<string, Json> }> {
  const response = await server.inject('/readyz')
  const body = response.json()
  const states = body.components.map(({ component, ...state }: Json) => [component, state])
  return { status: response.statusCode, body, states: Object.fromEntries(states) }
}

test('a node whose components all work is ready, and /readyz lists them', async () => {
  const { service } = await startService({}, { nodes: 1 })
  const { status, body, states } = await readiness(service.server)
  assert.deepEqual([status, body.status], [200, 'ready'])
  for (const component of ['catalog', 'data_directory']) assert.deepEqual(states[component], { status: 'ok' })
})

test('a node whose disk is nearly full is not ready, unless MIN_FREE_DISK_BYTES is 0', async () => {
  const fullDisk = await startService({ MIN_FREE_DISK_BYTES: String(2 ** 50) }, { nodes: 1, log })
  const full = await readiness(fullDisk.service.server)
  assert.deepEqual([full.status, full.body.error.code], [503, 'service_unavailable'])
  assert.equal(full.body.error.message, 'Not ready: data_directory.')
  assert.match(full.states.data_directory.message, /^Only [\d.]+ \wiB free, less than MIN_FREE_DISK_BYTES/)
  assert.deepEqual(full.states.catalog, { status: 'ok' })
  const unlimited = await startService({ MIN_FREE_DISK_BYTES: '0' }, { nodes: 1 })
  assert.deepEqual((await readiness(unlimited.service.server)).states.data_directory, { status: 'ok' })
})

test('a node without its data directory is not ready until the directory is back', async () => {
  const directory = `${temporaryDirectory()}/data`
  const { service } = await startService({ DATA_DIR: directory, DATABASE_URL: '' }, { nodes: 1, log })
  lines.length = 0
  renameSync(directory, `${directory}-away`)
  for (let times = 0; times < 2; times++) {
    const { status, states } = await readiness(service.server)
    assert.equal(status, 503)
    assert.deepEqual(states.data_directory, { status: 'error', message: 'It cannot be written to.' })
  }
  renameSync(`${directory}-away`, directory)
  assert.equal((await readiness(service.server)).status, 200)
  const changes = lines.filter(({ component }) => component === 'data_directory').map(({ level, msg }) => [level, msg])
  assert.deepEqual(changes, [
    [50, 'a component is not ready'],
    [30, 'a component is ready again'],
  ])
})

test('/readyz contains no path, address or name, and the log says why a component is not ready', async () => {
  const { service, environment } = await startService({}, { nodes: 1, log })
  lines.length = 0
  await corruptCatalog(environment)
  const { status, body, states } = await readiness(service.server)
  assert.deepEqual([status, states.catalog], [503, { status: 'error', message: 'It is not responding.' }])
  assert.doesNotMatch(JSON.stringify(body), /\/|sqlite|tenantdesk|127\.0\.0\.1/)
  assert.ok(lines.some(({ component, reason }) => component === 'catalog' && reason.length > 10))
})

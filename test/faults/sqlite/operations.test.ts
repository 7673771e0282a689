import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, globSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundedMs, eventually } from '../../support/eventually.ts'
import { isCheckpointed, openFilesOf } from '../../support/faults/files.ts'
import {
  command,
  makeTenant,
  networkClient,
  startProcess,
  startService,
  temporaryDirectory,
} from '../../support/service.ts'

const directory = temporaryDirectory()
const [acme, globex] = [
  await makeTenant({ DATA_DIR: directory }, 'acme'),
  await makeTenant({ DATA_DIR: directory }, 'globex'),
]
const files = globSync(`${directory}/tenants/*/*.sqlite`)

test('the service continues to run while its log cannot be written', {
  skip: !existsSync('/dev/full'),
}, async () => {
  const settings = { DATA_DIR: directory, LOG_LEVEL: 'info' }
  const server = await startProcess(settings, { nodes: 1, log: openSync('/dev/full', 'w') })
  const call = networkClient(server.url, acme)
  for (let count = 0; count < 50; count++) assert.equal((await call('GET', '/customers.php')).status, 200)
  await sleep(300) // the server tries several times to flush the log, and fails
  assert.equal((await call('GET', '/customers.php')).status, 200)
  await server.end('SIGTERM')
  assert.equal(server.process.exitCode, 0)
})

test('the log has one line per request, in order, including the last request before shutdown', async () => {
  const path = join(directory, 'log')
  const server = await startProcess({ DATA_DIR: directory, LOG_LEVEL: 'info' }, { nodes: 1, log: openSync(path, 'w') })
  const call = networkClient(server.url, acme)
  const ids = Array.from({ length: 300 }, (_, index) => `request-${index}`) // too many lines for one write to the log
  for (const id of ids) await call('GET', '/customers.php?id=1', undefined, { 'x-request-id': id })
  await server.end('SIGTERM')
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const requests = lines.map((line) => JSON.parse(line)).filter(({ key }) => key !== undefined)
  assert.deepEqual(
    requests.map(({ requestId }) => requestId),
    ids,
  )
})

test('SIGTERM stops the service in time, even with incomplete requests', async () => {
  const server = await startProcess({ DATA_DIR: directory })
  const { port } = new URL(server.url)
  for (const half of ['POST /api/v1/customers.php HT', `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf`]) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
    await once(socket, 'connect')
    socket.write(half)
  }
  // After this response, the server has read the incomplete requests.
  assert.equal((await fetch(new URL('/healthz', server.url))).status, 200)
  await server.end('SIGTERM')
  assert.equal(server.process.exitCode, 0, 'the server exits before the shutdown time limit')
})

test('after SIGTERM, a server reports that it is not ready, serves requests for SHUTDOWN_DELAY, and completes accepted requests', async () => {
  const server = await startProcess({ DATA_DIR: directory, SHUTDOWN_DELAY: '4' }, { nodes: 1 })
  const client = networkClient(server.url, globex)
  await client('GET', '/customers.php') // compiles the check of the responses, so that the next request takes less time
  const { port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const body = JSON.stringify({ name: 'Sent before SIGTERM' })
  socket.write(
    `POST /api/v1/customers.php HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${globex}\r\nContent-Length: ${body.length}\r\n\r\n`,
  )
  assert.equal((await fetch(new URL('/readyz', server.url))).status, 200)
  const ended = server.end('SIGTERM')
  const isUnready = async () => (await fetch(new URL('/readyz', server.url))).status === 503
  await eventually('the server is not ready', isUnready)
  const served = await client('GET', '/customers.php')
  assert.deepEqual([served.status, served.headers.connection], [200, 'close'])
  await eventually('new connections are refused', () =>
    fetch(new URL('/healthz', server.url)).then(
      () => false,
      () => true,
    ),
  )
  socket.write(body)
  const [response] = await once(socket, 'data')
  assert.match(String(response), /^HTTP\/1\.1 201 /)
  await ended
  assert.equal(server.process.exitCode, 0)
})

test("a tenant's file that another process has locked does not delay other tenants", async () => {
  const { client } = await startService({ DATA_DIR: directory })
  await client(globex)('GET', '/customers.php')
  const lockHolders = files.map((file) => new DatabaseSync(file))
  for (const holder of lockHolders) holder.exec('begin immediate')
  const locked = await client(acme)('POST', '/customers.php', { name: 'x' })
  assert.deepEqual([locked.status, locked.headers['retry-after']], [503, '5'])
  const before = performance.now()
  for (let round = 0; round < 10; round++) {
    const refused = client(acme)('POST', '/customers.php', { name: 'x' })
    assert.equal((await client(globex)('GET', '/customers.php')).status, 200)
    assert.equal((await refused).status, 503)
  }
  const tookMs = performance.now() - before
  assert.ok(tookMs < boundedMs, `took ${tookMs} ms; with SQLite's default lock timeout it would be 50 s`)
  for (const holder of lockHolders) holder.close()
  assert.equal((await client(acme)('POST', '/customers.php', { name: 'x' })).status, 201)
})

test("a tenant's write-ahead log is checkpointed once another process has stopped reading the file", async () => {
  const { tenant, environment } = await startService()
  const initech = await tenant('initech')
  await initech('POST', '/customers.php', { name: 'before' })
  const [file] = globSync(`${environment.DATA_DIR}/tenants/*/*.sqlite`)
  const reader = new DatabaseSync(file!)
  reader.exec('begin; select * from customers')
  await initech('POST', '/customers.php', { name: 'meanwhile' })
  await sleep(600) // maintenance tries several times to checkpoint the log, without success
  reader.close()
  await eventually('the log is checkpointed', () => isCheckpointed(file!))
  const withoutWal = new DatabaseSync(`file:${file}?immutable=1`, { readOnly: true })
  assert.equal(withoutWal.prepare('select count(*) as count from customers').get()!.count, 2)
  withoutWal.close()
})

test('/metrics refuses requests forwarded by a proxy on this machine', async () => {
  const { service } = await startService()
  assert.equal((await service.server.inject('/metrics')).statusCode, 200)
  for (const header of ['x-forwarded-for', 'forwarded', 'via']) {
    const response = await service.server.inject({ url: '/metrics', headers: { [header]: '127.0.0.1' } })
    assert.equal(response.statusCode, 404, header)
  }
})

test('/metrics reports commits, open files and refused operations', async () => {
  const { service, tenant } = await startService({}, { waiting: { maxPerTenant: 3, maxPerProcess: 9 } })
  const initech = await tenant('initech')
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => initech('POST', '/customers.php', { name: 'x' })),
  )
  const created = responses.filter(({ status }) => status === 201).length
  const { payload } = await service.server.inject('/metrics')
  const metric = (name: string) => Number(new RegExp(`^tenantdesk_${name} (\\S+)$`, 'm').exec(payload)?.[1])
  assert.equal(metric('sqlite_commit_batch_size_sum'), created)
  assert.ok(metric('sqlite_commit_duration_seconds_count') >= 1 && metric('sqlite_commit_duration_seconds_sum') > 0)
  assert.equal(metric('requests_rejected_total\\{reason="tenant"\\}'), 20 - created)
  assert.deepEqual(
    [metric('sqlite_open_files'), metric('operations_in_flight'), metric('sqlite_file_evictions_total')],
    [1, 0, 0],
  )
})

test('the disk space of a deleted tenant is freed while the server runs', {
  skip: !existsSync('/proc/self/fd'),
}, async () => {
  const { tenant, environment } = await startService()
  const initech = await tenant('initech')
  await initech('POST', '/customers.php', { name: 'x' })
  await command(environment, 'tenant', 'delete', 'initech', '--yes')
  const isTenantFile = (path: string) => path.startsWith(environment.DATA_DIR!) && path.includes('/tenants/')
  // If the file has already been checkpointed, the writer closes it only after a minute.
  const withinMs = 60_000 + boundedMs
  await eventually('the files are closed', () => !openFilesOf('self').some(isTenantFile), { withinMs })
})

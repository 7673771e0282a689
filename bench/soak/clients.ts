// Runs a soak test's clients. They send changes, bulk requests and retries, read lists and exports, and open panel
// pages.

import { setTimeout as wait } from 'node:timers/promises'
import { type PlannedChange, planChange, random, sendChange } from '../../test/support/faults/exactly-once.ts'
import type { Person } from '../../test/support/panel/panel-client.ts'
import type { Client, Response } from '../../test/support/service.ts'
import { fail, type Ledger, recordFirstResponse, type SoakTenant } from './ledger.ts'
import type { SoakServer } from './server.ts'

const jsonType = { 'content-type': 'application/json' }

/** The mean pause between a client's requests. It keeps the load below the capacity of two cores, because queues would
 *  hide other effects. */
const pauseMs = 20

export function clientOf({ url }: SoakServer, token: string): Client {
  return async (method, path, body, headers = {}) => {
    const authorization = { authorization: `Bearer ${token}` }
    const response = await fetch(url + path, {
      method,
      headers: { ...authorization, ...(body !== undefined && jsonType), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const responseHeaders = Object.fromEntries(response.headers)
    return { status: response.status, headers: responseHeaders, text, body: isJson ? JSON.parse(text) : undefined }
  }
}

/** Runs one client until `isOver` returns true. The client finishes its request in flight before it stops. */
export async function runClient(
  server: SoakServer,
  ledger: Ledger,
  person: Person,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const tenant = chooseTenant(ledger.tenants)
    tenant.isBusy = true
    const choice = random()
    if (choice < 0.6) await change(server, ledger, tenant)
    else if (choice < 0.68) await replay(server, ledger, tenant)
    else if (choice < 0.93) await read(server, ledger, tenant)
    else await openPage(server, ledger, tenant, person)
    tenant.isBusy = false
    await wait(random() * 2 * pauseMs)
  }
}

/** Chooses tenants so that half of the requests go to 2% of the tenants. */
function chooseTenant(tenants: SoakTenant[]): SoakTenant {
  const count = random() < 0.5 ? Math.ceil(tenants.length / 50) : tenants.length
  for (;;) {
    const tenant = tenants[Math.floor(random() * count)]!
    if (!tenant.isBusy) return tenant
    if (random() < 0.1) return tenants.find(({ isBusy }) => !isBusy)!
  }
}

async function change(server: SoakServer, ledger: Ledger, tenant: SoakTenant): Promise<void> {
  const planned = planChange(tenant.model)
  tenant.model.changes.push(planned)
  const response = await sendUntilResponse(server, ledger, tenant, planned)
  try {
    recordFirstResponse(tenant, planned, response)
    ledger.counts.changes++
  } catch (error) {
    fail(ledger, `${tenant.slug}: ${(error as Error).message}`)
  }
}

async function replay(server: SoakServer, ledger: Ledger, tenant: SoakTenant): Promise<void> {
  const original = tenant.recent[Math.floor(random() * tenant.recent.length)]
  if (!original) return
  const response = await sendUntilResponse(server, ledger, tenant, original.change)
  if (response.text !== original.text || response.headers['idempotent-replayed'] !== 'true')
    fail(
      ledger,
      `${tenant.slug}: the retry of ${original.change.requestId} received a different response: ${response.status}`,
    )
  ledger.counts.replays++
}

/** Sends the change with its Idempotency-Key until a response has a status below 500. */
async function sendUntilResponse(
  server: SoakServer,
  ledger: Ledger,
  tenant: SoakTenant,
  planned: PlannedChange,
): Promise<Response> {
  for (;;) {
    const response = await attempt(server, ledger, tenant.slug, () =>
      sendChange(clientOf(server, tenant.token), planned),
    )
    if (response) return response
    await wait(50)
  }
}

const lists = [
  '/customers.php?limit=50&sort=-updated_at',
  '/customers.php?q=bench&limit=20',
  '/customers.php?total=true&limit=1',
  '/changes.php?order=desc&limit=50',
  '/customers.php?format=csv',
  '/me.php',
]

async function read(server: SoakServer, ledger: Ledger, tenant: SoakTenant): Promise<void> {
  const [id, fields] = [...tenant.model.records].at(-1) ?? []
  const path = id && random() < 0.4 ? `/customers.php?id=${id}` : lists[Math.floor(random() * lists.length)]!
  const response = await attempt(server, ledger, tenant.slug, () => clientOf(server, tenant.token)('GET', path))
  if (!response) return
  ledger.counts.reads++
  if (response.status !== 200)
    return fail(ledger, `${tenant.slug}: GET ${path} returned ${response.status} ${response.text}`)
  if (path.includes('?id=') && response.body.city !== fields!.city)
    fail(ledger, `${tenant.slug}: ${path} returned an older state`)
}

async function openPage(server: SoakServer, ledger: Ledger, { slug }: SoakTenant, person: Person): Promise<void> {
  const pages = [`?tenant=${slug}`, `records.php?tenant=${slug}&resource=customers`, `activity.php?tenant=${slug}`]
  const path = pages[Math.floor(random() * pages.length)]!
  const response = await attempt(server, ledger, slug, () => person.get(path))
  if (!response) return
  ledger.counts.pages++
  if (response.status !== 200) fail(ledger, `page ${path} returned ${response.status}`)
}

/** Returns undefined if there was no response, or if its status was 500 or above. Records either case as a failure,
 *  unless the server was down during the request. A status of 500 or above is also acceptable while the tenant is being
 *  moved. */
async function attempt<Reply extends { status: number }>(
  server: SoakServer,
  ledger: Ledger,
  slug: string,
  send: () => Promise<Reply>,
): Promise<Reply | undefined> {
  const startedAt = performance.now()
  const wasMoving = ledger.movingTenants.has(slug)
  try {
    const response = await send()
    ledger.latencies.push(performance.now() - startedAt)
    if (response.status < 500) return response
    if (wasMoving || ledger.movingTenants.has(slug)) ledger.counts.moving++
    else if (!server.wasDownAfter(startedAt))
      fail(ledger, `${slug}: ${response.status} ${JSON.stringify(response).slice(0, 300)}`)
  } catch (error) {
    ledger.counts.unanswered++
    if (!server.wasDownAfter(startedAt))
      fail(ledger, `${slug}: ${(error as Error).message} ${String((error as Error).cause)}`)
  }
  return undefined
}

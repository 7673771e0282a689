// Measures the panel's pages in a tenant with 100,000 assets. One user requests the pages one at a time.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createPanelUser, type Person, signIn } from '../../test/support/panel/panel-client.ts'
import { type PanelPage, pagesOfPanel } from '../harness/load/panel-pages.ts'
import type { Effort } from '../harness/measure.ts'
import { type DatabaseServer, startDatabaseServer } from '../harness/postgres-server.ts'
import { type Server, startNode, whenIdle } from '../harness/processes.ts'
import { type DeskSize, seedDesk, sendJson } from '../harness/seed/seed-desk.ts'
import { seedTenants, serviceSettings, tenantSlug } from '../harness/seed/tenants.ts'

/** Times are in milliseconds, from the request to the page's last byte. `cost`: CPU time of the node and the
 *  database. `bytes`: size of the page. */
export type PageFigures = { name: string; median: number; longest: number; cost: number; bytes: number }

export type PanelOutcome = DeskSize & { engine: string; requests: number; pages: PageFigures[] }

const user = 'bench@example.com'

/** The number of warm-up requests for each page. They are not measured, because V8 is still compiling. */
const warmUps = 5

export async function measurePanel(directory: string, effort: Effort): Promise<PanelOutcome[]> {
  mkdirSync(directory)
  const settings = { ...serviceSettings, DATA_DIR: join(directory, 'data') }
  const sqlite = await measureEngine('SQLite', settings, effort)
  await using cleanup = new AsyncDisposableStack()
  const database = cleanup.adopt(await startDatabaseServer(), (each) => each.end())
  const postgresSettings = { ...settings, DATA_DIR: join(directory, 'postgres'), DATABASE_URL: database.url }
  return [sqlite, await measureEngine('PostgreSQL', postgresSettings, effort, database)]
}

async function measureEngine(
  engine: string,
  settings: Record<string, string> & { DATA_DIR: string },
  { isCheck }: Effort,
  database?: DatabaseServer,
): Promise<PanelOutcome> {
  const size = isCheck
    ? { assets: 5000, people: 1000, branches: 50 }
    : { assets: 100_000, people: 20_000, branches: 200 }
  const requests = isCheck ? 5 : 20
  const [token] = await seedTenants(settings, 1)
  await createPanelUser(settings, user)
  await using cleanup = new AsyncDisposableStack()
  const node = await startNode(settings, `${settings.DATA_DIR}.log`, { overrides: { pagesPerMinute: 0 } })
  const server = cleanup.adopt(node, (each) => each.end())
  await seedDesk(server.url, token!, size)
  await database?.query('vacuum analyze') // autovacuum would do this eventually
  await whenIdle(server)
  const person = await signIn(new URL(server.url).origin, user)
  const pages: PageFigures[] = []
  for (const page of await pagesOfPanel(person, tenantSlug(1), size))
    pages.push(await measurePage({ server, database, person, token: token! }, page, requests))
  return { engine, ...size, requests, pages }
}

type Caller = { server: Server; database: DatabaseServer | undefined; person: Person; token: string }

async function measurePage(caller: Caller, page: PanelPage, requests: number): Promise<PageFigures> {
  const times: number[] = []
  let [bytes, cost] = [0, 0]
  const processorTime = () => caller.server.processorTime() + (caller.database?.processorTime() ?? 0)
  for (let round = -warmUps; round < requests; round++) {
    if (page.isAfterChange) await changeAsset(caller, round + warmUps + 1)
    const [startedAt, processorTimeAtStart] = [performance.now(), processorTime()]
    const { status, html } = await caller.person.get(page.path)
    const elapsed = performance.now() - startedAt
    if (status !== 200 && status !== 303)
      throw new Error(`The page ${page.path} returned ${status}: ${html.slice(0, 500)}`)
    bytes = Buffer.byteLength(html)
    if (round < 0) continue
    times.push(elapsed)
    cost += (processorTime() - processorTimeAtStart) / 1000 / requests
  }
  times.sort((one, other) => one - other)
  const [median, longest] = [times[Math.floor(times.length / 2)]!, times.at(-1)!]
  return { name: page.name, median, longest, cost, bytes }
}

/** Changes a purchase cost, so that the total on the home page changes. */
async function changeAsset({ server, token }: Caller, id: number): Promise<void> {
  await sendJson(server.url, token, 'PUT', `/hardware.php?id=${id}`, { purchase_cost: Date.now() % 1_000_000 })
}

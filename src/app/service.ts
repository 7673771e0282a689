// Assembles the service: catalog, storage, API, panel and HTTP server.

import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createAuthenticator } from '../access/authenticator.ts'
import { createRateLimit } from '../access/rate-limit.ts'
import { openUsage } from '../access/usage-counter.ts'
import { createSetupLink, linkAddress } from '../accounts/one-time-links.ts'
import { hasAdministrator } from '../accounts/users.ts'
import { type Endpoint, scopesOf } from '../api/endpoint.ts'
import { endpointsOf } from '../api/endpoints/all.ts'
import { createApiRoutes } from '../api/routes.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { maintainEvents } from '../catalog/limited-events.ts'
import { openPepper, signingKeys } from '../catalog/pepper.ts'
import { openRepeatedEvents } from '../catalog/repeated-events.ts'
import { recordServiceAddress } from '../catalog/service-address.ts'
import { type Config, localOrigin, publicOrigin, rateLimits } from '../config.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { createServer } from '../http/server.ts'
import { openLog } from '../lib/log.ts'
import { openRedis } from '../lib/redis.ts'
import { registerPanel } from '../panel/panel.ts'
import { resources as declared } from '../resources/declarations/all.ts'
import type { Resources } from '../resources/resource.ts'
import { schemaVersion } from '../resources/schema/migrations.ts'
import { requireSound } from '../resources/schema/schema.ts'
import { descriptorLimit, neededDescriptors, shareDescriptors } from '../storage/descriptors.ts'
import { defaultLimits, type Limits, limitInFlight } from '../storage/in-flight-limit.ts'
import { type Report, removeLeftovers } from '../tenants/leftover-databases.ts'
import { type MigrationRun, type MigrationRunEvents, migrateAllTenants } from '../tenants/migrate-all.ts'
import { type MigrationStatus, openMigrationStatus } from '../tenants/migration-status.ts'
import { finishMoves } from '../tenants/move.ts'
import { type Databases, openDatabases, StartError } from '../tenants/open-databases.ts'
import { finishTenants, hasTenants } from '../tenants/tenants.ts'

export type Service = {
  server: FastifyInstance
  /** Messages for the operator on start. */
  warnings: string[]
  /** Starts listening and returns the URL of the API for clients on this machine. Throws StartError. */
  listen(): Promise<string>
  hasTenants(): Promise<boolean>
  /** The link for creating the first administrator; undefined if there is one. Call after `listen`. */
  setupLink(): Promise<string | undefined>
  close(): Promise<void>
} & AsyncDisposable

/** Time limit for each statement of a list query. */
const listTimeoutMs = 2000

/** For tests. */
export type ServiceOverrides = {
  resources?: Resources
  endpoints?: readonly Endpoint[]
  workers?: number
  windowSeconds?: number
  listTimeoutMs?: number
  waiting?: Limits
  queueTimeoutMs?: number
  sweepIntervalMs?: number
  now?: () => Date
  log?: Logger
}

/** Throws StartError if another server uses the same data directory. */
export async function openService(config: Config, overrides: ServiceOverrides = {}): Promise<Service> {
  const open = new AsyncDisposableStack()
  try {
    return await build(config, overrides, open)
  } catch (error) {
    await open.disposeAsync()
    throw error
  }
}

/** Registers everything it opens on `open`, to be closed in reverse order. */
async function build(config: Config, overrides: ServiceOverrides, open: AsyncDisposableStack): Promise<Service> {
  const { resources = declared, endpoints = endpointsOf(resources), now = () => new Date() } = overrides
  const log = overrides.log ?? openLog(config.LOG_LEVEL)
  requireSound(resources)
  const onCrash = (error: Error) =>
    log.error({ err: error }, 'a worker thread of the SQLite engine crashed and was replaced')
  let notes: MigrationStatus | undefined
  const metrics = createMetrics()
  const onMigration = (tenant: string, failure: string | null) => {
    notes?.record(tenant, failure)
    metrics.engine.migrated(failure === null)
  }
  const { workers: count, queueTimeoutMs } = overrides
  const workers = { workers: count, queueTimeoutMs, onCrash, onMigration, metrics: metrics.engine }
  const engine = open.adopt(await openDatabases(config, resources, workers), (each) => each.close())
  const { catalog } = engine
  const descriptors = await planDescriptors(engine)
  const pepper = await openPepper(catalog, resolve(config.DATA_DIR), config.API_KEY_PEPPER)
  const storage = limitInFlight(engine.openStorage(), overrides.waiting ?? defaultLimits, metrics.engine)
  metrics.watchInFlight(storage.inFlight)
  await finishTenants(catalog, engine.databases, now())
  open.adopt(startSweeping(engine, overrides.sweepIntervalMs ?? sweepIntervalMs, log), clearInterval)
  const version = schemaVersion(resources)
  notes = openMigrationStatus(catalog, version)
  open.adopt(startMigrating({ catalog, storage, status: notes, version }, log, metrics), (each) => each.end())
  const redis = config.RATE_LIMIT_REDIS_URL === '' ? undefined : await openRedis(config.RATE_LIMIT_REDIS_URL, log)
  if (redis) open.defer(redis.close)
  const shared = engine.sharedRateLimitStore
  const deps = {
    config,
    resources,
    storage,
    now,
    log,
    metrics,
    usage: open.adopt(openUsage(catalog, now), (each) => each.close()),
    cursorKeys: signingKeys(pepper),
    listTimeoutMs: overrides.listTimeoutMs ?? listTimeoutMs,
    connections: descriptors.connections,
    authenticator: createAuthenticator(catalog, pepper),
    rateLimit: createRateLimit(rateLimits(config), overrides.windowSeconds, { redis, shared }),
    checkReadiness: async () => void (await catalog.version()),
  }
  open.adopt(startMaintainingEvents(catalog, now), clearInterval)
  const repeatedEvents = open.adopt(openRepeatedEvents(catalog, now), (each) => each.close())
  const server = open.adopt(await createServer({ ...deps, api: createApiRoutes({ ...deps, endpoints }) }), (each) =>
    each.close(),
  )
  const pageLimits = { key: config.PANEL_RATE_LIMIT_PER_MINUTE, tenant: 0 }
  const pageLimit = createRateLimit(pageLimits, overrides.windowSeconds)
  const scopes = scopesOf(endpoints)
  const panel = { catalog, databases: engine.databases, pepper, repeatedEvents, pageLimit, scopes }
  await registerPanel(server, { ...deps, ...panel })
  return {
    server,
    warnings: descriptors.warnings,
    async listen() {
      const url = await listen(server, config)
      await recordServiceAddress(catalog, publicOrigin(config, portOf(server)))
      return url
    },
    hasTenants: () => hasTenants(catalog),
    setupLink: async () => {
      if (await hasAdministrator(catalog)) return undefined
      return linkAddress(publicOrigin(config, portOf(server)), await createSetupLink(catalog, now()))
    },
    close: () => open.disposeAsync(),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const maintainEventsIntervalMs = 10_000

function startMaintainingEvents(catalog: Catalog, now: () => Date): NodeJS.Timeout {
  const keep = () => maintainEvents(catalog, now()).catch(() => {}) // the catalog is unreachable: the next run tries again
  return setInterval(keep, maintainEventsIntervalMs).unref()
}

/** Distributes the file descriptors of the process. Throws StartError if the limit is too low. */
async function planDescriptors(engine: Databases): Promise<{ connections: number; warnings: string[] }> {
  const [limit, use] = [descriptorLimit(), await engine.descriptorUse()]
  const { minimum: least, desired: wished } = neededDescriptors(use)
  if (limit < least) {
    throw new StartError(`This process may open ${limit} files (ulimit -n), and a server needs at least ${least}.`)
  }
  const { openFiles, connections } = shareDescriptors(limit, use)
  if (openFiles === use.openFiles) return { connections, warnings: [] }
  const warning =
    `SQLITE_MAX_OPEN_FILES is ${use.openFiles}, but this process may open ${limit} files (ulimit -n): ${openFiles} tenant files are ` +
    `kept open. Raise the limit to at least ${wished}, or lower SQLITE_MAX_OPEN_FILES.`
  return { connections, warnings: [warning] }
}

/** How often a server finishes abandoned moves and half-created or half-deleted tenants. */
const sweepIntervalMs = 10_000

/** A warning that still applies is logged again after this time. */
const repeatWarningAfterMs = 60 * 60_000

function startSweeping({ catalog, databases }: Databases, every: number, log: Logger): NodeJS.Timeout {
  const reportedAt = new Map<string, number>() // by tenant and server

  const report: Report = (failure) => {
    const about = `${failure.tenant} ${failure.server}`
    if (Date.now() - (reportedAt.get(about) ?? 0) < repeatWarningAfterMs) return
    reportedAt.set(about, Date.now())
    log.warn(failure, 'an abandoned move or deletion cannot be finished yet and will be retried')
  }

  async function sweep(): Promise<void> {
    await finishMoves(catalog, databases, report)
    await finishTenants(catalog, databases, new Date(), report)
    await removeLeftovers(catalog, databases, report)
  }

  function fail({ message }: Error): void {
    if (Date.now() - (reportedAt.get('') ?? 0) < repeatWarningAfterMs) return
    reportedAt.set('', Date.now())
    log.warn({ reason: message }, 'abandoned moves and deletions cannot be finished yet and will be retried')
  }

  return setInterval(() => sweep().catch(fail), every).unref()
}

/** Migrates all tenants in the background, and records the migrations that requests trigger. */
function startMigrating(
  deps: Omit<MigrationRun, 'events' | 'signal'>,
  log: Logger,
  metrics: Metrics,
): { end(): Promise<void> } {
  const ending = new AbortController()
  const events: MigrationRunEvents = {
    migrated({ slug }, failure) {
      if (failure) log.error({ tenant: slug, reason: failure.message }, 'the migration of a tenant failed')
    },
    stopped(left) {
      metrics.migrationRunEnded('stopped')
      log.error({ left }, 'the migration run stopped after a failure: fix the failed tenant, and restart the server')
    },
    finished(count, failures) {
      metrics.migrationRunEnded('finished')
      log.info({ count, failures }, 'the migration run finished')
    },
  }
  const sweeping = migrateAllTenants({ ...deps, events, signal: ending.signal }).catch((error: Error) => {
    log.error({ reason: error.message }, 'the migration run failed')
  })
  const writing = setInterval(() => deps.status.flush().catch(() => {}), 1000).unref()
  return {
    async end() {
      clearInterval(writing)
      ending.abort()
      await Promise.race([sweeping, wait(1000, undefined, { ref: false })]) // a running migration is rolled back
      await deps.status.flush().catch(() => {}) // losing it is harmless: the next migration records the status again
    },
  }
}

async function listen(server: FastifyInstance, config: Config): Promise<string> {
  try {
    await server.listen({ host: config.HOST, port: config.PORT })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new StartError(`PORT ${config.PORT} is in use by another program.`)
    throw new StartError(`HOST ${config.HOST} with PORT ${config.PORT} cannot be listened on: ${code}.`)
  }
  return localOrigin(config, portOf(server)) + config.API_BASE_PATH
}

/** The port in use, which the system chooses if PORT is 0. */
function portOf(server: FastifyInstance): number {
  return (server.server.address() as AddressInfo).port
}

// Assembles the service: catalog, storage, API, panel and HTTP server.

import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createAuthenticator } from '../access/authenticator.ts'
import { createRateLimit } from '../access/rate-limit.ts'
import { UsageCounter } from '../access/usage-counter.ts'
import { createSetupLink, linkAddress } from '../accounts/one-time-links.ts'
import { hasAdministrator } from '../accounts/users.ts'
import { type Endpoint, scopesOf } from '../api/endpoint.ts'
import { endpointsOf } from '../api/endpoints/all.ts'
import { createApiRoutes } from '../api/routes.ts'
import { openPepper, type Pepper, signingKeys } from '../catalog/pepper.ts'
import { openRepeatedEvents } from '../catalog/repeated-events.ts'
import { recordServiceAddress } from '../catalog/service-address.ts'
import { type Config, localOrigin, publicOrigin, rateLimits } from '../config.ts'
import { createForwardedReader } from '../http/forwarded.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { createServer } from '../http/server.ts'
import { openUploads } from '../http/upload.ts'
import { openLog } from '../lib/log.ts'
import { openRedis, type RedisTimeouts } from '../lib/redis.ts'
import { registerPanel } from '../panel/panel.ts'
import { resources as declared } from '../resources/declarations/all.ts'
import type { Resources } from '../resources/resource.ts'
import { schemaVersion } from '../resources/schema/migrations.ts'
import { requireSound } from '../resources/schema/schema.ts'
import { descriptorLimit, neededDescriptors, shareDescriptors } from '../storage/descriptors.ts'
import { defaultLimits, type InFlightStorage, type Limits, limitInFlight } from '../storage/in-flight-limit.ts'
import { rounded, type SlowOperationLog } from '../storage/slow-operations.ts'
import { createSummaryCache } from '../storage/summary-cache.ts'
import { createHealthRecord, type DatabaseHealth, type HealthRecord, watchDatabases } from '../storage/tenant-health.ts'
import { createMigrationStatus, type MigrationStatus } from '../tenants/migration-status.ts'
import { type Databases, openDatabases, StartError } from '../tenants/open-databases.ts'
import { renameTenant, type TenantRename } from '../tenants/tenant-settings.ts'
import { finishTenants, hasTenants, type Tenant } from '../tenants/tenants.ts'
import type { DatabaseWatch } from '../tenants/watch-databases.ts'
import { startBackgroundJobs } from './background-jobs.ts'
import { startBackupSchedule } from './backup-schedule.ts'
import { registerGauges } from './gauges.ts'
import { JobRunner } from './job-runner.ts'
import { openReadiness, readinessChecks } from './readiness.ts'
import { waitForDatabase } from './wait-for-database.ts'

export type Service = {
  server: FastifyInstance
  /** Messages for the operator on start. */
  warnings: string[]
  /** Starts listening and returns the URL of the API for clients on this machine. Throws StartError. */
  listen(): Promise<string>
  hasTenants(): Promise<boolean>
  /** Announces the end: from now on /readyz fails and connections close after their response. Call before `close`. */
  beginShutdown(): void
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
  redisTimeouts?: RedisTimeouts
  sweepIntervalMs?: number
  retentionIntervalMs?: number
  jobPollIntervalMs?: number
  bodyCheckIntervalMs?: number
  backupPollIntervalMs?: number
  watchIntervalMs?: number
  now?: () => Date
  log?: Logger
}

/** `signal` ends the wait for PostgreSQL. Throws StartError if another server uses the same data directory. */
export async function openService(
  config: Config,
  overrides: ServiceOverrides = {},
  signal?: AbortSignal,
): Promise<Service> {
  const open = new AsyncDisposableStack()
  try {
    return await build(config, overrides, open, signal)
  } catch (error) {
    await open.disposeAsync()
    throw error
  }
}

/** What every phase of the start needs. */
type Context = {
  config: Config
  overrides: ServiceOverrides
  resources: Resources
  now: () => Date
  log: Logger
  metrics: Metrics
  migrationStatus: MigrationStatus
  shutdown: { hasBegun: boolean }
}

/** Registers everything it opens on `open`, to be closed in reverse order. */
async function build(
  config: Config,
  overrides: ServiceOverrides,
  open: AsyncDisposableStack,
  signal: AbortSignal | undefined,
): Promise<Service> {
  const { resources = declared, now = () => new Date(), log = openLog(config.LOG_LEVEL) } = overrides
  requireSound(resources)
  const migrationStatus = createMigrationStatus(schemaVersion(resources))
  const shutdown = { hasBegun: false }
  const metrics = createMetrics()
  const context: Context = { config, overrides, resources, now, log, metrics, migrationStatus, shutdown }

  const timeoutMs = config.DATABASE_URL === '' ? 0 : config.STARTUP_TIMEOUT * 1000
  const opened = await waitForDatabase(() => openEngine(context), { timeoutMs, log, signal })
  const engine = open.adopt(opened, (each) => each.close())
  const prepared = await prepareCatalog(context, engine)
  const { sweepIntervalMs, watchIntervalMs, retentionIntervalMs, jobPollIntervalMs } = overrides
  const jobs = { ...context, ...engine, ...prepared, sweepIntervalMs, watchIntervalMs, retentionIntervalMs }
  const { databaseWatch } = open.adopt(startBackgroundJobs(jobs), (each) => each.close())
  const jobRunner = open.adopt(new JobRunner({ ...jobs, pollIntervalMs: jobPollIntervalMs }), (each) => each.close())
  open.adopt(startBackupSchedule({ ...jobs, pollIntervalMs: overrides.backupPollIntervalMs }), (each) => each.close())
  const server = await buildServer(context, engine, { ...prepared, jobRunner, databaseWatch }, open)
  return toService(context, engine, server, prepared.warnings, open)
}

/** Opens the catalog and the tenants' databases. */
function openEngine({ config, resources, overrides, log, metrics, migrationStatus }: Context): Promise<Databases> {
  return openDatabases(config, resources, {
    workers: overrides.workers,
    queueTimeoutMs: overrides.queueTimeoutMs,
    onCrash: (error) => log.error({ err: error }, 'a worker thread of the SQLite engine crashed and was replaced'),
    onMigration(tenant, failure) {
      migrationStatus.record(tenant, failure)
      metrics.engine.migrated(failure === null)
    },
    metrics: metrics.engine,
    slowOperations: config.SLOW_OPERATION_MS === 0 ? undefined : logSlowOperations(config.SLOW_OPERATION_MS, log),
  })
}

/** Statements have no values, so the log has no personal data of a tenant. */
function logSlowOperations(thresholdMs: number, log: Logger): SlowOperationLog {
  return {
    thresholdMs,
    report({ tenantId, requestId, operation, queueMs, databaseMs, statements }) {
      const times = { milliseconds: rounded(databaseMs), queueMilliseconds: rounded(queueMs) }
      log.warn({ requestId, tenantId, operation, ...times, statements }, 'a slow operation')
    },
  }
}

/** `record`: which tenants' databases fail. */
type Prepared = {
  pepper: Pepper
  storage: InFlightStorage
  record: HealthRecord
  health: DatabaseHealth
  connections: number
  warnings: string[]
}

/** Checks what could keep the service from starting, and finishes what a crash has left in the catalog. */
async function prepareCatalog({ config, overrides, now, metrics }: Context, engine: Databases): Promise<Prepared> {
  const { connections, warnings } = await planDescriptors(engine)
  const pepper = await openPepper(engine.catalog, resolve(config.DATA_DIR), config.API_KEY_PEPPER)
  const record = createHealthRecord()
  const storage = limitInFlight(engine.openStorage(), overrides.waiting ?? defaultLimits, metrics.engine, record)
  await finishTenants(engine.catalog, engine.databases, now())
  return { pepper, storage, record, health: watchDatabases(storage, record), connections, warnings }
}

/** Builds the HTTP server with the API and the panel. */
async function buildServer(
  context: Context,
  { catalog, databases, sharedRateLimitStore: shared }: Databases,
  prepared: Prepared & { jobRunner: JobRunner; databaseWatch: DatabaseWatch },
  open: AsyncDisposableStack,
): Promise<FastifyInstance> {
  const { config, overrides, resources, now, log, metrics } = context
  const { pepper, storage, connections, jobRunner, record } = prepared
  const { endpoints = endpointsOf(resources) } = overrides
  const { RATE_LIMIT_REDIS_URL: url } = config
  const forwarded = createForwardedReader(config.TRUST_PROXY, log)
  const redis = url === '' ? undefined : await openRedis(url, log, overrides.redisTimeouts)
  if (redis) open.defer(redis.close)
  const deps = {
    ...context,
    storage,
    jobs: jobRunner,
    renameTenant: (tenant: Tenant, rename: TenantRename) =>
      renameTenant(catalog, tenant, rename, { now: now(), by: null, address: null, agent: null }),
    uploads: openUploads(resolve(config.DATA_DIR, 'uploads'), config.IMPORT_LIMIT_BYTES),
    usage: open.adopt(new UsageCounter(catalog, now), (each) => each.close()),
    cursorKeys: signingKeys(pepper),
    listTimeoutMs: overrides.listTimeoutMs ?? listTimeoutMs,
    connections,
    authenticator: createAuthenticator(catalog, pepper),
    rateLimit: createRateLimit(rateLimits(config), overrides.windowSeconds, {
      redis,
      shared,
      onExceeded: metrics.rateLimited,
    }),
    forwarded,
    readiness: openReadiness(readinessChecks({ ...prepared, config, catalog, forwarded, now }), log),
  }
  registerGauges(metrics.registry, { ...deps, catalog, jobRunner, record })
  const repeatedEvents = open.adopt(openRepeatedEvents(catalog, now), (each) => each.close())
  const pageLimits = { key: config.PANEL_RATE_LIMIT_PER_MINUTE, tenant: 0 }
  const onExceeded = () => metrics.rateLimited('session')
  const pageLimit = createRateLimit(pageLimits, overrides.windowSeconds, { onExceeded })
  const api = createApiRoutes({ ...deps, endpoints })
  const server = open.adopt(
    await createServer({ ...deps, api, bodyCheckIntervalMs: overrides.bodyCheckIntervalMs }),
    (each) => each.close(),
  )
  const databaseHealth = prepared.health
  const panel = {
    ...{ catalog, databases, databaseHealth, pepper, repeatedEvents, pageLimit, scopes: scopesOf(endpoints) },
    summaries: createSummaryCache(storage),
  }
  await registerPanel(server, { ...deps, ...panel })
  return server
}

function toService(
  { config, now, shutdown }: Context,
  { catalog }: Databases,
  server: FastifyInstance,
  warnings: string[],
  open: AsyncDisposableStack,
): Service {
  return {
    server,
    warnings,
    async listen() {
      const url = await listen(server, config)
      await recordServiceAddress(catalog, publicOrigin(config, portOf(server)))
      return url
    },
    hasTenants: () => hasTenants(catalog),
    beginShutdown: () => {
      shutdown.hasBegun = true
    },
    setupLink: async () => {
      if (await hasAdministrator(catalog)) return undefined
      return linkAddress(publicOrigin(config, portOf(server)), await createSetupLink(catalog, now()))
    },
    close: () => open.disposeAsync(),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Distributes the file descriptors of the process. Throws StartError if the limit is too low. */
async function planDescriptors(engine: Databases): Promise<{ connections: number; warnings: string[] }> {
  const [limit, use] = [descriptorLimit(), await engine.descriptorUse()]
  const { minimum, desired } = neededDescriptors(use)
  if (limit < minimum) {
    throw new StartError(`This process may open ${limit} files (ulimit -n), and a server needs at least ${minimum}.`)
  }
  const { openFiles, connections } = shareDescriptors(limit, use)
  if (openFiles === use.openFiles) return { connections, warnings: [] }
  const warning =
    `SQLITE_MAX_OPEN_FILES is ${use.openFiles}, but this process may open ${limit} files (ulimit -n): ${openFiles} tenant ` +
    `files are kept open. Raise the limit to at least ${desired}, or lower SQLITE_MAX_OPEN_FILES.`
  return { connections, warnings: [warning] }
}

async function listen(server: FastifyInstance, config: Config): Promise<string> {
  try {
    await server.listen({ host: config.HOST, port: config.PORT })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new StartError(`PORT ${config.PORT} is in use by another program.`)
    throw new StartError(`Cannot listen on HOST ${config.HOST} with PORT ${config.PORT}: ${code}.`)
  }
  return localOrigin(config, portOf(server)) + config.API_BASE_PATH
}

/** The port in use, which the system chooses if PORT is 0. */
function portOf(server: FastifyInstance): number {
  return (server.server.address() as AddressInfo).port
}

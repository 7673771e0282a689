// Assembles the service: catalog, storage, API, panel, HTTP server and background jobs.

import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { createSetupLink, linkAddress } from '../accounts/one-time-links/one-time-links.ts'
import { hasAdministrator } from '../accounts/users.ts'
import { recordServiceAddress } from '../catalog/tables/service-address.ts'
import { type Config, localOrigin, publicOrigin } from '../config.ts'
import { resources as declaredResources } from '../domain/declarations/all.ts'
import { schemaVersion } from '../domain/schema/migrations.ts'
import { requireSound } from '../domain/schema/schema.ts'
import { Unavailable } from '../engine/database/database.ts'
import { createMetrics } from '../http/metrics.ts'
import { errorCodeOf } from '../lib/errors.ts'
import { openLog } from '../lib/log.ts'
import { presentations as declaredPresentations } from '../panel/resources/all.ts'
import { createPresentations } from '../panel/resources/presentation.ts'
import { StartError } from '../tenants/databases/open-databases.ts'
import { createMigrationStatus } from '../tenants/migrations/migration-status.ts'
import { hasTenants } from '../tenants/tenants.ts'
import { startBackgroundJobs } from './background-jobs.ts'
import { checkBackupSettings, startBackupSchedule } from './backup-schedule.ts'
import type { Context, ServiceOverrides } from './context.ts'
import { buildServer } from './http.ts'
import { JobRunner } from './job-runner.ts'
import { openEngine, type PreparedContext, prepareCatalog, waitForDatabase } from './open-engine.ts'

/** How long a starting server waits for PostgreSQL. */
const startTimeoutMs = 30_000

export type Service = {
  server: FastifyInstance
  /** Messages for the operator at startup. */
  warnings: string[]
  /** Starts listening and returns the URL of the API for clients on this machine. Throws StartError. */
  listen(): Promise<string>
  hasTenants(): Promise<boolean>
  /** Makes /readyz fail, and closes each connection after its next response. Call this before `close`. */
  beginShutdown(): void
  hasAdministrator(): Promise<boolean>
  /** Returns a link for creating the first administrator. Call this after `listen`. */
  setupLink(): Promise<string>
  close(): Promise<void>
} & AsyncDisposable

/** Opens the service, but does not start listening yet. `signal` aborts the wait for PostgreSQL. Throws StartError, for
 *  example if another server uses the same data directory. */
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

/** Builds the service. Everything that this function opens is pushed onto the stack `open`, which closes it in reverse
 *  order. */
async function build(
  config: Config,
  overrides: ServiceOverrides,
  open: AsyncDisposableStack,
  signal: AbortSignal | undefined,
): Promise<Service> {
  const { now = () => new Date(), log = openLog(config.LOG_LEVEL) } = overrides
  const presentations = createPresentations(overrides.presentations ?? declaredPresentations)
  const resources = presentations.withLabels(overrides.resources ?? declaredResources)
  requireSound(resources)
  const migrationStatus = createMigrationStatus(schemaVersion(resources))
  const shutdown = { hasBegun: false }
  const metrics = createMetrics()
  const context: Context = { config, overrides, resources, presentations, now, log, metrics, migrationStatus, shutdown }

  const timeoutMs = config.DATABASE_URL === '' ? 0 : (overrides.startTimeoutMs ?? startTimeoutMs)
  const opened = await waitForDatabase(() => openEngine(context), { timeoutMs, log, signal })
  const { catalog, databases, sharedRateLimitStore } = open.adopt(opened, (each) => each.close())
  const prepared: PreparedContext = { ...context, catalog, databases, ...(await prepareCatalog(context, opened)) }
  const { databaseWatch } = open.adopt(startBackgroundJobs(prepared), (each) => each.close())
  const jobRunner = open.adopt(new JobRunner(prepared), (each) => each.close())
  const backupWarnings = await checkBackupSettings(prepared)
  open.adopt(startBackupSchedule(prepared), (each) => each.close())
  const server = await buildServer(prepared, { sharedRateLimitStore, jobRunner, databaseWatch }, open)
  return toService({ ...prepared, warnings: [...prepared.warnings, ...backupWarnings] }, server, open)
}

function toService(
  { config, now, shutdown, catalog, warnings }: PreparedContext,
  server: FastifyInstance,
  open: AsyncDisposableStack,
): Service {
  return {
    server,
    warnings,
    async listen() {
      const url = await listen(server, config)
      await recordServiceAddress(catalog, publicOrigin(config, portOf(server))).catch(ignoreFullDisk)
      return url
    },
    hasTenants: () => hasTenants(catalog),
    beginShutdown: () => {
      shutdown.hasBegun = true
    },
    hasAdministrator: () => hasAdministrator(catalog.database),
    setupLink: async () => linkAddress(publicOrigin(config, portOf(server)), await createSetupLink(catalog, now())),
    close: () => open.disposeAsync(),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** On a full disk, the service starts anyway, because it can still serve reads. */
function ignoreFullDisk(error: unknown): void {
  if (!(error instanceof Unavailable && error.outage === 'full')) throw error
}

/** Fastify would log a line for each address. serve.ts says the same, to people and in the log. */
async function listen(server: FastifyInstance, config: Config): Promise<string> {
  const { level } = server.log
  server.log.level = 'silent'
  try {
    await server.listen({ host: config.HOST, port: config.PORT })
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'EADDRINUSE') throw new StartError(`PORT ${config.PORT} is in use by another program.`)
    throw new StartError(`Cannot listen on HOST ${config.HOST} with PORT ${config.PORT}: ${code}.`)
  } finally {
    server.log.level = level
  }
  return localOrigin(config, portOf(server)) + config.API_BASE_PATH
}

/** Returns the port in use, which the operating system chooses if PORT is 0. */
function portOf(server: FastifyInstance): number {
  return (server.server.address() as AddressInfo).port
}

// Builds the HTTP server with the API and the panel.

import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { createAuthenticator } from '../access/authenticator.ts'
import { createRateLimit, UsageCounter } from '../access/request-counts.ts'
import { scopesOf } from '../api/endpoint.ts'
import { endpointsOf } from '../api/endpoints/all.ts'
import { createApiRoutes } from '../api/routes.ts'
import { openRepeatedEvents } from '../catalog/audit/repeated-events.ts'
import { signingKeys } from '../catalog/pepper/pepper.ts'
import { rateLimits } from '../config.ts'
import { createSummaryCache } from '../domain/summary/summary-cache.ts'
import { createForwardedReader } from '../http/headers.ts'
import { createServer } from '../http/server.ts'
import { openUploads } from '../http/upload.ts'
import { openRedis } from '../lib/redis.ts'
import { registerPanel } from '../panel/panel.ts'
import type { Databases } from '../tenants/databases/open-databases.ts'
import type { DatabaseWatch } from '../tenants/databases/watch-databases.ts'
import { renameTenant, type Tenant, type TenantRename } from '../tenants/tenants.ts'
import { registerGauges } from './gauges.ts'
import type { JobRunner } from './job-runner.ts'
import type { PreparedContext } from './open-engine.ts'
import { openReadiness } from './readiness.ts'

/** Time limit for each statement of a list query. */
const listTimeoutMs = 2000

/** How many panel pages each user may open on this node, far more than a person can read. */
const pagesPerMinute = 300

/** All users of a tenant together can request this many times as many pages as one user. */
const tenantFactor = 10

/** Builds the server. Everything that this function opens is pushed onto the stack `open`, which closes it at
 *  shutdown. */
export async function buildServer(
  context: PreparedContext,
  running: Pick<Databases, 'sharedRateLimitStore'> & { jobRunner: JobRunner; databaseWatch: DatabaseWatch },
  open: AsyncDisposableStack,
): Promise<FastifyInstance> {
  const { config, overrides, resources, now, log, metrics, catalog, pepper } = context
  const { sharedRateLimitStore: shared, jobRunner } = running
  const { endpoints = endpointsOf(resources) } = overrides
  const { RATE_LIMIT_REDIS_URL: url } = config
  const forwarded = createForwardedReader(config.TRUST_PROXY, log)
  const redis = url === '' ? undefined : await openRedis(url, log, overrides.redisTimeouts)
  if (redis) open.defer(redis.close)
  const deps = {
    ...context,
    jobs: jobRunner,
    renameTenant: (tenant: Tenant, rename: TenantRename) =>
      renameTenant(catalog, tenant, rename, { now: now(), by: null, address: null, agent: null }),
    uploads: open.use(
      openUploads({
        directory: resolve(config.DATA_DIR, 'uploads'),
        limitBytes: config.IMPORT_LIMIT_BYTES,
        minFreeBytes: config.MIN_FREE_DISK_BYTES,
        maxWaitMs: overrides.uploadWaitMs,
      }),
    ),
    usage: open.adopt(new UsageCounter(catalog, now), (each) => each.close()),
    cursorKeys: signingKeys(pepper),
    listTimeoutMs: overrides.listTimeoutMs ?? listTimeoutMs,
    authenticator: createAuthenticator(catalog, pepper),
    rateLimit: createRateLimit(rateLimits(config), overrides.windowSeconds, {
      redis,
      shared,
      onExceeded: metrics.rateLimited,
    }),
    forwarded,
    readiness: openReadiness({ ...context, ...running, forwarded, redis }, log),
  }
  registerGauges(metrics.registry, { ...deps, jobRunner })
  const panel = openPanelDependencies(context, open)
  const api = createApiRoutes({ ...deps, endpoints })
  const server = open.adopt(
    await createServer({ ...deps, api, bodyCheckIntervalMs: overrides.bodyCheckIntervalMs }),
    (each) => each.close(),
  )
  await registerPanel(server, { ...deps, ...panel, scopes: scopesOf(endpoints) })
  return server
}

function openPanelDependencies(
  { overrides, presentations, metrics, now, catalog, health, engine }: PreparedContext,
  open: AsyncDisposableStack,
) {
  const pagesPerUser = overrides.pagesPerMinute ?? pagesPerMinute
  const pageLimits = { key: pagesPerUser, tenant: pagesPerUser * tenantFactor }
  const onExceeded = () => metrics.rateLimited('session')
  return {
    ...presentations,
    databaseHealth: health,
    summaries: createSummaryCache(engine),
    repeatedEvents: open.adopt(openRepeatedEvents(catalog, now), (each) => each.close()),
    pageLimit: createRateLimit(pageLimits, overrides.windowSeconds, { onExceeded }),
  }
}

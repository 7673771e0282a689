// The values that every phase of startup uses.

import type { Logger } from 'pino'
import type { Endpoint } from '../api/endpoint.ts'
import type { Config } from '../config.ts'
import type { Resources } from '../domain/declarations/resource.ts'
import type { productOf } from '../domain/product.ts'
import type { Limits } from '../engine/engine.ts'
import type { Metrics } from '../http/metrics.ts'
import type { RedisTimeouts } from '../lib/redis.ts'
import type { DeclaredPresentation, Presentations } from '../panel/resources/presentation.ts'
import type { MigrationStatus } from '../tenants/migrations/migration-status.ts'

/** Replaces parts of the service in tests. */
export type ServiceOverrides = {
  resources?: Resources
  makeProduct?: typeof productOf
  presentations?: readonly DeclaredPresentation[]
  endpoints?: readonly Endpoint[]
  workers?: number
  windowSeconds?: number | undefined
  /** The limit for each user; 0: off. */
  pagesPerMinute?: number
  openFiles?: number
  startTimeoutMs?: number
  listTimeoutMs?: number
  waiting?: Limits
  queueTimeoutMs?: number
  migrationTimeoutMs?: number
  redisTimeouts?: RedisTimeouts
  sweepIntervalMs?: number
  reserveIntervalMs?: number
  retentionIntervalMs?: number
  jobPollIntervalMs?: number
  bodyCheckIntervalMs?: number
  uploadWaitMs?: number
  backupPollIntervalMs?: number
  watchIntervalMs?: number
  now?: () => Date
  log?: Logger
}

export type Context = {
  config: Config
  overrides: ServiceOverrides
  resources: Resources
  presentations: Presentations
  now: () => Date
  log: Logger
  metrics: Metrics
  migrationStatus: MigrationStatus
  shutdown: { hasBegun: boolean }
}

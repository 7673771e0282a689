// The storage engines' metrics. Only SQLite reports commits, open files and evictions.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { StorageMetrics } from '../../engine/monitoring/metrics.ts'

export type StorageMetricsReceivers = {
  /** Receives the storage engines' metrics. */
  engine: StorageMetrics
  /** Counts a run that migrates all tenants, once the run has ended. `stopped`: the run was stopped after a failure. */
  migrationRunEnded(outcome: 'finished' | 'stopped'): void
}

export function createStorageMetrics(registry: Registry): StorageMetricsReceivers {
  const registers = [registry]
  const batchSizes = new Histogram({
    name: 'tenantdesk_sqlite_commit_batch_size',
    help: 'Changes that shared a commit',
    buckets: [1, 2, 4, 8, 16, 32, 64],
    registers,
  })
  const commits = new Histogram({
    name: 'tenantdesk_sqlite_commit_duration_seconds',
    help: 'Duration of a transaction, from its first change to the end of its commit',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  })
  const evictions = new Counter({
    name: 'tenantdesk_sqlite_file_evictions_total',
    help: 'Tenant files closed to make room for others',
    registers,
  })
  const rejections = new Counter({
    name: 'tenantdesk_requests_rejected_total',
    help: 'Requests rejected with server_busy, by the limit that they exceeded',
    labelNames: ['reason'],
    registers,
  })
  const migrations = new Counter({
    name: 'tenantdesk_tenant_migrations_total',
    help: 'Migrations of single tenants',
    labelNames: ['outcome'],
    registers,
  })
  const runs = new Counter({
    name: 'tenantdesk_migration_runs_total',
    help: 'Runs that migrate all tenants',
    labelNames: ['outcome'],
    registers,
  })
  // Each counter starts at zero, so that Prometheus sees its first event as an increase.
  for (const reason of ['tenant', 'process', 'bodies', 'queue']) rejections.inc({ reason }, 0)
  for (const outcome of ['success', 'failure']) migrations.inc({ outcome }, 0)
  for (const outcome of ['finished', 'stopped']) runs.inc({ outcome }, 0)
  return {
    engine: {
      committed(operations, milliseconds) {
        batchSizes.observe(operations)
        commits.observe(milliseconds / 1000)
      },
      rejected: (reason) => rejections.inc({ reason }),
      opened: watchOpenFiles(registry),
      evicted: (count) => evictions.inc(count),
      migrated: (hasSucceeded) => migrations.inc({ outcome: hasSucceeded ? 'success' : 'failure' }),
    },
    migrationRunEnded: (outcome) => runs.inc({ outcome }),
  }
}

/** Registers the gauge for open tenant files. Returns a function that sets the number of files a thread has open. */
function watchOpenFiles(registry: Registry): StorageMetrics['opened'] {
  const byThread = new Map<number, number>()
  new Gauge({
    name: 'tenantdesk_sqlite_open_files',
    help: 'Tenant files that writer threads have open',
    registers: [registry],
    collect() {
      this.set([...byThread.values()].reduce((sum, count) => sum + count, 0))
    },
  })
  return (thread, count) => void (count === 0 ? byThread.delete(thread) : byThread.set(thread, count))
}

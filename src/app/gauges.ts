// The table of gauges. A gauge's value is read whenever Prometheus scrapes the metrics.

import { resolve } from 'node:path'
import { Gauge, type Registry } from 'prom-client'
import { countBackups, findLastRun } from '../catalog/tables/backup-records.ts'
import { findOldestDue } from '../catalog/tables/due-tenants.ts'
import type { Config } from '../config.ts'
import { failureKinds } from '../engine/tenant-health.ts'
import type { Readiness } from '../http/health.ts'
import { type DiskSpace, readDiskSpace } from '../lib/files/files.ts'
import { version } from '../lib/version.ts'
import { countTenantsByState } from '../tenants/tenants.ts'
import type { JobRunner } from './job-runner.ts'
import type { PreparedContext } from './open-engine.ts'

type GaugeDependencies = PreparedContext & { readiness: Readiness; jobRunner: JobRunner }

/** The value for one combination of label values, in the order of `GaugeDeclaration.labels`. */
type Sample = readonly [value: number, ...labels: string[]]

type GaugeDeclaration = {
  name: string
  help: string
  labels?: readonly string[]
  /** If `read` throws, this scrape contains no value for the gauge, so that alerts can tell a failure from zero. */
  read(deps: GaugeDependencies): Promise<Sample[]> | Sample[]
}

const componentStates = ['ok', 'warning', 'error'] as const

const gauges: readonly GaugeDeclaration[] = [
  {
    name: 'tenantdesk_build_info',
    help: 'Always 1; the labels are the versions of this process',
    labels: ['version', 'node', 'sqlite'],
    read: () => [[1, version, process.versions.node, process.versions.sqlite ?? '']],
  },
  {
    name: 'tenantdesk_component_state',
    help: 'The components of /readyz: 1 for the state that the component has, 0 for the others',
    labels: ['component', 'state'],
    read: async ({ readiness }) =>
      (await readiness.check()).flatMap(({ component, status }) =>
        componentStates.map((state): Sample => [Number(state === status), component, state]),
      ),
  },
  {
    name: 'tenantdesk_tenants',
    help: 'Tenants, by state',
    labels: ['state'],
    read: async ({ catalog }) =>
      Object.entries(await countTenantsByState(catalog)).map(([state, count]) => [count, state]),
  },
  {
    name: 'tenantdesk_tenants_unavailable',
    help: 'Tenants whose last operation failed because of their database, by reason',
    labels: ['reason'],
    read: ({ record }) => {
      const failures = [...record.failures.values()]
      return failureKinds.map((kind) => [failures.filter((failure) => failure === kind).length, kind])
    },
  },
  {
    name: 'tenantdesk_oldest_tenant_backup_timestamp_seconds',
    help: 'Time of the last backup of the tenant that has gone longest without one; for a tenant without any backup, the time of its creation',
    read: async ({ catalog, now }) => {
      const { since } = await countBackups(catalog, now())
      return since === null ? [] : [[Date.parse(since) / 1000]]
    },
  },
  {
    name: 'tenantdesk_tenants_never_backed_up',
    help: 'Tenants that have never been backed up',
    read: async ({ catalog, now }) => [[(await countBackups(catalog, now())).never]],
  },
  {
    name: 'tenantdesk_backup_read_timestamp_seconds',
    help: 'Time since which each file of the last backup has been read and found intact',
    read: async ({ catalog }) => {
      const run = await findLastRun(catalog)
      return run?.read_since ? [[Date.parse(run.read_since) / 1000]] : []
    },
  },
  {
    name: 'tenantdesk_backup_lost_files',
    help: 'Files that the last backup found missing or damaged in the backup before it, and copied anew',
    read: async ({ catalog }) => [[(await findLastRun(catalog))?.lost_files ?? 0]],
  },
  {
    name: 'tenantdesk_disk_free_bytes',
    help: 'Free space on the disk of DATA_DIR',
    read: async ({ config }) => [[(await diskSpace(config)).freeBytes]],
  },
  {
    name: 'tenantdesk_disk_size_bytes',
    help: 'Size of the disk of DATA_DIR',
    read: async ({ config }) => [[(await diskSpace(config)).sizeBytes]],
  },
  {
    name: 'tenantdesk_operations_in_flight',
    help: 'Operations on tenants that are queued or running',
    read: ({ engine }) => [[engine.inFlight()]],
  },
  {
    name: 'tenantdesk_job_queue_tenants',
    help: 'Tenants with due jobs (across all nodes), and tenants whose jobs this node is running',
    labels: ['state'],
    read: async ({ catalog, jobRunner, now }) => [
      [(await findOldestDue(catalog, now())).tenants, 'waiting'],
      [jobRunner.running(), 'running'],
    ],
  },
  {
    name: 'tenantdesk_job_queue_oldest_age_seconds',
    help: 'How long jobs have been due for the tenant that has waited longest; 0 if no jobs are due',
    read: async ({ catalog, now }) => {
      const { dueAt } = await findOldestDue(catalog, now())
      return [[dueAt === null ? 0 : Math.max(0, (now().getTime() - Date.parse(dueAt)) / 1000)]]
    },
  },
]

export function registerGauges(registry: Registry, deps: GaugeDependencies): void {
  for (const { name, help, labels = [], read } of gauges) {
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const samples = await Promise.resolve()
          .then(() => read(deps))
          .catch(() => [])
        this.reset()
        if (labels.length === 0) this.remove()
        for (const [value, ...values] of samples)
          this.set(Object.fromEntries(labels.map((label, index) => [label, values[index]!])), value)
      },
    })
  }
}

function diskSpace(config: Config): Promise<DiskSpace> {
  return readDiskSpace(resolve(config.DATA_DIR))
}

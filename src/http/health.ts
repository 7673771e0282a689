// The health of a node: what /readyz reports about each component, and what `tenantdesk doctor` advises about it.

/** A `warning` means that the node can still serve requests. An `error` means that the node is not ready, so proxies
 *  do not send requests to it. */
export type HealthStatus = 'ok' | 'warning' | 'error'

/** The components that /readyz reports on, each with what the operator should do if it is not ok. */
export const componentAdvice = {
  catalog: 'Look for the reason ("a component is not ready") in the server\'s log.',
  data_directory: 'Free space on the disk of DATA_DIR, and check that it is mounted for writing.',
  database_servers: "The server's log names the database server. If its address has changed: tenantdesk server set",
  rate_limit_server: 'Check that the server of RATE_LIMIT_REDIS_URL is running and can be reached.',
  proxy:
    'Set TRUST_PROXY to the number of proxies (usually 1) or their addresses: until then all clients have the same address.',
  tenants: "The server's log names the tenants. `tenantdesk doctor` examines their databases.",
  backups: "Look for the reason in the server's log.",
} as const

export type Component = keyof typeof componentAdvice

/** The message is public, so it contains no names, paths or addresses. */
export type ComponentHealth = { status: 'ok' } | { status: 'warning' | 'error'; message: string }

export type ComponentState = { component: Component } & ComponentHealth

export type Readiness = {
  /** Returns each component's state within a few seconds. */
  check(): Promise<ComponentState[]>
}

/** Below `minBytes` (MIN_FREE_DISK_BYTES), a node is not ready. Below ten times as much, there is a warning. */
export function judgeFreeSpace(freeBytes: number, minBytes: number): HealthStatus {
  if (freeBytes < minBytes) return 'error'
  return freeBytes < 10 * minBytes ? 'warning' : 'ok'
}

/** Returns after which time without a backup a tenant's backup is late. A run may take a long time, so that is twice
 *  the interval. `everyMs`: BACKUP_EVERY, or a day if it is not set. */
export function lateBackupMs(everyMs: number | null): number {
  return 2 * (everyMs ?? 86_400_000)
}

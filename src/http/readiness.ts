// What /readyz says: whether this node can serve requests, and the state of each component that it needs.

/** A `warning` needs attention, but requests can be served. With an `error` the node is not ready: a proxy sends it no requests.
 *  Everyone can read the message, so it contains no names, paths or addresses. */
export type Finding = { status: 'ok' } | { status: 'warning' | 'error'; message: string }

export type ComponentState = { component: string } & Finding

export type Readiness = {
  /** The state of each component, in bounded time. */
  check(): Promise<ComponentState[]>
}

// The result of /readyz: whether this node can serve requests, and each component's state.

/** A `warning` means that the node can still serve requests. An `error` means that the node is not ready, so proxies
 *  do not send requests to it. The message is public, so it contains no names, paths or addresses. */
export type Finding = { status: 'ok' } | { status: 'warning' | 'error'; message: string }

export type ComponentState = { component: string } & Finding

export type Readiness = {
  /** Returns each component's state within a few seconds. */
  check(): Promise<ComponentState[]>
}

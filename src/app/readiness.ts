// Answers /readyz with the components' states.

import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import {
  type Component,
  type ComponentState,
  components,
  type Health,
  type HealthSources,
  type HealthStatus,
  type Readiness,
} from '../http/health.ts'

/** A component whose check takes longer than this is reported as not responding, because proxies wait only a few
 *  seconds for /readyz. */
const checkTimeoutMs = 5000

/** Runs the checks concurrently, and logs when a component's state changes. */
export function openReadiness(sources: HealthSources, log: Logger): Readiness {
  const lastStatus = new Map<Component, HealthStatus>()
  const names = (Object.keys(components) as Component[]).filter((name) => {
    const component = components[name]
    return !('isUsed' in component) || component.isUsed(sources.config)
  })

  async function run(component: Component): Promise<ComponentState> {
    const timeout = new AbortController()
    const timeoutError = wait(checkTimeoutMs, undefined, { ref: false, signal: timeout.signal }).then(() => {
      throw new Error(`no answer within ${checkTimeoutMs} ms`)
    })
    const health = await Promise.race([(async () => components[component].check(sources))(), timeoutError]).catch(
      (error: Error): Health => ({ status: 'error', message: 'It is not responding.', reason: error.message }),
    )
    timeout.abort()
    report(component, health)
    const { status, message } = health
    return status === 'ok' ? { component, status } : { component, status, message }
  }

  function report(component: Component, { status, message, reason = message }: Health): void {
    const previous = lastStatus.get(component) ?? 'ok'
    lastStatus.set(component, status)
    if (status === previous) return
    if (status === 'ok') log.info({ component }, 'a component is ready again')
    else if (status === 'error') log.error({ component, reason }, 'a component is not ready')
    else log.warn({ component, reason }, 'a component needs attention')
  }

  return { check: () => Promise.all(names.map(run)) }
}

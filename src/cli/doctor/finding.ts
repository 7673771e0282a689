// The result of one `tenantdesk doctor` check.

import { type Component, components, type Health, type HealthStatus } from '../../http/health.ts'

/** `advice`: what the operator should do; null if there is nothing to do. */
export type Finding = { check: string; status: HealthStatus; message: string; advice: string | null }

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', message, advice: null }
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, status: 'warning', message, advice }
}

export function failure(check: string, message: string, advice: string): Finding {
  return { check, status: 'error', message, advice }
}

/** Returns the findings, or `allRight` if there are none. False and empty values are not findings. */
export function findingsOr(allRight: Finding, ...findings: (Finding | false | '' | undefined)[]): Finding[] {
  const present = findings.filter((finding) => typeof finding === 'object')
  return present.length > 0 ? present : [allRight]
}

/** Converts a component's health to a finding, with the component's advice. */
export function toFinding(
  component: Component,
  { status, message, reason }: Health,
  check: string = component,
): Finding {
  const text = reason === undefined ? message : `${message} Reason: ${reason}.`
  return { check, status, message: text, advice: status === 'ok' ? null : components[component].advice }
}

/** Clock differences above this cause a warning. */
export const smallClockDifferenceMs = 2000

/** What to do about clocks that differ. */
export const synchronizeClocks = 'Synchronize the clocks of all machines (timedatectl, chrony).'

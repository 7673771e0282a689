// Reads the properties of this machine that affect the results. Also reads the CPU time and memory of processes.

import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'

/** `sync`: median time of a durable 4 KiB write in milliseconds, roughly the cost of a commit. */
export type Machine = {
  system: string
  processor: string
  cores: number
  memory: string
  node: string
  sqlite: string
  sync: number
}

/** Writes to the file at `path` to measure `sync`. */
export function describeMachine(path: string): Machine {
  return {
    system: `${type()} ${release()}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    sqlite: process.versions.sqlite!,
    sync: measureSync(path),
  }
}

function measureSync(path: string): number {
  const page = Buffer.alloc(4096, 1)
  const file = openSync(path, 'w')
  const times = Array.from({ length: 50 }, () => {
    const start = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  return times.sort((one, other) => one - other)[25]!
}

/** Starts measuring the share of CPU time used by programs other than this process and its children. Children must have
 *  exited before the returned function is called. That function returns undefined if the system does not report CPU
 *  time. */
export function measureOtherPrograms(): () => number | undefined {
  const [startedAt, busyAtStart, ownAtStart] = [performance.now(), busyTime(), ownAndChildrenTime()]
  return () => {
    const [busy, own, elapsed] = [busyTime(), ownAndChildrenTime(), (performance.now() - startedAt) * 1000]
    if (busy === undefined || busyAtStart === undefined || Number.isNaN(own)) return undefined
    return Math.max(0, busy - busyAtStart - (own - ownAtStart)) / elapsed / availableParallelism()
  }
}

/** CPU time of this process and of its children that have exited, in microseconds; NaN if unknown. */
function ownAndChildrenTime(): number {
  const status = readStatus(process.pid)
  return status ? status.ownTime + status.exitedChildrenTime : Number.NaN
}

/** CPU time that all cores together have used since boot, in microseconds. Time spent waiting for a disk is not
 *  included. */
function busyTime(): number | undefined {
  try {
    const [user, nice, system, , , ...remaining] = readFileSync('/proc/stat', 'utf8')
      .split('\n')[0]!
      .split(/\s+/)
      .slice(1)
    const interrupts = remaining.slice(0, 3) // irq, softirq and steal; `user` already includes guest time
    return [user, nice, system, ...interrupts].reduce((sum, ticks) => sum + Number(ticks) * 10_000, 0)
  } catch {
    return undefined
  }
}

/** CPU time of a process so far, in microseconds; NaN if unknown. */
export function processorTime(pid: number): number {
  const status = readStatus(pid)
  return status ? status.ownTime : Number.NaN
}

/** CPU time of a process and of all its children, running or exited, in microseconds; NaN if unknown. */
export function familyProcessorTime(pid: number): number {
  const parent = readStatus(pid)
  if (!parent) return Number.NaN
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const children = pids.flatMap((name) => readStatus(Number(name)) ?? []).filter((child) => child.parent === pid)
  return children.reduce((sum, child) => sum + child.ownTime, parent.ownTime + parent.exitedChildrenTime)
}

/** Resident memory in MiB; NaN if unknown. */
export function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
  } catch {
    return Number.NaN
  }
}

/** The id of the parent process; undefined if unknown. */
export function parentOf(pid: number): number | undefined {
  return readStatus(pid)?.parent
}

/** `ownTime`: CPU time of the process. `exitedChildrenTime`: CPU time of its children that have exited. Both times are
 *  in microseconds. */
type Status = { parent: number; ownTime: number; exitedChildrenTime: number }

/** Times in /proc/PID/stat are in hundredths of a second. The process name, which precedes the fields read here, may
 *  contain spaces. */
function readStatus(pid: number): Status | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ').map(Number)
    const [parent, ...times] = [fields[1]!, ...fields.slice(11, 15).map((ticks) => ticks * 10_000)]
    return { parent, ownTime: times[0]! + times[1]!, exitedChildrenTime: times[2]! + times[3]! }
  } catch {
    return undefined // the process has exited, or the system has no /proc
  }
}

// A clock that tests can set. If a process imports this file at its start, the wall-clock time of the process and its
// threads is shifted by the number of milliseconds in CLOCK_FILE. Monotonic time (performance, timers) is not affected.

import { readFileSync } from 'node:fs'

const TrueDate = Date
const readIntervalMs = 5
let offsetMs = 0
let readAt = Number.NEGATIVE_INFINITY

function now(): number {
  if (performance.now() - readAt > readIntervalMs) {
    offsetMs = Number(readFileSync(process.env.CLOCK_FILE!, 'utf8')) || offsetMs // empty while a test writes the file
    readAt = performance.now()
  }
  return TrueDate.now() + offsetMs
}

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, values, self) => Reflect.construct(target, values.length === 0 ? [now()] : values, self),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

// A clock that can be set. Import it when a process starts: it shifts the time of the process and its threads by the
// number of milliseconds in CLOCK_FILE. Monotonic time (performance, timers) is not affected.

import { readFileSync } from 'node:fs'

const TrueDate = Date
const readEvery = 5
let offset = 0
let readAt = Number.NEGATIVE_INFINITY

function now(): number {
  if (performance.now() - readAt > readEvery) {
    offset = Number(readFileSync(process.env.CLOCK_FILE!, 'utf8')) || offset // it may just be written
    readAt = performance.now()
  }
  return TrueDate.now() + offset
}

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, parts, self) => Reflect.construct(target, parts.length === 0 ? [now()] : parts, self),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
})

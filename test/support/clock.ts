// A clock that can be set: imported before a process starts, it moves the time of the process and of its threads by the
// milliseconds that stand in CLOCK_FILE. What counts time without a clock (performance, timers) goes on as it is.

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

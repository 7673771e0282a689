// The log: lines of JSON on standard output, written in batches. Logging never blocks the server: when the output is
// full or closed, lines are dropped.

import { write, writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { type DestinationStream, type Logger, pino } from 'pino'
import { hideKeys } from './text.ts'

/** Lines are buffered up to this many characters: one write per line would cost a busy server a tenth of its time. */
const flushAtLength = 1 << 15

/** The interval at which buffered lines are written and a write to a full pipe is retried. */
const flushEveryMs = 100

/** Maximum characters buffered for a slow disk or pipe; further lines are dropped. */
const maxBufferLength = 1 << 20

/** How long the process waits for space in a full pipe before it exits. */
const exitFlushTimeoutMs = 500

const standardOutputDescriptor = 1

let standardOutput: DestinationStream | undefined

export function openLog(level: string): Logger {
  standardOutput ??= openDestination(standardOutputDescriptor)
  return createLogger(level, standardOutput)
}

/** Creates a log with times in ISO 8601. */
export function createLogger(level: string, destination: DestinationStream): Logger {
  return pino({ level, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}

/** Replaces Pino's own destination. If the reader of a pipe has exited, Pino's destination would retry its last write
 *  forever when this process exits. */
function openDestination(descriptor: number): DestinationStream {
  void process.stdout // once it is open, a full pipe returns EAGAIN instead of blocking a thread
  let lines = ''
  /** The lines being written. If `isWriting` is false, they are waiting for space in a full pipe. */
  let chunk: Buffer | undefined
  let isWriting = false

  function flush(): void {
    if (chunk || lines === '') return
    chunk = Buffer.from(lines)
    lines = ''
    writeChunk()
  }

  function writeChunk(): void {
    isWriting = true
    write(descriptor, chunk!, (error, written) => {
      isWriting = false
      if (isFull(error)) return void setTimeout(writeChunk, flushEveryMs).unref()
      const rest = error ? undefined : chunk!.subarray(written)
      chunk = rest?.length ? rest : undefined
      if (chunk) writeChunk()
      else if (lines.length >= flushAtLength) flush()
    })
  }

  /** Writes synchronously, because callbacks are not called at exit. */
  function flushAtExit(): void {
    // If the terminal is stopped (Ctrl-S), exit would wait for the write in progress.
    if (isWriting && isatty(descriptor)) process.kill(process.pid, 'SIGKILL')
    const deadline = performance.now() + exitFlushTimeoutMs
    let rest: Buffer = Buffer.concat([(!isWriting && chunk) || Buffer.alloc(0), Buffer.from(lines)])
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(descriptor, rest))
      } catch (error) {
        if (!isFull(error as NodeJS.ErrnoException) || performance.now() > deadline) return
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10) // sleeps for 10 ms
      }
    }
  }

  setInterval(flush, flushEveryMs).unref()
  process.on('exit', flushAtExit)
  return {
    write(text) {
      const line = hideKeys(text) // for example if a caller sent its key as X-Request-Id
      if (lines.length + line.length <= maxBufferLength) lines += line
      if (lines.length >= flushAtLength) flush()
    },
  }
}

function isFull(error: NodeJS.ErrnoException | null): boolean {
  return error?.code === 'EAGAIN'
}

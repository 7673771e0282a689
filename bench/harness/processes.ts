// The processes of a measurement: servers, and those that put load on them.

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Measured } from './latencies.ts'
import { processorTime } from './machine.ts'

/** A server under measurement. */
export type Server = {
  url: string
  pid: number
  /** Processor time of all its threads so far, in microseconds; NaN where the system does not tell. */
  processorTime(): number
  end(): Promise<void>
}

/** A process that is told what to measure. `Job` is plain data. */
export type Meter<Job> = { pid: number; measure(job: Job): Promise<Measured>; end(): Promise<void> }

/** What a meter answers to a job. */
type Told = { measured?: Measured; failure?: string }

const bench = join(import.meta.dirname, '..')
const program = join(bench, '../src/main.ts')

/** The service as an operator starts it. `flags` are those of Node. */
export function startNode(environment: Record<string, string>, logFile: string, flags: string[] = []): Promise<Server> {
  return startServer([...flags, program, 'serve'], environment, logFile)
}

/** Starts a program that writes its address to stderr; what it writes to stdout goes to a file, as a log does. */
export async function startServer(
  line: string[],
  environment: Record<string, string>,
  logFile: string,
): Promise<Server> {
  const child = spawn(process.execPath, line, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', openSync(logFile, 'w'), 'pipe'],
  })
  const url = await addressOf(child)
  return { url, pid: child.pid!, processorTime: () => processorTime(child.pid!), end: () => end(child) }
}

/** A server that works less than so much of the time, over so many milliseconds, has nothing left to do. */
const idle = { part: 0.05, milliseconds: 300 }

/** Until a server has done what it leaves until after the answers, as bringing files to rest. */
export async function whenIdle({ processorTime }: Server): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    const now = processorTime()
    if (!(now - before >= idle.part * idle.milliseconds * 1000)) return
    before = now
    await sleep(idle.milliseconds)
  }
}

/** Starts a program that answers jobs with answerJobs. `file` is a path below bench/. */
export function startMeter<Job extends object>(file: string, ...words: string[]): Meter<Job> {
  const child = fork(join(bench, file), words)
  return {
    pid: child.pid!,
    measure: (job) =>
      new Promise((resolve, reject) => {
        child.removeAllListeners()
        child.once('exit', () => reject(new Error(`${file} ended.`)))
        child.once('message', ({ measured, failure }: Told) =>
          measured ? resolve(measured) : reject(new Error(failure)),
        )
        child.send(job)
      }),
    end: () => end(child),
  }
}

/** The other contender of a meter: measures what it is told to, one job after another. */
export function answerJobs<Job>(measure: (job: Job) => Promise<Measured>): void {
  process.on('message', async (job: Job) => {
    try {
      process.send!({ measured: await measure(job) } satisfies Told)
    } catch (error) {
      process.send!({ failure: (error as Error).message } satisfies Told)
    }
  })
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr!.on('data', (chunk) => {
      said += chunk
      const address = /\bAPI\b.*?(http:\S+)/.exec(said)
      if (address) resolve(address[1]!)
    })
    child.once('exit', () => reject(new Error(`A server did not start: ${said}`)))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

// Starts and stops a measurement's processes: servers and load generators.

import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceOverrides } from '../../src/app/context.ts'
import { serveArguments } from '../../test/support/servers/serve-with.ts'
import type { LoadResult } from './load/latencies.ts'
import { processorTime } from './machine.ts'

/** A server being measured. */
export type Server = {
  url: string
  pid: number
  /** CPU time of all the server's threads so far, in microseconds; NaN if unknown. */
  processorTime(): number
  end(): Promise<void>
}

/** A process that generates load and reports what it measured. `Options` must be plain data, because it is sent to the
 *  process in a message. */
export type LoadProcess<Options> = {
  pid: number
  measure(options: Options): Promise<LoadResult>
  end(): Promise<void>
}

/** A load process's reply: the result, or an error message. */
type MeasurementReply = { measured?: LoadResult; failure?: string }

const bench = join(import.meta.dirname, '..')

/** Starts the service the way an operator would, unless `overrides` replaces parts of it. `flags`: Node.js options. */
export function startNode(
  environment: Record<string, string>,
  logFile: string,
  { flags = [], overrides }: { flags?: string[]; overrides?: ServiceOverrides } = {},
): Promise<Server> {
  const program = overrides ? serveArguments(overrides) : [join(bench, '../src/main.ts'), 'serve']
  return startServer([...flags, ...program], environment, logFile)
}

/** Starts a program that prints the URL of its API to stderr. Its stdout is written to `logFile`. */
export async function startServer(
  args: string[],
  environment: Record<string, string>,
  logFile: string,
): Promise<Server> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', openSync(logFile, 'w'), 'pipe'],
  })
  const url = await waitForUrl(child)
  return { url, pid: child.pid!, processorTime: () => processorTime(child.pid!), end: () => end(child) }
}

/** Starts a program in bench/baselines with `data` as its argument. */
export function startBaseline(name: string, directory: string, data = join(directory, name)): Promise<Server> {
  return startServer([join(bench, 'baselines', `${name}.ts`), data], {}, join(directory, `${name}.log`))
}

/** A server is idle if it uses less than this share of a core for this long. */
const idleThreshold = { share: 0.05, milliseconds: 300 }

/** Waits until background work, such as indexing and checkpoints, is done. */
export async function whenIdle({ processorTime }: Server): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    const now = processorTime()
    if (!(now - before >= idleThreshold.share * idleThreshold.milliseconds * 1000)) return
    before = now
    await sleep(idleThreshold.milliseconds)
  }
}

/** Starts a program that calls measureOnMessage. `file`: the program's path relative to bench. */
export function startLoadProcess<Options extends object>(file: string, ...args: string[]): LoadProcess<Options> {
  const child = fork(join(bench, file), args)
  return {
    pid: child.pid!,
    measure: (options) =>
      new Promise((resolve, reject) => {
        child.removeAllListeners()
        child.once('exit', () => reject(new Error(`${file} exited.`)))
        child.once('message', ({ measured, failure }: MeasurementReply) =>
          measured ? resolve(measured) : reject(new Error(failure)),
        )
        child.send(options)
      }),
    end: () => end(child),
  }
}

/** Runs `measure` for each message from the parent process, and sends the result back. */
export function measureOnMessage<Options>(measure: (options: Options) => Promise<LoadResult>): void {
  process.on('message', async (options: Options) => {
    try {
      process.send!({ measured: await measure(options) } satisfies MeasurementReply)
    } catch (error) {
      process.send!({ failure: (error as Error).message } satisfies MeasurementReply)
    }
  })
}

function waitForUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    child.stderr!.on('data', (chunk) => {
      output += chunk
      const address = /\bAPI\b.*?(http:[^\s"]+)/.exec(output)
      if (address) resolve(address[1]!)
    })
    child.once('exit', () => reject(new Error(`A server did not start: ${output}`)))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

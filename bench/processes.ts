// The three processes of a measurement: the floor, the service as an operator runs it, and the clients.

import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Job, Measured } from './load.ts'

/** A server under measurement. `headers`: what its requests carry. */
export type Server = {
  url: string
  headers: Record<string, string>
  /** Processor time of all its threads so far, in microseconds; NaN where the system does not tell. */
  processorTime(): number
  end(): Promise<void>
}

export type Clients = { measure(job: Job): Promise<Measured>; end(): Promise<void> }

type Told = { measured?: Measured; failure?: string }

const program = join(import.meta.dirname, '../src/main.ts')

export async function startFloor(directory: string): Promise<Server> {
  mkdirSync(directory)
  return startServer([join(import.meta.dirname, 'floor.ts'), join(directory, 'floor.sqlite')], {}, directory)
}

/** With one tenant, one key, a log that is written, and a rate limit that counts but is never reached. */
export async function startService(directory: string, options: string[] = []): Promise<Server> {
  mkdirSync(directory)
  const settings = { DATA_DIR: directory, PORT: '0', RATE_LIMIT_PER_MINUTE: '1000000000', LOG_LEVEL: 'info' }
  runCommand(settings, 'tenant', 'create', 'bench')
  const key = runCommand(settings, 'key', 'create', 'bench', '--scope', '*:read', '--scope', '*:write').trim()
  const server = await startProgram(directory, settings, options)
  return { ...server, headers: { authorization: `Bearer ${key}` } }
}

/** The service with these settings, on what is there already. */
export function startProgram(
  directory: string,
  settings: Record<string, string>,
  options: string[] = [],
): Promise<Server> {
  return startServer([...options, program, 'serve'], settings, directory)
}

export function startClients(): Clients {
  const child = fork(join(import.meta.dirname, 'load.ts'))
  return {
    measure: (job) =>
      new Promise((resolve, reject) => {
        child.removeAllListeners()
        child.once('exit', () => reject(new Error('The clients ended.')))
        child.once('message', ({ measured, failure }: Told) =>
          measured ? resolve(measured) : reject(new Error(failure)),
        )
        child.send(job)
      }),
    end: () => end(child),
  }
}

/** What a command prints. */
export function runCommand(settings: Record<string, string>, ...words: string[]): string {
  const env = { ...process.env, ...settings }
  return execFileSync(process.execPath, [program, ...words], { env, encoding: 'utf8', stdio: 'pipe' })
}

/** Starts a program that writes its address to stderr; what it writes to stdout goes to a file, as a log does. */
async function startServer(line: string[], settings: Record<string, string>, directory: string): Promise<Server> {
  const log = openSync(join(directory, 'server.log'), 'w')
  const child = spawn(process.execPath, line, {
    env: { ...process.env, ...settings },
    stdio: ['ignore', log, 'pipe'],
  })
  const url = await addressOf(child)
  return { url, headers: {}, processorTime: () => processorTime(child.pid!), end: () => end(child) }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr!.on('data', (chunk) => {
      said += chunk
      const address = / is at (http\S+)/.exec(said)
      if (address) resolve(address[1]!)
    })
    child.once('exit', () => reject(new Error(`A server did not start: ${said}`)))
  })
}

/** Fields 14 and 15 of /proc/PID/stat, in hundredths of a second; the name before them may hold blanks. */
function processorTime(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

// Runs a soak test's server. The server can be killed and restarted on the same port. Its memory and open file
// descriptors are sampled every second.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../test/support/servers/free-port.ts'
import { serveArguments } from '../../test/support/servers/serve-with.ts'
import { memoryOf } from '../harness/machine.ts'
import { serviceSettings } from '../harness/seed/tenants.ts'

export const program = join(import.meta.dirname, '../../src/main.ts')

/** `memory` is in MiB. `descriptors` is the number of open file descriptors. */
export type Sample = { uptimeSeconds: number; memory: number; descriptors: number }

export type SoakServer = {
  url: string
  origin: string
  environment: Record<string, string>
  /** Whether the server was down at any time after `moment`, a value of `performance.now()`. */
  wasDownAfter(moment: number): boolean
  kills(): number
  /** Kills the server with SIGKILL and restarts it. */
  crash(): Promise<void>
  /** The samples of the server process since its last start. */
  samples(): Sample[]
  /** Stops the server with SIGTERM. Returns its exit code. */
  end(): Promise<number | null>
}

export async function startSoakServer(settings: Record<string, string>, logFile: string): Promise<SoakServer> {
  const port = await freePort()
  const environment = { ...serviceSettings, ...settings, PORT: String(port) }
  const log = openSync(logFile, 'a')
  let samples: Sample[] = []
  let [downSince, upSince, kills] = [Number.NaN, performance.now(), 0]
  let child = await start()
  const timer = setInterval(() => sample(), 1000)
  process.once('exit', () => child.kill('SIGKILL'))

  async function start(): Promise<ChildProcess> {
    const env = { ...process.env, ...environment }
    const newChild = spawn(process.execPath, serveArguments({ pagesPerMinute: 0 }), {
      env,
      stdio: ['ignore', log, 'pipe'],
    })
    let output = ''
    await new Promise<void>((resolve, reject) => {
      newChild.stderr!.on('data', (chunk) => {
        output = (output + chunk).slice(-10_000)
        if (output.includes('API is at')) resolve()
      })
      newChild.once('exit', () => reject(new Error(`The server exited: ${output}`)))
    })
    upSince = performance.now()
    downSince = Number.NaN
    samples = []
    return newChild
  }

  function sample(): void {
    if (Number.isFinite(downSince)) return
    const uptimeSeconds = (performance.now() - upSince) / 1000
    samples.push({ uptimeSeconds, memory: memoryOf(child.pid!), descriptors: descriptorsOf(child.pid!) })
  }

  return {
    url: `http://127.0.0.1:${port}/api/v1`,
    origin: `http://127.0.0.1:${port}`,
    environment,
    wasDownAfter: (moment) => Number.isFinite(downSince) || (kills > 0 && upSince > moment),
    kills: () => kills,
    async crash() {
      downSince = performance.now()
      kills++
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      child = await start()
    },
    samples: () => samples,
    async end() {
      clearInterval(timer)
      downSince = performance.now()
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      return (await ended)[0]
    },
  }
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return Number.NaN
  }
}

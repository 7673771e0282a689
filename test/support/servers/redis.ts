// A real Redis or Valkey server, whichever is installed.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after } from 'node:test'
import { eventually } from '../eventually.ts'
import { freePort } from './free-port.ts'

const program = ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0)

/** The reason to skip a test; false if Redis or Valkey is installed. */
export const withoutRedis = program ? false : 'neither redis-server nor valkey-server is installed'

export const password = 'a-password-for-tests'

/** Prepares a server without persistence. Call `start` to start it. The server is killed after the tests. */
export async function prepareRedis() {
  const port = await freePort()
  let child: ChildProcess | undefined
  after(() => child?.kill('SIGKILL'))
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    async start(): Promise<void> {
      const settings = { port, bind: '127.0.0.1', save: '', appendonly: 'no', requirepass: password }
      const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
      child = spawn(program!, flags, { stdio: 'ignore' })
      await eventually('Redis listens', () => isListening(port))
    },
    async kill(): Promise<void> {
      child!.kill('SIGKILL')
      await once(child!, 'exit')
    },
    /** Suspends the server: connections stay open, but it does not respond. */
    freeze: () => void child!.kill('SIGSTOP'),
    resume: () => void child!.kill('SIGCONT'),
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

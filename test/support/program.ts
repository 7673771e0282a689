// The program in a process of its own, as an operator runs it. `startProcess` in service.ts starts servers that go on running.

import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import { type Environment, startProcess } from './service.ts'

export type Outcome = { exitCode: number; stdout: string; stderr: string }

/** The words of a line as a shell would find them: separated by blanks, unless in single quotes. */
export function wordsOf(line: string): string[] {
  return line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? []
}

/** Runs one command. `input`: its standard input. */
export function runProgram(environment: Environment, line: string, input = ''): Promise<Outcome> {
  const settings = { env: { ...process.env, ...environment } }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['src/main.ts', ...wordsOf(line)], settings, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    )
    child.stdin!.on('error', () => {}).end(input) // it may end without reading
  })
}

/** Runs `serve` where it must end by itself with exit code 1. Returns what it printed. */
export async function failedStart(settings: Environment): Promise<string> {
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'silent', ...settings }
  const child = spawn(process.execPath, ['src/main.ts', 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  after(() => child.kill('SIGKILL'))
  let printed = ''
  child.stderr.on('data', (chunk) => {
    printed += chunk
    if (printed.includes('is ready')) child.kill('SIGKILL')
  })
  assert.deepEqual(await once(child, 'close'), [1, null], printed)
  return printed
}

/** Runs `serve` where it must start, and ends it. Returns what it printed. */
export async function startAndStop(settings: Environment): Promise<string> {
  const server = await startProcess(settings)
  await server.end('SIGTERM')
  return server.stderr()
}

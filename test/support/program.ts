// The program in a process of its own, as an operator runs it. `startProcess` in service.ts starts servers that go on running.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { scopesOf } from '../../src/api/endpoint.ts'
import { endpointsOf } from '../../src/api/endpoints/all.ts'
import { serve } from '../../src/app/serve.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { resources } from '../../src/resources/declarations/all.ts'
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

/** Runs a command in this process, where nothing has been prepared. */
export async function runHere(environment: Environment, line: string): Promise<Outcome> {
  const written = { stdout: '', stderr: '' }
  const terminal = {
    stdout: (text: string) => {
      written.stdout += `${text}\n`
    },
    stderr: (text: string) => {
      written.stderr += `${text}\n`
      if (/is ready/.test(text)) process.emit('SIGTERM') // a server that should not have started ends
    },
    readLine: async () => '',
  }
  const application = { serve, scopes: async () => scopesOf(endpointsOf(resources)) }
  const exitCode = await runCommand(wordsOf(line), terminal, application, environment)
  return { exitCode, ...written }
}

/** Runs `serve` where it must end by itself with exit code 1. Returns what it printed. */
export async function failedStart(settings: Environment): Promise<string> {
  const { exitCode, stderr } = await runHere({ PORT: '0', LOG_LEVEL: 'silent', ...settings }, 'serve')
  assert.equal(exitCode, 1, stderr)
  return stderr
}

/** Runs `serve` where it must start, and ends it. Returns what it printed. */
export async function startAndStop(settings: Environment): Promise<string> {
  const server = await startProcess(settings)
  await server.end('SIGTERM')
  return server.stderr()
}

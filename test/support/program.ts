// Runs commands, either in a separate process as an operator would, or in the test's process. For servers that keep
// running, see `startProcess` in service.ts.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { scopesOf } from '../../src/api/endpoint.ts'
import { endpointsOf } from '../../src/api/endpoints/all.ts'
import { serve } from '../../src/app/serve.ts'
import { runCommand } from '../../src/cli/run-command.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { type Environment, startProcess } from './service.ts'
import { recordingTerminal } from './terminal.ts'

export type Outcome = { exitCode: number; stdout: string; stderr: string }

/** Splits a line into words as a shell would: at blanks, except within single quotes. */
export function wordsOf(line: string): string[] {
  return line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? []
}

/** Runs a command in a separate process. `input`: the text for its standard input. */
export function runProgram(environment: Environment, line: string, input = ''): Promise<Outcome> {
  const settings = { env: { ...process.env, ...environment } }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, ['src/main.ts', ...wordsOf(line)], settings, (_error, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    )
    child.stdin!.on('error', () => {}).end(input) // the program may exit without reading its input
  })
}

/** Runs a command in this process. Unlike `command` in service.ts, does not create an installation first. */
export async function runInProcess(environment: Environment, line: string): Promise<Outcome> {
  const { terminal, written } = recordingTerminal((text) => {
    if (/is ready/.test(text)) process.emit('SIGTERM') // stops a server that should not have started
  })
  const application = { serve, scopes: async () => scopesOf(endpointsOf(resources)) }
  const exitCode = await runCommand(wordsOf(line), terminal, application, environment)
  return { exitCode, ...written }
}

/** Asserts that `serve` does not start with these settings, and returns its output on stderr. */
export async function assertStartFails(settings: Environment): Promise<string> {
  const { exitCode, stderr } = await runInProcess({ PORT: '0', LOG_LEVEL: 'silent', ...settings }, 'serve')
  assert.equal(exitCode, 1, stderr)
  return stderr
}

/** Starts `serve` with these settings, stops it, and returns its output on stderr. */
export async function startAndStop(settings: Environment): Promise<string> {
  const server = await startProcess(settings)
  await server.end('SIGTERM')
  return server.stderr()
}

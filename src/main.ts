#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { styleText } from 'node:util'
import type { Application, Terminal } from './cli/command.ts'
import { visible, visibleLines } from './lib/text.ts'

// Caches compiled code next to the packages, if that directory is writable. This halves the CPU time of later starts.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/node'))
const { runCommand } = await import('./cli/run-command.ts')

// Without a listener for errors, a closed pipe on stdout or stderr would crash the process.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}

/** Replaces the terminal's current line at most ten times a second; empty text clears the line immediately. Leaves the
 *  last column free, because a full line would wrap. */
function showProgress(text: string): void {
  const now = performance.now()
  if (text !== '' && now < nextProgressAt) return
  nextProgressAt = now + 100
  process.stderr.write(`\r\x1b[K${visible(text).slice(0, process.stderr.columns - 1)}`)
}

let nextProgressAt = 0

const terminal: Terminal = {
  stdout: (text: string) => void process.stdout.write(`${text}\n`),
  stderr: (text: string) => void process.stderr.write(`${visibleLines(text)}\n`),
  isStdoutTerminal: process.stdout.isTTY === true,
  style: (format, text) => styleText(format, text, { stream: process.stdout }),
  progress: process.stderr.isTTY ? showProgress : undefined,
  readLine,
}

/** Loaded on demand: loading the server takes three times as long as loading all other commands together. */
const application: Application = {
  serve: async (context) => (await import('./app/serve.ts')).serve(context),
  scopes: async () => (await import('./app/scopes.ts')).scopes,
}

process.exitCode = await runCommand(process.argv.slice(2), terminal, application)

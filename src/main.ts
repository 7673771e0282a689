#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { CommandHandler } from './cli/command.ts'

// What Node has compiled is kept beside the packages, where it may be written: the next start takes half the processor time.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/node'))
const { runCommand } = await import('./cli/commands.ts')

// Without a listener, an output whose reader has ended would end the process.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

async function readLine(): Promise<string> {
  for await (const line of createInterface({ input: process.stdin })) return line
  return ''
}

const terminal = {
  stdout: (text: string) => void process.stdout.write(`${text}\n`),
  stderr: (text: string) => void process.stderr.write(`${text}\n`),
  readLine,
}

/** Loaded only when needed: the server takes three times as long to load as all other commands together. */
const serve: CommandHandler = async (...input) => (await import('./app/serve.ts')).serve(...input)

process.exitCode = await runCommand(process.argv.slice(2), terminal, serve)

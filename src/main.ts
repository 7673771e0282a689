#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// What Node has compiled is kept beside the packages, where it may be written: the next start takes half the processor time.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/node'))
const { runCommand } = await import('./cli/commands.ts')

// Without a listener, an output whose reader has ended would end the process.
for (const output of [process.stdout, process.stderr]) output.on('error', () => {})

const terminal = {
  out: (text: string) => void process.stdout.write(`${text}\n`),
  say: (text: string) => void process.stderr.write(`${text}\n`),
}

process.exitCode = await runCommand(process.argv.slice(2), terminal)

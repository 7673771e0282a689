#!/usr/bin/env node
import { runCommand } from './cli/commands.ts'

const terminal = {
  out: (text: string) => void process.stdout.write(`${text}\n`),
  say: (text: string) => void process.stderr.write(`${text}\n`),
}

process.exitCode = await runCommand(process.argv.slice(2), terminal)

// Measures the service beside what bounds it, in one run, and writes docs/benchmarks.md and docs/benchmarks.svg.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chart } from './chart.ts'
import { describeMachine, watchOthers } from './machine.ts'
import type { Effort } from './measure.ts'
import { measurePostgres } from './postgres.ts'
import { type Results, report } from './report.ts'
import { measureSqlite } from './sqlite.ts'

const usage = `npm run bench -- [--only sqlite|postgres] [--rounds 3] [--seconds 2] [--check]

Measures both engines and writes docs/benchmarks.md and docs/benchmarks.svg; with --only or --check nothing is
written, the report is printed.
  --only ENGINE   measure one engine
  --rounds N      rounds of each measurement; the figures are their medians
  --seconds N     length of a round
  --check         one round of a second: does it work?`

const root = join(import.meta.dirname, '..')

const engines = ['sqlite', 'postgres'] as const
type Settings = { engines: readonly string[]; effort: Effort; isWritten: boolean }

const settings = readSettings()
if (settings) await bench(settings)
else console.log(usage)

function readSettings(): Settings | undefined {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { only, rounds, seconds, check } = values
  if (values.help) return undefined
  if (only !== undefined && !engines.some((engine) => engine === only)) throw new Error(`There is no engine ${only}.`)
  return {
    engines: only === undefined ? engines : [only],
    effort: check ? { rounds: 1, seconds: 1 } : { rounds: positive(rounds), seconds: positive(seconds) },
    isWritten: only === undefined && !check,
  }
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`An option must be a positive whole number, not ${text}.`)
  return Number(text)
}

async function bench({ engines, effort, isWritten }: Settings): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-bench-'))
  try {
    const machine = describeMachine(join(directory, 'sync'))
    const others = watchOthers()
    const measured = {
      sqlite: engines.includes('sqlite') ? await measureSqlite(join(directory, 'sqlite'), effort) : undefined,
      postgres: engines.includes('postgres') ? await measurePostgres(join(directory, 'postgres'), effort) : undefined,
    }
    const date = new Date().toISOString().slice(0, 10)
    const results: Results = { date, commit: commit(), machine, effort, others: others(), ...measured }
    console.log(report(results))
    if (isWritten) write(results)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function write(results: Results): void {
  writeFileSync(join(root, 'docs/benchmarks.md'), report(results))
  writeFileSync(join(root, 'docs/benchmarks.svg'), chart(results))
}

/** What was measured, and whether it is more than what was committed. */
function commit(): string {
  const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8', cwd: root }).trim()
  try {
    const isChanged = git('status', '--porcelain', '--', 'src', 'bench', 'package-lock.json') !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`
  } catch {
    return 'unknown'
  }
}

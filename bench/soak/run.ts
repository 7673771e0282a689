// Entry point of `npm run soak`.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { commit } from '../harness/commit.ts'
import { describeMachine } from '../harness/machine.ts'
import { report } from '../report/report.ts'
import { readResults, resultNames, saveResult } from '../report/results.ts'
import { type SoakOutcome, soak } from './soak.ts'

const usage = `npm run soak -- [--postgres] [--minutes 15] [--tenants 1000] [--clients 8] [--kills N] [--dry-run]

Runs a mixed load with backups, moves and kills. Checks that nothing is lost and that the server's memory and file
descriptors do not grow, and writes the figures to docs/benchmarks.md. Exits with 1 if something failed.
  --postgres   store the tenants on PostgreSQL instead of SQLite
  --kills N    number of kills; by default one every two minutes, and at least one
  --dry-run    print the figures without saving anything`

const { values } = parseArgs({
  options: {
    postgres: { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
    minutes: { type: 'string', default: '15' },
    tenants: { type: 'string', default: '1000' },
    clients: { type: 'string', default: '8' },
    kills: { type: 'string' },
    help: { type: 'boolean' },
  },
})

// On exit, a handler in server.ts kills the server.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

if (values.help) console.log(usage)
else await run()

async function run(): Promise<void> {
  const minutes = positiveOption('minutes')
  const plan = {
    engine: values.postgres ? ('PostgreSQL' as const) : ('SQLite' as const),
    tenants: positiveOption('tenants'),
    seconds: minutes * 60,
    clients: positiveOption('clients'),
    kills: values.kills === undefined ? Math.max(1, Math.round(minutes / 2)) : positiveOption('kills'),
    log: (message: string) => console.log(`${new Date().toTimeString().slice(0, 8)} ${message}`),
  }
  const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-soak-'))
  try {
    const outcome = await soak(directory, plan)
    console.log(JSON.stringify(outcome, null, 2))
    if (!values['dry-run']) save(outcome, directory)
    if (outcome.failures.length > 0) process.exitCode = 1
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function positiveOption(name: 'minutes' | 'tenants' | 'clients' | 'kills'): number {
  const number = Number(values[name])
  if (!(number > 0)) throw new Error(`--${name} must be a positive number, not ${values[name]}.`)
  return number
}

/** Replaces the saved result for the same engine, and writes the report. */
function save(outcome: SoakOutcome, directory: string): void {
  const otherEngines = readResults(['soak']).soak?.outcome.filter(({ engine }) => engine !== outcome.engine) ?? []
  const outcomes = [...otherEngines, outcome].sort((one, other) => other.engine.localeCompare(one.engine))
  const effort = { rounds: 1, seconds: outcome.seconds }
  const machine = describeMachine(join(directory, 'sync'))
  saveResult('soak', {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine,
    effort,
    outcome: outcomes,
  })
  writeFileSync(join(import.meta.dirname, '../../docs/benchmarks.md'), report(readResults(resultNames)))
}

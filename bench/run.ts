// Entry point of `npm run bench`: runs the suites and writes docs/benchmarks.md and docs/benchmarks.svg.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { commit } from './harness/commit.ts'
import { describeMachine, watchOthers } from './harness/machine.ts'
import type { Effort } from './harness/measure.ts'
import { type Results, readResults, resultNames, type SuiteResult, saveResult } from './harness/results.ts'
import { chart } from './report/chart.ts'
import { report } from './report/report.ts'
import { longSuites, type SuiteName, suiteNames, suites } from './suites/suites.ts'

const usage = `npm run bench -- [--only SUITE,SUITE] [--growth] [--rounds 3] [--seconds 2] [--check] [--report]

Measures the service and its baselines, and writes docs/benchmarks.md and docs/benchmarks.svg. The medians of each suite are kept in
docs/benchmarks/: the report contains the last results of suites that are not run.
  --only SUITES   run only these: ${suiteNames.join(', ')}
  --growth        also run the suites that take long: ${longSuites.join(', ')}
  --rounds N      rounds of each measurement
  --seconds N     length of a round
  --check         one round of one second; prints the report and saves nothing
  --report        measure nothing, only write the report`

const root = join(import.meta.dirname, '..')

type Settings = { suites: readonly SuiteName[]; effort: Effort; isSaved: boolean }

const settings = readSettings()
if (settings) await bench(settings)
else console.log(usage)

function readSettings(): Settings | undefined {
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    options: {
      ...{ only: { type: 'string' }, growth: flag, check: flag, report: flag, help: flag },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
    },
  })
  const { rounds, seconds, check } = values
  if (values.help) return undefined
  const usual = suiteNames.filter((name) => values.growth || !longSuites.includes(name))
  return {
    suites: values.report ? [] : values.only === undefined ? usual : suitesNamed(values.only),
    effort: check ? { rounds: 1, seconds: 1, isCheck: true } : { rounds: positive(rounds), seconds: positive(seconds) },
    isSaved: !check,
  }
}

function suitesNamed(text: string): SuiteName[] {
  return text.split(',').map((word) => {
    const name = suiteNames.find((each) => each === word)
    if (!name) throw new Error(`Unknown suite ${word}. The suites are ${suiteNames.join(', ')}.`)
    return name
  })
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`Expected a positive whole number, not ${text}.`)
  return Number(text)
}

async function bench({ suites: names, effort, isSaved }: Settings): Promise<void> {
  const measured: { [Name in SuiteName]?: SuiteResult<unknown> } = {}
  for (const name of names) {
    console.log(`${new Date().toTimeString().slice(0, 8)} measuring ${name}`)
    measured[name] = await measure(name, effort)
    if (isSaved) saveResult(name, measured[name])
  }
  if (!isSaved) return console.log(report(measured as Results))
  const results = readResults(resultNames)
  writeFileSync(join(root, 'docs/benchmarks.md'), report(results))
  writeFileSync(join(root, 'docs/benchmarks.svg'), chart(results))
}

async function measure(name: SuiteName, effort: Effort): Promise<SuiteResult<unknown>> {
  const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-bench-'))
  try {
    const date = new Date().toISOString().slice(0, 10)
    const machine = describeMachine(join(directory, 'sync'))
    const others = watchOthers()
    const outcome = await suites[name](join(directory, name), effort)
    return { date, commit: commit(), machine, effort, others: others(), outcome }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

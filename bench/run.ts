// Entry point of `npm run bench`: runs the suites and writes docs/benchmarks.md and docs/benchmarks.svg.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { commit } from './harness/commit.ts'
import { describeMachine, measureOtherPrograms } from './harness/machine.ts'
import type { Effort } from './harness/measure.ts'
import { chart } from './report/chart.ts'
import { report } from './report/report.ts'
import { type Results, readResults, resultNames, type SuiteResult, saveResult } from './report/results.ts'
import { longSuites, type SuiteName, suiteNames, suites } from './suites/suites.ts'

const usage = `npm run bench -- [--only SUITE,SUITE] [--growth] [--rounds 3] [--seconds 2] [--against FOLDER] [--check] [--report]

Measures the service and its baselines, and writes docs/benchmarks.md and docs/benchmarks.svg. The medians of each
suite are kept in docs/benchmarks/. For suites that are not run, the report shows the last results.
  --only SUITES   run only these suites: ${suiteNames.join(', ')}
  --growth        also run the long suites: ${longSuites.join(', ')}
  --rounds N      rounds of each measurement
  --seconds N     length of a round
  --against DIR   also import files into the server of this checkout of an earlier version
  --check         measure one round of one second, and print the report without saving anything
  --report        write the report from the last results without measuring`

const root = join(import.meta.dirname, '..')

type Settings = { suites: readonly SuiteName[]; effort: Effort; isSaved: boolean }

const settings = readSettings()
if (settings) await runSuites(settings)
else console.log(usage)

function readSettings(): Settings | undefined {
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      against: { type: 'string' },
      growth: flag,
      check: flag,
      report: flag,
      help: flag,
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '2' },
    },
  })
  const { rounds, seconds, check, against } = values
  if (values.help) return undefined
  const defaultSuites = suiteNames.filter((name) => values.growth || !longSuites.includes(name))
  return {
    suites: values.report ? [] : values.only === undefined ? defaultSuites : suitesNamed(values.only),
    effort: {
      ...(check
        ? { rounds: 1, seconds: 1, isCheck: true }
        : { rounds: positiveInteger(rounds), seconds: positiveInteger(seconds) }),
      ...(against !== undefined && { against }),
    },
    isSaved: !check,
  }
}

function suitesNamed(text: string): SuiteName[] {
  return text.split(',').map((word) => {
    const name = suiteNames.find((suite) => suite === word)
    if (!name) throw new Error(`Unknown suite ${word}. The suites are ${suiteNames.join(', ')}.`)
    return name
  })
}

function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`Expected a positive whole number, not ${text}.`)
  return Number(text)
}

async function runSuites({ suites: names, effort, isSaved }: Settings): Promise<void> {
  const measuredSuites: { [Name in SuiteName]?: SuiteResult<unknown> } = {}
  for (const name of names) {
    console.log(`${new Date().toTimeString().slice(0, 8)} measuring ${name}`)
    const result = await measure(name, effort)
    measuredSuites[name] = result
    if (isSaved) saveResult(name, result)
  }
  if (!isSaved) return console.log(report(measuredSuites as Results))
  const results = readResults(resultNames)
  writeFileSync(join(root, 'docs/benchmarks.md'), report(results))
  writeFileSync(join(root, 'docs/benchmarks.svg'), chart(results))
}

async function measure(name: SuiteName, effort: Effort): Promise<SuiteResult<unknown>> {
  const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-bench-'))
  try {
    const date = new Date().toISOString().slice(0, 10)
    const machine = describeMachine(join(directory, 'sync'))
    const endMeasurement = measureOtherPrograms()
    const outcome = await suites[name](join(directory, name), effort)
    return { date, commit: commit(), machine, effort, others: endMeasurement(), outcome }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

// Measures the service beside what bounds it, in one run, and writes docs/benchmarks.md and docs/benchmarks.svg.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeMachine, watchOthers } from './harness/machine.ts'
import type { Effort } from './harness/measure.ts'
import { type Kept, keep, type Results, readKept } from './harness/results.ts'
import { chart } from './report/chart.ts'
import { report } from './report/report.ts'
import { longParts, type PartName, partNames, parts } from './suites/suites.ts'

const usage = `npm run bench -- [--only PART,PART] [--growth] [--rounds 3] [--seconds 2] [--check] [--report]

Measures and writes docs/benchmarks.md and docs/benchmarks.svg. The figures of each part are kept in docs/benchmarks/, and the
report is written from them: a part that was not measured this time keeps those of the last.
  --only PARTS    measure these: ${partNames.join(', ')}
  --growth        measure also what takes long: ${longParts.join(', ') || 'nothing'}
  --rounds N      rounds of each measurement; the figures are their medians
  --seconds N     length of a round
  --check         one round of a second: does it work? Nothing is kept or written, the report is printed.
  --report        measure nothing, write the report anew`

const root = join(import.meta.dirname, '..')

type Settings = { parts: readonly PartName[]; effort: Effort; isKept: boolean }

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
  const usual = partNames.filter((name) => values.growth || !longParts.includes(name))
  return {
    parts: values.report ? [] : values.only === undefined ? usual : partsNamed(values.only),
    effort: check ? { rounds: 1, seconds: 1, isCheck: true } : { rounds: positive(rounds), seconds: positive(seconds) },
    isKept: !check,
  }
}

function partsNamed(text: string): PartName[] {
  return text.split(',').map((word) => {
    const name = partNames.find((each) => each === word)
    if (!name) throw new Error(`There is no part ${word}: ${partNames.join(', ')}.`)
    return name
  })
}

function positive(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new Error(`An option must be a positive whole number, not ${text}.`)
  return Number(text)
}

async function bench({ parts: names, effort, isKept }: Settings): Promise<void> {
  const measured: { [Name in PartName]?: Kept<unknown> } = {}
  for (const name of names) {
    console.log(`${new Date().toTimeString().slice(0, 8)} measuring ${name}`)
    measured[name] = await measure(name, effort)
    if (isKept) keep(name, measured[name])
  }
  if (!isKept) return console.log(report(measured as Results))
  const results = readKept(partNames)
  writeFileSync(join(root, 'docs/benchmarks.md'), report(results))
  writeFileSync(join(root, 'docs/benchmarks.svg'), chart(results))
}

async function measure(name: PartName, effort: Effort): Promise<Kept<unknown>> {
  const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-bench-'))
  try {
    const date = new Date().toISOString().slice(0, 10)
    const machine = describeMachine(join(directory, 'sync'))
    const others = watchOthers()
    const outcome = await parts[name](join(directory, name), effort)
    return { date, commit: commit(), machine, effort, others: others(), outcome }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
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

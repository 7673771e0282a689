// Stores each suite's medians in docs/benchmarks, so that the report is complete even if only one suite was run.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from '../harness/machine.ts'
import type { Effort } from '../harness/measure.ts'
import type { SoakOutcome } from '../soak/soak.ts'
import { type Outcomes, type SuiteName, suiteNames } from '../suites/suites.ts'

/** `others`: share of CPU time used by other programs. */
export type SuiteResult<Result> = {
  date: string
  commit: string
  machine: Machine
  effort: Effort
  others?: number | undefined
  outcome: Result
}

/** The results of the suites, and of the soak test on each engine. */
export type Results = { [Name in SuiteName]?: SuiteResult<Outcomes[Name]> } & { soak?: SuiteResult<SoakOutcome[]> }

type ResultName = keyof Results

export const resultNames: readonly ResultName[] = [...suiteNames, 'soak']

const directory = join(import.meta.dirname, '../../docs/benchmarks')

/** Saves a result as JSON, with one line per table row. */
export function saveResult(name: ResultName, result: SuiteResult<unknown>): void {
  mkdirSync(directory, { recursive: true })
  const text = JSON.stringify(result, roundNumber).replaceAll(/\{"(name|operation|load|tenants)":/g, '\n$&')
  writeFileSync(fileOf(name), `${text}\n`)
}

export function readResults(names: readonly ResultName[]): Results {
  const saved = names.filter((name) => existsSync(fileOf(name)))
  return Object.fromEntries(
    saved.map((name) => [name, JSON.parse(readFileSync(fileOf(name), 'utf8'), nullToNaN)]),
  ) as Results
}

function fileOf(name: ResultName): string {
  return join(directory, `${name}.json`)
}

/** Rounds to four significant digits, or to a whole number for values of 1000 and above. */
function roundNumber(_name: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isInteger(value)) return value
  return value < 1000 ? Number(value.toPrecision(4)) : Math.round(value)
}

/** JSON has no NaN, so unknown figures are stored as null. */
function nullToNaN(_name: string, value: unknown): unknown {
  return value === null ? Number.NaN : value
}

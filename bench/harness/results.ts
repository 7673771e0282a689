// What was measured is kept, part by part, so that the report can be written anew when only one of them was.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcomes, PartName } from '../suites/suites.ts'
import type { Machine } from './machine.ts'
import type { Effort } from './measure.ts'

/** `others`: what part of the processor time was taken by programs that have no part in it. */
export type Kept<Outcome> = {
  date: string
  commit: string
  machine: Machine
  effort: Effort
  others?: number | undefined
  outcome: Outcome
}

/** The parts that there are figures of. */
export type Results = { [Name in PartName]?: Kept<Outcomes[Name]> }

const directory = join(import.meta.dirname, '../../docs/benchmarks')

export function keep(name: PartName, kept: Kept<unknown>): void {
  mkdirSync(directory, { recursive: true })
  writeFileSync(fileOf(name), `${JSON.stringify(kept, null, 1)}\n`)
}

/** All that is kept of these parts. */
export function readKept(names: readonly PartName[]): Results {
  const found = names.filter((name) => existsSync(fileOf(name)))
  return Object.fromEntries(
    found.map((name) => [name, JSON.parse(readFileSync(fileOf(name), 'utf8'), known)]),
  ) as Results
}

function fileOf(name: PartName): string {
  return join(directory, `${name}.json`)
}

/** JSON has no NaN; what nobody could tell is null there. */
function known(_name: string, value: unknown): unknown {
  return value === null ? Number.NaN : value
}

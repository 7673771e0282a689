// Writes the report's section on where and when the suites were measured.

import type { Results, SuiteResult } from './results.ts'
import { markdownTable } from './tables.ts'

export function machineSection(results: Results): string {
  const entries = Object.entries(results) as [name: string, result: SuiteResult<unknown>][]
  const newest = entries.map(([, result]) => result).sort((one, other) => other.date.localeCompare(one.date))[0]
  if (!newest) return ''
  const machine = describe(newest)
  const rows = entries.map(([name, result]) => [
    name,
    result.date,
    result.commit,
    `${result.effort.rounds} of ${result.effort.seconds} s`,
    `${result.machine.sync.toFixed(2)} ms`,
    result.others === undefined ? '' : `${Math.round(result.others * 100)}%`,
    describe(result) === machine ? '' : describe(result),
  ])
  return `## The machine

${machine}. Clients, servers and databases all run on this machine and communicate over the loopback interface.

${markdownTable([['suite', 'measured', 'commit', 'rounds', 'fsync', 'others', ''], ...rows], 3)}

**fsync**: time of a durable write of 4 KiB. **others**: share of CPU time that other programs used during the suite.

The figures are medians over the rounds. In each round, the contenders take turns. In the tables that compare
different numbers of requests in flight, rounds are half as long. The figures exclude a warm-up of one second before the
first round, and half a second of load before every round.`
}

function describe({ machine }: SuiteResult<unknown>): string {
  const { system, processor, cores, memory, node, sqlite } = machine
  return `${system}, ${processor}, ${cores} cores, ${memory}, Node ${node}, SQLite ${sqlite}`
}

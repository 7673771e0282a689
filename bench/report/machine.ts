// Where and when the parts were measured.

import type { Kept, Results } from '../harness/results.ts'
import { markdownTable } from './tables.ts'

export function machineSection(results: Results): string {
  const all = Object.entries(results) as [name: string, kept: Kept<unknown>][]
  const newest = all.map(([, kept]) => kept).sort((one, other) => other.date.localeCompare(one.date))[0]
  if (!newest) return ''
  const told = describe(newest)
  const rows = all.map(([name, kept]) => [
    name,
    kept.date,
    kept.commit,
    `${kept.effort.rounds} of ${kept.effort.seconds} s`,
    `${kept.machine.sync.toFixed(2)} ms`,
    kept.others === undefined ? '' : `${Math.round(kept.others * 100)} %`,
    describe(kept) === told ? '' : describe(kept),
  ])
  return `## The machine

${told}. Clients, servers and databases share it, over the loopback interface.

${markdownTable([['part', 'measured', 'commit', 'rounds', 'sync', 'others', ''], ...rows], 3)}

**sync**: a write of 4 KiB that reaches the disk. **others**: what part of the processors other programs took meanwhile.

The figures are medians of rounds in which the contenders take turns; those beside the goals' are half as long. A second of each
before the first round, and half a second before every round, are not counted.`
}

function describe({ machine }: Kept<unknown>): string {
  const { system, processor, cores, memory, node, sqlite } = machine
  return `${system}, ${processor}, ${cores} cores, ${memory}, Node ${node}, SQLite ${sqlite}`
}

// Writes the report's section on the soak test.

import type { SoakOutcome } from '../../soak/soak.ts'
import type { SuiteResult } from '../results.ts'
import { markdownTable } from '../tables.ts'

export function soakSection({ date, commit, outcome }: SuiteResult<SoakOutcome[]>): string {
  const columns = outcome.map(columnOf)
  const rows = columns[0]!.map(([name], index) => [name, ...columns.map((column) => column[index]![1])])
  return `## Soak

\`npm run soak\` (\`bench/soak/\`, last run on ${date} at commit ${commit}) runs a mixed load, backs up all tenants, and
moves tenants to another database server and back. In the first third of the run, it kills the server (\`kill -9\`) at
random moments. Half of the requests go to 2% of the tenants. At the end, the whole history and all records of every
tenant are compared with the responses that the clients received, and every backup is verified. Memory and file
descriptors are those of the last server process, after the warm-up.

${markdownTable([['', ...outcome.map(({ engine }) => engine)], ...rows], 1)}`
}

function columnOf(outcome: SoakOutcome): [name: string, figure: string][] {
  const { seconds, tenants, changes, replays, reads, pages, rows, kills, unanswered, moves, moving, backups } = outcome
  const { growth, failures, p50, p99 } = outcome
  const whole = (value: number) => Math.round(value).toLocaleString('en')
  const ends = ([first, last]: [number, number]) => `${whole(first)} → ${whole(last)}`
  return [
    ['minutes, tenants', `${(seconds / 60).toFixed(0)}, ${whole(tenants)}`],
    ['changes, each with an `Idempotency-Key`', whole(changes)],
    ['retries of answered changes', whole(replays)],
    ['lists, records, exports; panel pages', `${whole(reads)}; ${whole(pages)}`],
    ['requests/s', whole((changes + replays + reads + pages) / seconds)],
    ['p50, p99 ms, including kills and moves', `${p50.toFixed(1)}, ${p99.toFixed(0)}`],
    ['kills; requests without a response', `${kills}; ${whole(unanswered)}`],
    ['moves; requests refused during a move', `${moves}; ${whole(moving)}`],
    ['backups', whole(backups)],
    ['history rows checked', whole(rows)],
    ['lost, duplicate or unknown changes; other failures', failures.length === 0 ? 'none' : whole(failures.length)],
    ['memory, MiB', `${ends(growth.memory)} (${growth.slope.toFixed(1)} per minute)`],
    ['file descriptors', ends(growth.descriptors)],
  ]
}

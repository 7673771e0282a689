// From outcomes to docs/benchmarks.md: data in, text out.

import type { Machine } from './machine.ts'
import { type Effort, pace, type Trial } from './measure.ts'
import type { PostgresOutcome } from './postgres.ts'
import type { SqliteOutcome } from './sqlite.ts'
import { outcomeTable, pacedTable, share } from './tables.ts'
import { describeTrips, tripsTable } from './trips.ts'

export type Results = {
  date: string
  commit: string
  machine: Machine
  effort: Effort
  /** What part of the processor time was taken by programs that have no part in it. */
  others?: number
  sqlite?: SqliteOutcome
  postgres?: PostgresOutcome
}

/** The limit that one node should come up to, as a part of it. */
const goal = 0.7

/** The whole text. Parts that were not measured are left out. */
export function report(results: Results): string {
  const { date, commit, sqlite, postgres } = results
  const sections = [
    `# Benchmarks

Written by \`npm run bench\`; not by hand. ${date}, commit ${commit}.

![Requests per second](benchmarks.svg)`,
    inShort(sqlite, postgres),
    machineSection(results),
    sqlite && sqliteSection(sqlite),
    postgres && postgresSection(postgres),
    howToRead,
  ]
  return `${sections.filter(Boolean).join('\n\n')}\n`
}

function inShort(sqlite?: SqliteOutcome, postgres?: PostgresOutcome): string {
  const lines = [
    ...(sqlite?.operations ?? []).map(
      (outcome) => `- SQLite, ${outcome.trial.operation.name}: ${share(outcome, 1)} of the floor.`,
    ),
    ...(postgres?.operations ?? []).map(
      (outcome) =>
        `- PostgreSQL, ${outcome.trial.operation.name}: one node ${share(outcome, 1)} of the limit (the goal is ${goal}), ` +
        `three nodes ${share(outcome, 2)}.`,
    ),
  ]
  return `In short, with 64 requests in flight and one tenant:\n\n${lines.join('\n')}`
}

function machineSection({ machine, effort, others }: Results): string {
  const { system, processor, cores, memory, node, sync } = machine
  const noise =
    others === undefined ? '' : `\nOther programs took ${Math.round(others * 100)} % of the processors meanwhile.`
  return `## The machine

${system}, ${processor}, ${cores} cores, ${memory}, Node ${node}. A write of 4 KiB that reaches the disk takes ${sync.toFixed(2)} ms.
Clients, servers and PostgreSQL share it, over the loopback interface.${noise}

The figures are medians of rounds (${effort.rounds}, of ${effort.seconds} s each) in which the sides take turns. A second of each before the first
round, and half a second before every round, are not counted.`
}

function sqliteSection({ operations, crowds, typical }: SqliteOutcome): string {
  return `## SQLite

**The floor**: \`node:http\` and \`node:sqlite\` in one process with group commit and fsync, and nothing checked, counted, logged
or kept (\`bench/floor.ts\`).

${typicalText(typical)}

64 requests in flight, one tenant:

${outcomeTable(operations, byName)}

${paceText} The same pace for all: ${percent(pace)} of what the service took above, or of what a side itself took where
that is less.

${pacedTable(operations, byName)}

By requests in flight:

${outcomeTable(crowds, inFlight)}

Latencies at their pace, one round of each:

${pacedTable(crowds, inFlight)}`
}

function typicalText(typical: SqliteOutcome['typical']): string {
  if ('absence' in typical)
    return `The typical stack (\`bench/typical\`) was not there to compare with: ${typical.absence}`
  return `**The typical stack**: the same requests answered as a team would write it (\`bench/typical\`: ${typical.versions}): one
database for all tenants, a key looked up by its hash per request, a validated body, a limiter, the record and its history row in
one transaction, and the same durability (WAL, \`synchronous = FULL\`). It knows no \`Idempotency-Key\`, and writes no log.`
}

const byName = ({ operation }: Trial) => operation.name
const inFlight = ({ operation, connections }: Trial) => `${operation.name}, ${connections} in flight`

const paceText = `**Latencies**, in an open loop (\`bench/pace.ts\`): requests are due at a fixed rate, and a latency counts from the moment when its
request was due, not from when a connection was free to send it; so a standstill is felt by all who would have come meanwhile
(no coordinated omission), and the sides are compared doing the same work.`

function percent(part: number): string {
  return `${Math.round(part * 100)} %`
}

function postgresSection(outcome: PostgresOutcome): string {
  const settings = Object.entries(outcome.settings).map(([name, value]) => `\`${name} = ${value}\``)
  return `## PostgreSQL

PostgreSQL ${outcome.version} with its default settings: ${settings.join(', ')}.

**The limit**: the statements that the service sends for a request, sent by a bare driver loop (\`bench/limit.ts\`): the same
texts in the same flights, each flight in one write, on pools of as many connections
(${outcome.poolSizes.join(' and ')}), by as many workers as the clients have connections, in one process that does nothing else. They
are not copied from the service but written down while it works (\`bench/recording.ts\`), so the limit holds all that a
request costs there: the count of the rate limit, the transaction with the history row and the kept answer, and the look-up of
the catalog's version, which is sent once per turn of the event loop for all that wait in it, as in the service. Keys are
new, and what a statement takes from the answer to an earlier one comes from there; other values are those of the
recording. What only every hundredth keyed request does (forgetting old answers) is left out.

What one request sends:

${tripsTable(outcome.trips)}

64 requests in flight, one tenant:

${outcomeTable(outcome.operations, byName)}

Latencies of the nodes in an open loop, at ${percent(pace)} of what one node took (the limit has no door to knock at):

${pacedTable(outcome.operations, byName)}

The same with 100 tenants, whose requests come in turn. The commits of one tenant are one after another (its history has no
gap), those of several tenants share the disk's time:

${outcomeTable(outcome.tenants, byName)}

By requests in flight, one tenant:

${outcomeTable(outcome.crowds, inFlight)}

Flight by flight:

${outcome.trips.map(({ name, recording }) => `${name}\n\n${describeTrips(recording)}`).join('\n\n')}`
}

const howToRead = `## How to read this

- Compare within a row group only: ratios of one run. What else the machine does meets all sides, rates of another day do not.
- **ratio**: medians against the first side's; in brackets the lowest and highest round. **±**: how far the fastest round
  was from the slowest. Where it is wide, the machine was busy, and a small difference says nothing.
- **node µs**, **PostgreSQL µs**: processor time per request, of the service's (or the limit's) process and of all processes of
  the server. On a machine that is full they tell more than rates: the clients take their part of the same cores.
- **clients**: how busy the clients kept a core. Near 100 % the rate is theirs, not the server's. The limit has no clients: its loop
  is what the column node µs shows, and the cores that clients would take are its to use.
- **writes**: transactions and savepoints that wrote, per request. Equal figures say that limit and service did the same work.
- **MiB**: resident memory of the same processes at the end of a round.
- Latencies are seen from the clients. Those in the tables of rates are of a closed loop: each connection waits for its answer
  before it sends the next request. Those at a pace are of an open one.

A *keyed create* carries an \`Idempotency-Key\` that was never used. Records are of one kind, with six fields set; the log is
written, and the rate limit counts but is never reached. Not measured: a network, TLS, a proxy or a pooler in between, machines
of their own for clients and database, updates and deletions, recovery.

\`npm run bench -- --help\` tells how to run a part, longer or shorter.`

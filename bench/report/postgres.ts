// The section on PostgreSQL.

import { pace } from '../harness/measure.ts'
import type { PostgresOutcome } from '../suites/postgres.ts'
import { byName, inFlight, outcomeTable, pacedTable, percent } from './tables.ts'
import { describeTrips, tripsTable } from './trips.ts'

export function postgresSection(outcome: PostgresOutcome): string {
  const settings = Object.entries(outcome.settings).map(([name, value]) => `\`${name} = ${value}\``)
  return `## PostgreSQL

PostgreSQL ${outcome.version} with its default settings: ${settings.join(', ')}.

**The limit**: the statements that the service sends for a request, sent by a bare driver loop (\`bench/baselines/limit.ts\`): the same
texts in the same flights, each flight in one write, on pools of as many connections
(${outcome.poolSizes.join(' and ')}), by as many workers as the clients have connections, in one process that does nothing else. They
are not copied from the service but written down while it works (\`bench/baselines/recording.ts\`), so the limit holds all that a
request costs there: the count of the rate limit, the transaction with the history row and the kept answer, and the look-up of
the catalog's version, which is sent once per turn of the event loop for all that wait in it, as in the service. Keys are
new, and what a statement takes from the answer to an earlier one comes from there; other values are those of the
recording. What only every hundredth keyed request does (forgetting old answers) is left out.

What one request sends:

${tripsTable(outcome.trips)}

64 requests in flight, one tenant:

${outcomeTable(outcome.operations, byName)}

Latencies of one node in an open loop, at ${percent(pace)} of what one node took (the limit has no door to knock at):

${pacedTable(outcome.operations, byName)}

The same with 100 tenants, whose requests come in turn. The commits of one tenant are one after another (its history has no
gap), those of several tenants share the disk's time:

${outcomeTable(outcome.tenants, byName)}

By requests in flight, one tenant:

${outcomeTable(outcome.crowds, inFlight)}

Flight by flight:

${outcome.trips.map(({ name, recording }) => `${name}\n\n${describeTrips(recording)}`).join('\n\n')}`
}

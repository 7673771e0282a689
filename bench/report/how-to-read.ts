// Contains the last section of the report.

export const howToRead = `## How to read this

- Compare figures only within a group of rows. All rows of a group were measured in one run, so other activity on the
  machine affected all of them. Rates measured on different days are not comparable.
- **ratio**: the rate divided by that of the first contender. **±**: the difference between the fastest and the slowest
  round. If this difference is large, the machine was busy, and small differences between contenders are meaningless.
- **node µs**: CPU time of the contender's processes, per request. **PostgreSQL µs**: CPU time of all processes of the
  database server, per request. On a fully loaded machine these figures are more reliable than rates, because the
  clients use the same cores.
- **clients**: how much of a core the clients used. If this is close to 100%, the clients limit the rate, not the
  server. *fsync only* has no clients.
- **writes**: write transactions and savepoints per request. Reads cause some of them too, because the service counts
  requests for the rate limit. It counts simultaneous requests with the same API key in one transaction.
- **MiB**: resident memory of the contender's processes at the end of a round.
- Clients measure the latencies. In the tables of rates, each connection waits for its response before it sends the next
  request (a closed loop). Tables with a target rate show an open loop.

A *keyed create* carries a new \`Idempotency-Key\`. All records are customers with six fields set. The service writes
its log and counts requests, but no client reaches the rate limit. The benchmarks do not cover a network, TLS, a proxy
or connection pooler, separate machines for clients and database, updates and deletions, or recovery.

\`npm run bench -- --help\` explains how to run a single suite, and how to change the number and length of rounds.
\`bench/tools/compare.ts\` compares two checkouts.`

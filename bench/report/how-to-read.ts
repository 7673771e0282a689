// The last section of the report.

export const howToRead = `## How to read this

- Compare figures within a group of rows: they were measured in one run. Other activity on the machine affects all contenders of a
  run. Rates measured on different days are not comparable.
- **ratio**: the rate divided by that of the first contender. **±**: the difference between the fastest and the slowest
  round. If it is large, the machine was busy, and small differences mean nothing.
- **node µs**, **PostgreSQL µs**: CPU time per request, of the contender's processes and of all processes of the database server. On a
  fully loaded machine these are more reliable than rates, because the clients use the same cores.
- **clients**: how much of a core the clients used. Near 100 %, the rate is limited by the clients, not by the server.
  fsync only has no clients.
- **writes**: transactions and savepoints with writes, per request. The service counts simultaneous requests of an API
  key in one transaction.
- **MiB**: resident memory of the contender's processes at the end of a round.
- Clients measure the latencies. In the tables of rates, each connection waits for its response before it sends the next request (a
  closed loop). Tables with a target rate show an open loop.

A *keyed create* carries a new \`Idempotency-Key\`. All records are customers with six fields set. The service writes its log and counts
requests, but the rate limit is never reached. Not measured: a network, TLS, a proxy or connection pooler, separate machines for
clients and database, updates and deletions, recovery.

\`npm run bench -- --help\` explains how to run a single suite, and how to change the number and length of rounds.
\`bench/studies/compare.ts\` compares two checkouts.`

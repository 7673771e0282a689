// The end of the report.

export const howToRead = `## How to read this

- Compare figures within a group of rows: they are of one run. Other activity on the machine affects all contenders of a run; rates of
  different days are not comparable.
- **ratio**: the rate divided by the first contender's. **±**: the difference between the fastest and the slowest round. If it is large,
  the machine was busy, and small differences mean nothing.
- **node µs**, **PostgreSQL µs**: CPU time per request, of the contender's processes and of all processes of the database server. On a
  fully loaded machine these say more than rates, since the clients use the same cores.
- **clients**: how much of a core the clients used. Near 100 % the clients limit the rate, not the server. fsync only has no clients.
- **writes**: transactions and savepoints that wrote, per request. The service counts simultaneous requests of a key together.
- **MiB**: resident memory of the contender's processes at the end of a round.
- Clients measure the latencies. In the tables of rates, each connection waits for its response before it sends the next request (a
  closed loop). Tables with a rate asked for are of an open loop.

A *keyed create* carries a new \`Idempotency-Key\`. All records are of one kind, with six fields set. The service writes its log; its rate
limit counts but is never reached. Not measured: a network, TLS, a proxy or connection pooler, separate machines for clients and
database, updates and deletions, recovery.

\`npm run bench -- --help\` explains how to run one suite, longer or shorter. \`bench/studies/compare.ts\` compares two checkouts.`

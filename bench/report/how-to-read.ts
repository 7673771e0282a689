// The end of the report.

export const howToRead = `## How to read this

- Compare within a row group only: ratios of one run. What else the machine does meets all contenders, rates of another day do not.
- **ratio**: medians against the first side's; in brackets the lowest and highest round. **±**: how far the fastest round
  was from the slowest. Where it is wide, the machine was busy, and a small difference says nothing.
- **node µs**, **PostgreSQL µs**: processor time per request, of the service's (or the limit's) process and of all processes of
  the server. On a machine that is full they tell more than rates: the clients take their part of the same cores.
- **clients**: how busy the clients kept a core. Near 100 % the rate is theirs, not the server's. The limit has no clients: its loop
  is what the column node µs shows, and the cores that clients would take are its to use.
- **writes**: transactions and savepoints that wrote, per request. Limit and service count the requests of a key that come
  together at once: how many those are is the difference between their figures.
- **MiB**: resident memory of the same processes at the end of a round.
- Latencies are seen from the clients. Those in the tables of rates are of a closed loop: each connection waits for its answer
  before it sends the next request. Those at a pace are of an open one.

A *keyed create* carries an \`Idempotency-Key\` that was never used. Records are of one kind, with six fields set; the log is
written, and the rate limit counts but is never reached. Not measured: a network, TLS, a proxy or a pooler in between, machines
of their own for clients and database, updates and deletions, recovery.

\`npm run bench -- --help\` tells how to run a part, longer or shorter.`

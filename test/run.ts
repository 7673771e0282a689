// Runs a family of tests on an engine, or on both: `node test/run.ts short|long [sqlite|postgres]`.

import { spawnSync } from 'node:child_process'
import { type Engine, type Family, filesOf } from './support/families.ts'

const [family, engine] = process.argv.slice(2)
if (family !== 'short' && family !== 'long') throw new Error('usage: node test/run.ts short|long [sqlite|postgres]')

/** The number of test files that run concurrently. It is higher on PostgreSQL, because those tests often wait for the
 *  server. It is lower in the long family, because those tests measure times and limits. */
const concurrency = { short: { sqlite: 4, postgres: 6 }, long: { sqlite: 3, postgres: 4 } }

/** No run takes this long. A file that does not end would hold up the run for ever; when the run is terminated, the
 *  report names the file. */
const timeout = 25 * 60_000

for (const each of engine ? [engine as Engine] : (['sqlite', 'postgres'] as const)) run(family, each)

/** Runs a family's tests on an engine. Exits if a test fails. */
function run(family: Family, engine: Engine): void {
  const options = ['--test', '--test-reporter=spec', `--test-concurrency=${concurrency[family][engine]}`]
  if (engine === 'postgres') options.push('--test-global-setup=test/support/postgres.ts')
  const { status } = spawnSync(process.execPath, [...options, ...filesOf(family, engine)], {
    stdio: 'inherit',
    timeout,
    env: { ...process.env, NODE_COMPILE_CACHE: 'node_modules/.cache/node' },
  })
  if (status !== 0) process.exit(status ?? 1)
}

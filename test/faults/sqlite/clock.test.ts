// The system clock jumps forwards or backwards, as when it is corrected. In both cases:
// - Every change is applied exactly once and numbered in commit order. Clients follow the history by seq, not by time.
// - created_at, updated_at and the history's `at` are the clock's time, so a later change may have an earlier time. A
//   list with as_of reflects the changes whose `at` is not later than as_of.
// - A stored response expires when the clock has advanced by 24 hours. A jump back delays the expiry. After a jump
//   forward of more than 24 hours, the response expires at once.
// - A rate-limit window lasts at most its full length. A jump forward may end the window early. A jump back does not
//   extend the window, but X-RateLimit-Reset keeps the time computed before the jump.
// - Durations (idle files, retries, time limits) do not depend on the clock.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import { random, withSeed } from '../../support/faults/exactly-once.ts'
import { sizeOf } from '../../support/faults/files.ts'
import { createTenantLoad, isFullRun, requireChangesAppliedOnce, runLoadDuring } from '../../support/faults/load.ts'
import { networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

const hour = 60 * 60 * 1000

/** A server with a clock that can be set. */
async function startWithClock(settings: Record<string, string> = {}) {
  const environment = { DATA_DIR: temporaryDirectory() }
  const CLOCK_FILE = join(environment.DATA_DIR, 'clock')
  const setClock = (offset: number) => writeFileSync(CLOCK_FILE, String(offset))
  setClock(1)
  const load = await createTenantLoad(environment, 'acme', 4)
  const NODE_OPTIONS = `--import=${pathToFileURL(`${import.meta.dirname}/../../support/faults/clock.ts`)}`
  const server = await startProcess({ ...environment, CLOCK_FILE, NODE_OPTIONS, ...settings })
  return { environment, setClock, load, client: networkClient(server.url, load.token) }
}

test('while the clock jumps under load, no request is refused, every change is applied exactly once, and stored responses stay valid', async () => {
  const { environment, setClock, load, client } = await startWithClock()
  const { refused } = await runLoadDuring(load, client, async (progress) => {
    for (let jump = 0; jump < (isFullRun ? 200 : 10); jump++) {
      const done = progress.responses
      setClock((random() * 23 - 12) * hour)
      await eventually('clients are sending requests', () => progress.responses >= done + 5, { everyMs: 1 })
      await requireReadable(jump)
    }
  })
  assert.equal(refused, 0, withSeed('no request is refused'))
  setClock(-12 * hour)
  await requireChangesAppliedOnce(environment, client, load)
  setClock(11 * hour)
  await requireChangesAppliedOnce(environment, client, load)

  async function requireReadable(jump: number): Promise<void> {
    const moment = new Date(Date.now() - (random() * 24 - 12) * hour).toISOString()
    for (const path of [`/customers.php?as_of=${moment}`, '/customers.php?sort=-updated_at', '/changes.php?since=0']) {
      const { status, text } = await client('GET', path)
      assert.ok(status < 500, withSeed(`${path} after jump ${jump}: ${text}`))
    }
  }
})

test('a clock that jumps back does not stop the checkpoints of idle tenants', async () => {
  const { environment, setClock, load, client } = await startWithClock()
  assert.equal((await client('POST', '/customers.php', { name: 'A' })).status, 201)
  setClock(-hour)
  const { id } = await tenantDatabaseOf(environment, 'acme')
  const walPath = join(environment.DATA_DIR, 'tenants', id.slice(0, 2), `${id}.sqlite-wal`)
  await eventually(withSeed(`the WAL of ${load.slug} is checkpointed`), () => !sizeOf(walPath))
})

test('clock jumps do not lengthen a rate-limit window', async () => {
  const { setClock, client } = await startWithClock({ RATE_LIMIT_PER_MINUTE: '3' })
  const requestStatus = async () => (await client('GET', '/customers.php')).status
  const statuses = [await requestStatus(), await requestStatus(), await requestStatus(), await requestStatus()]
  assert.deepEqual(statuses, [200, 200, 200, 429])
  setClock(-hour)
  await wait(20)
  assert.equal(await requestStatus(), 429)
  if (isFullRun) {
    await wait(60_000)
    assert.equal(await requestStatus(), 200, 'the window is over')
  }
  setClock(hour)
  await wait(20)
  assert.equal(await requestStatus(), 200, 'a new window')
})

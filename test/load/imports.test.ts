// Files that are built to exhaust the server: each is answered without holding up other requests, and without using more
// disk than a normal file of its size.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uploadImport, waitForImport } from '../support/api/imports.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { engine, startService } from '../support/service.ts'

const { tenant, environment } = await startService({}, { jobPollIntervalMs: 20, nodes: 1 })

/** Measures the longest turn of the event loop in processor time, which does not depend on the machine's other load. */
function watchMainThread(): { stop(): number } {
  let [longestMs, lastMs] = [0, threadMs()]
  const timer = setInterval(() => {
    const nowMs = threadMs()
    longestMs = Math.max(longestMs, nowMs - lastMs)
    lastMs = nowMs
  }, 1)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      return longestMs
    },
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const titles = 'external_id,email,name,customer_id,department,title,phone'

/** By what makes the file expensive: the resource, and the file's parts, which are repeated. */
const files: Record<string, [resource: string, head: string, repeated: string, count: number, tail: string]> = {
  'a header of 100,000 columns': ['customers', 'name,', 'x,', 100_000, '\nA\n'],
  'a header of 3,900,000 columns': ['customers', 'name,', 'x,', 3_900_000, '\nA\n'],
  'a title of a megabyte': ['employees', 'name,email', '!', 1_000_000, `,customer_id\n${'x,y,1\n'.repeat(300)}`],
  'a row of 3,500,000 cells': ['customers', 'name\n', 'x,', 3_500_000, '\n'],
  'a quoted cell of 8 MB': ['customers', 'name\n"', 'x\n', 4_000_000, '"\n'],
  '1,000,001 rows of one byte': ['customers', 'name\n', 'x\n', 1_000_001, ''],
  '20,000,000 line breaks': ['customers', 'name\n', '\n', 20_000_000, 'x\n'],
  '2,000,000 rows of one comma': ['customers', 'name\n', ',\n', 2_000_000, 'x\n'],
  '400 columns with the same title': ['customers', 'name,', 'same title,', 400, `\n${'x,y\n'.repeat(1000)}`],
  'many invalid rows of one byte': ['employees', `${titles}\n`, 'x\n', engine === 'postgres' ? 20_000 : 100_000, ''],
}

for (const [name, [resource, head, repeated, count, tail]] of Object.entries(files)) {
  test(`a file with ${name} does not hold up the main thread, and is stored in little space`, async () => {
    const slug = `t${Object.keys(files).indexOf(name)}`
    const client = await tenant(slug)
    await uploadImport(client, `resource=${resource}`, 'name\nWarm up\n')
    const file = Buffer.from(head + repeated.repeat(count) + tail)
    await new Promise((resolve) => setTimeout(resolve, 50)) // the watch starts after the turn that built the file
    const watch = watchMainThread()
    const { status, body } = await uploadImport(client, `resource=${resource}`, file)
    assert.ok([202, 400].includes(status), `${status}`)
    if (status === 202) {
      await waitForImport(client, body.id, { withinMs: 120_000 }) // the test is about the main thread, not the duration
      assert.equal((await client('GET', `/imports.php?id=${body.id}&format=csv`)).status, 200)
    }
    const longestMs = watch.stop()
    assert.ok(longestMs < 50, `${longestMs} ms`)
    const { all } = await tenantDatabaseOf(environment, slug)
    const sizes = await all(`select coalesce((select sum(octet_length(content)) from job_parts), 0)
      + coalesce((select sum(octet_length(cells) + octet_length(errors)) from job_failures), 0)
      + (select sum(octet_length(input)) from jobs) as bytes`)
    const bytes = Number(sizes[0]!.bytes)
    assert.ok(bytes < 2 * file.length + 5_000_000, `${bytes} bytes are stored`)
  })
}

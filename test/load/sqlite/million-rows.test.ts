// The longest file that an import accepts: checking it takes little memory, and the server answers meanwhile.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { importFile, uploadImport, waitForImport } from '../../support/api/imports.ts'
import { makeTenant, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

const rows = 1_000_000

function fileOf(count: number): string {
  const lines = Array.from({ length: count }, (_, index) => `e${index},Person ${index},p${index}@example.com,HQ`)
  return `external_id,name,email,customer_code\n${lines.join('\n')}`
}

/** The resident memory of a process, in bytes. */
function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1000
}

// The limit on the heap keeps garbage from growing while other programs use the processor.
const environment = { DATA_DIR: temporaryDirectory(), NODE_OPTIONS: '--max-old-space-size=160' }
const server = await startProcess(environment, { nodes: 1 })
const client = networkClient(server.url, await makeTenant(environment, 'acme'))
await client('POST', '/customers.php', { name: 'Head office', code: 'HQ' })

test('a million rows are checked with less than 100 MB above the idle server, which answers meanwhile', async () => {
  await importFile(client, 'resource=employees', fileOf(5000)) // V8 has compiled the code by then
  const file = fileOf(rows)
  const idle = memoryOf(server.process.pid!)
  let [highest, answers, isChecking] = [idle, 0, true]
  const watch = async () => {
    while (isChecking) {
      highest = Math.max(highest, memoryOf(server.process.pid!))
      assert.equal((await fetch(new URL('/healthz', server.url))).status, 200)
      answers++
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  const watching = watch()
  const { status, body } = await uploadImport(client, 'resource=employees', file)
  assert.equal(status, 202)
  const { state, created, invalid } = await waitForImport(client, body.id, { withinMs: 600_000 })
  isChecking = false
  await watching
  assert.deepEqual([state, created, invalid], ['checked', rows, 0])
  assert.ok(highest - idle < 100_000_000, `${Math.round((highest - idle) / 1e6)} MB more than when idle`)
  assert.ok(answers > 20, `${answers} answers`)
  await client('DELETE', `/imports.php?id=${body.id}`)
})

test('a file with more than a million rows is refused before anything is stored', async () => {
  const { body: before } = await client('GET', '/imports.php')
  const { status, body } = await uploadImport(client, 'resource=employees', fileOf(rows + 1))
  assert.equal(`${status} ${body.error.code}`, '400 invalid_request')
  assert.match(body.error.message, /more than 1,000,000 rows/)
  const { body: after } = await client('GET', '/imports.php')
  assert.deepEqual(after.data, before.data)
})

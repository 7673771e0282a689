// The longest file that an import accepts: checking it takes little memory, and the server answers meanwhile.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { importFile, uploadImport, waitForImport } from '../../support/api/imports.ts'
import { makeTenant, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

const rows = 1_000_000

/** A file's header and lines. */
type Lines = { header: string; lineOf: (index: number) => string }

const people: Lines = {
  header: 'external_id,name,email,customer_code',
  lineOf: (index) => `e${index},Person ${index},p${index}@example.com,HQ`,
}

/** By what the rows are, with the number of valid rows. */
const files: Record<string, Lines & { valid: number }> = {
  'valid rows': { ...people, valid: rows },
  'rows with the same errors': {
    header: 'external_id,email,name,customer_id,title,phone',
    lineOf: () => 'x',
    valid: 0,
  },
  'rows with unknown branches': {
    header: 'name,email,customer_code',
    lineOf: (index) => `A,p${index}@example.com,C${index}`,
    valid: 0,
  },
}

function fileOf({ header, lineOf }: Lines, count: number): string {
  return `${header}\n${Array.from({ length: count }, (_, index) => lineOf(index)).join('\n')}`
}

/** The resident memory of a process, in bytes. */
function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1000
}

/** Starts a server with a tenant that has a branch. */
async function start() {
  // The limit on the heap keeps garbage from growing while other programs use the processor.
  const environment = { DATA_DIR: temporaryDirectory(), NODE_OPTIONS: '--max-old-space-size=160' }
  const server = await startProcess(environment, { nodes: 1 })
  const client = networkClient(server.url, await makeTenant(environment, 'acme'))
  await client('POST', '/customers.php', { name: 'Head office', code: 'HQ' })
  return { server, client }
}

for (const [name, { valid, ...lines }] of Object.entries(files)) {
  test(`a million ${name} are checked with less than 100 MB above the idle server, which answers meanwhile`, async () => {
    const { server, client } = await start()
    await importFile(client, 'resource=employees', fileOf(lines, 5000)) // V8 has compiled the code by then
    const file = fileOf(lines, rows)
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
    await server.end('SIGKILL')
    assert.deepEqual([state, created, invalid], ['checked', valid, rows - valid])
    assert.ok(highest - idle < 100_000_000, `${Math.round((highest - idle) / 1e6)} MB more than when idle`)
    assert.ok(answers > 20, `${answers} answers`)
  })
}

test('a file with more than a million rows is refused before anything is stored', async () => {
  const { server, client } = await start()
  const { status, body } = await uploadImport(client, 'resource=employees', fileOf(people, rows + 1))
  assert.equal(`${status} ${body.error.code}`, '400 invalid_request')
  assert.match(body.error.message, /more than 1,000,000 rows/)
  const { body: after } = await client('GET', '/imports.php')
  assert.deepEqual(after.data, [])
  await server.end('SIGKILL')
})

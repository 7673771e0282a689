// Measures how long create requests that arrive at a steady rate wait for a large tenant's writer. The writer is busy
// with earlier creates, checkpoints and indexing steps. Compares large indexing steps, small ones, and the step sizes
// that the service chooses. Runs in one thread, without HTTP. Latencies are in milliseconds.
// node bench/studies/pauses.ts [--rate 1000] [--seconds 12] [--rounds 3] [--records 60000]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { table } from '../../src/cli/output.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { largeStep, type StepSize, smallStep } from '../../src/resources/search/index.ts'
import { TenantFiles, tenantFile } from '../../src/storage/sqlite/tenant-files.ts'
import { runWrites } from '../../src/storage/sqlite/writer/group-commit.ts'
import { countCommit, runStep, stepSizeFor } from '../../src/storage/sqlite/writer/maintenance.ts'
import { isIndexed, type OpenFile, openFile } from '../../src/storage/sqlite/writer/open-file.ts'
import { createTask } from '../baselines/create-task.ts'

const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '12' },
    rounds: { type: 'string', default: '3' },
    records: { type: 'string', default: '60000' },
  },
})
const requestsPerMillisecond = Number(options.rate) / 1000
const total = Number(options.rate) * Number(options.seconds)

const sizes: Record<string, (waiting: number) => StepSize> = {
  large: () => largeStep,
  small: () => smallStep,
  chosen: stepSizeFor,
}

const tenant = 'pausespausespausespa'
const words = ['Harbour', 'Castle', 'Garden', 'Station', 'Bridge', 'Market', 'Forest', 'Lake', 'Tower', 'Mill']
let lastId = 0

function nextCreate() {
  const id = ++lastId
  const word = (step: number) => words[Math.floor(id / step) % words.length]!
  const name = `${word(1)} ${word(7)} ${id}`
  const email = `${word(3)}.${(id * 7919) % 100_003}@example.com`
  const body = { name, code: `C-${id}`, email, phone: '+49 40 123456', city: `City ${id % 997}`, country: 'DE' }
  return createTask(id, tenant, { headers: {} }, body)
}

async function commit(file: OpenFile, count: number): Promise<void> {
  const tasks = Array.from({ length: count }, nextCreate)
  await runWrites(file.connection, resources, tenant, tasks, () => false)
  countCommit(file, count)
}

/** Create requests that arrive while the writer is busy share the writer's next commit. Returns the latencies in
 *  ascending order. */
async function measure(file: OpenFile, sizeFor: (waiting: number) => StepSize): Promise<number[]> {
  const latencies: number[] = []
  const startedAt = performance.now()
  for (;;) {
    const arrived = Math.min(total, Math.floor((performance.now() - startedAt) * requestsPerMillisecond))
    const waiting = arrived - latencies.length
    if (latencies.length === total) return latencies.sort((one, other) => one - other)
    if (waiting === 0 || (await runStep(file, resources, 'busy', sizeFor(waiting)))) continue
    const count = Math.min(waiting, Math.max(8, Math.min(64, Math.ceil(waiting / 2))))
    await commit(file, count)
    const now = performance.now() - startedAt
    for (let written = 0; written < count; written++)
      latencies.push(now - (latencies.length + 1) / requestsPerMillisecond)
  }
}

async function settle(file: OpenFile): Promise<void> {
  while (!isIndexed(file)) await runStep(file, resources, 'idle')
}

const directory = mkdtempSync(join(tmpdir(), 'tenantdesk-pauses-'))
await new TenantFiles(directory, resources).create({ id: tenant, server: '' })
const file = await openFile(tenantFile(directory, tenant), tenant, resources, false)
while (lastId < Number(options.records)) {
  await commit(file, 200)
  await settle(file)
}
const rows: string[][] = []
for (let round = 1; round <= Number(options.rounds); round++) {
  for (const [name, sizeFor] of Object.entries(sizes)) {
    const latencies = await measure(file, sizeFor)
    await settle(file)
    const percentile = (share: number) => latencies[Math.floor((latencies.length - 1) * share)]!.toFixed(2)
    rows.push([`${round}`, name, ...[0.5, 0.95, 0.99, 0.999, 1].map(percentile)])
  }
}
console.log(table([['round', 'steps', 'p50', 'p95', 'p99', 'p99.9', 'max'], ...rows]))
file.connection.close()
rmSync(directory, { recursive: true })

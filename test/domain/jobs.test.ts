// The steps of jobs, run one at a time.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { importDraftOperations } from '../../src/domain/imports/draft-operations.ts'
import { receiveDraft } from '../../src/domain/imports/drafts.ts'
import { pack, unpack, writePart } from '../../src/domain/jobs/job-parts.ts'
import { jobOperations } from '../../src/domain/jobs/operations.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { requireTenant } from '../../src/tenants/tenants.ts'
import { makeTenant, temporaryDirectory, withEngineUrl } from '../support/service.ts'

const environment = { DATA_DIR: temporaryDirectory() }
await makeTenant(environment, 'acme')
const opened = await openDatabases(readConfig(await withEngineUrl(environment)), resources, { workers: 1 })
after(opened.close)
const tenant = await requireTenant(opened.catalog, 'acme')
const engine = opened.startEngine()

/** Runs one step, and returns whether any job was due. */
async function runStep(now: string): Promise<boolean> {
  const turn = { now, token: 'node', leaseTtlMs: 5000, budgetMs: 0 }
  return (await engine.run(tenant, jobOperations.runDueJob, turn)).ranStep
}

test('an expired import draft cannot be opened again while its rows are being deleted', async () => {
  const rows = Array.from({ length: 1500 }, (_, index) => `n${index}`) // more rows than one step deletes
  const file = Buffer.from(['name', ...rows].join('\n'))
  async function* source() {
    yield file
  }
  const [start, end] = ['2030-01-01T00:00:00.000Z', '2030-01-02T02:00:00.000Z']
  const caller = { actor: { command: true as const }, requestId: 'r' }
  const context = { tenant, resources }
  const upload = { source, resource: 'customers', caller }
  const id = await receiveDraft(engine, context, upload, () => new Date(start))
  assert.equal(
    (await engine.run(tenant, importDraftOperations.findImportDraft, { id, now: start, userId: '' }))?.rows,
    rows.length,
  )
  assert.equal(await runStep(start), false)
  assert.equal(await runStep(end), true)
  assert.equal(await engine.run(tenant, importDraftOperations.saveImportDraft, { id, now: end }), false)
  assert.equal(await engine.run(tenant, importDraftOperations.findImportDraft, { id, now: end, userId: '' }), null)
  assert.equal(await runStep(end), true)
  assert.equal(await runStep(end), false)
})

test('packing many short parts leaves little memory outside of the heap until the garbage is collected', () => {
  const part = writePart(Array.from({ length: 50 }, (_, index) => ({ row: index + 2, cells: ['x'] })))
  const before = process.memoryUsage().arrayBuffers
  for (let count = 0; count < 300; count++) assert.equal(unpack(pack(part)), part)
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 2_000_000, `${grown} bytes`)
})

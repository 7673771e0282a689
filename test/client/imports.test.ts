// The client's imports of CSV files, sent to a real server over the network.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, metaOf, TenantdeskError } from '../../client/index.ts'
import { makeTenant, startService } from '../support/service.ts'

const service = await startService()
const baseUrl = await service.listen()
const { customers, imports, undo } = createClient({ baseUrl, key: await makeTenant(service.environment, 'acme') })

const file = 'external_id,name,country\r\nb-1,Bonn,DE\r\nb-2,Depot,D\r\n'

test('the client checks a file, reads the failed rows, imports the valid ones, and undoes the import', async () => {
  const { id, state, mode } = await imports.start('customers', file)
  assert.deepEqual([state, mode], ['checking', 'dry_run'])
  const checked = await imports.wait(id)
  const ended: 'checked' | 'done' | 'failed' | 'cancelled' | 'undone' = checked.state
  assert.deepEqual([ended, checked.created, checked.invalid, checked.errors[0]?.row], ['checked', 1, 1, 3])
  assert.deepEqual(await imports.get(id), checked)
  const rows = await imports.failedRows(id)
  assert.equal(
    rows,
    '\ufeffexternal_id,name,country,error\r\nb-2,Depot,D,country: Must be a country or its two-letter code: Germany or DE.\r\n',
  )

  assert.equal((await imports.run(id, 'valid_rows')).mode, 'valid_rows')
  const done = await imports.wait(id)
  assert.deepEqual([done.state, done.created], ['done', 1])
  assert.equal((await customers.get({ externalId: 'b-1' })).name, 'Bonn')
  assert.equal((await undo(done.change_set!)).undone, 1)
})

test('the client assigns columns and values, uploads bytes, and lists and discards imports', async () => {
  const bytes = new TextEncoder().encode('Key,Town\nc-1,Ulm\n')
  const options = {
    mode: 'all_or_nothing',
    map: { Key: 'external_id', Town: 'name' },
    set: { country: 'DE' },
    value: { Town: { Ulm: 'Neu-Ulm' } },
  } as const
  const { id } = await imports.start('customers', bytes, options)
  assert.equal((await imports.wait(id)).state, 'done')
  const { name, country } = await customers.get({ externalId: 'c-1' })
  assert.deepEqual([name, country], ['Neu-Ulm', 'DE'])
  const listed = (await Array.fromAsync(imports.all({ limit: 1 }))).map((each) => each.id)
  assert.deepEqual([listed[0], listed.length], [id, 2])
  assert.equal((await imports.page({ limit: 1 })).page.has_more, true)
  assert.deepEqual(await imports.discard(id), { id, deleted: true })
  await assert.rejects(imports.get(id), { code: 'not_found' })
})

test('an upload that is sent twice with one key is one import', async () => {
  const idempotencyKey = crypto.randomUUID()
  const first = await imports.start('customers', file, { idempotencyKey })
  const again = await imports.start('customers', file, { idempotencyKey })
  assert.deepEqual([again.id, metaOf(again)?.isReplay], [first.id, true])
})

test('the client reports an import that fails by its state, and a refused file by an error', async () => {
  const failing = await imports.start('customers', file, { mode: 'all_or_nothing' })
  assert.equal((await imports.wait(failing.id)).state, 'failed')
  const error = await imports.start('customers', 'nonsense\n').catch((reason: unknown) => reason)
  assert.ok(error instanceof TenantdeskError)
  assert.equal(error.code, 'invalid_request')
  // @ts-expect-error: rockets are not a resource
  await assert.rejects(imports.start('rockets', file), { code: 'invalid_request' })
  // @ts-expect-error: an import is run with a mode that changes records
  await assert.rejects(imports.run(failing.id, 'dry_run'))
})

test('a wait for an import survives the rate limit, and ends as soon as its signal is aborted', async () => {
  const limited = await startService({ RATE_LIMIT_PER_MINUTE: '2' }, { windowSeconds: 1 })
  const key = await makeTenant(limited.environment, 'limited')
  const limitedUrl = await limited.listen()
  const patient = createClient({ baseUrl: limitedUrl, key })
  const { id } = await patient.imports.start('customers', file)
  const client = createClient({ baseUrl: limitedUrl, key, patience: 0 })
  for (let index = 0; index < 4; index++) assert.equal((await client.imports.wait(id)).state, 'checked')
  const aborted = client.imports.wait(id, { signal: AbortSignal.abort(new Error('no longer needed')) })
  await assert.rejects(aborted, /no longer needed/)
})

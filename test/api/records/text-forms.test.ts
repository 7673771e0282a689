// Text is stored in one form, however it arrives (contract §17): in NFC, and without blanks and invisible marks at its
// ends. Records are found by every form of a value, also records that an earlier version stored as they arrived.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, importFile } from '../../support/api/imports.ts'
import { assertRefused } from '../../support/api/shared-errors.ts'
import { insertRecords, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { createPanelUser, signIn } from '../../support/panel/panel-client.ts'
import { type Json, startService } from '../../support/service.ts'

const service = await startService({}, { jobPollIntervalMs: 20 })
const acme = await service.tenant('acme')
const { origin } = new URL(await service.listen())

/** By what it contains: text as it arrives, and as it is stored. */
const texts: Record<string, [given: string, stored: string]> = {
  'decomposed letters': ['Jo\u0308rg I\u0307s\u0327ık', 'Jörg İşık'],
  'a byte order mark': ['\ufeffAda', 'Ada'],
  'zero-width marks': ['\u200b\u200dAda\u200b \u2060', 'Ada'],
  'directional marks': ['\u202a\u200eAda\u202c\u200f\u2069', 'Ada'],
  'letters of other scripts': ['\u30cf\u3099 \u0928\u093c', '\u30d0 \u0929'],
  'marks within the text': [
    'a\u200bb \u{1f469}\u200d\u{1f4bb} \u2764\ufe0f',
    'a\u200bb \u{1f469}\u200d\u{1f4bb} \u2764\ufe0f',
  ],
}

const nameOf = async (resource: string, id: number) => (await acme('GET', `/${resource}.php?id=${id}`)).body.name

for (const [content, [given, stored]] of Object.entries(texts)) {
  test(`text with ${content} is stored in one form by creates, updates, upserts, bulk requests and imports`, async () => {
    const created = await acme('POST', '/customers.php', { name: given, notes: `${given}\n${given}` })
    assert.equal(created.body.name, stored)
    assert.equal(await nameOf('customers', created.body.id), stored)
    const other = (await acme('POST', '/customers.php', { name: 'Other' })).body
    assert.equal((await acme('PUT', `/customers.php?id=${other.id}`, { name: given })).body.name, stored)
    const upserted = await acme('PUT', `/customers.php?external_id=x-${other.id}`, { name: given })
    assert.equal(upserted.body.name, stored)
    const operations = [{ method: 'POST', resource: 'customers', body: { name: given } }]
    const bulk = (await acme('POST', '/bulk.php', { operations })).body.results[0]
    assert.equal(await nameOf('customers', bulk.body.id), stored)
    const external_id = `i-${other.id}`
    const file = `name,external_id\n"${given}",${external_id}\n`
    const report = await importFile(acme, 'resource=customers&mode=all_or_nothing', file)
    assert.equal(countsOf(report), '1 0 0 0')
    const [imported] = (await acme('GET', `/customers.php?external_id[in]=${external_id}`)).body.data
    assert.equal(imported.name, stored)
    assert.equal(countsOf(await importFile(acme, 'resource=customers', file)), '0 0 1 0')
  })
}

test('the panel stores text in one form', async () => {
  await createPanelUser(service.environment, 'forms@example.com', 'acme')
  const manager = await signIn(origin, 'forms@example.com')
  await manager.submit('records.php?resource=customers&new=1', { name: '\ufeffCafe\u0301\u200b' }, /records/)
  const [{ name }] = (await acme('GET', '/customers.php?sort=-id&limit=1')).body.data
  assert.equal(name, 'Café')
})

test('text of nothing but invisible marks is no text', async () => {
  const refused = await acme('POST', '/customers.php', { name: '\u200b\ufeff \u200e' })
  assertRefused(refused, 'validation_failed')
  assert.equal(refused.body.errors.name.code, 'required')
  const { body } = await acme('POST', '/customers.php', { name: 'A', city: '\u200b\u2060' })
  assert.equal(body.city, null)
})

test('the limits of a field count the characters that are stored', async () => {
  const name = 'o\u0308'.repeat(100)
  assert.equal((await acme('POST', '/customers.php', { name: `\ufeff${name}` })).body.name, 'ö'.repeat(100))
  assertRefused(await acme('POST', '/customers.php', { name: `${name}ö` }), 'validation_failed')
})

const [composed, decomposed] = ['Bür\u00f6-\u00e9', 'Bu\u0308ro\u0308-e\u0301']
const forms = [composed, decomposed, `\ufeff${decomposed}\u200b`]
const encoded = forms.map(encodeURIComponent)

test('a record is found by every form of its external id, in URLs, upserts and references', async () => {
  const { body: branch } = await acme('PUT', `/customers.php?external_id=${encoded[1]}`, { name: 'By external id' })
  assert.equal(branch.external_id, composed)
  for (const [index, form] of forms.entries()) {
    const url = `/customers.php?external_id=${encoded[index]}`
    assert.equal((await acme('GET', url)).body.id, branch.id)
    assert.equal((await acme('PUT', url, { external_id: form, city: `${index}` })).body.id, branch.id)
    assertRefused(await acme('POST', '/customers.php', { name: 'x', external_id: form }), 'validation_failed')
    const employee = { email: `p${index}@b.c`, customer_external_id: form }
    assert.equal((await acme('POST', '/employees.php', employee)).body.customer_id, branch.id)
    const item = { name: 'x', stock_customer_external_id: form }
    assert.equal((await acme('POST', '/hardware.php', item)).status, 201)
    const operations = [{ method: 'POST', resource: 'employees', body: { ...employee, email: `q${index}@b.c` } }]
    assert.equal((await acme('POST', '/bulk.php', { operations })).body.results[0].body.customer_id, branch.id)
    const file = `email,customer_external_id\ni${index}@b.c,${form}\n`
    assert.equal(countsOf(await importFile(acme, 'resource=employees&mode=all_or_nothing', file)), '1 0 0 0')
    const update = `external_id,name\n${form},By external id\n`
    assert.equal(countsOf(await importFile(acme, 'resource=customers', update)), '0 0 1 0')
  }
})

test('filters find text by every form of it', async () => {
  await acme('POST', '/customers.php', { name: composed, code: composed, city: decomposed })
  for (const form of encoded)
    for (const query of [`name=${form}`, `code=${form}`, `city[in]=x,${form}`, `name[contains]=${form}`, `q=${form}`]) {
      const { data } = (await acme('GET', `/customers.php?${query}`)).body
      assert.ok(
        data.some(({ name }: Json) => name === composed),
        query,
      )
    }
})

test('records that an earlier version stored with decomposed letters are found by every form', async () => {
  const old = await service.tenant('old')
  const recordOf = () => ({ name: decomposed, code: decomposed, external_id: decomposed, city: decomposed })
  await insertRecords(await tenantDatabaseOf(service.environment, 'old'), 'customers', 1, recordOf)
  const [{ id }] = (await old('GET', '/customers.php')).body.data
  const idsOf = async (query: string) =>
    (await old('GET', `/customers.php?${query}`)).body.data.map((each: Json) => each.id)
  for (const [index, form] of forms.entries()) {
    const encodedForm = encoded[index]!
    assert.equal((await old('GET', `/customers.php?external_id=${encodedForm}`)).body.id, id)
    for (const query of ['name=', 'code=', 'city=', 'external_id[in]=', 'name[in]=x,'])
      assert.deepEqual(await idsOf(query + encodedForm), [id], query)
    assert.deepEqual(await idsOf(`city[ne]=${encodedForm}`), [])
    const moment = new Date(Date.now() - 1).toISOString()
    assert.deepEqual(await idsOf(`name=${encodedForm}&as_of=${moment}`), [id])
    const employee = { email: `p${index}@b.c`, customer_external_id: form }
    assert.equal((await old('POST', '/employees.php', employee)).body.customer_id, id)
    const operations = [{ method: 'POST', resource: 'employees', body: { ...employee, email: `q${index}@b.c` } }]
    assert.equal((await old('POST', '/bulk.php', { operations })).body.results[0].body.customer_id, id)
    const file = `email,customer_code\ni${index}@b.c,${form}\n`
    assert.equal(countsOf(await importFile(old, 'resource=employees&mode=all_or_nothing', file)), '1 0 0 0')
    const update = `code,country\n${form},DE\n`
    assert.equal(countsOf(await importFile(old, 'resource=customers&match=code', update)), '0 1 0 0')
    assertRefused(await old('POST', '/customers.php', { name: 'x', external_id: form }), 'validation_failed')
    const bulk = [{ method: 'POST', resource: 'customers', body: { name: 'x', external_id: form } }]
    assert.equal((await old('POST', '/bulk.php', { operations: bulk })).body.results[0].status, 422)
  }
  const upserted = await old('PUT', `/customers.php?external_id=${encoded[0]}`, { name: 'Now composed' })
  assert.deepEqual([upserted.status, upserted.body.id, upserted.body.external_id], [200, id, decomposed])
})

// What a spreadsheet has damaged in a file is named, and never written over good values in silence (contract §17).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, importFile } from '../support/api/imports.ts'
import { startService } from '../support/service.ts'

const service = await startService({}, { jobPollIntervalMs: 20 })
const acme = await service.tenant('acme')
const branch = (await acme('POST', '/customers.php', { name: 'Işık “Öz”', code: '007', external_id: '00042' })).body
const person = {
  customer_id: branch.id,
  email: 'a@b.example',
  employee_no: '00031',
  phone: '004930123456',
  notes: 'a\r\nb',
}
const employee = (await acme('POST', '/employees.php', person)).body
const item = { employee_id: employee.id, asset_tag: '123456789012', serial_number: '356789012345678901', model: '1E5' }
const asset = (await acme('POST', '/hardware.php', item)).body

test('a cell that is the present value with fewer digits does not replace it', async () => {
  for (const serial of ['3.56789012345679E+017', '3,56789E+17', '4E+17']) {
    const file = `id,serial_number,name\n${asset.id},"${serial}",Renamed ${serial.length}\n`
    const report = await importFile(acme, 'resource=hardware&match=id&mode=valid_rows', file)
    assert.equal(countsOf(report), '0 1 0 0')
    assert.ok(
      report.assumptions.includes(
        'A spreadsheet has damaged 1 cell in "serial_number"; its record keeps the present value.',
      ),
      report.assumptions.join(),
    )
    const { body } = await acme('GET', `/hardware.php?id=${asset.id}`)
    assert.deepEqual([body.serial_number, body.name], [item.serial_number, `Renamed ${serial.length}`])
  }
  const other = `id,serial_number\n${asset.id},3.5678E+16\n`
  assert.equal(countsOf(await importFile(acme, 'resource=hardware&match=id', other)), '0 1 0 0', 'another number')
})

test('a cell with question marks for the letters that an encoding lacks does not replace the present value', async () => {
  const file = `id,name,city\n${branch.id},I??k ?Öz?,Köln\n`
  const report = await importFile(acme, 'resource=customers&match=id&mode=valid_rows', file)
  assert.match(report.assumptions.join(), /damaged 1 cell in "name"/)
  const { body } = await acme('GET', `/customers.php?id=${branch.id}`)
  assert.deepEqual([body.name, body.city], ['Işık “Öz”', 'Köln'])
  const other = await importFile(acme, 'resource=customers&match=id', `id,name\n${branch.id},I??l ?Öz?\n`)
  assert.equal(countsOf(other), '0 1 0 0')
})

test('line breaks that a spreadsheet writes in another way change nothing', async () => {
  const file = `id,notes\n${employee.id},"a\nb"\n`
  const report = await importFile(acme, 'resource=employees&match=id', file)
  assert.deepEqual([countsOf(report), report.assumptions], ['0 0 1 0', []])
})

test('a record keeps its date that programs write for a missing one', async () => {
  const dates = { start_date: '0001-01-01', end_date: '1900-01-01' }
  const { body: old } = await acme('POST', '/employees.php', { ...person, email: 'old@b.example', ...dates })
  const { text } = await acme('GET', `/employees.php?format=csv&email=${old.email}`)
  const report = await importFile(acme, 'resource=employees', text)
  assert.equal(countsOf(report), '0 0 1 0')
  const keyed = `id,start_date,end_date\n${old.id},1/1/0001,01.01.1900\n`
  assert.equal(countsOf(await importFile(acme, 'resource=employees&match=id', keyed)), '0 0 1 0')
  const other = `id,start_date,end_date\n${old.id},1900-01-01,0001-01-01\n`
  assert.equal(countsOf(await importFile(acme, 'resource=employees&match=id', other)), '0 1 0 0')
})

test('in an export, a number without its zeros or its exponent does not replace the present value', async () => {
  const file = `id,code,external_id,created_at\n${branch.id},7,42,${branch.created_at}\n`
  const report = await importFile(acme, 'resource=customers', file)
  assert.equal(countsOf(report), '0 0 1 0')
  assert.match(report.assumptions.join(), /damaged 1 cell in "code".*damaged 1 cell in "external_id"/)
  const model = `id,model,created_at\n${asset.id},100000,${asset.created_at}\n`
  assert.equal(countsOf(await importFile(acme, 'resource=hardware', model)), '0 0 1 0')
})

test('in another file, a number without its zeros is a new value', async () => {
  const file = `email,employee_no\na@b.example,31\n`
  const report = await importFile(acme, 'resource=employees&match=email', file)
  assert.deepEqual([countsOf(report), report.assumptions], ['0 1 0 0', []])
})

// Downloads of lists as CSV files from the panel.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertRecords, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { createPanelUser, decodeHtml, signIn } from '../../support/panel/panel-client.ts'
import { makeTenant, startService } from '../../support/service.ts'

const service = await startService()
const { environment } = service
const { origin } = new URL(await service.listen())
const acme = service.client(await makeTenant(environment, 'acme'))
await makeTenant(environment, 'zeta')
await createPanelUser(environment, 'manager@example.com', 'acme')
await createPanelUser(environment, 'root@example.com')
const manager = await signIn(origin, 'manager@example.com')
await acme('POST', '/customers.php', { name: 'Harbour; "East"', city: 'Hamburg' })
await acme('POST', '/customers.php', { name: 'Airport', city: 'Bremen' })
await acme('POST', '/employees.php', { customer_id: 1, email: 'ada@example.com', name: '=Ada' })
await acme('POST', '/hardware.php', { employee_id: 1, name: 'Crane' })

const allFields = 'All fields, for importing back'

/** Returns the URL of the link with this text on the page. */
async function linkOn(path: string, text: string, language = 'en', person = manager): Promise<string> {
  const { html } = await person.get(path, { 'accept-language': language })
  const found = new RegExp(`<a [^>]*href="(records\\.php[^"]*)">${text}</a>`).exec(html)
  assert.ok(found, `${path} has a link ${text}`)
  return decodeHtml(found[1]!)
}

test('every list has a link to a CSV file with its filters, sort and search', async () => {
  for (const resource of ['customers', 'employees', 'hardware']) {
    const file = await manager.get(await linkOn(`records.php?resource=${resource}`, allFields))
    assert.equal(file.status, 200)
    assert.equal(file.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.match(
      file.headers.get('content-disposition')!,
      new RegExp(`^attachment; filename="${resource}-[\\d-]{10}\\.csv"$`),
    )
    assert.match(file.html, /^\ufeff?[^\r]+,id,created_at\r\n/)
  }
  const link = await linkOn('records.php?resource=customers&city=Bremen&sort=-name&q=air&limit=1', allFields)
  const { html } = await manager.get(link)
  assert.deepEqual([/Airport/.test(html), /Harbour/.test(html)], [true, false])
  assert.equal((await manager.get(link.replace('format=csv', 'format=xlsx'))).status, 400)
})

test('the file with all fields has a column for each, titled with its label, and then what identifies the record', async () => {
  const file = async (resource: string) => {
    const { html } = await manager.get(await linkOn(`records.php?resource=${resource}`, allFields))
    return html.replace(/^\ufeff/, '').split('\r\n')
  }
  const [{ created_at, updated_at }] = (await acme('GET', '/employees.php')).body.data
  const [titles, person] = await file('employees')
  assert.equal(
    titles,
    'Branch,Email,Name,Department,Job title,Employee number,Phone,Start date,End date,Active,Works remotely,Notes,External ID,Person or storage location,Changed,id,created_at',
  )
  const branch = '"Harbour; ""East"""'
  assert.equal(person, `${branch},ada@example.com,'=Ada,,,,,,,Yes,No,,,Person,${updated_at},1,${created_at}`)
  const [hardwareTitles, crane] = await file('hardware')
  assert.match(hardwareTitles!, /^Holder,In stock at,Name,Type,Status,/)
  assert.match(crane!, /^'=Ada,,Crane,Other,In use,/)
})

test('text that a spreadsheet would turn into a number or a date is protected in every file', async () => {
  const item = { employee_id: 1, name: '00123', model: '3/4', due_back: '2027-01-31' }
  const { body } = await acme('POST', '/hardware.php', item)
  for (const label of [allFields, 'This list, as shown', 'Finance list with costs and total']) {
    const { html } = await manager.get(await linkOn(`records.php?resource=hardware&id[in]=${body.id}`, label))
    assert.match(html, /[,\n]'00123,/, label)
    assert.match(html, /,'3\/4,/, label)
    assert.doesNotMatch(html, /'2027/)
  }
  await acme('DELETE', `/hardware.php?id=${body.id}`)
})

test('the file has the delimiter that spreadsheet programs expect in the user’s language', async () => {
  const texts = {
    en: allFields,
    de: 'Alle Felder, zum erneuten Importieren',
    tr: 'Tüm alanlar, yeniden içe aktarmak için',
  }
  const head = { en: 'Name,Code,', de: 'Name;Kürzel;', tr: 'Ad;Kod;' }
  for (const language of ['en', 'de', 'tr'] as const) {
    const link = await linkOn('records.php?resource=customers', texts[language], language)
    const { html } = await manager.get(link, { 'accept-language': language })
    assert.equal(html.replace(/^\ufeff/, '').slice(0, head[language].length), head[language])
  }
})

test('a file can be downloaded only by users of the tenant and by administrators', async () => {
  const path = 'records.php?resource=customers&format=csv'
  assert.equal((await manager.get(`${path}&tenant=zeta`)).status, 404)
  const root = await signIn(origin, 'root@example.com')
  assert.match(await linkOn('records.php?tenant=acme&resource=customers', allFields, 'en', root), /tenant=acme/)
  assert.equal((await root.get(`${path}&tenant=acme`)).status, 200)
  const unauthenticated = await fetch(`${origin}/${path}`, { redirect: 'manual' })
  assert.match(unauthenticated.headers.get('location')!, /^login\.php/)
})

test('signing out aborts a download', async () => {
  const recordOf = (n: number) => ({ name: `N${n}`, notes: `${'漢'.repeat(1990)}${n}` }) // 6 kB
  await insertRecords(await tenantDatabaseOf(environment, 'acme'), 'customers', 6000, recordOf)
  const leaving = await signIn(origin, 'manager@example.com')
  const cookie = [...leaving.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const download = await fetch(`${origin}/records.php?resource=customers&format=csv`, { headers: { cookie } })
  assert.equal(download.status, 200)
  assert.equal((await leaving.submit('', {}, /logout/)).status, 303)
  await assert.rejects(download.text(), /terminated/)
})

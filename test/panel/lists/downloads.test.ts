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
    assert.match(file.html, /^(\ufeff)?id,/)
  }
  const link = await linkOn('records.php?resource=customers&city=Bremen&sort=-name&q=air&limit=1', allFields)
  const { html } = await manager.get(link)
  assert.deepEqual([/Airport/.test(html), /Harbour/.test(html)], [true, false])
  assert.equal((await manager.get(link.replace('format=csv', 'format=xlsx'))).status, 400)
})

test('the file equals the CSV export of the API, including names of related records', async () => {
  const { html } = await manager.get(await linkOn('records.php?resource=employees', allFields))
  const { text } = await acme('GET', '/employees.php?format=csv')
  assert.equal(html.replace(/^\ufeff/, ''), text.replace(/^\ufeff/, ''))
  assert.match(html, /,'=Ada,.*,"Harbour; ""East"""\r\n/)
})

test('the file has the delimiter that spreadsheet programs expect in the user’s language', async () => {
  const texts = {
    en: allFields,
    de: 'Alle Felder, zum erneuten Importieren',
    tr: 'Tüm alanlar, yeniden içe aktarmak için',
  }
  const head = { en: 'id,name,', de: 'id;name;', tr: 'id;name;' }
  for (const language of ['en', 'de', 'tr'] as const) {
    const { html } = await manager.get(await linkOn('records.php?resource=customers', texts[language], language))
    assert.ok(html.replace(/^\ufeff/, '').startsWith(head[language]), language)
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

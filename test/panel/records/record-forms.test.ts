// Record forms: sections, suggestions, countries, messages, and conflicts when two people edit the same record.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, formsIn, signIn } from '../../support/panel/panel-client.ts'
import { makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService()
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'lena@example.com', 'north')
await createPanelUser(environment, 'ada@example.com', 'north')
const [lena, ada] = [await signIn(origin, 'lena@example.com'), await signIn(origin, 'ada@example.com')]
await client('POST', '/customers.php', { name: 'Berlin', city: 'Berlin', country: 'de' })
await client('POST', '/employees.php', { customer_id: 1, email: 'a@example.com', name: 'Ada' })
await client('POST', '/hardware.php', { employee_id: 1, name: 'Laptop', manufacturer: 'Lenovo', asset_tag: 'TD-1' })

const newAsset = 'records.php?resource=hardware&new=1'
const branch = 'records.php?resource=customers&id=1&edit=1'
const recordForm = (html: string) =>
  new URLSearchParams(formsIn(html).find(({ action }) => action.startsWith('records'))!.fields)
const stored = async () => (await client('GET', '/customers.php?id=1')).body

test('a form has the declared fields in sections, with hints', async () => {
  const { html } = await lena.get(newAsset)
  const headings = [...html.matchAll(/<h2 id="section-[a-z]+">([^<]+)</g)].map(([, heading]) => heading)
  assert.deepEqual(headings, ['General', 'Identification', 'Purchase and warranty', 'Assignment', 'Notes', 'More'])
  const names = new Set([...html.matchAll(/ name="(?:find\.)?([a-z_]+)"/g)].map(([, name]) => name))
  for (const name of Object.keys((await client('GET', '/hardware.php?id=1')).body))
    assert.equal(names.has(name), !['id', 'created_at', 'updated_at', 'last_seen_at'].includes(name), name)
  assert.match(
    html,
    /aria-describedby="asset_tag-hint".*?<p class="hint" id="asset_tag-hint">As printed on the asset’s label/s,
  )
})

test('a form suggests values that other records of the tenant already have', async () => {
  assert.match((await lena.get(newAsset)).html, /<datalist id="manufacturer-list"><option value="Lenovo"><\/datalist>/)
  assert.match((await lena.get('records.php?resource=customers&new=1')).html, /<option value="Berlin">/)
})

test('a country is selected by name, and an unknown code is kept until another country is selected', async () => {
  assert.match((await lena.get(branch)).html, /<option value="de" selected>Germany<\/option>/)
  await lena.submit(branch, { country: 'TR' }, /records/)
  assert.equal((await stored()).country, 'TR')
  await client('PUT', '/customers.php?id=1', { country: '??' })
  await lena.submit(branch, { notes: 'x' }, /records/)
  assert.equal((await stored()).country, '??')
})

test('error messages contain the field’s limit, or a link to the record that already has a unique value', async () => {
  const { status, html } = await lena.submit(
    newAsset,
    { employee_id: '1', asset_tag: 'TD-1', serial_number: 'x'.repeat(101) },
    /records/,
  )
  assert.equal(status, 422)
  assert.match(html, /Use at most 100 characters\./)
  const taken = await lena.submit(newAsset, { employee_id: '1', asset_tag: ' TD-1 ' }, /records/)
  assert.match(decodeHtml(taken.html), /Already used by Laptop\. <a href="records\.php\?resource=hardware&id=1">/)
  assert.match(taken.html, /<div class="[^"]*" role="alert" tabindex="-1" autofocus>/)
})

test('“save and add another” opens a form with the saved record’s values, except its tag', async () => {
  const fields = { employee_id: '1', type: 'monitor', model: 'U2725', asset_tag: 'TD-7', purchase_cost: '499.50' }
  const { location } = await lena.submit(newAsset, { ...fields, add_another: '1' }, /records/)
  const form = recordForm((await lena.get(location!)).html)
  assert.deepEqual(
    ['type', 'model', 'asset_tag', 'purchase_cost'].map((name) => form.get(name)),
    ['monitor', 'U2725', '', '499.50'],
  )
})

/** Ada and Lena open the form, and Ada saves first. Returns the response to Lena's form. */
async function editConcurrently(adaValues: Record<string, string>, lenaValues: Record<string, string>) {
  const [adaForm, lenaForm] = [recordForm((await ada.get(branch)).html), recordForm((await lena.get(branch)).html)]
  for (const [name, value] of Object.entries(adaValues)) adaForm.set(name, value)
  for (const [name, value] of Object.entries(lenaValues)) lenaForm.set(name, value)
  assert.equal((await ada.post(branch, adaForm)).status, 303)
  return lena.post(branch, lenaForm)
}

/** Returns, for each field in conflict, the version that the page proposes: `mine` or `theirs`. */
const proposed = (html: string) =>
  Object.fromEntries(
    [...recordForm(html)].filter(([name]) => name.startsWith('take.')).map(([k, v]) => [k.slice(5), v]),
  )

test('if two people edit a record, the second person chooses between the two versions of each changed field', async () => {
  await client('PUT', '/customers.php?id=1', { city: 'Kiel', phone: '12345', notes: null, country: null })
  const response = await editConcurrently({ city: 'Bremen', phone: '67890' }, { city: 'Jena', notes: 'Typed' })
  assert.equal(response.status, 412)
  assert.match(response.html, /Saved by ada@example\.com/)
  assert.match(response.html, /Jena.*Bremen/s)
  assert.deepEqual(proposed(response.html), { city: 'mine', phone: 'theirs', notes: 'mine' })
  const form = recordForm(response.html)
  form.set('take.city', 'theirs')
  assert.equal((await lena.post(branch, form)).status, 303)
  const { city, phone, notes } = await stored()
  assert.deepEqual({ city, phone, notes }, { city: 'Bremen', phone: '67890', notes: 'Typed' })
})

test('the proposal after a conflict combines both people’s changes, and can be edited further', async () => {
  await client('PUT', '/customers.php?id=1', { city: 'Kiel', phone: '12345', is_active: true })
  const { html } = await editConcurrently({ phone: '67890' }, { city: 'Jena', is_active: '0' })
  const form = recordForm(html)
  form.set('reconsider', '1')
  const proposal = recordForm((await lena.post(branch, form)).html)
  assert.deepEqual(
    [proposal.get('city'), proposal.get('phone'), proposal.getAll('is_active')],
    ['Jena', '67890', ['0']],
  )
  assert.equal((await lena.post(branch, proposal)).status, 303)
  const { city, phone, is_active } = await stored()
  assert.deepEqual({ city, phone, is_active }, { city: 'Jena', phone: '67890', is_active: false })
})

test('two people who save the same values are not in conflict, but a change made while a conflict is being resolved causes another conflict', async () => {
  assert.equal((await editConcurrently({ city: 'Ulm' }, { city: 'Ulm' })).status, 303)
  const { html } = await editConcurrently({ city: 'Bonn' }, { city: 'Köln' })
  await client('PUT', '/customers.php?id=1', { city: 'Mainz' })
  const second = await lena.post(branch, recordForm(html))
  assert.equal(second.status, 412)
  assert.match(second.html, /Köln.*Mainz/s)
})

test('submitting a form for a deleted record shows the deleted record’s page', async () => {
  const { body } = await client('POST', '/customers.php', { name: 'Short-lived' })
  const path = `records.php?resource=customers&id=${body.id}&edit=1`
  const form = recordForm((await lena.get(path)).html)
  await client('DELETE', `/customers.php?id=${body.id}`)
  const { status, html } = await lena.post(path, form)
  assert.equal(status, 404)
  assert.match(html, /Deleted on .* by an API key/)
})

const asset = 'records.php?resource=hardware&id=1'
const latestChange = async () => (await client('GET', '/changes.php?order=desc&limit=1')).body.data[0]

test('a single field of a record can be edited in place, and an invalid value is marked and explained', async () => {
  const html = decodeHtml((await lena.get(asset)).html)
  assert.match(html, /Lenovo<\/bdi><a class="pencil" href="[^"]*edit=manufacturer" aria-label="Edit: Manufacturer"/)
  assert.match(html, /Add: .*edit=purchase_cost">Purchase cost<\/a>/)
  const saved = await lena.submit(`${asset}&edit=purchase_cost`, { purchase_cost: '1299.90' }, /edit=purchase_cost/)
  assert.deepEqual([saved.status, saved.location], [303, asset])
  const { user_id, after } = await latestChange()
  assert.deepEqual([typeof user_id, after], ['string', { purchase_cost: 129990 }])
  const wrong = await lena.submit(`${asset}&edit=purchase_cost`, { purchase_cost: 'much' }, /edit=purchase_cost/)
  assert.equal(wrong.status, 422)
  assert.match(wrong.html, /value="much"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*value="much"/)
  assert.match(wrong.html, /<h2>Details<\/h2>/)
  assert.doesNotMatch(wrong.html, /class="error-summary"/)
})

test('if someone else has changed a field that is edited in place, both versions are shown', async () => {
  const page = `${asset}&edit=model`
  const form = recordForm((await lena.get(page)).html)
  assert.deepEqual([...form.keys()].sort(), ['etag', 'form_token', 'model', 'once', 'seen'])
  await client('PUT', '/hardware.php?id=1', { model: 'T14' })
  form.set('model', 'T16')
  const response = await lena.post(page, form)
  assert.equal(response.status, 412)
  assert.match(response.html, /T16.*T14/s)
  assert.equal((await lena.post(page, recordForm(response.html))).status, 303)
  assert.deepEqual((await latestChange()).after, { model: 'T16' })
})

test('fields that can only be changed together with others cannot be edited in place, and viewers cannot edit any field', async () => {
  await createPanelUser(environment, 'eve@example.com', 'north', 'viewer')
  const eve = await signIn(origin, 'eve@example.com')
  assert.doesNotMatch((await eve.get(asset)).html, /edit=/)
  assert.equal((await eve.get(`${asset}&edit=model`)).status, 403)
  for (const name of ['status', 'id', 'toString']) {
    const { html } = await lena.get(`${asset}&edit=${name}`)
    assert.match(html, /<h2 id="section-what">/, name) // the whole form is shown
  }
})

test('a button fills in the last day of a warranty without saving it', async () => {
  const fill = async (path: string, fields: Record<string, string>) => {
    const { status, html } = await lena.submit(path, fields, /records/)
    return { status, html, end: recordForm(html).get('warranty_end') }
  }
  for (const [purchase_date, months, end] of [
    ['2026-03-15', '24', '2028-03-14'],
    ['2026-03-01', '12', '2027-02-28'],
    ['2024-02-29', '36', '2027-02-28'],
  ] as const) {
    const filled = await fill(newAsset, { purchase_date, warranty_months: months, name: 'Typed' })
    assert.deepEqual([filled.status, filled.end, recordForm(filled.html).get('name')], [200, end, 'Typed'])
  }
  const unknown = await fill(newAsset, { purchase_date: '', warranty_months: '12' })
  assert.deepEqual([unknown.status, unknown.end], [422, ''])
  assert.match(unknown.html, /id="purchase_date-error">Enter the purchase date first/)
  const inPlace = `${asset}&edit=warranty_end`
  assert.doesNotMatch((await lena.get(inPlace)).html, /warranty_months/)
  await client('PUT', '/hardware.php?id=1', { purchase_date: '2026-01-31', warranty_end: null })
  const { html } = await fill(inPlace, { warranty_months: '24' })
  assert.equal((await client('GET', '/hardware.php?id=1')).body.warranty_end, null)
  assert.equal((await lena.post(inPlace, recordForm(html))).status, 303)
  assert.equal((await client('GET', '/hardware.php?id=1')).body.warranty_end, '2028-01-30')
})

test('the form for a new asset preselects the type that the same user added last', async () => {
  const typeOf = async (person: typeof lena) => recordForm((await person.get(newAsset)).html).get('type')
  assert.equal(await typeOf(ada), 'other')
  await ada.submit(newAsset, { where: 'person', employee_id: '1', type: 'phone' }, /records/)
  assert.equal(await typeOf(ada), 'phone')
  assert.notEqual(await typeOf(lena), 'phone')
})

test('the form asks before two people get the same address; other values are kept, and another address is asked about again', async () => {
  await client('POST', '/employees.php', { customer_id: 1, email: 'nina@example.com', name: 'Nina Petersen' })
  const newPerson = 'records.php?resource=employees&new=1'
  const submitted = { customer_id: '1', email: 'nina@example.com', name: 'Nina P.', department: 'Sales' }
  const asked = await lena.submit(newPerson, submitted, /^records/)
  assert.equal(asked.status, 422)
  assert.match(
    decodeHtml(asked.html),
    /Nina Petersen already has this email address\. <a href="records[^"]+id=\d+">Open/,
  )
  assert.match(asked.html, /name="department"[^>]* value="Sales"/)
  const people = async () => (await client('GET', '/employees.php?email=nina@example.com')).body.data.length
  assert.equal(await people(), 1)
  const form = recordForm(asked.html)
  form.set('same_email', 'a@example.com')
  assert.equal((await lena.post(newPerson, form)).status, 422, 'another address was confirmed')
  form.set('same_email', 'nina@example.com')
  assert.equal((await lena.post(newPerson, form)).status, 303)
  assert.equal(await people(), 2)
})

test('a form for a new person lists the shared address, the values that are taken and all other errors at once', async () => {
  await client('POST', '/employees.php', { customer_id: 1, email: 'one@example.com', external_id: 'HR,1' })
  const newPerson = 'records.php?resource=employees&new=1'
  const errorsOf = ({ html, status }: { html: string; status: number }) => {
    assert.equal(status, 422)
    const [, box] = /<div class="error-summary"[^>]*>(.*?)<\/div>/s.exec(html)!
    return [...box!.matchAll(/<a href="#([\w.]+)">/g)].map(([, field]) => field!).toSorted()
  }
  const person = { customer_id: '1', email: 'one@example.com', external_id: 'HR,1', start_date: 'soon' }
  const shared = await lena.submit(newPerson, person, /^records/)
  assert.deepEqual(errorsOf(shared), ['email', 'external_id', 'start_date'])
  assert.match(shared.html, /name="same_email"/)
  const rows = { 'new.0.asset_tag': 'TD-1', 'new.1.asset_tag': 'TD-9', 'new.2.asset_tag': 'TD-9' }
  const tags = ['new.0.asset_tag', 'new.2.asset_tag']
  const own = { ...person, email: 'unshared@example.com' }
  assert.deepEqual(errorsOf(await lena.submit(newPerson, { ...own, ...rows }, /^records/)), [
    'external_id',
    ...tags,
    'start_date',
  ])
  const unplaced = { ...own, customer_id: '', ...rows }
  assert.deepEqual(errorsOf(await lena.submit(newPerson, unplaced, /^records/)), [
    'customer_id',
    'external_id',
    ...tags,
    'start_date',
  ])
  const valid = { ...own, start_date: '' }
  const long = { ...rows, 'new.1.serial_number': 'x'.repeat(101) }
  assert.deepEqual(errorsOf(await lena.submit(newPerson, { ...valid, ...long }, /^records/)), [
    'external_id',
    'new.0.asset_tag',
    'new.1.serial_number',
  ])
  assert.deepEqual(errorsOf(await lena.submit(newPerson, { ...valid, ...rows }, /^records/)), ['external_id', ...tags])
})

test('changing an address in place asks as well; saving an unchanged record does not', async () => {
  const { id } = (await client('POST', '/employees.php', { customer_id: 1, email: 'own@example.com', name: 'Own' }))
    .body
  await client('POST', '/employees.php', { customer_id: 1, email: 'own@example.com', name: 'Twin' })
  const page = `records.php?resource=employees&id=${id}`
  assert.equal((await lena.submit(`${page}&edit=1`, { name: 'Owner' }, /^records/)).status, 303)
  const asked = await lena.submit(`${page}&edit=email`, { email: 'a@example.com' }, /^records/)
  assert.deepEqual([asked.status, /Save anyway/.test(asked.html)], [422, true])
  const form = recordForm(asked.html)
  form.set('same_email', 'a@example.com')
  assert.equal((await lena.post(`${page}&edit=email`, form)).status, 303)
  assert.equal((await client('GET', `/employees.php?id=${id}`)).body.email, 'a@example.com')
})

test('saving a form without a change writes nothing, although browsers change line breaks', async () => {
  const lines = 'one\r\ntwo\rthree\nfour'
  const bodies = {
    customers: { name: 'Lines', country: 'fr', address: 'Street 1\r\nBack yard', notes: lines },
    employees: { customer_id: 1, email: 'lines@example.com', name: 'Two\nlines', notes: lines },
    hardware: { employee_id: 1, name: 'Two\r\nlines', supplier: 'A\nB', purchase_cost: 1250, notes: lines },
  }
  for (const [resource, body] of Object.entries(bodies)) {
    const created = await client('POST', `/${resource}.php`, body)
    assert.equal(created.status, 201, created.text)
    const { id } = created.body
    const path = `records.php?resource=${resource}&id=${id}&edit=1`
    const form = recordForm((await lena.get(path)).html)
    for (const [name, value] of [...form])
      form.set(name, name === 'notes' ? value.replaceAll(/\r\n?|\n/g, '\r\n') : value.replaceAll(/[\r\n]/g, ''))
    const saved = await lena.post(path, form)
    assert.equal(saved.status, 303, saved.html)
    const { text, headers } = await client('GET', `/${resource}.php?id=${id}`)
    assert.deepEqual([text, headers.etag], [created.text, created.headers.etag])
    const { data } = (await client('GET', `/changes.php?resource=${resource}&id=${id}`)).body
    assert.equal(data.length, 1)
    await lena.submit(path, { notes: 'other' }, /records/)
    assert.equal((await client('GET', `/${resource}.php?id=${id}`)).body.notes, 'other')
  }
})

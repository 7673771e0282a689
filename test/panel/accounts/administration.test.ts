// The panel's forms for tenants, API keys, users and records, including refusals and permissions. These tests also
// cover the overview and the activity page.

import '../../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listApiKeys } from '../../../src/access/api-keys.ts'
import { codeOf, fromBase32, stepOf } from '../../../src/accounts/sign-in/two-factor.ts'
import { listEvents } from '../../../src/catalog/audit/audit-log.ts'
import { requireTenant } from '../../../src/tenants/tenants.ts'
import { assertRefused, keyId } from '../../support/api/shared-errors.ts'
import { tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { eventually } from '../../support/eventually.ts'
import {
  createPanelUser,
  decodeHtml,
  formsIn,
  openBrowser,
  password,
  signIn,
  withCatalogOf,
} from '../../support/panel/panel-client.ts'
import { type Client, command, makeTenant, networkClient, startService } from '../../support/service.ts'

let clock = Date.now()
const { environment, listen, services } = await startService(
  { RATE_LIMIT_PER_MINUTE: '100' },
  { now: () => new Date(clock) },
)
const apiUrl = await listen()
const { origin } = new URL(apiUrl)
await makeTenant(environment, 'north')
await makeTenant(environment, 'south')
await createPanelUser(environment, 'root@example.com')
await createPanelUser(environment, 'north@example.com', 'north')
await createPanelUser(environment, 'south@example.com', 'south')
const root = await signIn(origin, 'root@example.com')
const north = await signIn(origin, 'north@example.com')
const south = await signIn(origin, 'south@example.com')

/** Advances the clock until the password must be confirmed again. */
const expireConfirmation = () => {
  clock += 11 * 60_000
}

/** Returns the text of the element with this id. */
const textOf = (html: string, id: string) => decodeHtml(new RegExp(`id="${id}">([^<]*)<`).exec(html)?.[1] ?? '')

test('an administrator can create, suspend and activate a tenant, and delete it by typing its short name', async () => {
  const created = await root.submit('tenants.php?new=1', {
    slug: 'brief',
    name: 'Brief & Co',
    trial_ends: '2099-01-31',
  })
  assert.equal(created.location, './?tenant=brief')
  const token = await createKeyToken('brief')
  const client = networkClient(apiUrl, token)
  assert.equal((await client('GET', '/customers.php')).status, 200)
  await root.submit('tenants.php?tenant=brief', { suspend: '1', reason: 'The invoice is open.' })
  assertRefused(await client('GET', '/customers.php'), 'tenant_suspended')
  assert.match((await root.get('tenants.php?tenant=brief')).html, /The invoice is open\./)
  await root.submit('tenants.php?tenant=brief', { activate: '1' })
  assert.equal((await client('GET', '/customers.php')).status, 200)
  const differs = await root.submit('tenants.php?tenant=brief', { delete: '1', slug: 'brie' })
  assert.deepEqual([differs.status, /does not match the short name/.test(differs.html)], [422, true])
  expireConfirmation()
  for (const [typed, message] of [
    ['', /Enter your password\./],
    ['not mine at all', /Incorrect password\./],
  ] as const) {
    const deletion = { delete: '1', slug: 'brief', password: typed }
    const unconfirmed = await root.submit('tenants.php?tenant=brief', deletion)
    assert.deepEqual([unconfirmed.status, message.test(unconfirmed.html)], [422, true])
  }
  assert.equal((await client('GET', '/customers.php')).status, 200)
  await root.submit('tenants.php?tenant=brief', { delete: '1', slug: 'brief', password })
  assertRefused(await client('GET', '/customers.php'), 'invalid_key')
  assert.equal((await root.get('tenants.php?tenant=brief')).status, 404)
})

/** Creates an API key as an administrator. Returns its token. */
async function createKeyToken(slug: string): Promise<string> {
  const created = await root.submit(`api_keys.php?tenant=${slug}`, {
    name: 'test',
    scope: ['*:read', '*:write'],
    password,
  })
  assert.equal(created.status, 200, created.html)
  return textOf(created.html, 'token')
}

test('a refused tenant form shows the reason and keeps the input', async () => {
  for (const [fields, message] of [
    [{ slug: 'N' }, /2 to 40/],
    [{ slug: 'north' }, /already/],
    [{ slug: 'fresh', trial_ends: '2026-02-30' }, /valid date/],
    [{ slug: 'fresh', name: 'x'.repeat(101) }, /at most 100/],
    [{ slug: 'fresh', currency: 'XXXX' }, /three-letter currency code/],
    [{ slug: 'fresh', time_zone: 'Mars' }, /Enter a time zone/],
  ] as const) {
    const response = await root.submit('tenants.php?new=1', fields)
    assert.equal(response.status, 422)
    assert.match(response.html, message)
    assert.ok(response.html.includes(`value="${fields.slug}"`))
  }
})

test('a form creates a key once and shows it only once; the key is refused after it is revoked or deleted', async () => {
  const page = formsIn((await north.get('api_keys.php')).html).find(({ action }) => action.startsWith('api_keys'))!
  const form = new URLSearchParams([...page.fields, ['scope', 'customers:read']])
  form.set('name', 'reader')
  form.set('password', password)
  form.set('expires', '2099-12-31')
  const [created, repeated] = [await north.post('api_keys.php', form), await north.post('api_keys.php', form)]
  assert.deepEqual([created.status, repeated.status], [200, 422])
  assert.equal(created.headers.get('cache-control'), 'no-store')
  const token = textOf(created.html, 'token')
  const client = networkClient(apiUrl, token)
  assert.equal((await client('GET', '/customers.php')).status, 200)
  assertRefused(await client('POST', '/customers.php', { name: 'x' }), 'forbidden')
  const id = token.slice(4, 14)
  assert.match((await north.get('api_keys.php')).html, /reader/)
  await north.submit(`api_keys.php?key=${id}`, { revoke: '1' })
  assert.match(
    (await north.get(`api_keys.php?key=${id}`)).html,
    /role="status">.*?API key [^<]+ revoked\. It no longer works\./s,
  )
  assertRefused(await client('GET', '/customers.php'), 'key_revoked')
  await north.submit(`api_keys.php?key=${id}`, { delete: '1' })
  assertRefused(await client('GET', '/customers.php'), 'invalid_key')
})

test('deleting a key or an account, and removing a user’s access, asks first, in a frame of its own', async () => {
  const key = (await createKeyToken('north')).slice(4, 14)
  const id = await createPanelUser(environment, 'leaver@example.com', 'north')
  const pages = [
    [`api_keys.php?tenant=north&key=${key}`, /Delete the key “[^”]+” .*Delete this key/s],
    [`users.php?id=${id}`, /Delete the account of leaver@example\.com\? .*Delete this account/s],
    [`users.php?tenant=north&id=${id}`, /can no longer open this company.*Remove access/s, 'remove'],
  ] as const
  for (const [path, question, name = 'delete'] of pages) {
    const { html } = await root.get(path)
    const [, danger] = /<details class="danger"><summary[^>]*>[^<]* …<\/summary>(.*?)<\/details>/s.exec(html)!
    assert.match(danger!, question)
    assert.equal(html.split(` name="${name}"`).length, 2, 'no other button does it')
    assert.ok(danger!.includes(` name="${name}"`))
    assert.doesNotMatch(danger!, /name="(reset|end_sessions|revoke|set_role)"/)
  }
})

test('a new tenant gets a short name from its name, and its currency and time zone', async () => {
  const created = await root.submit('tenants.php?new=1', {
    name: '3. Işık & Söhne <GmbH>',
    currency: 'try',
    time_zone: 'Europe/Istanbul',
  })
  assert.equal(created.location, './?tenant=isik-sohne-gmbh')
  const client = networkClient(apiUrl, await createKeyToken('isik-sohne-gmbh'))
  const { name, currency, time_zone } = (await client('GET', '/settings.php')).body
  assert.deepEqual([name, currency, time_zone], ['3. Işık & Söhne <GmbH>', 'TRY', 'Europe/Istanbul'])
  const { fields } = formsIn((await root.get('tenants.php?new=1')).html).find(
    ({ action }) => action === 'tenants.php?new=1',
  )!
  const next = Object.fromEntries(fields)
  assert.deepEqual([next.time_zone, next.currency], ['Europe/Istanbul', 'TRY'], 'suggested for the next tenant')
  await root.submit('tenants.php?new=1', { name: 'Plain', slug: 'plain', currency: '', time_zone: 'UTC' })
  const plain = networkClient(apiUrl, await createKeyToken('plain'))
  assert.deepEqual((await plain('GET', '/changes.php')).body.data, [], 'the defaults are not a change')
})

test('when two people delete the same key, the second deletion is refused with 404', async () => {
  const key = (await createKeyToken('north')).slice(4, 14)
  const path = `api_keys.php?tenant=north&key=${key}`
  const form = new URLSearchParams(formsIn((await root.get(path)).html).at(-1)!.fields)
  form.set('delete', '1')
  const responses = await Promise.all([root.post(path, form), root.post(path, form)])
  assert.deepEqual(responses.map(({ status }) => status).sort(), [303, 404])
})

test('a refused key form shows the reason, and creating a key requires a recent confirmation of the password', async () => {
  const none = await north.submit('api_keys.php', { name: 'nothing', password })
  assert.deepEqual([none.status, /at least one/.test(none.html)], [422, true])
  const expired = await north.submit('api_keys.php', { scope: 'customers:read', expires: '2020-01-01' })
  assert.deepEqual([expired.status, /is in the past/.test(expired.html)], [422, true])
  const unknown = await north.submit('api_keys.php', { scope: 'everything:write' })
  assert.equal(unknown.status, 422)
  expireConfirmation()
  const unconfirmed = await north.submit('api_keys.php', { scope: 'customers:read' })
  assert.deepEqual([unconfirmed.status, /name="password"/.test(unconfirmed.html)], [422, true])
  const listKeys = () =>
    withCatalogOf(environment, async (catalog) =>
      listApiKeys(catalog, await requireTenant(catalog, 'north'), new Date(clock)),
    )
  const before = (await listKeys()).length
  const confirmed = await north.submit('api_keys.php', { scope: 'customers:read', password })
  assert.equal(confirmed.status, 200)
  assert.equal((await listKeys()).length, before + 1)
})

test('a manager cannot reach pages of another tenant through any URL or form field', async () => {
  const token = await createKeyToken('south')
  const client = networkClient(apiUrl, token)
  const { id } = (await client('POST', '/customers.php', { name: 'Southern secret' })).body
  const key = token.slice(4, 14)
  const addresses = [
    '?tenant=south',
    'api_keys.php?tenant=south',
    `api_keys.php?key=${key}`,
    `api_keys.php?tenant=south&key=${key}`,
    'activity.php?tenant=south',
    'records.php?tenant=south',
    `records.php?tenant=south&resource=customers&id=${id}`,
    `records.php?tenant=south&resource=customers&id=${id}&edit=1`,
    'records.php?tenant=south&resource=customers&pick=x&q=secret',
    'tenants.php',
    'tenants.php?new=1',
    'tenants.php?tenant=north',
    'users.php?tenant=south',
    'events.php',
  ]
  for (const address of addresses) {
    const response = await north.get(address)
    assert.equal(response.status, 404, address)
    assert.doesNotMatch(response.html, /Southern/, address)
  }
  const form = new URLSearchParams(
    formsIn((await north.get('api_keys.php')).html).find(({ action }) => action.startsWith('api_keys'))!.fields,
  )
  for (const [name, value] of Object.entries({
    tenant: 'south',
    tenant_id: 'south',
    slug: 'south',
    revoke: '1',
    delete: '1',
    scope: '*:read',
    id: String(id),
    password,
  }))
    form.append(name, value)
  for (const address of addresses) assert.ok([404, 405].includes((await north.post(address, form)).status), address)
  assert.equal((await client('GET', `/customers.php?id=${id}`)).status, 200)
  for (const address of ['records.php?resource=customers', 'activity.php', './'])
    assert.doesNotMatch((await north.get(address)).html, /Southern/, address)
  assert.equal((await north.get(`activity.php?by=key:${key}`)).html.includes('Southern'), false)
  assert.match((await south.get('records.php?resource=customers')).html, /Southern secret/)
})

test('submitting a record form twice creates one record; submitting it again with other values asks for confirmation', async () => {
  const path = 'records.php?resource=customers&new=1'
  const send = async (html: string, name: string) => {
    const form = formsIn(html).find(({ action }) => action.startsWith('records'))!
    const response = await north.post(path, new URLSearchParams([...form.fields, ['name', name]]))
    return [response.status, response.location, response.html] as const
  }
  const { html } = await north.get(path)
  const [first, second] = [await send(html, 'Once'), await send(html, 'Once')]
  assert.deepEqual([first[0], second], [303, first])
  const [status, , page] = await send(html, 'Another')
  assert.deepEqual([status, /was already saved/.test(page), page.includes('value="Another"')], [422, true, true])
  const [confirmedStatus, location] = await send(page, 'Another')
  assert.deepEqual([confirmedStatus, location === first[1]], [303, false])
})

test('record forms, lists and pages show external ids, kinds and loan dates, but fields set by the service cannot be edited', async () => {
  const create = async (resource: string, fields: Record<string, string>) => {
    const created = await north.submit(`records.php?resource=${resource}&new=1`, fields)
    assert.equal(created.status, 303, created.html)
    return created.location!
  }
  const idOf = (path: string) => new URL(path, origin).searchParams.get('id')!
  const customer = await create('customers', { name: 'Depot', external_id: ' b-7 ' })
  const shelf = { customer_id: idOf(customer), email: 'shelf@example.com', kind: 'storage', external_id: 'hr-9' }
  await create('employees', shelf)
  const borrower = await create('employees', { customer_id: idOf(customer), email: 'borrower@example.com' })
  const hardware = await create('hardware', {
    where: 'person',
    employee_id: idOf(borrower),
    due_back: '2031-02-28',
    external_id: 'hw-9',
  })

  for (const [language, kind, labels] of [
    ['en', 'Storage location', ['External ID', 'Due back']],
    ['de', 'Lagerort', ['Externe ID', 'Rückgabe bis']],
    ['tr', 'Depo yeri', ['Harici kimlik', 'Son iade tarihi']],
  ] as const) {
    const open = async (path: string) => decodeHtml((await north.get(path, { 'accept-language': language })).html)
    const [list, page] = [await open('records.php?resource=employees&kind=storage&q=HR-9'), await open(hardware)]
    assert.ok(list.includes(kind) && list.includes('shelf@example.com'), language)
    for (const text of [...labels, 'hw-9']) assert.ok(page.includes(text), `${language}: ${text}`)
  }

  const names = formsIn((await north.get(`${hardware}&edit=1`)).html).find(({ action }) =>
    action.startsWith('records'),
  )!.fields
  const filled = Object.fromEntries(names)
  assert.deepEqual([filled.due_back, filled.external_id, 'last_seen_at' in filled], ['2031-02-28', 'hw-9', false])
  const taken = await north.submit('records.php?resource=customers&new=1', { name: 'Another', external_id: 'b-7' })
  assert.deepEqual([taken.status, /name="external_id"[^>]*aria-invalid/.test(taken.html)], [422, true])
  const cleared = await north.submit(`${customer}&edit=1`, { external_id: '' }, /^records/)
  assert.equal(cleared.status, 303)
  assert.equal(
    (await north.submit('records.php?resource=customers&new=1', { name: 'Another', external_id: 'b-7' })).status,
    303,
  )
})

test('a URL with as_of shows the records as they were at that time', async () => {
  const token = await createKeyToken('north')
  const client = networkClient(apiUrl, token)
  const created = (await client('POST', '/customers.php', { name: 'Before it was renamed', code: 'AS-OF' })).body
  clock += 1
  await client('PUT', `/customers.php?id=${created.id}`, { name: 'Renamed' })
  const namesShown = async (query: string) => {
    const { html } = await north.get(`records.php?resource=customers&code=AS-OF${query}`)
    return [html.includes('Before it was renamed'), html.includes('Renamed')]
  }
  assert.deepEqual(await namesShown(''), [false, true])
  assert.deepEqual(await namesShown(`&as_of=${created.updated_at}`), [true, false])
})

test('the activity page filters by person, key, resource, action and record', async () => {
  await makeTenant(environment, 'watched')
  const user = await createPanelUser(environment, 'watched@example.com', 'watched')
  const person = await signIn(origin, 'watched@example.com')
  const tokens = [await createKeyToken('watched'), await createKeyToken('watched')] as const
  const [firstClient, secondClient] = tokens.map((token) => networkClient(apiUrl, token)) as [Client, Client]
  const { id } = (await firstClient('POST', '/customers.php', { name: 'Of one' })).body
  const other = (await secondClient('POST', '/customers.php', { name: 'Of two' })).body.id
  await secondClient('PUT', `/customers.php?id=${other}`, { city: 'Kiel' })
  await secondClient('POST', '/employees.php', { email: 'ada@example.com', customer_id: other })
  await person.submit(`records.php?resource=customers&id=${id}&edit=1`, { city: 'Jena' })
  const seen = async (filter: string) => {
    const { status, html } = await person.get(`activity.php?${filter}`)
    assert.equal(status, 200)
    return [...html.matchAll(/<li data-action="(\w+)">/g)].map(([, action]) => action)
  }
  assert.deepEqual(await seen(''), ['update', 'create', 'update', 'create', 'create'])
  assert.deepEqual(await seen(`by=user:${user}`), ['update'])
  assert.deepEqual(await seen(`by=key:${tokens[0].slice(4, 14)}`), ['create'])
  assert.deepEqual(await seen(`by=key:${tokens[1].slice(4, 14)}`), ['create', 'update', 'create'])
  assert.deepEqual(await seen('resource=employees'), ['create'])
  assert.deepEqual(await seen('action=update'), ['update', 'update'])
  assert.deepEqual(await seen(`resource=customers&id=${id}`), ['update', 'create'])
  assert.deepEqual(await seen(`by=user:${user}&action=create`), [])
})

test('users of a suspended tenant see only that it is suspended and why', async () => {
  await root.submit('tenants.php?tenant=south', { suspend: '1', reason: 'The <invoice> is open.' })
  const response = await south.get('records.php')
  assert.deepEqual(
    [response.status, /suspended/.test(response.html), /Southern/.test(response.html)],
    [403, true, false],
  )
  assert.match(decodeHtml(response.html), /Reason: The <invoice> is open\./)
  await root.submit('tenants.php?tenant=south', { activate: '1' })
})

test('the overview lists tenants that need attention at the top, with the reason and what to do', async () => {
  for (const [slug, trial] of [
    ['over', '2020-01-31'],
    ['ending', new Date(clock).toISOString().slice(0, 10)],
  ] as const)
    await root.submit('tenants.php?new=1', { slug, trial_ends: trial })
  await root.submit('tenants.php?tenant=south', { suspend: '1', reason: 'Unpaid' })
  await makeTenant(environment, 'away')
  const away = await tenantDatabaseOf(environment, 'away')
  await away.hide()
  const failMigration = `update tenants set migration_error = 'no room <left>', schema_version = null where slug = 'north'`
  await withCatalogOf(environment, (catalog) => catalog.transaction(async (database) => database.run(failMigration)))
  const mostUrgentFirst: [slug: string, message: RegExp][] = [
    ['away', /cannot be reached.*503/],
    ['north', /no room <left>/],
    ['over', /trial has ended/],
    ['south', /Activate the tenant.*Unpaid/s],
    ['ending', /ends soon/],
  ]
  const areListed = async () => {
    const html = decodeHtml((await root.get('')).html)
    const items = [...html.matchAll(/<small class="trouble">.*?<a href="tenants\.php\?tenant=(\w+)">(.*?)<\/tr>/gs)]
    const isExpected = ([slug, message]: [string, RegExp], index: number) =>
      items[index]?.[1] === slug && message.test(items[index][2]!)
    return items.length === mostUrgentFirst.length && mostUrgentFirst.every(isExpected)
  }
  await eventually('the tenants are listed, the most urgent first', areListed)
  await away.show()
  const completeMigration = 'update tenants set schema_version = 1000'
  await withCatalogOf(environment, (catalog) =>
    catalog.transaction(async (database) => database.run(completeMigration)),
  )
  const hasNoProblem = async () => !/cannot be reached|no room/.test((await root.get('')).html)
  await eventually('the overview no longer shows the two problems', hasNoProblem)
  await root.submit('tenants.php?tenant=south', { activate: '1' })
})

/** Submits the form of the list of tenants that has a button with this name. */
async function submitTenants(button: string, fields: Record<string, string> = {}) {
  const buttons =
    /<form method="post" action="tenants\.php"[^>]*>(?:(?!<\/form>).)*?name="%"(?:(?!<\/form>).)*<\/form>/s
  const { html } = await root.get('tenants.php')
  const [form] = new RegExp(buttons.source.replace('%', button), 's').exec(html) ?? []
  assert.ok(form, `the list offers ${button}`)
  const values = { ...Object.fromEntries(formsIn(form)[0]!.fields), [button]: '1', ...fields }
  return root.post('tenants.php', new URLSearchParams(values))
}

test('the demo tenant can be added and removed at any time', async () => {
  const added = await submitTenants('demo', { time_zone: 'Europe/Zurich' })
  assert.deepEqual([added.status, added.location], [303, './?tenant=demo'])
  const settings = decodeHtml((await root.get('tenant_settings.php?tenant=demo')).html)
  assert.match(settings, /value="CHF".*<option value="Europe\/Zurich"[^>]* selected/s)
  assert.match((await root.get('records.php?tenant=demo&resource=hardware')).html, /<tbody><tr>/)
  assert.doesNotMatch((await root.get('tenants.php')).html, /name="demo"/, 'there is only one')
  expireConfirmation()
  const refused = await submitTenants('remove_demo', { password: 'not mine at all' })
  assert.deepEqual([refused.status, /Incorrect password/.test(refused.html)], [422, true])
  assert.match(refused.html, /<details class="danger" open>.*Remove “Demo company” with everything in it/s)
  assert.equal((await submitTenants('remove_demo', { password })).location, 'tenants.php')
  assert.match((await root.get('tenants.php')).html, /role="status">.*Deleted\..*name="demo"/s)
  assert.equal((await root.get('?tenant=demo')).status, 404)
})

test('pages with long values are smaller than 100 kB, and all records can be reached by paging', async () => {
  const clients = [] // several, because each key may send 100 requests per minute
  for (let index = 0; index < 3; index++) clients.push(networkClient(apiUrl, await createKeyToken('north')))
  const [client, ...others] = clients as [Client, Client, Client]
  const hostile = (length: number) => `"'<&`.repeat(length).slice(0, length)
  const long = {
    name: hostile(100),
    address: hostile(200),
    city: hostile(80),
    notes: hostile(2000),
    tax_id: hostile(40),
  }
  const creations = Array.from({ length: 180 }, (_, index) =>
    others[index % 2]!('POST', '/customers.php', { ...long, code: `C${index}` }),
  )
  const created = (await Promise.all(creations)).map(({ body }): number => body.id).sort((a, b) => a - b)
  const [first] = created
  for (let index = 0; index < 12; index++)
    await client('PUT', `/customers.php?id=${first}`, {
      notes: `${index}${hostile(1990)}`,
      email: `e${index}@example.com`,
    })
  const crowd = Array.from({ length: 110 }, (_, index) => `crowd-${index}`)
  await insertTenantRows(crowd, hostile(100))

  const read = async (path: string) => {
    const { status, html } = await root.get(path)
    assert.equal(status, 200, path)
    assert.ok(Buffer.byteLength(html) < 100_000, `${path}: ${Buffer.byteLength(html)}`)
    return html
  }
  /** Returns the items on all pages of a list. */
  async function readAllPages(path: string, item: RegExp): Promise<string[]> {
    const html = decodeHtml(await read(path))
    const [, next] = /rel="next" href="([^"]+)"/.exec(html) ?? []
    return [...[...html.matchAll(item)].map(([, found]) => found!), ...(next ? await readAllPages(next, item) : [])]
  }
  const rows = /<th scope="row">.*?<a href="records[^"]*&id=(\d+)"/g
  const list = 'records.php?tenant=north&resource=customers&name[contains]=%3C%26'
  assert.deepEqual((await readAllPages(list, rows)).map(Number), created)
  const changes = await readAllPages(
    `activity.php?tenant=north&id=${first}&resource=customers`,
    /<li data-action="(\w+)">/g,
  )
  assert.deepEqual(changes.toSorted(), ['create', ...Array.from({ length: 12 }, () => 'update')])
  await read(`records.php?tenant=north&resource=customers&id=${first}`)
  const slugs = await readAllPages('tenants.php', /<a href="tenants\.php\?tenant=([^"]+)" class="aside">/g)
  assert.deepEqual([slugs.length > 110, new Set(slugs).size === slugs.length], [true, true])
  assert.deepEqual(
    await readAllPages('tenants.php?q=CROWD-77', /<a href="tenants\.php\?tenant=([^"]+)" class="aside">/g),
    ['crowd-77'],
  )
  for (const path of ['', 'users.php', 'api_keys.php']) await read(path)
  assert.equal((await root.get(`records.php?tenant=north&q=${'x'.repeat(3000)}`)).status, 414)
  await withCatalogOf(environment, (catalog) =>
    catalog.transaction(async (database) => database.run(`delete from tenants where slug like 'crowd-%'`)),
  )
})

/** Inserts suspended tenants without databases, because the test only lists them. */
function insertTenantRows(slugs: string[], name: string): Promise<unknown> {
  const sql = `insert into tenants (id, slug, name, state, created_at, server) values (?, ?, ?, 'suspended', '2026-01-01', ?)`
  return withCatalogOf(environment, (catalog) =>
    catalog.transaction(async (database) => {
      for (const slug of slugs) await database.run(sql, [slug, slug, name, catalog.defaultServer])
    }),
  )
}

test('an account is created with a one-time link and can be deleted, except the last administrator', async () => {
  const created = await root.submit('users.php', {
    email: 'new@example.com',
    role: 'manager',
    tenant: 'north',
    password,
  })
  const link = textOf(created.html, 'link')
  assert.match(link, new RegExp(`^${origin}/setup.php#token=`))
  const person = openBrowser(origin)
  assert.equal((await person.open(link, { password })).status, 303)
  assert.equal((await person.get('records.php')).status, 200)
  for (const [fields, message] of [
    [{ email: 'new@example.com', role: 'administrator' }, /already/],
    [{ email: 'nothing', role: 'administrator' }, /valid email/],
    [{ email: 'other@example.com', role: 'manager', tenant: '' }, /Choose a tenant/],
  ] as const) {
    const refused = await root.submit('users.php', { ...fields, password })
    assert.deepEqual([refused.status, message.test(refused.html)], [422, true])
  }
  const users = (await root.get('users.php')).html
  const idOf = (email: string) => new RegExp(`users\\.php\\?id=([^"&]+)">${email}`).exec(decodeHtml(users))![1]
  assert.equal((await root.submit(`users.php?id=${idOf('new@example.com')}`, { delete: '1' })).status, 303)
  assert.equal((await person.get('records.php')).status, 303, "the deleted user's session has ended")
  const last = await root.submit(`users.php?id=${idOf('root@example.com')}`, { delete: '1' })
  assert.deepEqual([last.status, /last administrator/.test(last.html)], [422, true])
})

test('a form that lacks a required value says so without checking the password', async () => {
  const id = await createPanelUser(environment, 'visitor@example.com', 'north')
  expireConfirmation()
  for (const [page, fields] of [
    ['users.php', { email: 'other@example.com', role: 'manager' }],
    [`users.php?id=${id}`, { add_tenant: '1', role: 'viewer' }],
  ] as const) {
    const refused = await root.submit(page, { ...fields, tenant: '', password: 'not mine at all' })
    assert.deepEqual([refused.status, /Choose a tenant/.test(refused.html)], [422, true])
    assert.doesNotMatch(refused.html, /Incorrect password/)
  }
})

test('sign-in asks for a second factor and accepts each code only once; the second factor can be turned off', async () => {
  await createPanelUser(environment, 'careful@example.com')
  const person = await signIn(origin, 'careful@example.com')
  const page = (await person.get('profile.php?second_factor=1')).html
  const secret = new Map(formsIn(page).at(-1)!.fields).get('secret')!
  const wrong = await person.submit(
    'profile.php?second_factor=1',
    { secret, code: '000000', do_turn_on: '1', password },
    /^profile/,
  )
  assert.equal(wrong.status, 422)
  const code = () => codeOf(fromBase32(secret), stepOf(new Date(clock)))
  const on = await person.submit(
    'profile.php?second_factor=1',
    { secret, code: code(), do_turn_on: '1', password },
    /^profile/,
  )
  const [recovery] = textOf(on.html, 'codes').split('\n')
  assert.equal(on.status, 200, on.html)
  clock += 60_000
  const challenge = await openBrowser(origin).submit('login.php', { email: 'careful@example.com', password })
  assert.deepEqual([challenge.status, /name="code"/.test(challenge.html)], [200, true])
  const signInWith = (code: string) =>
    openBrowser(origin).submit('login.php', { email: 'careful@example.com', password, code })
  const currentCode = code()
  assert.deepEqual([(await signInWith(currentCode)).status, (await signInWith(currentCode)).status], [303, 403])
  assert.deepEqual([(await signInWith(recovery!)).status, (await signInWith(recovery!)).status], [303, 403])
  clock += 60_000
  const elsewhere = openBrowser(origin)
  await elsewhere.submit('login.php', { email: 'careful@example.com', password, code: code() })
  assert.equal((await elsewhere.get('profile.php')).status, 200)
  clock += 60_000
  const turnOff = (fields: Record<string, string>) =>
    person.submit('profile.php', { do_turn_off: '1', ...fields }, /^profile/)
  const refused: Record<string, string>[] = [{}, { password }, { code: code() }, { password, code: '000000' }]
  for (const fields of refused)
    assert.equal((await turnOff(fields)).status, 422, 'both are required, however recent the password is')
  const off = await turnOff({ password, code: code() })
  assert.equal(off.location, 'profile.php')
  assert.equal((await elsewhere.get('profile.php')).status, 303, 'the other sessions have ended')
  assert.equal((await person.get('profile.php')).status, 200)
  await requireEvents('careful@example.com', ['second_factor_on', 'recovery_code_used', 'second_factor_off'])
  assert.match((await root.get('events.php')).html, /Two-factor authentication turned on/)
})

/** Asserts that the security log has these events of a user. */
async function requireEvents(email: string, expected: string[]): Promise<void> {
  const events = await withCatalogOf(environment, (catalog) => listEvents(catalog, { limit: 1000 }))
  const ofUser = new Set(events.filter((candidate) => candidate.email === email).map(({ event }) => event))
  for (const name of expected) assert.ok(ofUser.has(name), name)
}

test('users can end their other sessions; changing the password requires the current one and ends the other sessions', async () => {
  await createPanelUser(environment, 'tidy@example.com')
  const [session, otherSession] = [await signIn(origin, 'tidy@example.com'), await signIn(origin, 'tidy@example.com')]
  const phone = openBrowser(origin)
  const agent =
    'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0 Mobile Safari/537.36'
  const fields = formsIn((await phone.get('login.php')).html)[0]!.fields
  const form = new URLSearchParams([...fields, ['email', 'tidy@example.com'], ['password', password]])
  form.delete('email', '')
  form.delete('password', '')
  await phone.post('login.php', form, { 'user-agent': agent })
  const [, sessionId] = /Chrome, Android.*?name="do_end" value="(\w+)"/s.exec(
    decodeHtml((await session.get('profile.php')).html),
  )!
  await session.submit('profile.php', { do_end: sessionId! }, /^profile/)
  assert.deepEqual(
    [(await phone.get('profile.php')).status, (await otherSession.get('profile.php')).status],
    [303, 200],
  )
  const change = (fields: Record<string, string>) =>
    session.submit('profile.php', { do_password: '1', ...fields }, /^profile/)
  assert.equal((await change({ password: 'not the present one', new_password: 'a new quiet harbour' })).status, 422)
  assert.equal((await change({ password, new_password: 'short' })).status, 422)
  assert.equal((await change({ password, new_password: 'a new quiet harbour' })).status, 303)
  assert.deepEqual(
    [(await session.get('profile.php')).status, (await otherSession.get('profile.php')).status],
    [200, 303],
  )
  await requireEvents('tidy@example.com', ['password_changed'])
})

test('administrative commands are in the security log with their actors and subjects, and without secrets', async () => {
  const address = 'postgres://nobody:hunter2@127.0.0.1:1/none'
  const run = async (line: string) => {
    const { exitCode, stdout, stderr } = await command(environment, ...line.split(' '))
    assert.equal(exitCode, 0, stderr)
    return stdout
  }
  await run('tenant create logged')
  await run('tenant suspend logged')
  await run('tenant activate logged')
  const id = keyId(await run('key create logged --scope *:read'))
  await run(`key revoke ${id}`)
  await run(`key delete ${id}`)
  await run('user create logged@example.com --role administrator')
  await run('user delete logged@example.com')
  await run('tenant delete logged --yes')
  await run(`server add spare ${address} --offline`)
  await run('server remove spare')
  const events = await withCatalogOf(environment, (catalog) => listEvents(catalog, { limit: 1000 }))
  const expected = [
    'tenant_created',
    'tenant_suspended',
    'tenant_activated',
    'key_created',
    'key_revoked',
    'key_deleted',
    'user_created',
    'user_deleted',
    'tenant_deleted',
    'server_added',
    'server_removed',
  ]
  const names = events.map(({ event }) => event).filter((event) => expected.includes(event))
  assert.deepEqual(names.slice(0, expected.length).reverse(), expected)
  const log = (await root.get('events.php')).html
  assert.match(decodeHtml(log), /Server removed<.*command line<.*spare<.*Server added<.*command line<.*spare</s)
  assert.doesNotMatch(JSON.stringify(events) + log, new RegExp(`${password}|hunter2|tdk_[0-9A-Za-z]{11}`))
})

test('a mailto link escapes characters that would end or extend the address', async () => {
  const email = 'a?b&c%d@example.com' // valid under the WHATWG definition of e-mail addresses
  const { location } = await north.submit('records.php?resource=customers&new=1', { name: 'Mail', email })
  const page = decodeHtml((await north.get(location!)).html)
  assert.ok(page.includes('href="mailto:a%3Fb%26c%25d@example.com">a?b&c%d@example.com<'), page)
})

test('after a restart, a key’s page still shows the requests per hour from before the restart', async () => {
  const [token, unused] = [await createKeyToken('south'), await createKeyToken('south')]
  const client = networkClient(apiUrl, token)
  await client('GET', '/customers.php')
  await client('GET', '/customers.php?nothing=1')
  for (const node of services) await node.close()
  const restarted = await startService(environment, { now: () => new Date(clock) })
  const person = await signIn(new URL(await restarted.listen()).origin, 'root@example.com')
  assert.match(
    (await person.get('api_keys.php?tenant=south')).html,
    /127\.0\.0\.1.*<svg class="chart".*class="bar errors"/s,
  )
  const pageOf = async (key: string) => (await person.get(`api_keys.php?tenant=south&key=${key.slice(4, 14)}`)).html
  assert.match(await pageOf(token), /<svg class="chart".*class="bar errors"/s)
  assert.doesNotMatch(await pageOf(unused), /<svg class="chart"/)
})

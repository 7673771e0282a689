// The panel's import page, without scripts: upload, columns, dry run, run, result.

import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../../support/eventually.ts'
import {
  createPanelUser,
  decodeHtml,
  formsIn,
  openBrowser,
  type PageResponse,
  signIn,
} from '../../support/panel/panel-client.ts'
import { command, type Json, makeTenant, startService, temporaryDirectory } from '../../support/service.ts'

const service = await startService({ IMPORT_LIMIT_BYTES: '2000000' })
const { environment } = service
const { origin } = new URL(await service.listen())
const acme = service.client(await makeTenant(environment, 'acme'))
const zeta = service.client(await makeTenant(environment, 'zeta'))
await createPanelUser(environment, 'manager@example.com', 'acme')
await createPanelUser(environment, 'root@example.com')
const manager = await signIn(origin, 'manager@example.com')
await acme('POST', '/customers.php', { name: 'Head office', code: 'HQ' })

/** Returns the visible text of a page. */
function textOf({ html }: PageResponse): string {
  return decodeHtml(html.replaceAll(/<script.*?<\/script>|<[^>]*>/gs, ' ')).replaceAll(/\s+/g, ' ')
}

/** Returns the numbers of new, changed, unchanged and failed rows, as text. */
function countsOf({ html }: PageResponse): string {
  return [...html.matchAll(/data-count="\w+"><b>(\d+)<\/b>/g)].map(([, count]) => count).join(' ')
}

/** Uploads a file and returns the URL of the page that maps its columns. */
async function upload(resource: string, file: string | Buffer<ArrayBuffer>, person = manager): Promise<string> {
  const response = await person.upload(`import.php?resource=${resource}`, {}, file)
  assert.equal(response.status, 303, textOf(response))
  return response.location!
}

/** Waits until an import has been checked or has ended, and returns its page. */
async function waitForImport(path: string, person = manager): Promise<PageResponse> {
  return eventually('the import has been checked or has ended', async () => {
    const page = await person.get(path)
    return page.html.includes('data-progress') ? undefined : page
  })
}

/** Uploads a file and answers the questions as proposed, except for those in `fields`. Returns the URL of the import and
 *  the page with the result of the check. */
async function check(resource: string, file: string, fields: Record<string, string> = {}) {
  const path = await upload(resource, file)
  let { status, html, location } = await manager.submit(path, fields, /import\.php\?id/)
  if (location?.includes('step=values'))
    ({ status, html, location } = await manager.submit(location, fields, /import\.php\?id/))
  assert.equal(status, 303, html)
  assert.equal(location, path)
  return { path, page: await waitForImport(path) }
}

/** Presses the button with this text on an import's page. */
function press(path: string, button: string, page: PageResponse): Promise<PageResponse> {
  const form = page.html.split('<form').find((html) => html.includes(`>${button}<`))
  assert.ok(form, `the page has a button ${button}`)
  const [, name] = new RegExp(`<button[^>]* name="(\\w+)"[^>]*>${button}<`).exec(form) ?? []
  const fields = new URLSearchParams(formsIn(`<form${form}`)[0]!.fields)
  if (name) fields.append(name, '1')
  return manager.post(path, fields)
}

const personnel =
  'Personal-Nr;E-Mail;Vorname;Kürzel;Eintrittsdatum\r\n7;ada@a.test;Ada;HQ;1.2.2024\r\n8;bob@a.test;Bob;XX;\r\n'

test('a file is uploaded, its columns mapped and checked, and its valid rows imported', async () => {
  const path = await upload('employees', personnel)
  const columns = await manager.get(path)
  assert.match(textOf(columns), /The file has 2 rows.*look at these columns.*Vorname Ada · Bob.*together/)
  assert.match(textOf(columns), /Recognised columns.*Personal-Nr 7 · 8.*E-Mail.*1 column is not imported.*Kürzel HQ/)
  const suggested = formsIn(columns.html).find(({ action }) => action === path)!.fields
  const proposed = Object.fromEntries(suggested.filter(([name]) => /^column|match/.test(name)))
  assert.deepEqual(proposed, {
    'column.0': 'employee_no',
    'column.1': 'email',
    'column.2': 'name',
    'column.3': '',
    'column.4': 'start_date',
    match: 'email',
  })
  const assigned = { 'column.3': 'customer_code' }
  const sent = await manager.submit(path, assigned, /import\.php\?id/)
  assert.deepEqual([sent.status, sent.location], [303, `${path}&step=values`])
  assert.match(textOf(await manager.get(sent.location!)), /Values in “Kürzel” that are not found.* XX .*1 row/)
  assert.equal((await manager.submit(sent.location!, {}, /import\.php\?id/)).location, path)

  const checked = await waitForImport(path)
  assert.equal(countsOf(checked), '1 0 0 1')
  assert.match(textOf(checked), /Some rows have errors.*The columns are separated by semicolons/)
  assert.match(textOf(checked), /Kürzel: “XX” is not found under Branches \(Code\)\. row 3/)
  assert.match(textOf(checked), /Ada New Row 2 Branch Head office Email ada@a\.test .* Start date 1 Feb 2024/)
  assert.match(
    textOf(checked),
    /Error Row 3 Kürzel: “XX” is not found under Branches \(Code\)\. .*E-Mail bob@a\.test Vorname Bob Kürzel XX/,
  )
  assert.equal((await acme('GET', '/employees.php?q=ada')).body.data.length, 0)

  const csv = await manager.get(`${path}&format=csv`)
  assert.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.match(csv.html, /^(\ufeff)?Personal-Nr;E-Mail;.*;error\r\n8;bob@a\.test;Bob;XX;;"?Kürzel: /)

  assert.equal((await press(path, 'Import 1 row without errors', checked)).location, path)
  const result = await waitForImport(path)
  assert.equal(countsOf(result), '1 0 0 1')
  assert.match(textOf(result), /The import is complete/)
  const [ada] = (await acme('GET', '/employees.php?q=ada')).body.data
  assert.deepEqual([ada.name, ada.employee_no, ada.start_date], ['Ada', '7', '2024-02-01'])
  const [, changes] = /href="(activity\.php\?change_set=[^"]+)"/.exec(decodeHtml(result.html))!
  assert.match(textOf(await manager.get(changes!)), /Undo/)
})

test('an import that was undone is shown as undone', async () => {
  const { path, page } = await check('customers', 'name\nUndone Ltd\n')
  await press(path, 'Import 1 row', page)
  const [, changes] = /href="(activity\.php\?change_set=[^"]+)"/.exec(decodeHtml((await waitForImport(path)).html))!
  assert.equal((await manager.submit(changes!, {}, /activity/)).status, 303)
  assert.match(textOf(await manager.get(path)), /The import has been undone/)
  assert.equal((await acme('GET', '/customers.php?q=undone')).body.data.length, 0)
})

test('the new records of an import are exactly those that it has created', async () => {
  await acme('POST', '/customers.php', { name: 'Before', external_id: 'before' })
  const path = await upload('customers', 'external_id,name\nfresh-1,Fresh 1\nbefore,Renamed\nfresh-2,Fresh 2\n')
  await acme('POST', '/customers.php', { name: 'Meanwhile' })
  await manager.submit(path, {}, /import\.php\?id/)
  await press(path, 'Import 3 rows', await waitForImport(path))
  const result = await waitForImport(path)
  const [, records] = /href="([^"]+)">Show the new records</.exec(decodeHtml(result.html))!
  const list = await manager.get(records!)
  const listed = [...list.html.matchAll(/<a href="records\.php[^>]*>([^<]*)<\/a>/g)].map(([, name]) => name)
  assert.deepEqual(listed.filter((name) => /Fresh|Renamed|Before|Meanwhile/.test(name!)).sort(), ['Fresh 1', 'Fresh 2'])
  assert.match(textOf(list), /Added: in one step/)
})

test('values that occur in two distant rows of an imported file are duplicates', async () => {
  const rows = Array.from({ length: 200 }, (_, index) => `distant-${index % 199},Branch ${index}`)
  const { page } = await check('customers', `external_id,name\n${rows.join('\n')}\n`)
  assert.equal(countsOf(page), '199 0 0 1')
})

test('a country that is not known is an error that says what is accepted, and a heading is named', async () => {
  const { page } = await check('customers', 'Our branches\n\nname,country\nNorth,Norwegen\nNowhere,Utopia\n')
  assert.equal(countsOf(page), '1 0 0 1')
  assert.match(textOf(page), /Errors country: No country has this name or two-letter code\. row 5/)
  assert.match(textOf(page), /North New Row 4 Country Norway/)
  assert.match(textOf(page), /The column titles are in row 3\. The rows above it are not imported\./)
})

test('the preview marks each row as new, changed with old and new values, or unchanged', async () => {
  await acme('POST', '/customers.php', { name: 'Same', external_id: 's' })
  await acme('POST', '/customers.php', { name: 'Before', external_id: 'c', city: 'Bonn' })
  const { page } = await check('customers', 'external_id,name,city\ns,Same,\nc,After,Bonn\nn,New one,Ulm\n')
  assert.equal(countsOf(page), '1 1 1 0')
  assert.match(page.html, />Same<.*?data-tone="neutral">Unchanged</s)
  assert.match(page.html, /data-tone="warn">Changed<.*?<del><bdi>Before<\/bdi><\/del> <ins><bdi>After<\/bdi><\/ins>/s)
  assert.match(page.html, /New one<.*?data-tone="ok">New</s)
})

test('the columns of an exported file are recognized, and importing the file does not change any record', async () => {
  const { text } = await acme('GET', '/customers.php?format=csv')
  const { page } = await check('customers', text)
  assert.match(countsOf(page), /^0 0 [1-9]\d* 0$/)
  assert.match(textOf(page), /nothing to change/)
  assert.doesNotMatch(page.html, /name="run"/)
})

test('a file whose ID is imported as another field is not read as an export', async () => {
  const file = 'ID,Name,Created At\nb-1,Foreign branch,2024-02-01 09:12 AM\n'
  const foreign = await check('customers', file, { 'column.0': 'external_id', 'column.1': 'name' })
  assert.doesNotMatch(textOf(foreign.page), /same ID and date of creation/)
  const own = await check('customers', file, { 'column.0': '', 'column.1': 'name' })
  assert.match(textOf(own.page), /same ID and date of creation, if there is one/)
})

test('a word that names no record is asked for, and the chosen record is used for each of its rows', async () => {
  await acme('POST', '/customers.php', { name: 'Bremen Harbour' })
  const north = (await acme('POST', '/customers.php', { name: 'North' })).body.id
  await acme('POST', '/customers.php', { name: 'north' })
  const rows = ['a;Bremen Port', 'b;BREMEN PORT', 'c;Nowhere', 'd;NORTH', 'e;', 'f;Head office']
  const file = `email;Standort\r\n${rows.map((row) => row.replace(';', '@words.test;')).join('\r\n')}\r\n`
  const path = await upload('employees', file)
  const { location } = await manager.submit(path, {}, /import\.php\?id/)
  const questions = await manager.get(location!)
  assert.match(textOf(questions), /“Standort” that are not found.*Bremen Port .*2 rows\. Similar: Bremen Harbour/)
  assert.match(textOf(questions), /Nowhere .*1 row .*NORTH .*1 row.*Branch .*1 row has an empty cell here/)
  assert.match(decodeHtml(questions.html), /href="records\.php\?resource=customers&new=1&name=Nowhere"/)
  const named = (at: number, words: string) => ({ [`find.record.1.${at}.customer_id`]: words })
  const unclear = await manager.submit(location!, named(0, 'No such branch'), /import\.php\?id/)
  assert.equal(unclear.status, 422)
  assert.match(textOf(unclear), /Branch : No branch matches/)
  const answers = {
    ...named(0, 'Bremen Harbour'),
    'record.1.2.customer_id': String(north),
    'find.set.customer_id': 'Head office',
  }
  assert.equal((await manager.submit(location!, answers, /import\.php\?id/)).location, path)
  const page = await waitForImport(path)
  assert.equal(countsOf(page), '5 0 0 1')
  assert.match(textOf(page), /Standort: “Nowhere” is not found under Branches \(Name\)\. row 4 .*Answer questions/)
  const again = await manager.get(location!)
  assert.match(again.html, /name="find\.record\.1\.0\.customer_id" value="Bremen Harbour"/)
  await press(path, 'Import 5 rows without errors', page)
  await waitForImport(path)
  const people = (await acme('GET', '/employees.php?q=words.test&sort=email&include=customer')).body.data
  const branches = people.map(({ customer }: Json) => customer.name)
  assert.deepEqual(branches, ['Bremen Harbour', 'Bremen Harbour', 'North', 'Head office', 'Head office'])
})

test('if many words name no record, the page says so instead of asking for each', async () => {
  const rows = Array.from({ length: 25 }, (_, index) => `${index}@many.test,Branch no ${index}`)
  const path = await upload('employees', `email,branch\n${rows.join('\n')}\n`)
  const { location } = await manager.submit(path, {}, /import\.php\?id/)
  const questions = await manager.get(location!)
  assert.match(textOf(questions), /Many values are not found under Branches, such as Branch no 0 · .*Import branches/)
  assert.doesNotMatch(questions.html, /name="record/)
})

test('what the file lacks is set for new records, and those that exist keep theirs', async () => {
  const [keeper, , attic] = await Promise.all(
    [{ name: 'Keeper' }, { name: 'Cellar', kind: 'storage' }, { name: 'Attic', kind: 'storage' }].map(
      async (values) => {
        const body = { customer_id: 1, email: `${values.name}@a.test`, ...values }
        return (await acme('POST', '/employees.php', body)).body
      },
    ),
  )
  const kept = { employee_id: keeper.id, external_id: 'kept-1', type: 'tablet', status: 'in_repair' }
  assert.equal((await acme('POST', '/hardware.php', kept)).status, 201)
  const path = await upload('hardware', 'external_id,name\nkept-1,Old one\nnew-1,New one\n')
  const { location } = await manager.submit(path, {}, /import\.php\?id/)
  assert.match(textOf(await manager.get(location!)), /New records get these values.*Where is it\? In stock/)
  assert.doesNotMatch(
    (await manager.get(location!)).html,
    /aria-required/,
    'a file that only changes assets needs none',
  )
  const place = {
    where: 'storage',
    stock_customer_id: `place-${attic.id}`,
    'set.type': 'laptop',
    'set.status': 'spare',
  }
  assert.equal((await manager.submit(location!, place, /import\.php\?id/)).location, path)
  const page = await waitForImport(path)
  assert.equal(countsOf(page), '1 1 0 0')
  await press(path, 'Import 2 rows', page)
  await waitForImport(path)
  const assets = (await acme('GET', '/hardware.php?external_id[in]=kept-1,new-1&sort=external_id')).body.data
  assert.deepEqual(
    assets.map((asset: Json) => [asset.name, asset.employee_id, asset.type, asset.status]),
    [
      ['Old one', keeper.id, 'tablet', 'in_repair'],
      ['New one', attic.id, 'laptop', 'spare'],
    ],
  )
})

test('failed rows are downloaded for a spreadsheet, with errors in the user’s language, and can be imported again', async () => {
  const { path } = await check(
    'employees',
    'email,phone,employee_no,start_date,branch\nz1,0221 5550,007,2026-99-01,HQ\n',
  )
  const { html } = await manager.get(`${path}&format=csv`, { 'accept-language': 'de' })
  assert.match(html, /\r\nz1,0221 5550,'007,2026-99-01,HQ,"?email: Das ist keine gültige E-Mail-Adresse\. start_date: /)
  const corrected = html.replace('z1,', 'z1@a.test,').replace('2026-99-01', '2026-09-01')
  const { path: second, page } = await check('employees', corrected)
  await press(second, 'Import 1 row', page)
  await waitForImport(second)
  const [person] = (await acme('GET', '/employees.php?email=z1@a.test')).body.data
  assert.deepEqual([person.phone, person.employee_no], ['0221 5550', '007'])
})

test('what a file contains is read from its titles, and can be changed', async () => {
  const kinds = [
    ['shared-devices.csv', 'Serial number;Model;Assigned to\r\nS-1;21HD;\r\n', 'Import assets'],
    ['people.csv', 'Vorname;Nachname;E-Mail;Standort\r\nIda;Holm;ida@kinds.test;HQ\r\n', 'Import people'],
    ['branches.csv', 'Name,Code,City\nSouth,SO,Ulm\n', 'Import branches'],
  ] as const
  for (const [, file, title] of kinds) {
    const { location } = await manager.upload('import.php', {}, file)
    assert.match(textOf(await manager.get(location!)), new RegExp(`${title}: match columns`))
  }
  const { location: path } = await manager.upload('import.php', {}, kinds[2][1])
  const before = await manager.submit(path!, { 'column.2': '' }, /import\.php\?id/)
  assert.equal(before.status, 303)
  await waitForImport(path!)
  const action = /import\.php\?id/
  const columns = `${path}&step=columns`
  assert.equal((await manager.submit(columns, { resource: 'employees' }, action)).location, columns)
  const asked = await manager.get(path!)
  assert.match(textOf(asked), /Import people: match columns/)
  assert.match(asked.html, /<select id="column\.0".*?value="name" selected/s)
  assert.equal((await manager.submit(columns, { resource: 'elsewhere' }, action)).status, 400)
})

test('each step can be returned to after the check, and shows the answers', async () => {
  const file = 'name,A,B,Art\nFirst,v1,v2,HQ building\nSecond,v2,v3,Hub\n'
  const { path, page } = await check('customers', file, { 'column.1': 'external_id', 'means.3.1': 'other' })
  assert.equal(countsOf(page), '1 0 0 1')
  const [, columns] = /href="(import\.php\?[^"]*step[^"]*)">Change columns/.exec(page.html)!
  const [, values] = /<a href="(import\.php\?[^"]*step[^"]*)">Answer questions/.exec(page.html)!
  const fieldsOf = async (link: string) =>
    Object.fromEntries(
      formsIn((await manager.get(decodeHtml(link))).html).find(({ action }) => action === path)!.fields,
    )
  assert.equal((await fieldsOf(columns!))['column.1'], 'external_id')
  const answers = await fieldsOf(values!)
  assert.deepEqual([answers['word.3.0'], answers['means.3.0']], ['HQ building', ''])
  assert.deepEqual([answers['word.3.1'], answers['means.3.1']], ['Hub', 'other'])
  assert.equal(countsOf(await manager.get(path)), '1 0 0 1', 'looking changes nothing')

  const assigned = { 'column.1': '', 'column.2': 'external_id' }
  const { location } = await manager.submit(decodeHtml(columns!), assigned, /import\.php\?id/)
  assert.equal(location, `${path}&step=values`)
  assert.equal((await manager.submit(location!, { 'means.3.0': 'headquarters' }, /import\.php\?id/)).location, path)
  const recheck = await waitForImport(path)
  assert.equal(countsOf(recheck), '2 0 0 0')
  assert.match(textOf(recheck), /First New Row 2 Type Headquarters External ID v2/)
})

test('a column mapping that cannot work is explained, and the choices are kept', async () => {
  const path = await upload('customers', 'name,Colour,id,Room\nA,b,3,x\n')
  const attempts: [fields: Record<string, string>, reason: RegExp][] = [
    [{ 'column.1': 'is_active', 'column.3': 'is_active' }, /Two columns are imported as “Active”/],
    [{ match: 'code' }, /but no column is imported as “Code”/],
    [{ 'column.2': 'id' }, /A column is imported as “ID”/],
    [{ 'column.0': '' }, /field for at least one column/],
    [{ 'column.0': '', 'column.1': 'city' }, /“Name” is required/],
  ]
  for (const [fields, reason] of attempts) {
    const response = await manager.submit(path, fields, /import\.php\?id/)
    assert.equal(response.status, 422)
    assert.match(textOf(response), reason)
    const kept = Object.fromEntries(formsIn(response.html).find(({ action }) => action === path)!.fields)
    for (const [name, value] of Object.entries(fields)) assert.equal(kept[name], value)
  }
  assert.equal((await manager.submit(path, { 'column.1': 'password' }, /import\.php\?id/)).status, 400)
})

test('a file that cannot be imported is refused with the reason', async () => {
  const files: [file: string | Buffer<ArrayBuffer>, status: number, reason: RegExp][] = [
    ['', 422, /The first row is empty/],
    ['name\n"A', 422, /quotation mark in row 2/],
    [Buffer.from('PK\x03\x04\x14\x00', 'latin1'), 422, /Excel workbook/],
    [Buffer.from('name\nA\0B\n'), 422, /not a text file/],
    [Buffer.from([0xef, 0xbb, 0xbf, 0x6e, 0xff]), 422, /marked as UTF-8/],
    ['x'.repeat(2_000_001), 413, /larger than 1\.9 MB/],
  ]
  for (const [file, status, reason] of files) {
    const response = await manager.upload('import.php?resource=customers', {}, file)
    assert.equal(response.status, status, String(reason))
    assert.match(textOf(response), reason)
  }
  assert.match(textOf(await manager.upload('import.php?resource=customers', {}, '', '')), /Choose a file/)
})

test('hostile file names, headings and cells are shown as text', async () => {
  const script = '<script>alert(1)</script>'
  const response = await manager.upload(
    'import.php?resource=customers',
    {},
    `name,"${script}"\n"${script}",x\n`,
    script,
  )
  const pages = [await manager.get(response.location!)]
  await manager.submit(response.location!, {}, /import\.php\?id/)
  pages.push(await waitForImport(response.location!))
  for (const { html } of pages) assert.ok(!html.includes(script) && html.includes('&#60;script&#62;'))
})

test('a file is stored only if the request has the session’s form token', async () => {
  const countImports = async () => (await manager.get('import.php')).html.match(/data-state/g)?.length
  const before = await countImports()
  const forged = await manager.upload('import.php', { form_token: 'x' }, 'name\nA\n'.repeat(50_000))
  assert.equal(forged.status, 403)
  const unauthenticated = await fetch(`${origin}/import.php`, {
    method: 'POST',
    body: new FormData(),
    redirect: 'manual',
  })
  assert.equal(unauthenticated.status, 403)
  assert.equal((await openBrowser(origin).get('import.php')).status, 303)
  for (const body of ['', '--x', '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nname\n'])
    assert.ok([400, 403].includes((await manager.post('import.php', body, multipart)).status), body)
  assert.equal((await manager.post('import.php', 'x', { 'content-type': 'multipart/form-data' })).status, 400)
  assert.equal(await countImports(), before)
})

const multipart = { 'content-type': 'multipart/form-data; boundary=x' }

test('a file whose upload is interrupted is not imported', async () => {
  const { html } = await manager.get('import.php?resource=customers')
  const token = new Map(formsIn(html).find(({ action }) => action === 'import.php')!.fields).get('form_token')
  const part = (head: string, content: string) => `--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n${content}`
  const fields = `${part('name="form_token"', token!)}\r\n${part('name="resource"', 'customers')}\r\n`
  const file = part('name="file"; filename="a.csv"', 'name\nBroken\n')
  assert.equal((await manager.post('import.php', fields + file, multipart)).status, 400)
  assert.equal((await manager.post('import.php', `${fields + file}\r\n--x--`, multipart)).status, 303)
})

test('each import belongs to one tenant, which administrators specify in the URL', async () => {
  const path = await upload('customers', 'name\nSecret\n')
  await createPanelUser(environment, 'other@example.com', 'zeta')
  const other = await signIn(origin, 'other@example.com')
  assert.equal((await other.get(path)).status, 404)
  assert.equal((await other.get(`${path}&tenant=acme`)).status, 404)
  const root = await signIn(origin, 'root@example.com')
  assert.match((await root.get('import.php')).html, /href="import\.php\?tenant/)
  const zetaImport = await upload('customers&tenant=zeta', 'name\nOf zeta\n', root)
  assert.match(zetaImport, /tenant=zeta/)
  await root.submit(zetaImport, {}, /import\.php\?/)
  const form = new URLSearchParams(
    formsIn((await waitForImport(zetaImport, root)).html).find(({ action }) => action === zetaImport)!.fields,
  )
  await root.post(zetaImport, form)
  await waitForImport(zetaImport, root)
  assert.equal((await zeta('GET', '/customers.php?q=zeta')).body.data.length, 1)
  const row = (await zeta('GET', '/changes.php?limit=1&order=desc')).body.data[0] as Json
  assert.notEqual(row.user_id, null)
})

test('an import can be discarded before and after its check', async () => {
  const draft = await upload('customers', 'name\nA\n')
  assert.match((await press(draft, 'Discard', await manager.get(draft))).location!, /^import\.php/)
  assert.match((await manager.get('import.php')).html, /role="status".*Import discarded/s)
  assert.equal((await manager.get(draft)).status, 404)
  const { path, page } = await check('customers', 'name\nA\n')
  await press(path, 'Discard', page)
  assert.equal((await manager.get(path)).status, 404)
  assert.equal((await manager.get('import.php?id=987654')).status, 404)
})

test('a running import’s page reloads if scripts are disabled, and scripts can load the progress', async () => {
  const rows = Array.from({ length: 5000 }, (_, index) => `Row ${index},\n`).join('')
  const path = await upload('customers', `name,country\n${rows}Last,too long\n`)
  await manager.submit(path, {}, /import\.php\?id/)
  const page = await manager.get(path)
  assert.match(page.html, /<noscript><meta http-equiv="refresh" content="3"><\/noscript>/)
  const [, source] = /data-progress="([^"]+)"/.exec(page.html)!
  assert.match((await manager.get(decodeHtml(source!))).html, /<progress max="5001"/)
  const checked = await waitForImport(path)
  assert.equal((await manager.get(decodeHtml(source!))).html, '')
  await press(path, 'Import 5,000 rows without errors', checked)
  const running = await manager.get(path)
  assert.equal((await press(path, 'Cancel the import', running)).location, `${path}`)
  assert.match(textOf(await waitForImport(path)), /The import was cancelled/)
})

test('every list of records links to the import', async () => {
  for (const resource of ['customers', 'employees', 'hardware']) {
    const { html } = await manager.get(`records.php?resource=${resource}`)
    const [, link] = /href="(import\.php\?[^"]*)"/.exec(html)!
    const page = await manager.get(decodeHtml(link!))
    assert.match(page.html, new RegExp(`<option value="${resource}" selected>`))
  }
})

test('the list of imports names each file and who imported it: a user, an API key or the command line', async () => {
  await check('customers', 'name\nBy a user\n')
  const started = await acme('POST', '/imports.php?resource=customers', 'name\nBy a key\n', {
    'content-type': 'text/csv',
  })
  assert.equal(started.status, 202)
  const file = join(temporaryDirectory(), 'list.csv')
  writeFileSync(file, 'name\nBy a command\n')
  assert.equal((await command(environment, 'import', 'customers', file, '--tenant', 'acme')).exitCode, 0)
  const { html } = await manager.get('import.php')
  const rows = html
    .split('<tr>')
    .slice(2, 5)
    .map((row) => textOf({ html: row } as PageResponse))
  assert.match(rows[0]!, /the command line/)
  assert.match(rows[1]!, /key/i)
  assert.match(rows[2]!, /\.csv .*manager@example\.com/)
})

test('answers are saved as a mapping, which is proposed for files with the same titles', async () => {
  const titles = 'Firma;Kürzel;Bauart\n'
  const fields = { 'column.0': 'name', 'column.2': 'type', 'means.2.0': 'warehouse' }
  const { path, page } = await check('customers', `${titles}Nord;N;Halle 1\n`, fields)
  const kept = await manager.post(path, new URLSearchParams({ ...formFields(page, 'Save'), keep: 'Locations' }))
  assert.equal(kept.location, path)
  assert.match(textOf(await manager.get(path)), /Mapping “Locations” saved/)

  const again = await upload('customers', `${titles}Süd;S;Halle 1\n`)
  const proposed = await manager.get(again)
  assert.match(textOf(proposed), /matched as you saved them under “Locations”/)
  assert.doesNotMatch(textOf(proposed), /look at these columns/)
  const { location } = await manager.post(again, new URLSearchParams(formFields(proposed, 'Continue')))
  assert.match((await manager.get(location!)).html, /<option value="warehouse" selected>/)

  const plain = await manager.get(`${again}&step=columns&plain=1`)
  assert.doesNotMatch(textOf(plain), /Locations/)
  const forgetful = await upload('customers', `${titles}West;W;Halle 1\n`)
  assert.match((await press(forgetful, 'Delete this mapping', await manager.get(forgetful))).location!, /step=columns/)
  assert.doesNotMatch(textOf(await manager.get(forgetful)), /you saved them/)
})

/** The fields of the form with this button. */
function formFields({ html }: PageResponse, button: string): Record<string, string> {
  const form = html.split('<form').find((each) => each.includes(`>${button}<`))!
  return Object.fromEntries(formsIn(`<form${form}`)[0]!.fields)
}

test('mended rows are uploaded again with the answers of the import in which they failed', async () => {
  const fields = { 'column.0': 'name', 'column.2': 'type', 'means.2.0': 'warehouse', 'column.3': 'email' }
  const content = 'Betrieb;Kurz;Bauweise;Kontakt\nOst;O;Halle 2;o@a.test\nMitte;M;Halle 2;nobody\n'
  const { path, page } = await check('customers', content, fields)
  await press(path, 'Import 1 row without errors', page)
  await waitForImport(path)
  const failed = (await manager.get(`${path}&format=csv`)).html
  const again = await upload('', failed.replace('nobody', 'm@a.test'))
  const proposed = await manager.get(again)
  assert.match(textOf(proposed), /proposed as in the last import of a file with these titles/)
  assert.doesNotMatch(textOf(proposed), /look at these columns|this mapping/)
  const { location } = await manager.submit(again, {}, /import\.php\?id/)
  assert.equal((await manager.submit(location!, {}, /import\.php\?id/)).location, again)
  assert.equal(countsOf(await waitForImport(again)), '1 0 0 0')
  assert.match(textOf(await manager.get(again)), /Mitte New Row 2 .*Type Warehouse/)

  const plain = await manager.get(`${again}&step=columns&plain=1`)
  assert.doesNotMatch(textOf(plain), /as in the last import/)
  await press(again, 'Import 1 row', await manager.get(again))
  const [, changes] = /href="(activity\.php\?change_set=[^"]+)"/.exec(decodeHtml((await waitForImport(again)).html))!
  await manager.submit(changes!, {}, /activity/)
  const other = await manager.get(await upload('customers', 'Betrieb;Kurz;Bauweise\nWest;W;Halle 2\n'))
  assert.doesNotMatch(textOf(other), /as in the last import/)
})

test('an unfinished import is listed, and a check that another tab has repeated is not run unseen', async () => {
  const path = await upload('customers', 'name,Remark\nTwo tabs Ltd,Lüneburg\n')
  assert.match(textOf(await manager.get('import.php')), /Branches list\.csv .* 1 Not finished/)
  const answer = async (fields: Record<string, string>) => {
    const { location } = await manager.submit(`${path}&step=columns`, fields, /import\.php\?id=\d+$/)
    if (location!.includes('step=values')) await manager.submit(location!, {}, /import\.php\?id=\d+$/)
    return waitForImport(path)
  }
  const seen = await answer({ 'column.1': 'notes' })
  await answer({ 'column.1': 'city' })
  const refused = await press(path, 'Import 1 row', seen)
  assert.match(textOf(await manager.get(refused.location!)), /changed in the meantime.*Lüneburg/)
  assert.equal((await acme('GET', '/customers.php?q=two+tabs')).body.data.length, 0)
  await press(path, 'Import 1 row', await manager.get(path))
  await waitForImport(path)
  assert.equal((await acme('GET', '/customers.php?q=two+tabs')).body.data[0].city, 'Lüneburg')
  assert.match(textOf(await manager.get(`${path}&step=columns`)), /The import is complete/)
})

test('a draft is only its user’s; others see the check, and can run it', async () => {
  await createPanelUser(environment, 'colleague@example.com', 'acme')
  const others = [
    [await signIn(origin, 'colleague@example.com'), ''],
    [await signIn(origin, 'root@example.com'), '&tenant=acme'],
  ] as const
  const path = await upload('customers', 'name,Secret\nDrafted Ltd,s\n')
  for (const [person, tenant] of others) {
    const start = await person.get('import.php?tenant=acme')
    const token = new URLSearchParams(formsIn(start.html).flatMap(({ fields }) => fields)).get('form_token')!
    assert.doesNotMatch(textOf(start), /Not finished/)
    for (const step of ['', '&step=columns', '&step=values', '&format=csv']) {
      assert.equal((await person.get(path + step + tenant)).status, 404, step)
      const fields = new URLSearchParams({ form_token: token, step: step.slice(6), discard: '1' })
      assert.equal((await person.post(path + tenant, fields)).status, 404, `POST ${step}`)
    }
  }
  await manager.submit(path, {}, /import\.php\?id/)
  await waitForImport(path)
  const [[colleague]] = others
  const seen = await colleague.get(path)
  assert.match(textOf(seen), /Import 1 row/)
  assert.doesNotMatch(seen.html, /step=columns/)
  assert.equal(textOf(await colleague.get(`${path}&step=columns`)), textOf(seen))
})

test('the export of a program is recognized by its titles, and the lists of others are not', async () => {
  const files: [file: string, resource: string, program: string | null][] = [
    ['intune-devices', 'hardware', 'Microsoft Intune'],
    ['jamf-computers', 'hardware', 'Jamf'],
    ['jamf-mobile-devices', 'hardware', 'Jamf'],
    ['glpi-computers-en', 'hardware', 'GLPI'],
    ['glpi-computers-fr', 'hardware', 'GLPI'],
    ['glpi-computers-de', 'hardware', 'GLPI'],
    ['itflow-clients', 'customers', 'ITFlow'],
    ['itflow-contacts', 'employees', 'ITFlow'],
    ['itflow-assets', 'hardware', 'ITFlow'],
    ['snipe-custom-asset-report', 'hardware', 'Snipe-IT'],
    ['snipe-asset-list', 'hardware', 'Snipe-IT'],
    ['entra-users', 'employees', 'Microsoft Entra'],
    ['m365-active-users', 'employees', 'Microsoft Entra'],
    ['entra-devices', 'hardware', 'Microsoft Entra'],
    ['google-workspace-users', 'employees', 'Google Workspace'],
    ['chromeos-devices', 'hardware', 'Google Workspace'],
    ['hr-german', 'employees', null],
    ['bamboohr', 'employees', null],
    ['lansweeper', 'hardware', null],
    ['shelf-assets', 'hardware', null],
    ['netbox-devices', 'hardware', null],
  ]
  for (const [file, resource, program] of files) {
    const list = readFileSync(join(import.meta.dirname, `../../fixtures/lists/${file}.csv`))
    const path = await upload(resource, Buffer.from(list))
    const [, found] = /looks like an export from (.*?)\. The/.exec(textOf(await manager.get(path))) ?? []
    assert.equal(found ?? null, program, file)
  }
})

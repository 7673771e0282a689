// How the columns of a file are recognized, and what the caller says about them: values for all rows, and words in place
// of cells (contract §17).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uploadImport, waitForImport } from '../support/api/imports.ts'
import { type Json, startService } from '../support/service.ts'

const { tenant } = await startService()
const client = await tenant('acme')
await client('POST', '/customers.php', { name: 'Head office', external_id: 'hq', code: 'HQ' })
await client('POST', '/customers.php', { name: 'Depot', external_id: 'depot', code: 'D1' })
await client('POST', '/employees.php', { customer_external_id: 'hq', email: 'ida@kestrel.example', external_id: 'e1' })

const queryOf = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString()

/** Imports the valid rows of a file. */
async function load(parameters: Record<string, string>, content: string): Promise<Json> {
  const { status, body } = await uploadImport(client, queryOf({ mode: 'valid_rows', ...parameters }), content)
  assert.equal(status, 202, JSON.stringify(body))
  return waitForImport(client, body.id)
}

async function refusal(parameters: Record<string, string>, content: string): Promise<string> {
  const { status, body } = await uploadImport(client, queryOf(parameters), content)
  assert.deepEqual([status, body.error.code], [400, 'invalid_request'], JSON.stringify(body))
  return body.error.message
}

/** Returns the records with these external ids, in the order of the ids. */
async function read(resource: string, ...ids: string[]): Promise<Json[]> {
  const { body } = await client('GET', `/${resource}.php?external_id[in]=${ids.join(',')}&include=customer&limit=100`)
  return ids.map((id) => body.data.find((record: Json) => record.external_id === id))
}

test('set gives every row a value for a field or reference without a column, and fills the empty cells of a column', async () => {
  const set = {
    'set[customer_code]': 'HQ',
    'set[department]': 'Sales',
    'set[is_remote]': 'ja',
    'set[kind]': 'Lagerort',
  }
  const file = 'external_id,email,department,title\ns1,s1@a.test,,Chef\ns2,s2@a.test,Design,\n'
  const report = await load({ resource: 'employees', ...set, 'set[start_date]': '31.01.2026' }, file)
  assert.deepEqual([report.created, report.invalid], [2, 0], JSON.stringify(report.errors))
  const people = await read('employees', 's1', 's2')
  const values = people.map(({ customer, department, title, is_remote, kind, start_date }) => {
    return [customer.code, department, title, is_remote, kind, start_date]
  })
  assert.deepEqual(values, [
    ['HQ', 'Sales', 'Chef', true, 'storage', '2026-01-31'],
    ['HQ', 'Design', null, true, 'storage', '2026-01-31'],
  ])
})

test('a reference that is set counts for rows whose columns have none, whatever they are found by', async () => {
  const file =
    'external_id,email,customer_external_id,customer_code\nr1,r1@a.test,,\nr2,r2@a.test,depot,\nr3,r3@a.test,,D1\n'
  await load({ resource: 'employees', 'set[customer_external_id]': 'hq' }, file)
  const people = await read('employees', 'r1', 'r2', 'r3')
  assert.deepEqual(
    people.map(({ customer }) => customer.code),
    ['HQ', 'D1', 'D1'],
  )
})

test('set[purchase_cost] is in minor units, whatever the unit of the column', async () => {
  const parameters = { resource: 'hardware', 'set[purchase_cost]': '12900', 'set[employee_external_id]': 'e1' }
  await load(parameters, 'external_id,Kaufpreis\nc1,"49,90"\nc2,\n')
  const assets = await client('GET', '/hardware.php?external_id[in]=c1,c2&sort=external_id')
  assert.deepEqual(
    assets.body.data.map((asset: Json) => asset.purchase_cost),
    [4990, 12900],
  )
})

test('in a column of marks, the empty cells get the value that is set', async () => {
  const parameters = { resource: 'hardware', 'set[is_loaner]': 'yes', 'set[employee_external_id]': 'e1' }
  const report = await load(parameters, 'external_id,is_loaner\nm1,x\nm2,\n')
  const { body } = await client('GET', '/hardware.php?external_id[in]=m1,m2')
  assert.deepEqual(
    body.data.map((asset: Json) => asset.is_loaner),
    [true, true],
  )
  assert.doesNotMatch(report.assumptions.join('\n'), /means no/)
})

test('a set value that no row can have is refused before anything is stored, with what would be right', async () => {
  const file = 'email,customer_code\na@a.test,HQ\n'
  const refuse = (name: string, value: string) => refusal({ resource: 'employees', [`set[${name}]`]: value }, file)
  assert.match(await refuse('kind', 'spaceship'), /set\[kind\].*one of person.*, storage.*Lagerort/)
  assert.match(await refuse('start_date', 'soon'), /set\[start_date\].*a date such as 2026-01-31/)
  assert.match(await refuse('phone', '1'), /At least 5 characters/)
  assert.match(await refuse('customer_id', 'HQ'), /integer/)
  assert.match(await refuse('departmnt', 'x'), /no such field; the nearest name is department; use one of/)
  assert.match(await refuse('department', ''), /Give it a value/)
  assert.match(await refuse('customer_code', 'H9'), /set\[customer_code\].*None of the customers has this code/)
  assert.match(await refuse('customer', 'nowhere'), /None of the customers has this id, external_id, code,? or name/)
  for (const name of ['id', 'created_at', 'error']) assert.match(await refuse(name, '1'), /no such field/)
  assert.match(await refuse('external_id', 'x'), /value of its own/)
  const repeated = await uploadImport(client, 'resource=employees&set[kind]=person&set[kind]=storage', file)
  assert.match(`${repeated.status} ${repeated.body.error.message}`, /^400 .*more than once/)
  assert.deepEqual((await client('GET', '/employees.php?email=a@a.test')).body.data, [])
})

test('value replaces a cell before it is read, in any column, without regard to case', async () => {
  const parameters = {
    resource: 'employees',
    'map[Account Status [READ ONLY]]': 'is_active',
    'value[Account Status [READ ONLY]][Suspended]': 'no',
    'value[Account Status [READ ONLY]][In [grace] period]': 'yes',
    'value[Branch code][Main]': 'HQ',
    'value[Branch code][]': 'D1',
    'map[Branch code]': 'customer_code',
    'value[start_date][n/a]': '',
    'value[start_date][forever]': '13/01/2020',
  }
  const file = `external_id,email,Account Status [READ ONLY],Branch code,start_date
v1,v1@a.test, SUSPENDED ,main,n/a
v2,v2@a.test,In [grace] period,,02/01/2026
v3,v3@a.test,yes,D1,forever
`
  const report = await load(parameters, file)
  assert.deepEqual(report.errors, [])
  const people = await read('employees', 'v1', 'v2', 'v3')
  assert.deepEqual(
    people.map(({ is_active, customer, start_date }) => [is_active, customer.code, start_date]),
    [
      [false, 'HQ', null],
      [true, 'D1', '2026-01-02'],
      [true, 'D1', '2020-01-13'],
    ],
  )
})

test('cells that differ only in case can be given different words', async () => {
  const words = { 'value[notes][a]': 'small', 'value[notes][A]': 'capital' }
  await load(
    { resource: 'employees', 'set[customer_code]': 'HQ', ...words },
    'external_id,email,notes\nw1,w1@a.test,a\nw2,w2@a.test,A\n',
  )
  const people = await read('employees', 'w1', 'w2')
  assert.deepEqual(
    people.map(({ notes }) => notes),
    ['small', 'capital'],
  )
})

test('a value without its cell, for an unknown column, or given twice is refused', async () => {
  const file = 'email,customer_code\na@a.test,HQ\n'
  const refuse = (name: string) => refusal({ resource: 'employees', [name]: 'x' }, file)
  assert.match(await refuse('value[email]'), /lacks the cell; give it as value\[Column title\]\[cell\]=text/)
  assert.match(await refuse('value[Status][x]'), /The value names the column "Status"/)
  const repeated = await uploadImport(client, 'resource=employees&value[email][a]=b&value[email][%20a]=c', file)
  assert.match(`${repeated.status} ${repeated.body.error.message}`, /^400 value\[email\]\[a\] is given more than once/)
})

test('a required field may be set instead of having a column', async () => {
  assert.match(await refusal({ resource: 'employees' }, 'email\nq1@a.test\n'), /customer_id.*set one of them/)
  const report = await load({ resource: 'employees', 'set[customer_code]': 'HQ' }, 'email\nq1@a.test\n')
  assert.equal(report.created, 1)
})

/** Uploads a file with these titles only, and returns the titles that are recognized, each with its field and the field
 *  by which a reference is looked up. */
async function recognize(resource: string, titles: readonly string[], given: Record<string, string>): Promise<Json> {
  const header = titles.map((title) => `"${title.replaceAll('"', '""')}"`).join(',')
  const { status, body } = await uploadImport(client, queryOf({ resource, ...given }), `${header}\n`)
  assert.equal(status, 202, JSON.stringify(body))
  const { columns } = (await client('GET', `/imports.php?id=${body.id}`)).body
  const known = columns.filter(({ field }: Json) => field !== null)
  return Object.fromEntries(known.map(({ title, field, by }: Json) => [title, by ? `${field} by ${by}` : field]))
}

const person = { 'set[customer_code]': 'HQ', 'set[email]': 'x@a.test' }
const asset = { 'set[employee_external_id]': 'e1' }

test('titles are recognized without regard to case, accents, blanks, punctuation and words in brackets', async () => {
  const titles = ['E MAIL', 'job-title', 'ABTEİLUNG', 'Telephone (work)', 'Start_Date [Required]', '\u200bPersonnel #']
  assert.deepEqual(Object.values(await recognize('employees', titles, { 'set[customer_code]': 'HQ' })), [
    'email',
    'title',
    'department',
    'phone',
    'start_date',
    'employee_no',
  ])
  assert.deepEqual(await recognize('hardware', ['Cost (EUR)', 'Şehir', 'Warrantydate', 'SerialNumber'], asset), {
    'Cost (EUR)': 'purchase_cost',
    Warrantydate: 'warranty_end',
    SerialNumber: 'serial_number',
  })
})

test('of two titles that differ only in brackets, the one that is known as it is counts', async () => {
  assert.deepEqual(await recognize('employees', ['Phone (home)', 'Phone', 'Name'], person), {
    Phone: 'phone',
    Name: 'name',
  })
  const message = await refusal({ resource: 'employees', ...person }, 'Phone (home),Phone (work)\n')
  assert.match(message, /Two columns contain phone/)
})

test('the titles of common programs are recognized in English, German and Turkish', async () => {
  const people = ['Email Address', 'Display name', 'Hire Date', 'Branch code', 'Employee #', 'Job Title', 'Enabled']
  assert.deepEqual(await recognize('employees', people, {}), {
    'Email Address': 'email',
    'Display name': 'name',
    'Hire Date': 'start_date',
    'Branch code': 'customer_id by code',
    'Employee #': 'employee_no',
    'Job Title': 'title',
    Enabled: 'is_active',
  })
  assert.deepEqual(
    Object.values(await recognize('employees', ['E-Mail-Adresse', 'Standort', 'Personal-Nr.'], {})).sort(),
    ['customer_id by name', 'email', 'employee_no'],
  )
  assert.deepEqual(Object.values(await recognize('employees', ['Kullanıcı e-posta', 'Adı Soyadı', 'Sicil'], person)), [
    'email',
    'name',
    'employee_no',
  ])
  assert.deepEqual(Object.values(await recognize('hardware', ['Device name', 'Serial', 'Holder email', 'Make'], {})), [
    'name',
    'serial_number',
    'employee_id by email',
    'manufacturer',
  ])
  const turkish = ['Demirbaş kodu', 'Kullanıcı e-posta', 'Garanti bitiş tarihi', 'Alış fiyatı']
  assert.deepEqual(Object.values(await recognize('hardware', turkish, {})), [
    'asset_tag',
    'employee_id by email',
    'warranty_end',
    'purchase_cost',
  ])
})

test('the files of common programs have no two columns that are recognized for one field', async () => {
  const entra =
    'userPrincipalName,displayName,surname,mail,givenName,id,userType,jobTitle,department,accountEnabled,usageLocation,streetAddress,state,country,officeLocation,city,postalCode,telephoneNumber,mobilePhone,companyName'
  const google =
    'First Name [Required],Last Name [Required],Email Address [Required],Org Unit Path [Required],New Primary Email [UPLOAD ONLY],Status [READ ONLY],Recovery Email,Home Secondary Email,Work Secondary Email,Recovery Phone [MUST BE IN THE E.164 FORMAT],Work Phone,Home Phone,Mobile Phone,Work Address,Employee ID,Employee Title,Manager Email,Department,New Status [UPLOAD ONLY]'
  const jamf =
    'Computer Name,Serial Number,Make,Model,Model Identifier,Asset Tag,Username,Full Name,Email Address,Department,Building,Last Check-in,PO Date,Warranty Expiration,Purchase Price'
  const intune =
    'Device ID,Device name,Enrollment date,Serial number,Manufacturer,Model,Management name,Category,Primary user UPN,Primary user email address,Primary user display name,Device state,Phone number'
  const itflow =
    'Name,Description,Type,Make,Model,Serial Number,Operating System,Purchase Date,Warranty Expire,Install Date,Assigned To,Location,Physical Location,Notes'
  const found = [
    await recognize('employees', entra.split(','), {}),
    await recognize('employees', google.split(','), { 'set[customer_code]': 'HQ' }),
    await recognize('hardware', jamf.split(','), {}),
    await recognize('hardware', intune.split(','), {}),
    await recognize('hardware', itflow.split(','), {}),
  ]
  assert.deepEqual(
    found.map((each) => Object.keys(each).length),
    [7, 6, 10, 6, 9],
  )
})

test('map and value may name a column in another spelling or without words in brackets, if the file has none of exactly this title', async () => {
  const given = { 'map[inventory-tag NR]': 'asset_tag', 'map[Colour]': 'notes', 'map[COLOUR]': '', ...asset }
  assert.deepEqual(await recognize('hardware', ['Inventory tag Nr.', 'Colour', 'COLOUR'], given), {
    'Inventory tag Nr.': 'asset_tag',
    Colour: 'notes',
  })
  const report = await load(
    { resource: 'employees', 'set[customer_code]': 'HQ', 'value[DEPARTMENT][R and D]': 'Research' },
    'external_id,email,Department\nx1,x1@a.test,R and D\n',
  )
  assert.equal(report.created, 1)
  assert.equal((await read('employees', 'x1'))[0]!.department, 'Research')
  const suspended = await load(
    { resource: 'employees', 'set[customer_code]': 'HQ', 'value[Status][Suspended]': 'no' },
    'external_id,email,Status [READ ONLY]\nx2,x2@a.test,Suspended\nx3,x3@a.test,Active\n',
  )
  assert.equal(suspended.created, 2)
  assert.deepEqual(
    (await read('employees', 'x2', 'x3')).map(({ is_active }) => is_active),
    [false, true],
  )
})

test('columns with control characters or unreadable bytes are named in one assumption, without these characters', async () => {
  const parameters = { resource: 'employees', 'set[customer_code]': 'HQ', 'map[Rem\u0007ark]': 'notes' }
  const file = 'email,Rem\u0007ark,name,title\no1@a.test,a,J\ufffdrg,"Chef\nand more"\n'
  const { assumptions } = await load(parameters, file)
  const about = assumptions.filter((each: string) => /cannot be shown/.test(each))
  assert.deepEqual(about, [
    'The columns "Remark", "name" have characters that cannot be shown, or letters that were read wrongly, such as Ã¼; the file may be damaged.',
  ])
})

test('the error of an unknown parameter names those with brackets, too', async () => {
  for (const parameter of ['map', 'sets[type]', 'colour']) {
    const message = await refusal({ resource: 'customers', [parameter]: 'x', 'map[Titel]': 'name' }, 'Titel\nA\n')
    assert.match(message, /save_as, map\[Column title\], set\[field\], value\[Column title\]\[cell\]\.$/)
  }
})

test('an ignored column without a title is named by its number, if it has cells', async () => {
  const { assumptions } = await load({ resource: 'customers', mode: 'dry_run' }, ',name,,Colour,\n1,A,,red,\n')
  assert.ok(assumptions.includes('The columns "#1", "Colour" are unknown and ignored.'), assumptions.join())
})

test('columns with letters that another program has read in a wrong encoding are named', async () => {
  const texts = ['Müller', 'Özil', 'Größe', 'Kadıköy Şubesi', 'Çağrı', 'O’Hara']
  const misread = texts.map((text) => new TextDecoder('windows-1252').decode(Buffer.from(text)))
  for (const [names, isNamed] of [
    [misread, true],
    [texts, false],
    [['São João', 'ÂNGELA', 'MANHÃ', 'Ångström', '5 °C ± 1'], false],
  ] as const)
    for (const name of names) {
      const { assumptions } = await load({ resource: 'customers', mode: 'dry_run' }, `name\n"${name}"\n`)
      assert.equal(/"name".* read wrongly/.test(assumptions.join('\n')), isNamed, name)
    }
})

test('set[assign_tag] gives each new record without a tag the next free one, and skips the tags in the file', async () => {
  const own = await tenant('tags')
  await own('POST', '/customers.php', { name: 'HQ', code: 'HQ' })
  await own('POST', '/employees.php', { customer_id: 1, email: 'ida@kestrel.example' })
  const parameters = { resource: 'hardware', 'set[assign_tag]': 'true', 'set[employee_email]': 'ida@kestrel.example' }
  const upload = async (given: Record<string, string>, file: string) => {
    const { status, body } = await uploadImport(own, queryOf({ ...parameters, ...given }), file)
    return status === 202 ? waitForImport(own, body.id) : { status, ...body.error }
  }
  const file =
    'external_id,asset_tag,type\nt1,,laptop\nt2,KW-0002,laptop\nt3,,spaceship\nt4,,laptop\nt5,KW-0003,spaceship\nt6,,\n'
  const refused = await upload({}, file)
  assert.deepEqual(
    [refused.status, refused.message],
    [400, 'set[assign_tag] is not valid: The settings have no tag_format.'],
  )
  assert.equal((await upload({ 'set[assign_tag]': 'perhaps' }, file)).status, 400)

  const settings = await own('PUT', '/settings.php', { tag_format: 'KW-{0000}', next_tag_number: 1 })
  assert.equal(settings.status, 200, JSON.stringify(settings.body))
  const checked = await upload({ mode: 'dry_run' }, file)
  assert.deepEqual([checked.created, checked.invalid], [4, 2])
  const done = await own('POST', `/imports.php?id=${checked.id}&mode=valid_rows`)
  await waitForImport(own, done.body.id)
  const tagsOf = async () => {
    const { body } = await own('GET', '/hardware.php?sort=external_id')
    return body.data.map((asset: Json) => `${asset.external_id} ${asset.asset_tag}`)
  }
  assert.deepEqual(await tagsOf(), ['t1 KW-0001', 't2 KW-0002', 't4 KW-0004', 't6 KW-0005'])

  const again = await upload({ mode: 'valid_rows' }, 'external_id,asset_tag\nt1,\nt7,\n')
  assert.deepEqual([again.created, again.updated, again.invalid], [1, 1, 0])
  assert.deepEqual((await tagsOf()).at(-1), 't7 KW-0006')
  await own('DELETE', '/hardware.php?external_id=t7')
  await upload({ mode: 'valid_rows', match: 'id' }, 'id,type\n,laptop\n1,laptop\n')
  assert.deepEqual(
    (await tagsOf()).filter((each: string) => each.startsWith('null')),
    ['null KW-0007'],
  )
})

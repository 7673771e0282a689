import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Client, createKey, type Json, startService } from '../../support/service.ts'

const { tenant, client, environment } = await startService()
const acme = await tenant('acme')

const cities = ['Ankara', 'İzmir', null, 'ankara', 'Berlin']
for (const [index, city] of cities.entries()) {
  await acme('POST', '/customers.php', { name: `Branch ${index + 1}`, city, type: index % 2 ? 'client' : 'branch' })
}
for (const [index, customer_id] of [1, 1, 2].entries()) {
  await acme('POST', '/employees.php', { customer_id, email: `e${index}@example.com`, department: 'IT' })
}
for (const employee_id of [1, 2, 3, 1]) await acme('POST', '/hardware.php', { employee_id, type: 'laptop' })

async function ids(path: string, as: Client = acme): Promise<number[]> {
  const { status, text, body } = await as('GET', path)
  assert.equal(status, 200, text)
  return body.data.map(({ id }: Json) => id)
}

test('nulls come first in ascending order and last in descending order, and the id breaks ties in the same direction', async () => {
  assert.deepEqual(await ids('/customers.php?sort=city'), [3, 1, 5, 4, 2])
  assert.deepEqual(await ids('/customers.php?sort=-city'), [2, 4, 5, 1, 3])
  assert.deepEqual(await ids('/customers.php?sort=type'), [1, 3, 5, 2, 4])
  assert.deepEqual(await ids('/customers.php?sort=-type'), [4, 2, 5, 3, 1])
  assert.deepEqual(await ids('/customers.php?sort=-id'), [5, 4, 3, 2, 1])
})

test('lists can be filtered by equality, comparisons, [ne] (without nulls), [in], case-insensitive [contains] and [null]', async () => {
  assert.deepEqual(await ids('/customers.php?city=ankara'), [4])
  assert.deepEqual(await ids('/customers.php?city[ne]=ankara'), [1, 2, 5])
  assert.deepEqual(await ids('/customers.php?city[in]=Berlin,ankara'), [4, 5])
  assert.deepEqual(await ids('/customers.php?city%5Bcontains%5D=ANK'), [1, 4])
  assert.deepEqual(await ids('/customers.php?city[contains]=IZMIR'), [2])
  assert.deepEqual(await ids('/customers.php?city[null]=true'), [3])
  assert.deepEqual(await ids('/customers.php?city[null]=0'), [1, 2, 4, 5])
  assert.deepEqual(await ids('/customers.php?id[gt]=1&id[lte]=3&is_active=1'), [2, 3])
  assert.deepEqual(
    await ids('/customers.php?created_at[gte]=2020-01-01&created_at[lt]=2099-01-01T00:00:00%2B03:00&limit=1'),
    [1],
  )
  assert.deepEqual(await ids('/customers.php?updated_at[lt]=2020-01-01T00:00:00.123456Z'), [])
})

test('a list parameter may be repeated, with or without [] after its name, as well as contain commas', async () => {
  for (const query of ['id[in]=1&id[in]=2', 'id[in][]=1&id[in][]=2', 'id[in]=1,2', 'id[in]=1&id%5Bin%5D%5B%5D=2'])
    assert.deepEqual(await ids(`/customers.php?${query}`), [1, 2], query)
  assert.deepEqual(await ids('/customers.php?id[in][]=2'), [2])
  assert.deepEqual(await ids('/customers.php?id[in]=1,2&id[in]=3&city[in]=ankara&city[in]=Ankara'), [1])
  assert.deepEqual(
    await ids('/customers.php?missing=city&missing=email'),
    await ids('/customers.php?missing=city,email'),
  )
  assert.deepEqual(await ids('/customers.php?missing[]=city'), [3])
  const joined = await acme('GET', '/hardware.php?include=employee,employee.customer')
  for (const query of ['include=employee&include=employee.customer', 'include[]=employee&include[]=employee.customer'])
    assert.equal((await acme('GET', `/hardware.php?${query}`)).text, joined.text)
  const one = await acme('GET', '/hardware.php?id=1&include[]=employee')
  assert.equal(one.body.employee.id, 1)
  const first = await acme('GET', '/customers.php?id[in]=1&id[in]=2&limit=1')
  assert.match(first.headers.link!, /customers\.php\?id%5Bin%5D=1%2C2&/)
  assert.deepEqual(await ids(`/customers.php?id[in][]=1&id[in][]=2&limit=1&cursor=${first.body.page.next_cursor}`), [2])
})

test('an include that is written with [] requires the same scopes', async () => {
  const limited = client(await createKey(environment, 'acme', ['hardware:read']))
  const { status } = await limited('GET', '/hardware.php?include[]=employee')
  assert.equal(status, 403)
  const filtered = await limited('GET', '/hardware.php?employee.department[in][]=IT')
  assert.equal(filtered.status, 403)
})

test('a list by name ignores case and accents; ties follow the text and then the id', async () => {
  const names = ['Zoe', 'van Dyk', null, 'ilker', 'Özil', 'Çelik', 'Anna', 'Deniz', 'anna', 'ÄNNA', 'Anna', 'İlker']
  names.push('ılık', 'Łukasz', 'Lukas', 'Straße', 'strasse', 'Øst', 'æther', null, 'ﬁn', '東京', '\u0301')
  const sorted = [null, null, '\u0301', 'æther', 'Anna', 'Anna', 'anna', 'ÄNNA', 'Çelik', 'Deniz', 'ﬁn', 'ılık']
  sorted.push('ilker', 'İlker', 'Lukas', 'Łukasz', 'Øst', 'Özil', 'Straße', 'strasse', 'van Dyk', 'Zoe', '東京')
  const other = await tenant('names')
  await other('POST', '/customers.php', { name: 'C' })
  await other('POST', '/employees.php', { customer_id: 1, email: 'a@example.com' })
  const bodies = names.map((name) => ({ employee_id: 1, name }))
  for (const body of bodies) assert.equal((await other('POST', '/hardware.php', body)).status, 201)
  const first = new Date()
  const readPages = async (path: string) => {
    const records: Json[] = []
    for (let cursor = ''; cursor !== null; ) {
      const { body, text } = await other('GET', `${path}&limit=2${cursor && `&cursor=${cursor}`}`)
      assert.ok(body.data, text)
      records.push(...body.data)
      cursor = body.page.next_cursor
    }
    return records
  }
  for (const sign of ['', '-']) {
    const records = await readPages(`/hardware.php?sort=${sign}name`)
    if (sign) records.reverse()
    assert.deepEqual(
      records.map(({ name }) => name),
      sorted,
    )
    const ids = records.filter(({ name }) => name === 'Anna').map(({ id }) => id)
    assert.deepEqual(ids, [7, 11])
  }
  while (Date.now() <= first.getTime()) await new Promise(setImmediate)
  const moment = new Date().toISOString()
  while (new Date().toISOString() === moment) await new Promise(setImmediate)
  for (let id = 1; id <= names.length; id += 2) await other('PUT', `/hardware.php?id=${id}`, { name: `Later ${id}` })
  await other('DELETE', '/hardware.php?id=6')
  for (const sign of ['', '-']) {
    const records = await readPages(`/hardware.php?sort=${sign}name&as_of=${moment}`)
    assert.deepEqual(
      (sign ? records.reverse() : records).map(({ name }) => name),
      sorted,
    )
  }
  const since = await readPages('/hardware.php?sort=name&name[gte]=a&name[lt]=z')
  assert.deepEqual(
    since.map(({ name }) => name),
    ['ilker', 'van Dyk'],
  )
})

test('filters on email addresses ignore the case of letters', async () => {
  const other = await tenant('emails')
  await other('POST', '/customers.php', { name: 'C', email: 'Office@Example.com' })
  for (const email of ['Ada@Example.com', 'ada@example.com', 'bob@example.com', 'CY@EXAMPLE.COM'])
    await other('POST', '/employees.php', { customer_id: 1, email })
  const check = async (suffix: string) => {
    assert.deepEqual(await ids(`/employees.php?email=ADA@example.com${suffix}`, other), [1, 2])
    assert.deepEqual(await ids(`/employees.php?email[in]=Bob@example.com,cy@example.com${suffix}`, other), [3, 4])
    assert.deepEqual(await ids(`/employees.php?email[ne]=aDa@eXample.com${suffix}`, other), [3, 4])
    assert.deepEqual(await ids(`/employees.php?email=cy@Example.com&sort=-email${suffix}`, other), [4])
    assert.deepEqual(await ids(`/customers.php?email=office@example.com${suffix}`, other), [1])
  }
  await check('')
  assert.deepEqual(await ids('/employees.php?sort=email', other), [1, 4, 2, 3])
  const latest = new Date().toISOString()
  while (new Date().toISOString() === latest) await new Promise(setImmediate)
  for (const id of [1, 2, 3, 4]) await other('PUT', `/employees.php?id=${id}`, { name: `N${id}` })
  await check(`&as_of=${latest}`)
})

test('hardware can be filtered by the customer of its employee', async () => {
  assert.deepEqual(await ids('/hardware.php?customer_id=1'), [1, 2, 4])
  assert.deepEqual(await ids('/hardware.php?customer_id=1&sort=-employee_id'), [2, 4, 1])
  assert.deepEqual(await ids('/hardware.php?customer_id[in]=2,7'), [3])
  assert.deepEqual(await ids('/hardware.php?customer_id[ne]=1'), [3])
})

test('a search finds records whose text fields contain every word of q, in any order and letter case', async () => {
  assert.deepEqual(await ids('/customers.php?q=ankara+branch'), [1, 4])
  assert.deepEqual(await ids('/customers.php?q=BRANCH%20%C4%B0ZM'), [2])
  assert.deepEqual(await ids('/customers.php?q=branch+nowhere'), [])
  assert.deepEqual(await ids('/employees.php?q=E1%40'), [2])
  assert.deepEqual(await ids('/customers.php?q=5'), [5])
})

test('a search with q ignores accents and the punctuation in codes', async () => {
  const globex = await tenant('globex')
  await globex('POST', '/customers.php', { name: 'Çağrı Løvås GmbH', code: 'BER-01', notes: 'Wi-Fi', city: 'Izmir' })
  await globex('POST', '/employees.php', { customer_id: 1, email: 'a@b.c', phone: '+49 (30) 901-820' })
  for (const q of ['cagri+lovas', 'CAGRI', 'ber01', 'BER-01', 'r-01', '%C4%B0zm%C4%B1r'])
    assert.deepEqual(await ids(`/customers.php?q=${q}`, globex), [1], q)
  assert.deepEqual(await ids('/employees.php?q=4930901820', globex), [1])
  assert.deepEqual(await ids('/customers.php?q=wifi', globex), [])
  assert.deepEqual(await ids('/customers.php?code[contains]=ber01', globex), [])
})

test('a search finds umlauts by two letters and the reverse, and typographic apostrophes and hyphens by plain ones', async () => {
  const { body } = await acme('POST', '/customers.php', { name: 'Jörg O’Brien-Müller', notes: 'Weißwürste' })
  const other = (await acme('POST', '/customers.php', { name: "Joerg O'Brien‑Mueller", notes: 'Weisswuerste' })).body
  for (const q of ['joerg mueller', 'Jörg Müller', "o'brien-", 'O‘Brien‐', 'weisswuerste', 'weißwürste', 'ｊｏｅｒｇ'])
    assert.deepEqual(await ids(`/customers.php?q=${encodeURIComponent(q)}`), [body.id, other.id], q)
  assert.deepEqual(await ids('/customers.php?q=jorg+muller'), [body.id, other.id])
  assert.deepEqual(await ids('/customers.php?name[contains]=joerg'), [other.id])
  for (const { id } of [body, other]) await acme('DELETE', `/customers.php?id=${id}`)
})

test('a search finds a record as soon as it is stored, and no longer finds words that were changed or deleted', async () => {
  const globex = await tenant('written')
  const { body } = await globex('POST', '/customers.php', { name: 'Quartz crystal' })
  assert.deepEqual(await ids('/customers.php?q=CRYSTAL', globex), [body.id])
  await globex('PUT', `/customers.php?id=${body.id}`, { name: 'Granite', notes: 'quarry' })
  assert.deepEqual(await ids('/customers.php?q=crystal', globex), [])
  assert.deepEqual(await ids('/customers.php?q=quarry+granite', globex), [body.id])
  assert.deepEqual(await ids('/customers.php?name[contains]=quarry', globex), [])
  await globex('DELETE', `/customers.php?id=${body.id}`)
  assert.deepEqual(await ids('/customers.php?q=granite', globex), [])
})

test('a page of a list states the limit, whether more records follow and, if requested, the total', async () => {
  const first = await acme('GET', '/customers.php?limit=2&type=branch&total=true')
  assert.equal(first.body.page.total, 3)
  assert.deepEqual(Object.keys(first.body.page), ['limit', 'has_more', 'next_cursor', 'total'])
  const second = await acme('GET', `/customers.php?limit=2&type=branch&cursor=${first.body.page.next_cursor}`)
  assert.deepEqual(second.body.page, { limit: 2, has_more: false, next_cursor: null })
  assert.equal(second.headers.link, undefined)
})

test('the Link header of a list leads to the next page and keeps every other parameter', async () => {
  const pagedIds: number[] = []
  let path: string | undefined = '/api/v1/customers.php?sort=-city&limit=2&city[null]=false&q=branch'
  while (path !== undefined) {
    const { body, headers } = await acme('GET', path.slice('/api/v1'.length))
    pagedIds.push(...body.data.map(({ id }: Json) => id))
    path = /^<(\/[^>]+)>; rel="next"$/.exec(headers.link ?? '')?.[1]
  }
  assert.deepEqual(pagedIds, [2, 4, 5, 1])
})

test('the Link header starts with PUBLIC_URL if it is set', async () => {
  const published = await (await startService({ PUBLIC_URL: 'https://assets.example.com' })).tenant('published')
  for (const name of ['A', 'B']) await published('POST', '/customers.php', { name })
  const { headers } = await published('GET', '/customers.php?limit=1&q=%22%3E')
  assert.equal(headers.link, undefined)
  const { link } = (await published('GET', '/customers.php?limit=1')).headers
  assert.match(link!, /^<https:\/\/assets\.example\.com\/api\/v1\/customers\.php\?limit=1&cursor=[\w-]+>; rel="next"$/)
})

test('revalidating a list returns 304 only if the list is unchanged', async () => {
  const globex = client(await createKey(environment, 'globex'))
  await globex('POST', '/customers.php', { name: 'A' })
  const { headers } = await globex('GET', '/customers.php')
  const same = await globex('GET', '/customers.php', undefined, { 'if-none-match': headers.etag! })
  assert.deepEqual([same.status, same.text, same.headers.etag], [304, '', headers.etag])
  await globex('POST', '/customers.php', { name: 'B' })
  const changed = await globex('GET', '/customers.php', undefined, { 'if-none-match': headers.etag! })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.etag, headers.etag)
})

// A record's stored JSON equals, byte for byte, the JSON built from its columns.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { resourceNames } from '../support/resource-names.ts'
import { type Client, makeTenant, startService, temporaryDirectory } from '../support/service.ts'

const settings = { DATA_DIR: temporaryDirectory() }

const texts = [
  'plain',
  `quotes " ' \\ / and {"id":7}`,
  'tab\tline\nfeed\u2028\u2029',
  'Ünal İnşaat 🏢 \u007f',
  '0',
  'null',
]

const paths = [
  ...resourceNames.map((name) => `/${name}.php?limit=200&total=true`),
  ...resourceNames.map((name) => `/${name}.php?id=2`),
  '/hardware.php?id=2&include=employee',
  '/hardware.php?id=5&include=employee,employee.customer',
  '/hardware.php?include=employee,employee.customer&sort=-name',
  '/employees.php?include=customer&sort=email',
  '/customers.php?q=unal',
  '/customers.php?name[contains]=quotes&sort=name',
  '/hardware.php?customer_id=2&limit=2',
]

test('responses are the same whether the JSON of a record is stored or built from its columns', async () => {
  const token = await makeTenant(settings, 'kept')
  const { client } = await startService(settings)
  const send: Client = async (...request) => {
    const response = await client(token)(...request)
    assert.ok(response.status < 300, `${request}: ${response.text}`)
    return response
  }
  for (const [index, text] of texts.entries()) {
    await send('POST', '/customers.php', { name: text, notes: text.repeat(60), is_active: index % 2 === 0 })
    await send('POST', '/employees.php', { customer_id: index + 1, email: `e${index}@example.com`, first_name: text })
    await send('POST', '/hardware.php', {
      employee_id: index + 1,
      name: text,
      purchase_cost: index * 1e8,
      is_loaner: index === 1,
    })
  }
  await send('PUT', '/customers.php?id=2', { name: 'changed', is_active: true, city: `"${texts[3]}"` })
  await send('PUT', '/hardware.php?id=2', { employee_id: 3, purchase_date: '2026-02-28', is_loaner: true })
  await send('PUT', '/hardware.php?id=5', { name: texts[4] }) // does not change the record
  const read = () =>
    Promise.all(
      paths.map(async (path) => {
        const { text, headers } = await send('GET', path)
        return [path, text, headers.etag]
      }),
    )
  const responses = await read()
  const tenantDatabase = await tenantDatabaseOf(settings, 'kept')
  for (const table of resourceNames) {
    assert.deepEqual(await tenantDatabase.all(`select id from ${table} where json_tail is null`), [])
    await tenantDatabase.run(`update ${table} set json_tail = null where id > 1`)
    assert.deepEqual(await read(), responses, table)
  }
  await send('PUT', '/customers.php?id=3', { name: 'kept again' })
  assert.deepEqual(await tenantDatabase.all('select id from customers where json_tail is not null order by id'), [
    { id: 1 },
    { id: 3 },
  ])
})

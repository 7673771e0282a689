// The last day of a warranty, a loan or an employment belongs to it. The panel counts days in the tenant's time zone,
// where the next day has already begun in this file.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPanelUser, decodeHtml, signIn } from '../../support/panel/panel-client.ts'
import { type Json, makeTenant, networkClient, startService } from '../../support/service.ts'

const { environment, listen } = await startService({}, { now: () => new Date('2026-07-01T22:30:00.000Z') })
const [yesterday, today, inSevenDays, inEightDays] = ['2026-07-01', '2026-07-02', '2026-07-09', '2026-07-10'] as const
const days = [yesterday, today, inSevenDays, inEightDays]
const apiUrl = await listen()
const client = networkClient(apiUrl, await makeTenant(environment, 'north'))
await createPanelUser(environment, 'desk@example.com', 'north')
const desk = await signIn(new URL(apiUrl).origin, 'desk@example.com')

const create = async (path: string, body: object): Promise<number> => (await client('POST', path, body)).body.id
const read = async (path: string): Promise<Json> => (await client('GET', path)).body
const textOf = async (path: string) =>
  decodeHtml((await desk.get(path)).html.replaceAll(/<[^>]+>/g, ' ')).replaceAll(/\s+/g, ' ')

await client('PUT', '/settings.php', { time_zone: 'Europe/Istanbul' })
const customer = await create('/customers.php', { name: 'Istanbul' })
const person = (name: string, fields: object = {}) =>
  create('/employees.php', { customer_id: customer, email: `${name}@example.com`, name, ...fields })
const ada = await person('Ada')
const people = await Promise.all(days.map((day) => person(`until-${day}`, { end_date: day })))
for (const [index, day] of days.entries())
  await create('/hardware.php', { employee_id: people[index], name: `item-${day}`, warranty_end: day, due_back: day })

/** Returns the days in the names of the records that a list shows. */
async function daysIn(list: string): Promise<string[]> {
  const { html } = await desk.get(`records.php?${list}`)
  return days.filter((day) => html.includes(`until-${day}`) || html.includes(`item-${day}`))
}

test('a warranty is valid, a loan is not overdue, and an employee is current on the last day', async () => {
  const [over, running, soon] = [[yesterday], days.slice(1), [today, inSevenDays]]
  const items = 'resource=hardware'
  assert.deepEqual(await daysIn(`${items}&warranty=expired`), over)
  assert.deepEqual(await daysIn(`${items}&warranty=valid`), running)
  assert.deepEqual(await daysIn(`${items}&warranty=7d`), soon)
  assert.deepEqual(await daysIn(`${items}&loan=overdue`), over)
  assert.deepEqual(await daysIn(`${items}&loan=7d`), soon)
  assert.deepEqual(await daysIn('resource=employees&employment=left'), over)
  assert.deepEqual(await daysIn('resource=employees&employment=current'), running)
  assert.deepEqual(await daysIn('resource=employees&employment=7d'), soon)
})

test('the home page counts what is over since yesterday, and says of the last day that someone leaves', async () => {
  const text = await textOf('')
  assert.match(text, /1 asset is held by someone who left until-2026-07-01 left on 1 Jul 2026 · 1 asset/)
  assert.match(text, /held by people who leave within 14 days until-2026-07-02 leaves on 2 Jul 2026/)
  assert.match(
    text,
    /1 loan is overdue item-2026-07-01 · until-2026-07-01 1 day overdue 2 loans are due back within 7 days item-2026-07-02 · until-2026-07-02 Due back today .* Due back in 7 days 3 warranties end within 60 days/,
  )
})

test('equipment can be lent until today, and to someone whose last day is today', async () => {
  const item = await create('/hardware.php', { employee_id: ada, name: 'Camera' })
  const lend = (holder: number, day: string) =>
    desk.submit(`assign.php?do=lend&ids=${item}`, { employee_id: String(holder), due_back: day }, /^assign/)
  assert.equal((await lend(people[1]!, yesterday)).status, 422)
  assert.equal((await lend(people[0]!, today)).status, 422)
  assert.equal((await lend(people[1]!, today)).status, 303)
  const { employee_id, due_back } = await read(`/hardware.php?id=${item}`)
  assert.deepEqual([employee_id, due_back], [people[1], today])
})

test('saving yesterday as someone’s last day leads to offboarding, and saving today does not', async () => {
  const leaver = await person('leaver')
  await create('/hardware.php', { employee_id: leaver, name: 'Phone' })
  const save = (day: string) =>
    desk.submit(`records.php?resource=employees&id=${leaver}&edit=1`, { end_date: day }, /^records/)
  assert.match((await save(yesterday)).location!, /^offboard\.php/)
  assert.match((await save(today)).location!, /^records\.php/)
})

test('offboarding someone today deactivates them, and offboarding them tomorrow does not', async () => {
  for (const [day, isActive] of [
    [today, false],
    ['2026-07-03', true],
  ] as const) {
    const leaver = await person(`offboarded-${day}`)
    await desk.submit(`offboard.php?person=${leaver}`, { end_date: day }, /^offboard/)
    assert.equal((await read(`/employees.php?id=${leaver}`)).is_active, isActive, day)
  }
})

test('in a list, on a person’s page and in a branch’s figures, the last day is not over', async () => {
  const listed = async (list: string) => (await desk.get(`records.php?${list}&limit=200`)).html
  const overdue = (html: string) =>
    [...html.matchAll(/<time datetime="([^"]+)"[^>]* class="over"/g)].map(([, day]) => day)
  assert.deepEqual(overdue(await listed('resource=hardware&columns=name,due_back')), [yesterday])
  assert.deepEqual(overdue(await listed('resource=hardware&columns=name,warranty_end')), [yesterday])
  const pageOf = (index: number) => textOf(`records.php?resource=employees&id=${people[index]}`)
  assert.match(await pageOf(1), /Leaves on 2 Jul 2026/)
  assert.doesNotMatch(await pageOf(0), /Leaves on/)
  const branch = await create('/customers.php', { name: 'Ankara' })
  for (const day of [yesterday, today]) await person(`ankara-${day}`, { customer_id: branch, end_date: day })
  assert.match(await textOf(`records.php?resource=customers&id=${branch}`), / 1 People working here/)
})

test('someone leaves within 14 days until the fourteenth day', async () => {
  const south = networkClient(apiUrl, await makeTenant(environment, 'south'))
  await south('PUT', '/settings.php', { time_zone: 'Europe/Istanbul' })
  await south('POST', '/customers.php', { name: 'Adana' })
  for (const end_date of ['2026-07-16', '2026-07-17']) {
    const leaver = { customer_id: 1, email: `${end_date}@example.com`, end_date }
    const { id } = (await south('POST', '/employees.php', leaver)).body
    await south('POST', '/hardware.php', { employee_id: id })
  }
  await createPanelUser(environment, 'south@example.com', 'south')
  const { html } = await (await signIn(new URL(apiUrl).origin, 'south@example.com')).get('')
  assert.match(html, /leaves on 16 Jul 2026/)
  assert.doesNotMatch(html, /leaves on 17 Jul 2026/)
})

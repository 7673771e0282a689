// The limit on panel pages per minute, which applies to each user, and to all users of a tenant together.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { createPanelUser, decodeHtml, type PageResponse, type Person, signIn } from '../support/panel/panel-client.ts'
import { makeTenant, startService } from '../support/service.ts'

const windowSeconds = 2
const limit = 8
const { environment, listen } = await startService({}, { nodes: 1, windowSeconds, pagesPerMinute: limit })
const { origin } = new URL(await listen())
await createPanelUser(environment, 'ada@example.com')
await createPanelUser(environment, 'other@example.com')

const profile = (person: Person) => person.get('profile.php')

/** Repeats a request until it is refused. Returns the number of accepted requests, and the refusal. */
async function requestUntilRefused(
  send: () => Promise<PageResponse>,
): Promise<{ accepted: number; refused: PageResponse }> {
  for (let accepted = 0; accepted < 50 * limit; accepted++) {
    const refused = await send()
    if (refused.status === 429) return { accepted, refused }
  }
  assert.fail('no request was refused')
}

test('a user over the page limit receives 429 in all sessions until the window ends; other users are not affected', async () => {
  const [ada, elsewhere] = [await signIn(origin, 'ada@example.com'), await signIn(origin, 'ada@example.com')]
  const other = await signIn(origin, 'other@example.com')
  const { accepted, refused } = await requestUntilRefused(() => profile(ada))
  assert.ok(accepted >= limit, `${accepted} pages are accepted`)
  const seconds = Number(refused.headers.get('retry-after'))
  assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= windowSeconds + 1, `${seconds} s`)
  assert.equal((await profile(elsewhere)).status, 429)
  assert.equal((await profile(other)).status, 200)
  await eventually('the window has ended', async () => (await profile(ada)).status === 200, { everyMs: 50 })
})

const messages = {
  en: 'Too many requests',
  de: 'Zu viele Anfragen',
  tr: 'Çok fazla istek gönderildi',
}

for (const [language, message] of Object.entries(messages)) {
  test(`a page beyond the limit shows the error in the user’s language: ${language}`, async () => {
    const ada = await signIn(origin, 'ada@example.com')
    const { refused } = await requestUntilRefused(() => ada.get('profile.php', { 'accept-language': language }))
    assert.ok(decodeHtml(refused.html).includes(message), refused.html)
    assert.match(refused.headers.get('content-type') ?? '', /^text\/html/)
  })
}

test('forms count against the page limit', async () => {
  await createPanelUser(environment, 'forms@example.com')
  const person = await signIn(origin, 'forms@example.com')
  const { accepted } = await requestUntilRefused(() => person.post('logout.php', 'form_token=none'))
  assert.ok(accepted >= limit, `${accepted} forms are accepted`)
})

test('the users of one tenant together have ten times the limit of one', async () => {
  const service = await startService({}, { nodes: 1, windowSeconds: 600, pagesPerMinute: limit })
  const { origin } = new URL(await service.listen())
  await makeTenant(service.environment, 'acme')
  const people: Person[] = []
  for (let index = 0; index < 11; index++) {
    await createPanelUser(service.environment, `user${index}@example.com`, 'acme', 'viewer')
    people.push(await signIn(origin, `user${index}@example.com`))
  }
  const accepted = []
  for (const person of people) accepted.push((await requestUntilRefused(() => profile(person))).accepted)
  const total = accepted.reduce((sum, count) => sum + count, 0)
  assert.ok(total >= 10 * limit - people.length && total <= 10 * limit, `${accepted}`)
  assert.equal(accepted.at(-1), 0)
})

test('with a page limit of 0, sessions are not limited', async () => {
  const unlimited = await startService({}, { nodes: 1 })
  const { origin } = new URL(await unlimited.listen())
  await createPanelUser(unlimited.environment, 'ada@example.com')
  const ada = await signIn(origin, 'ada@example.com')
  for (let round = 0; round < 3 * limit; round++) assert.equal((await profile(ada)).status, 200)
})

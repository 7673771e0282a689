// Users: accounts, invitations, passwords, and the audit events about them.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import {
  createPasswordLink,
  createSetupLink,
  findLink,
  usePasswordLink,
  useSetupLink,
} from '../../src/accounts/one-time-links/one-time-links.ts'
import { isCommonPassword } from '../../src/accounts/passwords/password-rules.ts'
import { findSession } from '../../src/accounts/sign-in/sessions.ts'
import { signIn, startSession } from '../../src/accounts/sign-in/sign-in.ts'
import {
  createUser,
  deleteUser,
  findUser,
  hasAdministrator,
  listUsers,
  setPreferences,
} from '../../src/accounts/users.ts'
import { listEvents, recordEvent } from '../../src/catalog/audit/audit-log.ts'
import { dumpAll } from '../support/databases/tenant-database.ts'
import {
  actorAt,
  assertUserError,
  countSuccesses,
  createActiveUser,
  createFirstAdministrator,
  createInstallation,
  password,
  pepper,
  testTime,
} from '../support/people.ts'
import { command } from '../support/service.ts'

const { environment, catalog, otherCatalog, nodes } = await createInstallation()
const manager = { role: 'manager', slugs: ['acme'] } as const

test('if set-up links are redeemed simultaneously, exactly one administrator is created, and all set-up links become invalid', async () => {
  const [token, spare] = [await createSetupLink(catalog, testTime()), await createSetupLink(otherCatalog, testTime())]
  assert.deepEqual(await findLink(otherCatalog, token, testTime(1799)), { purpose: 'setup' })
  assert.equal(
    await findLink(otherCatalog, token, testTime(1800)),
    undefined,
    'a set-up link is valid for half an hour',
  )
  assert.equal(await findLink(otherCatalog, `${token}a`, testTime()), undefined)
  await assertUserError(useSetupLink(catalog, token, { email: 'root@example.com', password }, actorAt(1800)))
  assert.equal(await hasAdministrator(catalog.database), false)
  const attempts = [...nodes, ...nodes].map((node, number) =>
    useSetupLink(node, number < 2 ? token : spare, { email: `root${number}@example.com`, password }, actorAt()),
  )
  assert.equal(await countSuccesses(attempts), 1)
  assert.equal((await listUsers(catalog)).length, 1)
  assert.equal(await hasAdministrator(otherCatalog.database), true)
  assert.equal(await findLink(catalog, spare, testTime()), undefined)
  assert.equal(await findLink(catalog, await createSetupLink(catalog, testTime()), testTime()), undefined)
})

test('an invited user can choose a password within a day, but only once, and is then active', async () => {
  const { user, token } = await createUser(catalog, { email: ' Ada@Example.COM ', ...manager }, actorAt())
  assert.deepEqual([user.email, user.state, user.tenant_slug], ['ada@example.com', 'invited', 'acme'])
  assert.equal((await findLink(otherCatalog, token, testTime(86_399)))?.purpose, 'password')
  assert.equal(await findLink(otherCatalog, token, testTime(86_400)), undefined)
  assert.equal((await signIn(catalog, pepper, { email: user.email, password }, actorAt())).outcome, 'refused')
  const uses = nodes.map((node) => usePasswordLink(node, token, password, actorAt()))
  assert.equal(await countSuccesses(uses), 1)
  await assertUserError(usePasswordLink(catalog, token, password, actorAt()))
  assert.equal((await findUser(otherCatalog, user.id))?.state, 'active')
  const session = await findSession(otherCatalog, await startSession(catalog, user.id, actorAt()), testTime())
  assert.equal(session?.user.email, 'ada@example.com')
})

test('a new password link invalidates older links; redeeming the new link replaces the password and ends every session', async () => {
  const user = await createActiveUser(catalog, 'grace@example.com')
  const first = await createPasswordLink(catalog, user.id, actorAt())
  const second = await createPasswordLink(otherCatalog, user.id, actorAt())
  assert.equal(await findLink(catalog, first, testTime()), undefined)
  const signedIn = await signIn(catalog, pepper, { email: user.email, password }, actorAt())
  assert.ok(signedIn.outcome === 'signed_in')
  await usePasswordLink(catalog, second, 'another long password', actorAt())
  assert.equal(await findSession(otherCatalog, signedIn.token, testTime()), undefined)
  assert.equal((await signIn(catalog, pepper, { email: user.email, password }, actorAt())).outcome, 'refused')
  for (const id of ['nobody', '\0', '0'.repeat(20)]) {
    await assertUserError(createPasswordLink(catalog, id, actorAt()))
    await assertUserError(deleteUser(catalog, id, actorAt()))
    assert.equal(await findUser(catalog, id), undefined)
  }
})

test('managers must have a tenant, administrators cannot have one, and two users cannot have the same email address', async () => {
  await createUser(catalog, { email: 'taken@example.com', ...manager }, actorAt())
  const attempts: [description: string, input: Parameters<typeof createUser>[1]][] = [
    ['an address in use', { email: 'TAKEN@example.com', ...manager }],
    ['not an email address', { email: 'ada', ...manager }],
    ['an empty address', { email: '', ...manager }],
    ['an address that is too long', { email: `${'a'.repeat(190)}@example.com`, ...manager }],
    ['a manager without tenants', { email: 'a@example.com', role: 'manager' }],
    ['a manager of an unknown tenant', { email: 'a@example.com', role: 'manager', slugs: ['nobody'] }],
    ['a manager with an invalid slug', { email: 'a@example.com', role: 'manager', slugs: ['\0'] }],
    ['an administrator of one tenant', { email: 'a@example.com', role: 'administrator', slugs: ['acme'] }],
    ['another role', { email: 'a@example.com', role: 'owner' as 'manager', slugs: ['acme'] }],
  ]
  const before = (await listUsers(catalog)).length
  for (const [description, input] of attempts) await assertUserError(createUser(catalog, input, actorAt()), description)
  const twins = nodes.map((node) => createUser(node, { email: 'twin@example.com', ...manager }, actorAt()))
  assert.equal(await countSuccesses(twins), 1)
  assert.equal((await listUsers(catalog)).length, before + 1)
})

test('a password has 12 to 128 characters and is not a common one', async () => {
  const { token } = await createUser(catalog, { email: 'longname@example.com', ...manager }, actorAt())
  const refused = [
    '',
    'short',
    'elevenchars',
    'x9'.repeat(65),
    'password1234',
    'Passw0rd!!!!',
    'qwertyuiop12',
    '123456789012',
    'abcdefghijklmn',
    'aaaaaaaaaaaaaaa',
    'abababababab',
    'ada1ada1ada1',
    'longname@example.com',
    'Longname2030!',
    'tenantdesk123',
    'ＰＡＳＳＷＯＲＤ１２３４',
    '🏢'.repeat(12),
  ]
  for (const candidate of refused)
    await assertUserError(usePasswordLink(catalog, token, candidate, actorAt()), candidate)
  const long = `${'Zürich 東京 '.repeat(12)}x`
  for (const candidate of ['k7#mVq2!xLp9', 'correct four geese ran', 'kırmızı şemsiye 7', long]) {
    const user = await createActiveUser(catalog, `user${candidate.length}@example.com`)
    const link = await createPasswordLink(catalog, user.id, actorAt())
    await usePasswordLink(catalog, link, candidate, actorAt())
    const input = { email: user.email, password: candidate.normalize('NFD') }
    assert.equal((await signIn(otherCatalog, pepper, input, actorAt())).outcome, 'signed_in', candidate)
    const cutShort = { email: user.email, password: candidate.slice(0, -1) }
    assert.equal((await signIn(otherCatalog, pepper, cutShort, actorAt())).outcome, 'refused', 'every character counts')
  }
})

test('a leaked password is refused regardless of case, spacing or full-width characters, even with digits or symbols around it', async () => {
  const { token } = await createUser(catalog, { email: 'leaks@example.com', ...manager }, actorAt())
  const refused = [
    'Summer2026!!!',
    'michaeljordan',
    'unbelievable',
    'thunderstorm',
    'liverpool123',
    'starwars1234',
    '1029384756qp',
    'MichaelJordan',
    'michael jordan 23',
    '  thunderstorm',
    '!!!Sunshine2026',
    '2026-Liverpool',
    'qwertyqwerty',
    'ｍｉｃｈａｅｌｊｏｒｄａｎ',
    '1qaz2wsx3edc',
    'Passwort2026!',
    'Willkommen123',
    'P@ssword1234',
    'P@ssw0rd2026',
    'letmein!!!!!',
    'zaq12wsx!!!!',
    'trustno1 2026',
    'Fenerbahce1907',
    'galatasaray1905',
    'Hoşgeldin2026',
    'Administrator1',
    'Qwertzuiop123',
    'Geheim!2026!!',
    'iloveyou12345',
    '1q2w3e4r1q2w',
    'correct horse battery staple',
    '12345678910111213',
    'abcdefghijklmnopqrstuvwxyz',
    '000000000000',
  ]
  for (const candidate of refused)
    await assertUserError(usePasswordLink(catalog, token, candidate, actorAt()), candidate)
})

test('every entry in the list of common passwords is recognized as a common password', () => {
  const path = new URL('../../src/accounts/passwords/common-passwords.txt.br', import.meta.url)
  const listed = brotliDecompressSync(readFileSync(path)).toString('latin1').split('\n')
  assert.ok(
    listed.filter(({ length }) => length >= 12).length >= 3000,
    'the list has at least 3,000 passwords of 12 or more characters (ASVS 6.2.4)',
  )
  assert.deepEqual(
    listed.filter((entry) => !isCommonPassword(entry)),
    [],
  )
})

test('a password based on the user’s email address or tenant name is refused, even with digits or symbols added', async () => {
  await command(environment, 'tenant', 'create', 'kontor', '--name', 'Kontor Nordlicht GmbH')
  const input = { email: 'grete.hansen@nordlichter.example', role: 'manager', slugs: ['kontor'] } as const
  const { token } = await createUser(catalog, input, actorAt())
  const admin = await createUser(catalog, { email: 'boss@example.com', role: 'administrator' }, actorAt())
  const fromTenantName = ['Kontor2026!!!', 'KontorNordlicht', 'nordlicht gmbh', 'Nordlichter1234', 'kontor-2026-11']
  const fromEmailAddress = ['Grete.Hansen1', 'hansen123456', 'HansenGrete26']
  for (const candidate of [...fromTenantName, ...fromEmailAddress])
    await assertUserError(usePasswordLink(catalog, token, candidate, actorAt()), candidate)
  for (const candidate of ['Kontor2026!!!', 'nordlicht gmbh']) {
    await assertUserError(usePasswordLink(catalog, admin.token, candidate, actorAt()), candidate)
  }
})

test('a password of unrelated words or random characters is accepted', async () => {
  await createActiveUser(catalog, 'good@example.com')
  const user = (await listUsers(catalog)).find(({ email }) => email === 'good@example.com')!
  const accepted = [
    'violet harbour nine lanterns',
    'purple tractor sings',
    'Summer rain on tin roofs',
    'password managers are great',
    'blaue gießkanne am fenster',
    'üç kedi bir pencere',
    'acme pays for coffee',
    'xK4#9vTq!m2Z',
    '7f3a9c1e5b2d',
    'gxkqzvbnwtpl',
    'thunder and storms',
    '東京の朝ごはんは六時から',
  ]
  for (const candidate of accepted) {
    await usePasswordLink(catalog, await createPasswordLink(catalog, user.id, actorAt()), candidate, actorAt())
  }
})

test('the last active administrator cannot be deleted, even if two administrators delete each other simultaneously', async () => {
  const { catalog, nodes } = await createInstallation()
  const root = await createFirstAdministrator(catalog)
  const invited = await createUser(catalog, { email: 'second@example.com', role: 'administrator' }, actorAt())
  await assertUserError(deleteUser(catalog, root.id, actorAt()))
  await usePasswordLink(catalog, invited.token, password, actorAt())
  const deletions = [deleteUser(nodes[0], root.id, actorAt()), deleteUser(nodes[1], invited.user.id, actorAt())]
  assert.equal(await countSuccesses(deletions), 1)
  assert.equal((await listUsers(catalog)).length, 1)
  await assertUserError(deleteUser(catalog, 'nobody', actorAt()))
})

test('deleting a user ends their sessions and invalidates their links', async () => {
  const user = await createActiveUser(catalog, 'gone@example.com')
  const session = await startSession(catalog, user.id, actorAt())
  const link = await createPasswordLink(catalog, user.id, actorAt())
  await deleteUser(otherCatalog, user.id, actorAt(0, '192.0.2.1'))
  assert.equal(await findSession(catalog, session, testTime()), undefined)
  assert.equal(await findLink(catalog, link, testTime()), undefined)
  assert.equal(await findUser(catalog, user.id), undefined)
  await assertUserError(startSession(catalog, user.id, actorAt()))
  const [event] = await listEvents(catalog, { userId: user.id, limit: 1 })
  assert.deepEqual([event?.event, event?.email, event?.address], ['user_deleted', 'gone@example.com', '192.0.2.1'])
})

test('deleting a tenant deletes its managers but no other users', async () => {
  await command(environment, 'tenant', 'create', 'globex')
  const { user, token } = await createUser(
    catalog,
    { email: 'globex@example.com', role: 'manager', slugs: ['globex'] },
    actorAt(),
  )
  await usePasswordLink(catalog, token, password, actorAt())
  const session = await startSession(catalog, user.id, actorAt())
  const remainingUsers = (await listUsers(catalog)).filter(({ id }) => id !== user.id)
  await command(environment, 'tenant', 'suspend', 'globex')
  assert.equal(
    (await findSession(otherCatalog, session, testTime()))?.user.tenant_slug,
    'globex',
    'a suspended tenant keeps its managers',
  )
  assert.equal((await command(environment, 'tenant', 'delete', 'globex', '--yes')).exitCode, 0)
  assert.equal(await findSession(otherCatalog, session, testTime()), undefined)
  assert.deepEqual(await listUsers(catalog), remainingUsers)
})

test('a user’s language and theme are stored independently', async () => {
  const { id } = await createActiveUser(catalog, 'taste@example.com')
  const preferences = async () => {
    const { language, theme } = (await findUser(otherCatalog, id))!
    return [language, theme]
  }
  assert.deepEqual(await preferences(), [null, null])
  await setPreferences(catalog, id, { language: 'tr' })
  await setPreferences(catalog, id, { theme: 'dark' })
  assert.deepEqual(await preferences(), ['tr', 'dark'])
  await setPreferences(catalog, id, { language: null })
  assert.deepEqual(await preferences(), [null, 'dark'])
})

test('audit events are listed newest first and in pages, and can be filtered by tenant, subject or actor', async () => {
  const { catalog, otherCatalog, nodes } = await createInstallation()
  const root = await createFirstAdministrator(catalog)
  const origin = { ...actorAt(1, '192.0.2.7', root.id), agent: `${'x'.repeat(199)}🏢` }
  const { user } = await createUser(catalog, { email: 'ada@example.com', ...manager }, origin)
  await Promise.all(
    [...nodes, ...nodes].map((node, number) =>
      recordEvent(node, 'key_created', origin, { tenantId: user.tenant_id, detail: { number } }),
    ),
  )
  const allEvents = await listEvents(otherCatalog, { limit: 100 })
  assert.deepEqual(
    allEvents.map(({ seq }) => seq),
    Array.from(allEvents, (_, index) => allEvents.length - index),
  )
  const pages = [await listEvents(catalog, { limit: 3 })]
  while (pages.at(-1)!.length === 3) pages.push(await listEvents(catalog, { limit: 3, before: pages.at(-1)![2]!.seq }))
  assert.deepEqual(pages.flat(), allEvents)
  const [newest] = allEvents
  assert.deepEqual([newest?.event, newest?.at, newest?.by_email], ['key_created', origin.now.toISOString(), root.email])
  assert.ok(newest!.agent!.length === 200 && newest!.agent!.isWellFormed())
  const events = async (query: { tenantIds?: string[]; userId?: string }) =>
    (await listEvents(catalog, { ...query, limit: 100 })).map(({ event }) => event)
  const managerEvents = ['key_created', 'key_created', 'key_created', 'key_created', 'link_made', 'user_created']
  assert.deepEqual(await events({ tenantIds: [user.tenant_id!] }), [...managerEvents, 'tenant_created'])
  assert.deepEqual(await events({ userId: user.id }), ['link_made', 'user_created'])
  assert.deepEqual(await events({ userId: root.id }), [...managerEvents, 'link_used', 'user_created'])
})

test('the catalog contains no usable password, token or code', async () => {
  const { environment, catalog } = await createInstallation()
  const { user, token } = await createUser(catalog, { email: 'ada@example.com', ...manager }, actorAt())
  await usePasswordLink(catalog, token, password, actorAt())
  const link = await createPasswordLink(catalog, user.id, actorAt())
  const session = await startSession(catalog, user.id, actorAt())
  await signIn(catalog, pepper, { email: password, password: 'wrong' }, actorAt())
  const texts = await dumpAll(environment)
  assert.ok([...texts.values()].some((bytes) => bytes.includes('$argon2id$v=19$m=19456,t=2,p=1$')))
  for (const secret of [password, token, link, session]) {
    for (const [name, bytes] of texts) assert.ok(!bytes.includes(secret), `${name} contains ${secret}`)
  }
})

// Signing in: passwords, throttling, two-factor authentication, and session lifetimes.

import '../support/cheap-passwords.ts'
import assert from 'node:assert/strict'
import { argon2Sync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { changePassword, confirmPassword } from '../../src/accounts/sign-in/change-password.ts'
import {
  endOtherSessions,
  endSession,
  findSession,
  isConfirmed,
  listSessions,
  type Session,
} from '../../src/accounts/sign-in/sessions.ts'
import { type SignIn, signIn, startSession } from '../../src/accounts/sign-in/sign-in.ts'
import {
  codeOf,
  fromBase32,
  newSecret,
  secretUri,
  stepOf,
  toBase32,
  turnOffSecondFactor,
  turnOnSecondFactor,
} from '../../src/accounts/sign-in/two-factor.ts'
import type { User } from '../../src/accounts/users.ts'
import { listEvents } from '../../src/catalog/audit/audit-log.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { hashToken } from '../../src/catalog/ids.ts'
import { verifyPepper } from '../../src/catalog/pepper/pepper.ts'
import { Unavailable } from '../../src/engine/database/database.ts'
import {
  actorAt,
  assertUserError,
  countSuccesses,
  createActiveUser,
  createInstallation,
  password,
  pepper,
  testTime,
} from '../support/people.ts'

const { catalog, otherCatalog, nodes } = await createInstallation()

type Credentials = { email: string; password?: string; code?: string }

function attemptSignIn(
  credentials: Credentials,
  seconds = 0,
  address: string | null = null,
  on: Catalog = catalog,
): Promise<SignIn> {
  return signIn(on, pepper, { password, ...credentials }, actorAt(seconds, address))
}

async function outcome(
  credentials: Credentials,
  seconds = 0,
  address: string | null = null,
  on?: Catalog,
): Promise<string> {
  return (await attemptSignIn(credentials, seconds, address, on)).outcome
}

/** Signs the user in, and returns the session as read by another process. */
async function newSession({ email }: User, seconds = 0): Promise<Session & { token: string }> {
  const signedIn = await attemptSignIn({ email }, seconds)
  assert.ok(signedIn.outcome === 'signed_in', signedIn.outcome)
  return { ...(await findSession(otherCatalog, signedIn.token, testTime(seconds)))!, token: signedIn.token }
}

async function eventsOf(userId: string): Promise<string[]> {
  return (await listEvents(catalog, { userId, limit: 100 })).map(({ event }) => event).reverse()
}

test('signing in with the right password opens a session that other processes accept; every failed sign-in is refused in the same way', async () => {
  const user = await createActiveUser(catalog, 'ada@example.com')
  const signedIn = await attemptSignIn({ email: ' ADA@example.com' }, 1, '192.0.2.1')
  assert.ok(signedIn.outcome === 'signed_in')
  assert.match(signedIn.token, /^[\w-]{43}$/)
  assert.equal(signedIn.user.last_signed_in_at, testTime(1).toISOString())
  const session = await findSession(otherCatalog, signedIn.token, testTime(1))
  assert.deepEqual([session?.user, session?.address, session?.agent], [signedIn.user, '192.0.2.1', 'test'])
  assert.notEqual((await newSession(user, 2)).token, signedIn.token)
  for (const wrong of ['', `${password} `, password.toUpperCase(), 'x'.repeat(5000), '\0']) {
    assert.deepEqual(await attemptSignIn({ email: user.email, password: wrong }, 3), { outcome: 'refused' }, wrong)
    assert.equal(await outcome({ email: user.email }, 3), 'signed_in')
  }
  for (const email of ['nobody@example.com', '', 'x'.repeat(5000), `' or 1=1 --`, 'ada@example.com\0']) {
    assert.deepEqual(await attemptSignIn({ email }, 3), { outcome: 'refused' }, email)
  }
  for (const token of ['', 'x', `${signedIn.token}x`, signedIn.token.toLowerCase(), session!.id]) {
    assert.equal(await findSession(catalog, token, testTime(1)), undefined, token)
  }
})

test('a password hash with outdated parameters is accepted and is replaced when the user signs in', async () => {
  const { id, email } = await createActiveUser(catalog, 'rehash@example.com')
  const nonce = randomBytes(16)
  const cheap = { message: password, nonce, parallelism: 1, tagLength: 32, memory: 1024, passes: 3 }
  const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  const old = `$argon2id$v=19$m=1024,t=3,p=1$${text(nonce)}$${text(argon2Sync('argon2id', cheap))}`
  await catalog.transaction(async (database) => database.run('update users set password = ? where id = ?', [old, id]))
  assert.equal(await outcome({ email, password: 'wrong password' }), 'refused')
  const stored = async () => (await catalog.database.get('select password from users where id = ?', [id]))!.password
  assert.equal(await stored(), old)
  assert.equal(await outcome({ email }), 'signed_in')
  assert.match(String(await stored()), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  assert.equal(await outcome({ email }), 'signed_in')
})

test('after five failed sign-ins, an email address is throttled for up to 15 minutes, whether or not it has an account', async () => {
  const user = await createActiveUser(catalog, 'slow@example.com')
  for (const email of [user.email, 'unknown@nowhere.example']) {
    for (let failures = 0; failures < 5; failures++) {
      assert.deepEqual(await attemptSignIn({ email, password: 'wrong' }), { outcome: 'refused' })
    }
    assert.deepEqual(await attemptSignIn({ email, password: 'wrong' }, 1, null, otherCatalog), {
      outcome: 'throttled',
      seconds: 1,
    })
    assert.deepEqual(
      await attemptSignIn({ email }, 1),
      { outcome: 'throttled', seconds: 1 },
      'the right password is throttled too',
    )
    let now = 2
    for (const wait of [4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]) {
      assert.equal(
        await outcome({ email, password: 'wrong' }, now, null, otherCatalog),
        'refused',
        'throttled attempts do not extend the wait',
      )
      assert.deepEqual(await attemptSignIn({ email }, now), { outcome: 'throttled', seconds: wait })
      now += wait
    }
    assert.equal(
      await outcome({ email }, now),
      email === user.email ? 'signed_in' : 'refused',
      'the account is not locked permanently',
    )
  }
  const now = 10_000
  for (let failures = 0; failures < 4; failures++) await attemptSignIn({ email: user.email, password: 'wrong' }, now)
  assert.equal(await outcome({ email: user.email }, now), 'signed_in')
  for (let failures = 0; failures < 4; failures++) await attemptSignIn({ email: user.email, password: 'wrong' }, now)
  assert.equal(
    await outcome({ email: user.email }, now),
    'signed_in',
    'a successful sign-in resets the count of failures',
  )
  const throttled = (await eventsOf(user.id)).filter((event) => event === 'sign_in_throttled')
  assert.equal(throttled.length, 12, 'only the first throttled attempt after each failure is recorded')
})

test('failed sign-ins from one IP address throttle all sign-ins from that address, but not those from other addresses', async () => {
  const user = await createActiveUser(catalog, 'office@example.com')
  const guess = (number: number, address: string) =>
    attemptSignIn(
      { email: `guess${number}@example.com`, password: 'wrong' },
      50_000,
      address,
      number % 2 ? catalog : otherCatalog,
    )
  for (let number = 0; number < 20; number++)
    assert.equal((await guess(number, `2001:db8:0:7::${number}`)).outcome, 'refused')
  for (const address of ['2001:db8:0:7:ffff::1', '2001:DB8::7:0:0:0:1']) {
    assert.deepEqual(
      await attemptSignIn({ email: user.email }, 50_000, address),
      { outcome: 'throttled', seconds: 2 },
      address,
    )
  }
  for (const address of ['2001:db8:0:8::1', '192.0.2.1', '::1', null]) {
    assert.equal(await outcome({ email: user.email }, 50_000, address), 'signed_in', String(address))
  }
  assert.equal(await outcome({ email: user.email }, 50_002, '2001:db8:0:7::1'), 'signed_in')
  for (let number = 20; number < 40; number++) await guess(number, number % 2 ? '192.0.2.9' : '::ffff:192.0.2.9')
  assert.equal(await outcome({ email: user.email }, 50_000, '192.0.2.9'), 'throttled')
  const rows = async () => (await catalog.database.get('select count(*) as rows from sign_in_attempts'))!.rows
  assert.notEqual(await rows(), 0)
  await attemptSignIn({ email: user.email }, 60_000)
  assert.equal(await rows(), 0, 'old counts are deleted')
})

test('concurrent sign-ins with wrong passwords are throttled like sequential ones', async () => {
  const { email } = await createActiveUser(catalog, 'burst@example.com')
  const guesses = Array.from({ length: 40 }, (_, number) =>
    outcome({ email, password: 'wrong' }, 0, null, nodes[number % 2]),
  )
  const outcomes = await Promise.all(guesses)
  assert.equal(outcomes.filter((result) => result === 'refused').length, 5)
  assert.equal(outcomes.filter((result) => result === 'throttled').length, 35)
})

test('after the clock is set back, earlier failures do not throttle an account or address longer than new failures would', async () => {
  const user = await createActiveUser(catalog, 'ahead@example.com')
  const ahead = 30 * 86_400
  const address = '198.51.100.7'
  for (let failures = 0; failures < 6; failures++)
    await attemptSignIn({ email: user.email, password: 'wrong' }, ahead, address)
  assert.equal(await outcome({ email: user.email }, ahead, address), 'throttled')
  const now = 70_000
  assert.deepEqual(
    await attemptSignIn({ email: user.email }, now, address),
    { outcome: 'throttled', seconds: 2 },
    'the wait starts at the corrected time',
  )
  assert.equal(await outcome({ email: user.email }, now + 2, address, otherCatalog), 'signed_in')
  assert.equal(
    await outcome({ email: user.email }, ahead, address),
    'signed_in',
    'a sign-in succeeds when the clock is ahead again',
  )
  assert.equal(await outcome({ email: user.email }, now + 3, address), 'signed_in')
})

test('a successful sign-in does not leave a row in the throttle table', async () => {
  const user = await createActiveUser(catalog, 'tidy@example.com')
  const rows = async () => (await catalog.database.get('select count(*) as rows from sign_in_attempts'))!.rows
  await attemptSignIn({ email: user.email }, 75_000, '198.51.100.8')
  assert.equal(await rows(), 0)
})

test('a session ends half an hour after its last use, and no later than twelve hours after it began', async () => {
  const user = await createActiveUser(catalog, 'idle@example.com')
  const { token, id } = await newSession(user)
  const lastSeen = async () =>
    (await otherCatalog.database.get('select last_seen_at from sessions where id = ?', [id]))!.last_seen_at
  assert.ok(await findSession(catalog, token, testTime(59)))
  assert.equal(await lastSeen(), testTime().toISOString(), 'the time of the last use is written at most once a minute')
  assert.ok(await findSession(catalog, token, testTime(1799)))
  assert.equal(await lastSeen(), testTime(1799).toISOString())
  assert.ok(await findSession(otherCatalog, token, testTime(1799 + 1799)))
  assert.equal(await findSession(otherCatalog, token, testTime(1799 + 1799 + 1800)), undefined)
  const long = await newSession(user)
  for (let now = 1000; now < 43_200; now += 1000)
    assert.ok(await findSession(catalog, long.token, testTime(now)), `${now}`)
  assert.equal(await findSession(catalog, long.token, testTime(43_200)), undefined)
  assert.deepEqual(await listSessions(catalog, user.id, testTime(43_200)), [])
  await newSession(user, 43_200)
  const rows = await catalog.database.get('select count(*) as rows from sessions where user_id = ?', [user.id])
  assert.equal(rows!.rows, 1, 'expired sessions are deleted')
})

test('a user can end their own sessions but not another user’s', async () => {
  const [user, otherUser] = [
    await createActiveUser(catalog, 'many@example.com'),
    await createActiveUser(catalog, 'else@example.com'),
  ]
  const sessions = [
    await newSession(user),
    await newSession(user, 1),
    await newSession(user, 2),
    await newSession(user, 3),
  ]
  const [first, second, third, fourth] = sessions as [Session & { token: string }, ...(Session & { token: string })[]]
  const listed = async () => (await listSessions(otherCatalog, user.id, testTime(4))).map(({ id }) => id)
  assert.deepEqual(await listed(), [fourth!.id, third!.id, second!.id, first.id])
  await endSession(catalog, { id: second!.id, userId: otherUser.id }, actorAt(4))
  assert.ok(await findSession(otherCatalog, second!.token, testTime(4)))
  await endSession(catalog, { id: second!.id, userId: user.id }, actorAt(4))
  assert.equal(await findSession(otherCatalog, second!.token, testTime(4)), undefined)
  await endSession(catalog, { id: first.id, userId: user.id, event: 'signed_out' }, actorAt(4))
  await endSession(catalog, { id: first.id, userId: user.id, event: 'signed_out' }, actorAt(4))
  await endOtherSessions(otherCatalog, third!, actorAt(4))
  assert.deepEqual(await listed(), [third!.id])
  const ends = (await eventsOf(user.id)).filter((event) => event !== 'signed_in').slice(-3)
  assert.deepEqual(ends, ['session_ended', 'signed_out', 'session_ended'])
})

test('a user can have at most 20 sessions, and a further sign-in ends the least recently used one', async () => {
  const user = await createActiveUser(catalog, 'twenty@example.com')
  const sessions = []
  for (let number = 0; number < 20; number++) sessions.push(await newSession(user, number))
  await findSession(catalog, sessions[0]!.token, testTime(90)) // the time of this use is stored
  const another = await newSession(user, 91)
  const listed = (await listSessions(otherCatalog, user.id, testTime(92))).map(({ id }) => id)
  assert.equal(listed.length, 20)
  assert.deepEqual(
    [another, sessions[0]!, sessions[1]!].map(({ id }) => listed.includes(id)),
    [true, true, false],
  )
  assert.equal((await eventsOf(user.id)).filter((event) => event === 'session_ended').length, 1)
})

test('changing the password requires the current one and ends the other sessions', async () => {
  const user = await createActiveUser(catalog, 'change@example.com')
  const [session, otherSession] = [await newSession(user), await newSession(user)]
  const change = (current: string, next: string) =>
    changePassword({ catalog, pepper }, user.id, { current, next, sessionId: session.id }, actorAt(1))
  await assertUserError(change('wrong password', 'another long password'))
  await assertUserError(change(password, 'short'))
  const token = await change(password, 'another long password')
  assert.equal((await findSession(otherCatalog, token, testTime(1)))?.id, session.id)
  assert.equal(await findSession(otherCatalog, session.token, testTime(1)), undefined, 'the session has a new token')
  assert.equal(await findSession(otherCatalog, otherSession.token, testTime(1)), undefined)
  assert.equal(await outcome({ email: user.email }, 2), 'refused')
  assert.equal(await outcome({ email: user.email, password: 'another long password' }, 2), 'signed_in')
  for (let failures = 0; failures < 5; failures++)
    await assertUserError(change('wrong password', 'yet another password'))
  await assertUserError(change('another long password', 'yet another password'), 'throttled')
  assert.equal(await outcome({ email: user.email, password: 'another long password' }, 2), 'throttled')
})

test('a password confirmation is valid for ten minutes, and wrong passwords are throttled as they are at sign-in', async () => {
  const user = await createActiveUser(catalog, 'confirm@example.com')
  const session = await newSession(user)
  assert.deepEqual([isConfirmed(session, testTime(599)), isConfirmed(session, testTime(600))], [true, false])
  assert.deepEqual(await confirmPassword({ catalog, pepper }, session, 'wrong', actorAt(700)), { outcome: 'wrong' })
  assert.equal(isConfirmed((await findSession(otherCatalog, session.token, testTime(700)))!, testTime(700)), false)
  const confirmed = await confirmPassword({ catalog, pepper }, session, password, actorAt(700))
  assert.ok(typeof confirmed === 'object' && 'token' in confirmed)
  assert.equal(isConfirmed((await findSession(otherCatalog, confirmed.token, testTime(700)))!, testTime(700)), true)
  assert.equal(await findSession(otherCatalog, session.token, testTime(700)), undefined, 'the session has a new token')
  for (let failures = 0; failures < 5; failures++)
    await confirmPassword({ catalog, pepper }, session, 'wrong', actorAt(701))
  assert.deepEqual(await confirmPassword({ catalog: otherCatalog, pepper }, session, password, actorAt(701)), {
    outcome: 'throttled',
    seconds: 2,
  })
  const recorded = (await eventsOf(user.id)).slice(3)
  assert.deepEqual(
    recorded,
    [
      'link_used',
      'password_set',
      'signed_in',
      'confirmation_failed',
      'password_confirmed',
      'confirmation_failed',
      'confirmation_failed',
      'confirmation_failed',
      'confirmation_failed',
      'confirmation_failed',
      'confirmation_throttled',
    ].slice(1),
  )
})

test('two-factor codes follow RFC 6238, and their secrets are encoded as in RFC 4648', () => {
  const secret = Buffer.from('12345678901234567890')
  const vectors: [seconds: number, code: string][] = [
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ]
  for (const [seconds, code] of vectors) assert.equal(codeOf(secret, stepOf(new Date(seconds * 1000)), 8), code)
  const texts = { f: 'MY', fo: 'MZXQ', foo: 'MZXW6', foob: 'MZXW6YQ', fooba: 'MZXW6YTB', foobar: 'MZXW6YTBOI' }
  for (const [text, base32] of Object.entries(texts)) {
    assert.equal(toBase32(Buffer.from(text)), base32)
    assert.equal(fromBase32(base32).toString(), text)
  }
})

/** Creates a user who turned on a second factor at `testTime()`. `code(60)` returns the code that is valid 60 s later. */
async function withSecondFactor(email: string) {
  const user = await createActiveUser(catalog, email)
  const secret = newSecret()
  const code = (seconds: number) => codeOf(fromBase32(secret), stepOf(testTime(seconds)))
  const recovery = await turnOnSecondFactor({ catalog, pepper }, user.id, { secret, code: code(0) }, actorAt())
  return { user, secret, code, recovery }
}

test('a second factor is encrypted with a pepper, and a service without that pepper does not start', async () => {
  const { user, code } = await withSecondFactor('needs-pepper@example.com')
  const another = { current: 2, secrets: new Map([[2, 'q'.repeat(32)]]) }
  await assert.rejects(verifyPepper(catalog, another), /^Error: Pepper 1 is missing, and second factors depend on it/)
  const credentials = { email: user.email, password, code: code(60) }
  await assert.rejects(signIn(catalog, another, credentials, actorAt(60)), Unavailable)
  assert.equal(await outcome(credentials, 60), 'signed_in')
})

test('a user turns on the second factor with a code from the app, and every later sign-in requires a code', async () => {
  const secret = newSecret()
  const shown = new URL(secretUri(secret, 'a+b@example.com'))
  assert.deepEqual(
    [shown.protocol, shown.host, shown.pathname],
    ['otpauth:', 'totp', '/Tenantdesk:a%2Bb%40example.com'],
  )
  assert.equal(shown.searchParams.get('secret'), secret)
  const ada = await createActiveUser(catalog, 'second@example.com')
  await assertUserError(turnOnSecondFactor({ catalog, pepper }, ada.id, { secret, code: '000000' }, actorAt()))
  await assertUserError(turnOnSecondFactor({ catalog, pepper }, ada.id, { secret: 'SHORT', code: '000000' }, actorAt()))
  assert.equal(await outcome({ email: ada.email }), 'signed_in', 'a refused code does not turn on the second factor')

  const { user, code, recovery } = await withSecondFactor('totp@example.com')
  const { email } = user
  await assertUserError(turnOnSecondFactor({ catalog, pepper }, user.id, { secret, code: code(0) }, actorAt()))
  assert.equal(new Set(recovery).size, 10)
  await assertUserError(startSession(catalog, user.id, actorAt()))
  assert.equal(
    await outcome({ email, code: code(0) }, 0),
    'refused',
    'the code that turned on the second factor cannot be used again',
  )
  assert.deepEqual(await attemptSignIn({ email }, 100), { outcome: 'second_factor' })
  assert.equal(await outcome({ email, code: ' ' }, 100), 'second_factor')
  assert.equal(await outcome({ email, password: 'wrong', code: code(100) }, 100), 'refused')
  for (const wrong of [code(100 - 60), code(100 + 30), code(100 + 60)])
    assert.equal(
      await outcome({ email, code: wrong }, 100),
      'refused',
      'a code is valid only in its own time step and the next',
    )
  const spaced = `${code(110).slice(0, 3)} ${code(110).slice(3)}`
  const signedIn = await attemptSignIn({ email, code: spaced }, 110 + 30)
  assert.ok(
    signedIn.outcome === 'signed_in' && signedIn.user.has_second_factor,
    'a code from the previous time step is valid',
  )
  assert.equal(
    await outcome({ email, code: code(110 + 60) }, 110 + 30),
    'refused',
    'a code from the next time step is refused',
  )
  assert.equal(await outcome({ email, code: code(110 + 60) }, 110 + 60), 'signed_in')
  assert.equal(
    await outcome({ email, code: code(110 + 30) }, 110 + 60),
    'refused',
    'a code older than the last used one is refused',
  )
  await turnOffSecondFactor(otherCatalog, user.id, actorAt(200))
  assert.equal(await outcome({ email }, 200), 'signed_in')
  const recorded = await eventsOf(user.id)
  assert.deepEqual([recorded.includes('second_factor_on'), recorded.includes('second_factor_off')], [true, true])
})

test('a two-factor code is accepted only once, even if two sign-ins send it simultaneously', async () => {
  const { user, code, recovery } = await withSecondFactor('once@example.com')
  const signInTwice = (code: string, seconds: number) =>
    Promise.all(nodes.map((node) => outcome({ email: user.email, code }, seconds, null, node)))
  assert.deepEqual((await signInTwice(code(90), 90)).sort(), ['refused', 'signed_in'])
  assert.deepEqual((await signInTwice(recovery[3]!, 91)).sort(), ['refused', 'signed_in'])
  assert.equal(await outcome({ email: user.email, code: recovery[3]! }, 92), 'refused')
  assert.equal(
    await outcome({ email: user.email, code: recovery[4]!.toUpperCase().replaceAll('-', ' ') }, 93),
    'signed_in',
  )
  const unused = await otherCatalog.database.all('select hash from recovery_codes where user_id = ?', [user.id])
  assert.equal(unused.length, 8)
  assert.equal((await eventsOf(user.id)).filter((event) => event === 'recovery_code_used').length, 2)
  await turnOffSecondFactor(catalog, user.id, actorAt())
  const attempts = nodes.map((node) => {
    const secret = newSecret()
    const code = codeOf(fromBase32(secret), stepOf(testTime()))
    return turnOnSecondFactor({ catalog: node, pepper }, user.id, { secret, code }, actorAt())
  })
  assert.equal(await countSuccesses(attempts), 1)
})

test('wrong two-factor codes are throttled like wrong passwords, and the right password without a code does not reset the throttle', async () => {
  const { user } = await withSecondFactor('guess@example.com')
  for (let failures = 0; failures < 5; failures++) {
    assert.equal(await outcome({ email: user.email }, 10), 'second_factor')
    assert.equal(await outcome({ email: user.email, code: '000000' }, 10), 'refused')
  }
  assert.equal(await outcome({ email: user.email }, 10), 'throttled')
  assert.equal(await outcome({ email: user.email }, 12), 'second_factor')
  assert.equal(
    await outcome({ email: user.email, code: '000000' }, 12),
    'refused',
    'a sign-in without a code does not count as a failure',
  )
})

test('after a code was accepted while the clock was ahead, new codes are refused for at most a minute; no code works twice', async () => {
  const { user, code } = await withSecondFactor('clock@example.com')
  const ahead = 30 * 86_400
  assert.equal(await outcome({ email: user.email, code: code(600) }, 600), 'signed_in')
  assert.equal(await outcome({ email: user.email, code: code(ahead) }, ahead), 'signed_in')
  assert.equal(
    await outcome({ email: user.email, code: code(600) }, 601),
    'refused',
    'the code was used before the clock changed',
  )
  assert.equal(await outcome({ email: user.email, code: code(630) }, 630), 'refused')
  assert.equal(await outcome({ email: user.email, code: code(660) }, 660, null, otherCatalog), 'signed_in')
  assert.equal(await outcome({ email: user.email, code: code(660) }, 661), 'refused')
})

test('a recovery code has at least 112 random bits, but shorter codes from older versions still work', async () => {
  const { user, recovery } = await withSecondFactor('codes@example.com')
  for (const recoveryCode of recovery) assert.match(recoveryCode, /^[a-z2-7]{4}(-[a-z2-7]{4}){5}$/)
  const old = 'abcd-efgh-ijkl-mnop'
  const values = [user.id, hashToken(old.replaceAll('-', ''))]
  await catalog.transaction(async (database) =>
    database.run('insert into recovery_codes (user_id, hash) values (?, ?)', values),
  )
  assert.equal(await outcome({ email: user.email, code: old }, 90), 'signed_in')
  assert.equal(await outcome({ email: user.email, code: old }, 91), 'refused')
  assert.equal(await outcome({ email: user.email, code: recovery[0]! }, 92), 'signed_in')
})

test('the audit log records which factors each sign-in used', async () => {
  const { user, code, recovery } = await withSecondFactor('factors@example.com')
  const factors = async () => {
    const [newest] = await listEvents(catalog, { userId: user.id, limit: 1 })
    return newest?.event === 'signed_in' ? newest.detail?.factors : newest?.event
  }
  await attemptSignIn({ email: user.email, code: code(90) }, 90)
  assert.deepEqual(await factors(), ['password', 'totp'])
  await attemptSignIn({ email: user.email, code: recovery[0]! }, 91)
  assert.deepEqual(await factors(), ['password', 'recovery_code'])
  await turnOffSecondFactor(catalog, user.id, actorAt(92))
  await attemptSignIn({ email: user.email }, 93)
  assert.deepEqual(await factors(), ['password'])
  await startSession(catalog, user.id, actorAt(94))
  assert.deepEqual(await factors(), ['link'])
})

test('second-factor secrets and recovery codes are not in the catalog in plain text', async () => {
  const { secret, recovery } = await withSecondFactor('sealed@example.com')
  const rows = [
    ...(await catalog.database.all('select * from users')),
    ...(await catalog.database.all('select * from recovery_codes')),
    ...(await catalog.database.all('select * from audit_events')),
  ]
  const stored = JSON.stringify(rows)
  assert.ok(stored.includes('sealed@example.com'))
  for (const value of [secret, ...recovery, recovery[0]!.replaceAll('-', '')]) assert.ok(!stored.includes(value), value)
})

test('creating a user or signing in does not invalidate cached API keys, but changing a tenant does', async () => {
  const before = await otherCatalog.version()
  const user = await createActiveUser(catalog, 'quiet@example.com')
  await newSession(user)
  await attemptSignIn({ email: user.email, password: 'wrong' })
  assert.deepEqual([await catalog.version(), await otherCatalog.version()], [before, before])
  await catalog.transaction(async (database) => database.run(`update tenants set name = 'Acme' where slug = 'acme'`))
  assert.deepEqual([(await catalog.version()) > before, (await otherCatalog.version()) > before], [true, true])
})

// Sign-ins with the password hashes of production: their processor time, and a flood of concurrent sign-ins. Other
// tests use cheaper hashes: see test/support/cheap-passwords.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { isPasswordOf, TooBusy } from '../../src/accounts/passwords/passwords.ts'
import { issueDeviceCookie, signIn } from '../../src/accounts/sign-in/sign-in.ts'
import { eventually } from '../support/eventually.ts'
import { actorAt, createActiveUser, createInstallation, password, pepper } from '../support/people.ts'

const { catalog } = await createInstallation()

async function outcome(credentials: { email: string; password: string }, seconds = 0): Promise<string> {
  return (await signIn(catalog, pepper, credentials, actorAt(seconds))).outcome
}

/** Runs `action` while 60 senders each call `send` in a loop. */
async function floodDuring(send: (sender: number, round: number) => Promise<void>, action: () => Promise<void>) {
  let isOver = false
  const senders = Array.from({ length: 60 }, async (_, sender) => {
    for (let round = 0; !isOver; round++) {
      await send(sender, round)
      await setImmediate() // lets other work run, as a server does between two requests
    }
  })
  const running = action().finally(() => {
    isOver = true
  })
  await Promise.all([running, ...senders])
}

test('a sign-in to an unknown account takes at least half the processor time of a sign-in to a known one', async () => {
  await createActiveUser(catalog, 'cost@example.com')
  const measure = async (email: string, round: number) => {
    const start = process.cpuUsage()
    await outcome({ email, password: 'wrong password' }, 3600 * (round + 1))
    const { user, system } = process.cpuUsage(start)
    return user + system
  }
  const known: number[] = []
  const unknown: number[] = []
  for (let round = 0; round < 9; round++) {
    // The two kinds alternate, because the first hashes of a process take longer.
    known.push(await measure('cost@example.com', round))
    unknown.push(await measure('unknown@example.com', round))
  }
  const [knownUs, unknownUs] = [median(known), median(unknown)]
  assert.ok(unknownUs > knownUs / 2, `a sign-in takes ${unknownUs} µs (unknown account) and ${knownUs} µs (known one)`)
})

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
}

test('at most fifty sign-ins wait in the queue; further sign-ins are refused but not counted as failed', async () => {
  const { email } = await createActiveUser(catalog, 'flood@example.com')
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => isPasswordOf(null, 'wrong')))
  assert.equal(
    outcomes.filter(({ status }) => status === 'rejected').length,
    8,
    'two hashes are computed, fifty wait, and eight are refused',
  )

  const hash = () =>
    isPasswordOf(null, 'wrong').then(
      () => {},
      (error) => assert.ok(error instanceof TooBusy),
    )
  const isThrottled = async () => (await outcome({ email, password })) === 'throttled'
  await floodDuring(hash, async () => void (await eventually('a sign-in is refused', isThrottled)))
  assert.equal(await outcome({ email, password }), 'signed_in')
})

test('a known device can sign in while unknown devices fill the sign-in queue', async () => {
  const user = await createActiveUser(catalog, 'reserved@example.com')
  const now = 80_000
  const deviceCookie = await issueDeviceCookie(catalog, pepper, user.id, actorAt(now))
  let refusals = 0
  const signInFromUnknownDevice = async (sender: number, round: number) => {
    const credentials = { email: `flood${sender}x${round}@nowhere.example`, password: 'wrong' }
    if ((await outcome(credentials, now)) === 'throttled') refusals++
  }
  await floodDuring(signInFromUnknownDevice, async () => {
    await eventually('the queue is full', () => refusals > 0)
    const known = await signIn(catalog, pepper, { email: user.email, password }, { ...actorAt(now), deviceCookie })
    assert.equal(known.outcome, 'signed_in')
  })
})

// GET and PUT /settings.php: a tenant's settings (contract §19).

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { assertRefused } from '../support/api/shared-errors.ts'
import { command, createKey, type Json, startService } from '../support/service.ts'

const service = await startService()
const path = '/settings.php'

const defaults = {
  currency: 'EUR',
  time_zone: 'UTC',
  customers_called: 'branches',
  warranty_notice_days: 60,
  tag_format: null,
  next_tag_number: 1,
  form_text: null,
  form_shows_cost: false,
}

test('a new tenant has the default settings, in the order of the contract', async () => {
  const acme = await service.tenant('acme')
  const { status, text } = await acme('GET', path)
  assert.deepEqual([status, text], [200, JSON.stringify({ name: 'acme', ...defaults })])
})

test('PUT changes only the settings in its body and records the change; null resets a setting', async () => {
  const beta = await service.tenant('beta')
  const first = { currency: 'TRY', time_zone: 'Europe/Istanbul', tag_format: 'TD-{0000}', next_tag_number: '17' }
  const one = await beta('PUT', path, first)
  assert.deepEqual(one.body, { name: 'beta', ...defaults, ...first, next_tag_number: 17 })
  const two = await beta('PUT', path, { currency: null, customers_called: 'clients' })
  assert.deepEqual(two.body, { ...one.body, currency: 'EUR', customers_called: 'clients' })
  assert.deepEqual((await beta('GET', path)).body, two.body)
  const { data } = (await beta('GET', '/changes.php?resource=settings')).body
  assert.deepEqual(
    data.map(({ id, action, before, after }: Json) => [id, action, before, after]),
    [
      [1, 'create', null, { ...defaults, ...first, next_tag_number: 17 }],
      [
        1,
        'update',
        { currency: 'TRY', customers_called: 'branches' },
        { currency: 'EUR', customers_called: 'clients' },
      ],
    ],
  )
  const withAction = (await beta('GET', '/changes.php?action=create')).body.data
  assert.deepEqual(withAction, [data[0]])
})

test('a change to settings can be undone, and so can the undo', async () => {
  const gamma = await service.tenant('gamma')
  const set = async (currency: string) => (await gamma('PUT', path, { currency })).headers['change-set']
  const undo = async (changeSet: unknown) => (await gamma('POST', '/undo.php', { change_set: changeSet })).body
  const currency = async () => (await gamma('GET', path)).body.currency
  const [first, second] = [await set('USD'), await set('JPY')]
  await undo(second)
  assert.equal(await currency(), 'USD')
  const { error } = await undo(first)
  assert.equal(error.code, 'conflict') // the settings have changed since the first change
  const epsilon = await service.tenant('epsilon')
  const only = (await epsilon('PUT', path, { currency: 'USD' })).headers['change-set']
  const undone = (await epsilon('POST', '/undo.php', { change_set: only })).body
  assert.deepEqual((await epsilon('GET', path)).body.currency, 'EUR')
  await epsilon('POST', '/undo.php', { change_set: undone.change_set })
  assert.deepEqual((await epsilon('GET', path)).body.currency, 'USD')
  assert.equal((await epsilon('PUT', path, { currency: 'KWD' })).body.currency, 'KWD')
})

test('the tenant’s name can be changed as a setting, and a replay of an earlier change does not change it back', async () => {
  const delta = await service.tenant('delta')
  const headers = { 'idempotency-key': randomUUID() }
  const first = await delta('PUT', path, { name: ' Delta GmbH ' }, headers)
  assert.equal(first.body.name, 'Delta GmbH')
  assert.equal((await delta('GET', path)).body.name, 'Delta GmbH')
  const list = JSON.parse((await command(service.environment, 'tenant', 'list', '--json')).stdout)
  assert.equal(list.find((tenant: Json) => tenant.slug === 'delta').name, 'Delta GmbH')
  await delta('PUT', path, { name: 'Delta AG' })
  const replay = await delta('PUT', path, { name: ' Delta GmbH ' }, headers)
  assert.deepEqual([replay.headers['idempotent-replayed'], replay.headers.etag], ['true', first.headers.etag])
  assert.equal((await delta('GET', path)).body.name, 'Delta AG')
})

test('a refusal reports all invalid settings, each with its own code', async () => {
  const acme = await service.tenant('invalid')
  const wrong = {
    name: '',
    currency: 'EURO',
    time_zone: '+01:00',
    customers_called: 'shops',
    warranty_notice_days: -1,
    tag_format: 'TD-0000',
    next_tag_number: 1.5,
  }
  const refused = await acme('PUT', path, wrong)
  assertRefused(refused, 'validation_failed')
  assert.deepEqual(
    refused.body.fields.map((name: string) => [name, refused.body.errors[name].code]),
    [
      ['name', 'required'],
      ['currency', 'too_long'],
      ['time_zone', 'not_in_list'],
      ['customers_called', 'not_in_list'],
      ['warranty_notice_days', 'invalid_int'],
      ['tag_format', 'invalid_text'],
      ['next_tag_number', 'invalid_int'],
    ],
  )
  for (const [name, values] of Object.entries({
    currency: ['eur', 'XYZ', 978, 'E'],
    time_zone: ['Mars/Phobos', 'Europe', 5],
    tag_format: ['{}', '{00}{00}', 'TD-{1234}', '{0000000000}', 'TD-{', 'TD\n{0}', 'TD\u001b[8m{0}'],
  })) {
    for (const value of values)
      assertRefused(await acme('PUT', path, { [name]: value }), 'validation_failed', `${value}`)
  }
  for (const time_zone of ['Europe/Kyiv', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'UTC'])
    assert.equal((await acme('PUT', path, { time_zone })).body.time_zone, time_zone)
})

test('strict handling, entity tags and If-Match work for settings as they do for records', async () => {
  const acme = await service.tenant('strict')
  const strict = await acme('PUT', path, { curency: 'EUR' }, { prefer: 'handling=strict' })
  assert.match(strict.body.errors.curency.message, /nearest name is currency/)
  assertRefused(await acme('PUT', path, { curency: 'EUR' }), 'no_fields')
  const { headers } = await acme('GET', path)
  assert.equal((await acme('GET', path, undefined, { 'if-none-match': headers.etag! })).status, 304)
  const changed = await acme('PUT', path, { currency: 'USD' }, { 'if-match': headers.etag! })
  assert.equal(changed.status, 200)
  assertRefused(await acme('PUT', path, { currency: 'JPY' }, { 'if-match': headers.etag! }), 'precondition_failed')
  assert.equal((await acme('GET', path)).headers.etag, changed.headers.etag)
})

test('if two simultaneous changes are based on the same version of the settings, one is refused, even if they change only the name', async () => {
  const acme = await service.tenant('together')
  for (const [one, other] of [
    [{ name: 'North' }, { name: 'South' }],
    [{ name: 'East' }, { currency: 'JPY' }],
  ]) {
    const { headers, body } = await acme('GET', path)
    const change = (values: object) => acme('PUT', path, values, { 'if-match': headers.etag! })
    const responses = await Promise.all([change(one!), change(other!)])
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 412])
    const accepted = responses[0]!.status === 200 ? one : other
    assert.deepEqual((await acme('GET', path)).body, { ...body, ...accepted })
  }
})

test('settings have their own scopes, which the wildcard scopes include', async () => {
  await service.tenant('scoped')
  const key = async (scope: string) => service.client(await createKey(service.environment, 'scoped', [scope]))
  for (const scope of ['settings:write', '*:write', 'customers:read']) {
    assertRefused(await (await key(scope))('GET', path), 'forbidden', scope)
  }
  for (const scope of ['settings:read', '*:read', 'customers:write']) {
    assertRefused(await (await key(scope))('PUT', path, { currency: 'USD' }), 'forbidden', scope)
  }
  for (const scope of ['settings:read', '*:read']) assert.equal((await (await key(scope))('GET', path)).status, 200)
  for (const scope of ['settings:write', '*:write'])
    assert.equal((await (await key(scope))('PUT', path, { currency: 'USD' })).status, 200)
})

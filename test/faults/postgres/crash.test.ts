// Two processes behind a load balancer are killed and restarted under load, one at a time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  createClientModels,
  random,
  requireExactlyOnce,
  resendAll,
  seed,
  sendChangesDuring,
  withSeed,
} from '../../support/faults/exactly-once.ts'
import { makeTenant, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

const environment = { DATA_DIR: temporaryDirectory() }
const token = await makeTenant(environment, 'acme')
const server = await startProcess(environment)
const client = networkClient(server.url, token)

test('every change is applied exactly once while nodes are killed under load, one at a time', async (context) => {
  context.diagnostic(`SEED=${seed}`)
  const models = createClientModels(6)
  const unanswered = await sendChangesDuring(client, models, async (countUnanswered) => {
    for (let kills = 0; kills < 4 || (countUnanswered() < 4 && kills < 20); kills++) {
      await wait(random() * 200)
      await server.crash(Math.floor(random() * server.nodes.length))
    }
  })
  assert.ok(unanswered >= 4, withSeed(`only ${unanswered} requests have no response`))
  await Promise.all(models.map((model) => resendAll(client, model)))
  await requireExactlyOnce(environment, 'acme', models)
})

// Three processes behind a load balancer: one at a time is killed and restarted under load.

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
} from '../../support/exactly-once.ts'
import { makeTenant, networkClient, startProcess, temporaryDirectory } from '../../support/service.ts'

const environment = { DATA_DIR: temporaryDirectory() }
const token = await makeTenant(environment, 'acme')
const server = await startProcess(environment)
const client = networkClient(server.url, token)

test('every change is applied exactly once while one node after the other is killed under load', async (context) => {
  context.diagnostic(`SEED=${seed}`)
  const models = createClientModels(6)
  const silences = await sendChangesDuring(client, models, async (silences) => {
    for (let kills = 0; kills < 4 || (silences() < 4 && kills < 20); kills++) {
      await wait(random() * 200)
      await server.crash(Math.floor(random() * server.nodes.length))
    }
  })
  assert.ok(silences >= 4, withSeed(`only ${silences} requests got no response`))
  await Promise.all(models.map((worker) => resendAll(client, worker)))
  await requireExactlyOnce(environment, 'acme', models)
})

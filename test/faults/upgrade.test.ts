// Upgrades an installation and rolls the upgrade back as docs/guide/upgrade.md describes, with the programs of two
// versions.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../support/eventually.ts'
import {
  type Client,
  command,
  type Environment,
  makeTenant,
  networkClient,
  startProcess,
  temporaryDirectory,
} from '../support/service.ts'

const newer = { program: 'test/support/versions/serve-next-version.ts', nodes: 1 }
const older = { nodes: 1 }

test('an upgrade keeps keys, records and stored responses, and restoring a backup rolls it back', async () => {
  const [environment, backups, key] = [{ DATA_DIR: temporaryDirectory() }, temporaryDirectory(), randomUUID()]
  const token = await makeTenant(environment, 'acme')
  const create = (client: Client, name: string) =>
    client('POST', '/customers.php', { name }, { 'idempotency-key': name === 'First' ? key : randomUUID() })

  /** Runs a version of the program until `work` is done. */
  async function during<T>(
    settings: Environment,
    version: typeof newer | typeof older,
    work: (client: Client, url: string) => Promise<T>,
  ) {
    const server = await startProcess(settings, version)
    try {
      return await work(networkClient(server.url, token), server.url)
    } finally {
      await server.end('SIGTERM')
    }
  }

  async function readWhenServed(client: Client): Promise<string[]> {
    const list = await eventually('the tenant is served', async () => {
      const answer = await client('GET', '/customers.php')
      return answer.status !== 503 && answer
    })
    return list.body.data.map(({ name, region }: { name: string; region?: null }) => `${name} ${region}`)
  }

  const first = await during(environment, older, async (client) => (await create(client, 'First')).text)
  assert.equal((await command(environment, 'backup', '--to', backups)).exitCode, 0)

  await during(environment, newer, async (client, url) => {
    assert.deepEqual(await readWhenServed(client), ['First null'], 'with the new field')
    const repeated = await fetch(`${url}/customers.php`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'idempotency-key': key },
      body: '{"name": "First"}',
    })
    assert.equal(await repeated.text(), first, 'the stored response, without the new field')
    assert.equal((await create(client, 'Second')).body.id, 2)
  })
  await during(environment, older, async (client) => {
    assert.equal((await client('GET', '/customers.php')).status, 503)
    assert.equal((await create(client, 'Third')).status, 503)
  })
  await during(environment, newer, async (client) => {
    assert.deepEqual(await readWhenServed(client), ['First null', 'Second null'])
  })

  const rolledBack = { DATA_DIR: join(temporaryDirectory(), 'data') }
  mkdirSync(rolledBack.DATA_DIR)
  cpSync(join(environment.DATA_DIR, 'pepper'), join(rolledBack.DATA_DIR, 'pepper'))
  const restored = await command(rolledBack, 'restore', backups, '--all')
  assert.equal(restored.exitCode, 0, restored.stderr)
  await during(rolledBack, older, async (client) => {
    assert.deepEqual(await readWhenServed(client), ['First undefined'], 'as it was before the upgrade')
    assert.equal((await create(client, 'First')).text, first)
    assert.equal((await create(client, 'Second')).body.id, 2)
  })
})

// Kills the erasure commands. Repeating a command completes the erasure.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { dumpAll, storedNames, tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { random, withSeed } from '../support/faults/exactly-once.ts'
import { isFullRun } from '../support/faults/load.ts'
import {
  command,
  type Environment,
  engine,
  makeTenant,
  startService,
  temporaryDirectory,
  withEngineUrl,
} from '../support/service.ts'

const kills = isFullRun ? 30 : 2
const traces = ['Wilhelmina', 'wilhelmina', 'Quux', 'quux']

/** Creates a tenant with an employee whose record has been changed 1,200 times. */
async function createEmployee(environment: Environment): Promise<void> {
  const service = await startService(environment, { nodes: 1 })
  const acme = service.client(await makeTenant(environment, 'acme'))
  await acme('POST', '/customers.php', { name: 'Office' })
  const person = { customer_id: 1, email: 'wilhelmina@quux.example', name: 'Wilhelmina Quux' }
  assert.equal((await acme('POST', '/employees.php', person)).status, 201)
  for (let batch = 0; batch < 12; batch++) {
    const operations = Array.from({ length: 100 }, (_, index) => ({
      method: 'PUT',
      resource: 'employees',
      id: 1,
      body: { name: `Wilhelmina ${batch}-${index} Quux` },
    }))
    assert.equal((await acme('POST', '/bulk.php', { operations })).status, 200)
  }
  await service.service.close()
}

/** Starts the command and kills it at a random moment, unless it exits first. */
async function killDuring(environment: Environment, line: string[], withinMs: number): Promise<void> {
  const env = { ...process.env, ...(await withEngineUrl(environment)) }
  const child = spawn(process.execPath, ['src/main.ts', ...line], { env, stdio: 'ignore' })
  const ended = once(child, 'exit')
  await Promise.race([ended, wait(withinMs * (0.3 + 0.7 * random()))])
  child.kill('SIGKILL')
  await ended
}

test(`erasing a person removes the name from all history rows or from none, even if the command is killed ${kills} times`, async () => {
  const environment = { DATA_DIR: temporaryDirectory() }
  await createEmployee(environment)
  const line = ['erase-person', '1', '--tenant', 'acme', '--yes']
  const database = await tenantDatabaseOf(environment, 'acme')
  for (let round = 0; round < kills; round++) {
    await killDuring(environment, line, 1200)
    const rows = await database.all('select seq, before, after from changes order by seq')
    const named = rows.filter(({ before, after }) => `${before}${after}`.includes('Wilhelmina')).length
    assert.ok(named === 0 || named === 1201, withSeed(`${named} of ${rows.length} rows name the person`))
  }
  const erased = await command(environment, ...line)
  assert.equal(erased.exitCode, 0, erased.stderr)
  for (const [path, bytes] of await dumpAll(environment)) {
    if (engine === 'sqlite')
      assert.deepEqual(
        traces.filter((text) => bytes.includes(text)),
        [],
        withSeed(path),
      )
  }
  const history = await database.all('select seq from changes')
  assert.ok(history.length >= 1202, 'the history rows are kept')
})

test(`if the erasure of a tenant is killed, repeating the command completes it (${kills} rounds)`, async () => {
  for (let round = 0; round < kills; round++) {
    const environment = { DATA_DIR: temporaryDirectory() }
    await createEmployee(environment)
    const { id } = await tenantDatabaseOf(environment, 'acme')
    const line = ['erase', 'acme', '--yes']
    await killDuring(environment, line, 900)
    const repeated = await command(environment, ...line)
    assert.ok(repeated.exitCode === 0, withSeed(repeated.stderr))
    const names = await storedNames(environment)
    assert.deepEqual(
      names.filter((name) => name.includes(id)),
      [],
      withSeed("the tenant's database is removed"),
    )
    for (const [path, bytes] of await dumpAll(environment))
      assert.deepEqual(
        traces.filter((text) => bytes.includes(text)),
        [],
        withSeed(path),
      )
  }
})

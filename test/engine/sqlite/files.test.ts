// Several processes create and remove tenant files concurrently.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { resources } from '../../../src/domain/declarations/all.ts'
import { productOf } from '../../../src/domain/product.ts'
import { Unavailable } from '../../../src/engine/database/database.ts'
import { connect } from '../../../src/engine/database/sqlite/connection.ts'
import { fileStamp } from '../../../src/engine/database/sqlite/files.ts'
import { TenantFiles, tenantFile } from '../../../src/engine/sqlite/tenant-files.ts'
import type { TenantDatabaseState, TenantDatabases } from '../../../src/engine/tenant-databases.ts'
import { temporaryDirectory } from '../../support/service.ts'

const place = { id: 'a'.repeat(20), server: 'sqlite' }

/** Opens three instances. Like separate processes, they do not share any state. */
function openThree(): {
  directory: string
  path: string
  instances: [TenantDatabases, TenantDatabases, TenantDatabases]
} {
  const directory = temporaryDirectory()
  const open = () => new TenantFiles(directory, productOf(resources))
  return { directory, path: tenantFile(directory, place.id), instances: [open(), open(), open()] }
}

async function stateOf(databases: TenantDatabases): Promise<string> {
  return databases.read(
    place,
    async ({ database }) => (await database.get('select state from tenant'))!.state as string,
  )
}

test('if several processes create the same database concurrently, exactly one succeeds', async () => {
  const { path, instances } = openThree()
  const states: TenantDatabaseState[] = ['open', 'arriving', 'leaving']
  const results = await Promise.allSettled(instances.map((databases, index) => databases.create(place, states[index]!)))
  const created = results.findIndex(({ status }) => status === 'fulfilled')
  assert.deepEqual(
    results.map(({ status }) => status),
    results.map((_, index) => (index === created ? 'fulfilled' : 'rejected')),
  )
  for (const result of results)
    if (result.status === 'rejected') assert.match(result.reason.message, /the file .* already exists$/)
  assert.equal(await stateOf(instances[0]), states[created])
  assert.deepEqual(readdirSync(dirname(path)), [`${place.id}.sqlite`])
})

test('remove deletes a database only if it is in the given state, and leaves alone a database that has since replaced it', async () => {
  const { path, instances } = openThree()
  const [first, second, third] = instances
  await first.create(place, 'leaving')
  const removals = [first, second].map((databases) => databases.remove(place, 'leaving'))
  const creation = (async () => {
    while (existsSync(path)) await new Promise(setImmediate)
    await third.create(place, 'arriving')
  })()
  await Promise.all([...removals, creation])
  assert.equal(await stateOf(third), 'arriving')
  await first.remove(place, 'leaving')
  assert.equal(await stateOf(third), 'arriving')
  await second.remove(place, 'arriving')
  assert.deepEqual(readdirSync(dirname(path)), [])
})

test('an orphaned write-ahead log is not applied to the next database created at its path', async () => {
  const { path, instances } = openThree()
  await instances[0].create(place)
  await instances[0].remove(place)
  writeFileSync(`${path}-wal`, 'left by a crash')
  await instances[0].create(place, 'arriving')
  assert.deepEqual(readdirSync(dirname(path)), [`${place.id}.sqlite`])
  assert.equal(await stateOf(instances[0]), 'arriving')
})

/** Renames one file after another to the same path. */
const replaceFiles = `
  const { renameSync } = require('node:fs')
  const { workerData: { path, files } } = require('node:worker_threads')
  const sleeping = new Int32Array(new SharedArrayBuffer(4))
  for (const file of files) {
    renameSync(file, path)
    Atomics.wait(sleeping, 0, 0, 1)
  }`

test('a connection reports the inode of the file it has open, even if the path now leads to another file', async () => {
  const directory = temporaryDirectory()
  const [path, first] = [join(directory, 'file'), join(directory, 'first')]
  const files = Array.from({ length: 300 }, (_, index) => join(directory, String(index)))
  const database = new DatabaseSync(first)
  database.exec(`create table this (name text) strict; insert into this values ('0')`)
  database.close()
  const names = new Map(files.map((file, index) => [createCopy(first, file, index), index]))
  const replacer = new Worker(replaceFiles, { eval: true, workerData: { path, files } })
  let isOver = false
  const exit = once(replacer, 'exit').finally(() => {
    isOver = true
  })
  let opened = 0
  while (!isOver) {
    try {
      const connection = connect(path, 0, 'read')
      assert.equal(connection.get('select name from this')!.name, String(names.get(connection.inode)))
      connection.close()
      opened++
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
    }
    await new Promise(setImmediate)
  }
  await exit
  assert.ok(opened > 0)
})

/** Copies the file, stores `number` in the copy, and returns its inode. */
function createCopy(source: string, target: string, number: number): string {
  copyFileSync(source, target)
  const database = new DatabaseSync(target)
  database.exec(`update this set name = '${number}'`)
  database.close()
  return fileStamp(target)!.inode
}

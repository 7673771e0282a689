// Tenant files as they are made and removed, by several at once.

import assert from 'node:assert/strict'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { resources } from '../../../src/resources/all.ts'
import { sqliteDatabases, tenantFile } from '../../../src/storage/sqlite/files.ts'
import type { Databases, Standing } from '../../../src/storage/storage.ts'
import { temporaryDirectory } from '../../service.ts'

const place = { id: 'a'.repeat(20), server: 'sqlite' }

/** Each with a memory of its own, as processes have. */
function several(): { directory: string; path: string; each: [Databases, Databases, Databases] } {
  const directory = temporaryDirectory()
  const open = () => sqliteDatabases(directory, resources)
  return { directory, path: tenantFile(directory, place.id), each: [open(), open(), open()] }
}

async function standingOf(databases: Databases): Promise<string> {
  return databases.read(place, async ({ database }) => (await database.get('select id from tenant'))!.id as string)
}

test('of several creations of one database one makes it, and the others are refused', async () => {
  const { path, each } = several()
  const standings: Standing[] = ['open', 'arriving', 'leaving']
  const ends = await Promise.allSettled(each.map((databases, at) => databases.create(place, standings[at]!)))
  const made = ends.findIndex(({ status }) => status === 'fulfilled')
  assert.deepEqual(
    ends.map(({ status }) => status),
    ends.map((_, at) => (at === made ? 'fulfilled' : 'rejected')),
  )
  for (const end of ends) if (end.status === 'rejected') assert.match(end.reason.message, /there is a file .* already$/)
  const marks = [place.id, `arriving ${place.id}`, `leaving ${place.id}`]
  assert.equal(await standingOf(each[0]), marks[made])
  assert.deepEqual(readdirSync(dirname(path)), [`${place.id}.sqlite`])
})

test('a database that stands otherwise than the one to be removed stays, also when it came in its place meanwhile', async () => {
  const { path, each } = several()
  const [one, two, three] = each
  await one.create(place, 'leaving')
  const removals = [one, two].map((databases) => databases.remove(place, 'leaving'))
  const creation = (async () => {
    while (existsSync(path)) await new Promise(setImmediate)
    await three.create(place, 'arriving')
  })()
  await Promise.all([...removals, creation])
  assert.equal(await standingOf(three), `arriving ${place.id}`)
  await one.remove(place, 'leaving')
  assert.equal(await standingOf(three), `arriving ${place.id}`)
  await two.remove(place, 'arriving')
  assert.deepEqual(readdirSync(dirname(path)), [])
})

test('a log that lies where no file is does not get into the next database that is made there', async () => {
  const { path, each } = several()
  await each[0].create(place)
  await each[0].remove(place)
  writeFileSync(`${path}-wal`, 'what a crash has left')
  await each[0].create(place, 'arriving')
  assert.deepEqual(readdirSync(dirname(path)), [`${place.id}.sqlite`])
  assert.equal(await standingOf(each[0]), `arriving ${place.id}`)
})

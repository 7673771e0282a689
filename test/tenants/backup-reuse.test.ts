// A file that a backup takes over from the last one is checked, and copied anew if it is missing or damaged.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { backUp as runBackUp } from '../../src/tenants/backup/back-up.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { assertDone, assertRefused, backUp, flipByte, manifestsIn, passphraseFile } from '../support/backups.ts'
import { tenantDatabaseOf } from '../support/databases/tenant-database.ts'
import { command, type Json, makeTenant, startService, temporaryDirectory } from '../support/service.ts'

const { environment, tenant } = await startService()
const run = (...line: string[]) => command(environment, ...line)
const slugs = ['tenant-a', 'tenant-b', 'tenant-c', 'tenant-d']
for (const slug of slugs) await tenant(slug)
const sealed = ['--passphrase-file', passphraseFile('right')]

const fileOf = (directory: string, manifest: Json, slug: string) =>
  join(directory, 'databases', manifest.tenants.find((each: Json) => each.slug === slug).file)

/** Ways to lose a file without reading it. */
const losses: Record<string, (path: string) => void> = {
  'is missing': (path) => rmSync(path),
  'was cut off': (path) => writeFileSync(path, readFileSync(path).subarray(0, -1)),
  'is empty': (path) => writeFileSync(path, ''),
}

for (const [kind, line] of [
  ['a plain', []],
  ['an encrypted', sealed],
] as const)
  for (const [loss, lose] of Object.entries(losses))
    test(`${kind} file that ${loss} is copied anew by --since-last, which names it`, async () => {
      const directory = join(temporaryDirectory(), 'backups')
      const { manifest } = await backUp(environment, directory, ...line)
      lose(fileOf(directory, manifest, 'tenant-b'))
      const { copied, unchanged, lost, stderr } = await backUp(environment, directory, '--since-last', ...line)
      assert.deepEqual([copied, unchanged.length, lost.length], [['tenant-b'], slugs.length - 1, 1])
      assert.match(stderr, /The last backup of tenant-b was lost, \S+: the file /)
      const [newest] = manifestsIn(directory) as [string]
      for (const name of manifestsIn(directory)) if (name !== newest) rmSync(join(directory, name))
      assertDone(await run('verify', directory, ...line))
    })

test('each backup reads some of the files that it takes over, until all have been read', async () => {
  const directory = join(temporaryDirectory(), 'backups')
  const { manifest } = await backUp(environment, directory)
  flipByte(fileOf(directory, manifest, 'tenant-c'))
  const copied: string[] = []
  for (let runs = 0; runs < slugs.length; runs++)
    copied.push(...(await backUp(environment, directory, '--since-last')).copied)
  assert.deepEqual(copied, ['tenant-c'])
})

test('with a backup a day, a changed byte in any file is found within 29 days', async () => {
  const directory = join(temporaryDirectory(), 'backups')
  const { catalog, databases, close } = await openDatabases(readConfig(environment), resources, {}, 'command')
  const access = { passphrase: undefined, acceptUnencrypted: false, warn: () => {} }
  const request = { directory, slugs: null, sinceLast: true, keep: 2, access, scratchDirectory: directory }
  const dayMs = 86_400_000
  const backUpOn = (day: number) => {
    const now = () => new Date(Date.now() + day * dayMs)
    return runBackUp({ catalog, databases, resources, now }, request)
  }
  try {
    const { manifest } = await backUpOn(0)
    for (const slug of slugs) flipByte(fileOf(directory, manifest, slug))
    const found: string[] = []
    for (let day = 1; day <= 29; day++) found.push(...(await backUpOn(day)).copied)
    assert.deepEqual(found.sort(), slugs)
    const afterAbsence = (await backUpOn(100)).manifest
    const readTimes = afterAbsence.tenants.map(({ read_at }) => Date.parse(read_at!))
    assert.ok(readTimes.every((time) => time > Date.now() + 99 * dayMs)) // all were due
  } finally {
    await close()
  }
})

test('a backup of single tenants also copies the catalog and the other tenants whose files were lost', async () => {
  const directory = join(temporaryDirectory(), 'backups')
  const { manifest } = await backUp(environment, directory)
  rmSync(fileOf(directory, manifest, 'tenant-d'))
  rmSync(join(directory, 'databases', manifest.catalog.file))
  const { copied, lost, manifest: next } = await backUp(environment, directory, 'tenant-a')
  assert.deepEqual([copied, lost.length, next.tenants.length], [['tenant-a', 'tenant-d'], 2, slugs.length])
  assert.notEqual(next.catalog.file, manifest.catalog.file)
})

test('a tenant that can be neither read nor taken over is reported with both reasons', async () => {
  const directory = join(temporaryDirectory(), 'backups')
  const { manifest } = await backUp(environment, directory)
  rmSync(fileOf(directory, manifest, 'tenant-a'))
  const database = await tenantDatabaseOf(environment, 'tenant-a')
  await database.hide()
  const { exitCode, stderr } = await run('backup', '--to', directory, '--since-last')
  await database.show()
  assert.equal(exitCode, 1)
  assert.match(stderr, /Not backed up: tenant-a: .*; its earlier backup cannot be used either: the file is missing/)
  assertDone(await run('backup', 'list', directory), /^$/)
  const [newest] = JSON.parse((await run('backup', 'list', directory, '--json')).stdout)
  assert.deepEqual([newest.complete, newest.slugs], [true, slugs.slice(1)])
})

test('a job that deletes old files leaves a backup that is complete again after the next run', async () => {
  const directory = join(temporaryDirectory(), 'backups')
  await backUp(environment, directory)
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const { parentPath, name } of files) utimesSync(join(parentPath, name), new Date(0), new Date(0))
  spawnSync('find', [join(directory, 'databases'), '-type', 'f', '-mtime', '+30', '-delete'])
  assert.deepEqual(readdirSync(join(directory, 'databases')), [])
  const { copied } = await backUp(environment, directory, '--since-last', '--keep', '1')
  assert.deepEqual(copied, slugs)
  assertDone(await run('verify', directory))
})

test('a backup refuses a directory whose newest backup has none of its tenants: --keep would remove backups of others', async () => {
  const directory = join(temporaryDirectory(), 'backups')
  await backUp(environment, directory)
  const before = manifestsIn(directory)
  const others = { DATA_DIR: temporaryDirectory() } // prepared for an installation, as a disk that is not mounted seems to be
  for (const line of [[], ['--since-last'], ['--keep', '1']])
    assertRefused(
      await command(others, 'backup', '--to', directory, ...line),
      /The newest backup in \S+ has 4 tenants, and none of them exists here\. Check DATA_DIR and DATABASE_URL/,
    )
  await makeTenant(others, 'stranger')
  assertRefused(await command(others, 'backup', '--to', directory, '--keep', '1'), /none of them exists here/)
  assert.deepEqual(manifestsIn(directory), before)
  assertDone(await run('backup', '--to', directory, '--since-last', '--keep', '1'))

  const own = join(temporaryDirectory(), 'backups')
  assertDone(await command(others, 'backup', '--to', own))
  assertDone(await command(others, 'tenant', 'delete', 'stranger', '--yes'))
  await makeTenant(others, 'successor')
  assertDone(await command(others, 'backup', '--to', own)) // its own backups, although their tenant is gone
})

test('--since-last refuses a directory that lost its backups, because its disk may not be mounted', async () => {
  const parent = temporaryDirectory()
  const directory = join(parent, 'backups')
  await backUp(environment, directory)
  renameSync(directory, join(parent, 'unmounted'))
  const since = ['backup', '--to', directory, '--since-last']
  assertRefused(await run(...since), /There was a backup in \S+ at 20\S+, and now there is none\. Mount its disk\./)
  assert.deepEqual(readdirSync(parent), ['unmounted'])
  renameSync(join(parent, 'unmounted'), directory)
  assertDone(await run(...since))
  const below = join(parent, 'missing', 'backups')
  assertRefused(
    await run('backup', '--to', below, '--since-last'),
    /There is no directory \S+missing\. Mount the disk for the backups/,
  )
  rmSync(directory, { recursive: true })
  assertDone(await run('backup', '--to', directory), /There was no directory \S+\. It has been created\./)
  assertDone(await run(...since))
})

// The PostgreSQL server of the tests starts wherever the repository is.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { isRoot } from './scratch.ts'
import { temporaryDirectory } from './service.ts'

const script = `
const { startPostgres } = await import('./test/support/postgres.ts')
const server = await startPostgres()
const { default: pg } = await import('pg')
const client = new pg.Client(server.url + '/postgres')
await client.connect()
console.log((await client.query('select 1 + 1 as sum')).rows[0].sum)
await client.end()
await server.remove()`

/** Node.js must not resolve the symbolic links, because they lead out of the directory. */
const flags = ['--preserve-symlinks', '--preserve-symlinks-main', '--input-type=module', '--eval', script]

test('for root, PostgreSQL starts in a directory that only root can enter, whatever TMPDIR and the umask are', {
  skip: !isRoot && 'only root starts PostgreSQL as another user',
}, () => {
  const directory = temporaryDirectory() // mode 0700
  for (const name of ['node_modules', 'src', 'test', 'package.json']) symlinkSync(resolve(name), join(directory, name))
  const temporary = join(directory, 'tmp')
  mkdirSync(temporary)
  const options = { cwd: directory, env: { ...process.env, TMPDIR: temporary }, encoding: 'utf8' } as const
  const umask = process.umask(0o077)
  try {
    assert.equal(execFileSync(process.execPath, flags, options), '2\n')
  } finally {
    process.umask(umask)
  }
})

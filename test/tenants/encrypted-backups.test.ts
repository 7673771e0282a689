// With a passphrase, only what the passphrase encrypts and authenticates is read or written in a backup directory.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { assertDone, assertRefused, backUp, copyOf, flipByte, manifestsIn, passphraseFile } from '../support/backups.ts'
import { command, type Environment, type Json, startService, temporaryDirectory } from '../support/service.ts'

const { environment, tenant } = await startService()
const run = (...line: string[]) => command(environment, ...line)
const passphrase = ['--passphrase-file', passphraseFile('right')]
const otherPassphrase = ['--passphrase-file', passphraseFile('another')]
const accept = '--accept-unencrypted'

const acme = await tenant('acme-secret-name')
await acme('POST', '/customers.php', { name: 'Head office' })
await run('user', 'create', 'boss@acme.example', '--role', 'administrator')

const directory = join(temporaryDirectory(), 'sealed')
await backUp(environment, directory, ...passphrase)
const [manifestName] = manifestsIn(directory) as [string]

/** A plain backup of another installation, which somebody without the passphrase can make. */
const attackerDirectory = join(temporaryDirectory(), 'plain')
const attacker: Environment = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }
await command(attacker, 'tenant', 'create', 'acme-secret-name')
await command(attacker, 'user', 'create', 'attacker@evil.example', '--role', 'administrator')
await backUp(attacker, attackerDirectory)

/** Restores everything into a new installation. */
function restoreAll(from: string, ...line: string[]) {
  return command({ DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }, 'restore', from, '--all', ...line)
}

test('the manifest of an encrypted backup shows no names, no row counts and no number of users', () => {
  const text = readFileSync(join(directory, manifestName), 'utf8')
  assert.doesNotMatch(text, /acme|tenants|users|customers|rows|sha256/)
  assert.deepEqual(Object.keys(JSON.parse(text)), ['format', 'version', 'content'])
  const content = Buffer.from(JSON.parse(text).content, 'base64').toString('latin1')
  assert.match(content, /^tenantdesk-enc1\n/)
  assert.doesNotMatch(content, /acme|customers/)
})

test('with the passphrase, verify and restore refuse a forged unencrypted backup and name it', async () => {
  const forged = copyOf(directory)
  cpSync(attackerDirectory, forged, { recursive: true })
  const [forgedName] = manifestsIn(attackerDirectory)
  const refusal = new RegExp(`${forgedName}.*it is not encrypted.*--accept-unencrypted`, 's')
  const verified = await run('verify', forged, ...passphrase)
  assertRefused(verified, refusal)
  assertRefused(await restoreAll(forged, ...passphrase), refusal)
  const single = ['--tenant', 'acme-secret-name', '--as', 'forged']
  assertRefused(await run('restore', forged, ...single, ...passphrase), refusal)
  assertDone(await run('verify', forged, ...passphrase, accept), /^Warning: .*not encrypted/)
  assertDone(await restoreAll(forged, ...passphrase, accept), /^Warning: .*not encrypted/)
  assertDone(await restoreAll(forged, ...passphrase, '--backup', manifestName))
})

test('without the passphrase, a directory with encrypted backups is neither written to nor restored from', async () => {
  const forged = copyOf(directory)
  cpSync(attackerDirectory, forged, { recursive: true })
  assertRefused(await restoreAll(forged), /is encrypted: give its passphrase/)
  const before = readdirSync(forged, { recursive: true }).length
  assertRefused(await run('backup', '--to', forged), /is encrypted: give its passphrase/)
  assert.equal(readdirSync(forged, { recursive: true }).filter((name) => name !== 'backup.lock').length, before - 1)
  assertDone(await restoreAll(forged, accept))
  assertRefused(await run('backup', '--to', forged, accept), /has 1 tenants, and none of them exists here/)
  assertDone(await run('backup', '--to', copyOf(directory), accept))
  assertDone(await run('verify', directory, ...passphrase))
})

test('a manifest that was changed, renamed or replaced by one of version 1 is refused', async () => {
  for (const position of [0, 0.3, 0.9]) {
    const changed = copyOf(directory)
    flipByte(join(changed, manifestName), position)
    assertRefused(await run('verify', changed, ...passphrase), new RegExp(manifestName))
    assertRefused(await restoreAll(changed, ...passphrase), new RegExp(manifestName))
  }
  const renamed = copyOf(directory)
  const laterName = 'backup-20991231T000000000Z.json'
  renameSync(join(renamed, manifestName), join(renamed, laterName))
  assertRefused(
    await restoreAll(renamed, ...passphrase),
    new RegExp(`${laterName} is damaged.*a copy of ${manifestName}`),
  )
  const shortened = copyOf(directory)
  writeFileSync(join(shortened, manifestName), readFileSync(join(directory, manifestName)).subarray(0, 400))
  assertRefused(await restoreAll(shortened, ...passphrase), /is damaged/)
})

test('a named pipe in place of a manifest or a file is damage, and nothing waits for it', async () => {
  for (const path of [manifestName, join('databases', readdirSync(join(directory, 'databases'))[0]!)]) {
    const blocked = copyOf(directory)
    rmSync(join(blocked, path))
    spawnSync('mkfifo', [join(blocked, path)])
    assertRefused(await run('verify', blocked, ...passphrase), /Damaged files in .*it is not a file/)
  }
})

test('files cannot be swapped between backups, cut off, or replaced by other kinds of files', async () => {
  const several = copyOf(directory)
  await acme('POST', '/customers.php', { name: 'Later' })
  await backUp(environment, several, ...passphrase)
  const files = () => readdirSync(join(several, 'databases')).filter((name) => !name.startsWith('catalog'))
  const [older, newer] = files().map((name) => join(several, 'databases', name)) as [string, string]
  const bytes = readFileSync(newer)
  const restoreTenant = () => run('restore', several, '--tenant', 'acme-secret-name', '--as', 'never', ...passphrase)
  const damages = [
    () => cpSync(older, newer),
    () => writeFileSync(newer, bytes.subarray(0, bytes.length - 1)),
    () => writeFileSync(newer, bytes.subarray(0, 20)),
    () => writeFileSync(newer, ''),
    () => writeFileSync(newer, Buffer.concat([bytes, Buffer.from('more')])),
    () => flipByte(newer),
    () => rmSync(newer),
    () => {
      rmSync(newer)
      mkdirSync(newer)
    },
  ]
  for (const damage of damages) {
    damage()
    assertRefused(await restoreTenant(), /\.enc is damaged, and nothing was restored/)
    const { exitCode, stderr } = await run('verify', several, ...passphrase)
    assert.deepEqual([exitCode, /Damaged files in \S+: 1, such as \S+\.enc/.test(stderr)], [1, true], stderr)
    rmSync(newer, { recursive: true, force: true })
    writeFileSync(newer, bytes)
  }
  assertDone(await run('verify', several, ...passphrase))
})

test('verify names a backup and a file under another passphrase, and verifies the others', async () => {
  const mixed = copyOf(directory)
  const { manifest, stderr, lost } = await backUp(environment, mixed, ...otherPassphrase, '--since-last')
  assert.match(stderr, new RegExp(`not used: 1, such as ${manifestName}: this is not the passphrase`))
  assert.deepEqual([manifest.tenants.length, lost], [1, []])
  const [newName] = manifestsIn(mixed) as [string]
  const { exitCode, stdout } = await run('verify', mixed, ...otherPassphrase, '--json')
  const { files, refused, damaged } = JSON.parse(stdout)
  assert.deepEqual([exitCode, files, damaged, refused.length, refused[0].file], [1, 2, [], 1, manifestName])
  assertRefused(await run('verify', mixed, ...passphrase), new RegExp(`${newName}: this is not the passphrase`))
  const [target, source] = [manifest.tenants[0].file, readdirSync(join(directory, 'databases'))[0]!]
  cpSync(join(directory, 'databases', source), join(mixed, 'databases', target))
  assertRefused(await run('verify', mixed, ...otherPassphrase), /Files .*not verified: 2, such as/)
  assertRefused(
    await run('restore', mixed, '--tenant', 'acme-secret-name', '--as', 'never', ...otherPassphrase),
    new RegExp(`${target} was not restored: this is not the passphrase`),
  )
})

test('with a new passphrase everything is copied anew, and --keep removes what the old one encrypts', async () => {
  const rotated = copyOf(directory)
  const lines = [...otherPassphrase, '--since-last', '--keep', '2']
  await backUp(environment, rotated, ...lines)
  assert.ok(manifestsIn(rotated).includes(manifestName)) // fewer than two backups are readable
  const { removed, unchanged } = await backUp(environment, rotated, ...lines)
  assert.deepEqual([removed, unchanged], [1, ['acme-secret-name']])
  assertDone(await run('verify', rotated, ...otherPassphrase))
  assert.equal(readdirSync(join(rotated, 'databases')).length, 3) // a tenant’s file, and two catalogs
})

test('backups that cannot be read neither displace others nor determine the next backup’s name', async () => {
  const crowded = copyOf(directory)
  for (let day = 10; day < 14; day++)
    writeFileSync(
      join(crowded, `backup-999912${day}T000000000Z.json`),
      readFileSync(join(attackerDirectory, manifestsIn(attackerDirectory)[0]!)),
    )
  const { path } = await backUp(environment, crowded, ...passphrase, '--keep', '2')
  assert.match(path, /backup-20\d+T/)
  assert.ok(manifestsIn(crowded).includes(manifestName))
})

test('an encrypted backup of version 1.0.0 is restored only with --accept-unencrypted, which warns', async () => {
  const older = copyOf('test/support/versions/backup-1.0.0')
  const key = ['--passphrase-file', passphraseFile('a passphrase of an older version')]
  const refusal =
    /its manifest was written by Tenantdesk 1\.0\.0, and the passphrase does not authenticate it; add --acc/
  assertRefused(await run('verify', older, ...key), refusal)
  assertRefused(await restoreAll(older, ...key), refusal)
  assertRefused(await restoreAll(older), /is encrypted: give its passphrase/)
  assertDone(await run('verify', older, ...key, accept), /^Warning: backup-\S+ is used although its manifest/)
  const elsewhere: Environment = { DATA_DIR: temporaryDirectory(), DATABASE_URL: '' }
  assertDone(
    await command(elsewhere, 'restore', older, '--all', ...key, accept),
    /^Warning: .*1 tenants, 1 users, 1 API/s,
  )
  assert.match((await command(elsewhere, 'user', 'list')).stdout, /boss@acme\.example/)
  assertDone(await run('restore', older, '--tenant', 'acme', '--as', 'from-older', ...key, accept))
  const again = await backUp(environment, older, ...key, '--since-last', '--keep', '1')
  assert.deepEqual([again.unchanged, again.removed], [[], 1]) // files of 1.0.0 are not reused
  assertDone(await run('verify', older, ...key))
})

test('a database that is larger than the manifest says is not extracted', async () => {
  const bomb = copyOf(attackerDirectory)
  const [name] = manifestsIn(bomb) as [string]
  const { sha256: _, ...manifest }: Json = JSON.parse(readFileSync(join(bomb, name), 'utf8'))
  const { createHash } = await import('node:crypto')
  const { zstdCompressSync } = await import('node:zlib')
  const huge = zstdCompressSync(Buffer.alloc(50 * 2 ** 20))
  const [entry] = manifest.tenants
  writeFileSync(join(bomb, 'databases', entry.file), huge)
  Object.assign(entry, { bytes: huge.length, sha256: createHash('sha256').update(huge).digest('hex') })
  const sha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
  writeFileSync(join(bomb, name), `${JSON.stringify({ ...manifest, sha256 }, null, 2)}\n`)
  assertRefused(await run('verify', bomb), /larger than the manifest says/)
  entry.database_bytes = 2 ** 50
  const sum = createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
  writeFileSync(join(bomb, name), `${JSON.stringify({ ...manifest, sha256: sum }, null, 2)}\n`)
  assertRefused(await run('verify', bomb), /has only .* of free space, too little for a database of 1\.0 PiB|1024 TiB/)
})

test('a link in a backup directory does not lead a backup to other files', async () => {
  const target = temporaryDirectory()
  mkdirSync(join(target, 'victim'))
  writeFileSync(join(target, 'victim', 'keep.tmp'), 'a file of somebody else')
  for (const name of ['databases', 'backup.lock']) {
    const linked = join(temporaryDirectory(), 'linked')
    mkdirSync(linked)
    symlinkSync(join(target, 'victim'), join(linked, name))
    assertRefused(await run('backup', '--to', linked), /contains a link in place of/)
    assert.deepEqual(readdirSync(join(target, 'victim')), ['keep.tmp'])
  }
})

test('verify ignores lock files and links that others put into the directory for temporary files', async () => {
  const victim = join(temporaryDirectory(), 'victim')
  mkdirSync(victim)
  writeFileSync(join(victim, 'keep'), '')
  const names = ['scratch-aaaaaaaaaaaa', 'tenantdesk-verify-linked', 'tenantdesk-verify-file'].map((name) =>
    join(tmpdir(), name),
  )
  rmSync(`${names[0]}.lock`, { force: true })
  writeFileSync(`${names[0]}.lock`, 'junk')
  symlinkSync(victim, names[1]!)
  writeFileSync(names[2]!, 'junk')
  writeFileSync(join(victim, 'scratch-bbbbbbbbbbbb.lock'), '')
  try {
    assertDone(await run('verify', directory, ...passphrase))
    assert.deepEqual(readdirSync(victim).sort(), ['keep', 'scratch-bbbbbbbbbbbb.lock'])
    assert.equal(readFileSync(`${names[0]}.lock`, 'utf8'), 'junk')
  } finally {
    for (const path of [`${names[0]}.lock`, names[1]!, names[2]!]) rmSync(path, { force: true })
  }
})

test('a passphrase file that other users can read causes a warning', async () => {
  const path = passphraseFile('right')
  chmodSync(path, 0o644)
  const { stderr, exitCode } = await run('verify', directory, '--passphrase-file', path)
  assert.deepEqual(
    [exitCode, stderr.split('\n')[0]],
    [0, `Other users of this machine can read the passphrase in ${path}. To prevent this: chmod 600 ${path}`],
  )
})

test('backup list shows time, tenants, completeness and encryption of each backup', async () => {
  const listed = copyOf(directory)
  const list = async (...line: string[]): Promise<Json[]> => {
    const outcome = await run('backup', 'list', listed, '--json', ...line)
    assert.equal(outcome.exitCode, 0, outcome.stderr)
    return JSON.parse(outcome.stdout)
  }
  const [backup] = await list(...passphrase)
  const { time, ...others } = backup
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 600_000)
  assert.deepEqual(
    { ...others, bytes: 0 },
    {
      name: manifestName,
      encrypted: true,
      version: others.version,
      tenants: 1,
      slugs: ['acme-secret-name'],
      catalog: true,
      bytes: 0,
      complete: true,
      problem: null,
    },
  )
  const [unread] = await list()
  assert.deepEqual([unread.encrypted, unread.tenants, unread.complete], [true, null, null])
  assert.match(unread.problem, /it is encrypted: give its passphrase/)
  const [file] = readdirSync(join(listed, 'databases'))
  rmSync(join(listed, 'databases', file!))
  const [incomplete] = await list(...passphrase)
  assert.deepEqual([incomplete.complete, incomplete.problem], [false, `${file} is missing or has another size`])
  assert.match((await run('backup', 'list', attackerDirectory)).stdout, /^backup-\S+ {2}20\S+ {2}1 {2}yes {2}no$/m)
  assertRefused(await run('backup', 'list', temporaryDirectory()), /There is no backup in/)
})

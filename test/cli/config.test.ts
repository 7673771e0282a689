// Configuration files, and the command that shows where each setting comes from.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { loadSettings } from '../../src/cli/setting-sources.ts'
import { serverSettings } from '../../src/config.ts'
import { startAndStop } from '../support/program.ts'
import { command, type Json, temporaryDirectory } from '../support/service.ts'

/** Creates a directory with these files, and makes the files readable only by their owner. */
function directoryWith(files: Record<string, string>): string {
  const directory = temporaryDirectory()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text, { mode: 0o600 })
  return directory
}

const refusal = (environment: Record<string, string>, directory: string): string => {
  try {
    loadSettings(environment, directory)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test('the environment takes precedence over the file in DATA_DIR, and that file over the one in the working directory', () => {
  const data = directoryWith({ '.env': 'PORT=2\nHOST=127.0.0.2\n' })
  const here = directoryWith({
    '.env': `# Settings\nexport PORT=1\nHOST="127.0.0.1"\nLOG_LEVEL=debug # more\nDATA_DIR=${data}\n`,
  })
  const { config } = loadSettings({ PORT: '3' }, here)
  assert.deepEqual([config.PORT, config.HOST, config.LOG_LEVEL, config.DATA_DIR], [3, '127.0.0.2', 'debug', data])
  const other = loadSettings({ DATA_DIR: temporaryDirectory(), HOST: '' }, here).config
  assert.deepEqual([other.PORT, other.HOST], [1, '127.0.0.1'], 'an empty variable is treated as unset')
})

test('a secret in the environment, even if set with _FILE, takes precedence over the same secret in a configuration file', () => {
  const [one, two] = ['1', '2'].map((digit) => `postgres://${digit}/x`) as [string, string]
  const here = directoryWith({ '.env': `DATABASE_URL=${one}\n`, secret: two })
  assert.equal(loadSettings({}, here).config.DATABASE_URL, one)
  assert.equal(loadSettings({ DATABASE_URL_FILE: join(here, 'secret') }, here).config.DATABASE_URL, two)
})

test('a configuration file may have Windows line endings and a byte order mark', () => {
  const { config } = loadSettings({}, directoryWith({ '.env': '\uFEFFPORT=80\r\nHOST=::1\r\n' }))
  assert.deepEqual([config.PORT, config.HOST], [80, '::1'])
})

test('relative paths in a configuration file are relative to the directory of that file', () => {
  const directories = Object.keys(serverSettings).filter((name) => name.endsWith('_DIR')) as (
    | 'DATA_DIR'
    | 'BACKUP_DIR'
  )[]
  const lines = [...directories.map((name) => `${name}=store`), 'METRICS_TOKEN_FILE=token']
  const here = directoryWith({ '.env': lines.join('\n'), token: 'hunter2' })
  const { config } = loadSettings({}, here)
  assert.deepEqual(directories.toSorted(), ['BACKUP_DIR', 'DATA_DIR'])
  for (const name of directories) assert.equal(config[name], join(here, 'store'), name)
  assert.equal(config.METRICS_TOKEN, 'hunter2')
})

test('an invalid value in a configuration file is refused with a sentence that names the setting and the file', () => {
  const here = directoryWith({ '.env': 'PORT=http\n' })
  const message = `PORT must be a whole number from 0 to 65535, not "http" (${join(here, '.env')}).`
  assert.equal(refusal({}, here), message)
  assert.equal(refusal({ PORT: '80' }, here), '')
})

test('a configuration file in DATA_DIR may set DATA_DIR to that directory but not to another one', () => {
  const data = temporaryDirectory()
  writeFileSync(join(data, '.env'), `DATA_DIR=${data}\n`)
  assert.equal(refusal({ DATA_DIR: data }, temporaryDirectory()), '')
  writeFileSync(join(data, '.env'), 'DATA_DIR=/elsewhere\n')
  assert.match(refusal({ DATA_DIR: data }, temporaryDirectory()), /^DATA_DIR is .*, but .* names another directory\.$/)
  const other = directoryWith({ '.env': `DATA_DIR=${data}\n` })
  assert.match(refusal({}, other), /names another directory\.$/)
})

const isRoot = process.getuid?.() === 0

test('a configuration file that another user can write to is refused', { skip: !isRoot }, () => {
  const here = directoryWith({ '.env': 'PORT=1\n' })
  const path = join(here, '.env')
  chmodSync(path, 0o606)
  assert.equal(refusal({}, here), `${path} can be written by every user of this machine; to prevent this: chmod o-w.`)
  chmodSync(path, 0o600)
  chownSync(path, 4711, 4711)
  assert.equal(refusal({}, here), `${path} belongs to another user (id 4711), who could control the settings.`)
  chownSync(here, 4711, 4711)
  assert.equal(refusal({}, here), '', 'the owner of the directory may own the file')
})

test('it is not an error if a configuration file is missing, a directory or a broken link, or if DATA_DIR is a file', () => {
  const here = temporaryDirectory()
  mkdirSync(join(here, '.env'))
  assert.equal(refusal({}, here), '')
  const there = temporaryDirectory()
  symlinkSync('nowhere', join(there, '.env'))
  assert.equal(refusal({}, there), '')
  assert.equal(refusal({ DATA_DIR: join(directoryWith({ file: '' }), 'file') }, there), '')
})

test('misspelled settings and secrets readable by other users cause warnings; other programs’ variables do not', () => {
  const here = directoryWith({ '.env': 'DATABASE_POOLMAX=5\nPOSTGRES_PASSWORD=hunter2\nMETRICS_TOKEN=hunter2\n' })
  const path = join(here, '.env')
  const misspelled = `The name DATABASE_POOLMAX in ${path} has no effect; the setting is called DATABASE_POOL_MAX.`
  assert.deepEqual(loadSettings({}, here).warnings, [misspelled])
  chmodSync(path, 0o644)
  const exposed = `Other users of this machine can read METRICS_TOKEN in ${path}. To prevent this: chmod 600 ${path}`
  assert.deepEqual(loadSettings({}, here).warnings, [misspelled, exposed])
})

test('config shows each setting with its source, and masks secrets', async () => {
  const data = directoryWith({
    '.env': 'PORT=9000\nDATABASE_URL=postgres://ada:hunter2@db:5432/assets?password=hunter2\n',
    token: 'hunter2',
  })
  const environment = { DATA_DIR: data, METRICS_TOKEN_FILE: join(data, 'token'), HOST: '::1' }
  const { exitCode, stdout, stderr } = await command({ ...environment, DATABASE_URL: '' }, 'config', '--json')
  assert.equal(exitCode, 0, stderr)
  const rows: Json[] = JSON.parse(stdout)
  const row = (name: string) => {
    const { value, source, variable } = rows.find((candidate) => candidate.name === name)
    return [value, source, variable]
  }
  const file = join(data, '.env')
  assert.deepEqual(row('PORT'), ['9000', file, 'PORT'])
  assert.deepEqual(row('HOST'), ['::1', 'environment', 'HOST'])
  assert.deepEqual(row('LOG_LEVEL'), ['info', 'default', null])
  assert.deepEqual(row('API_KEY_PEPPER'), [null, 'default', null])
  assert.deepEqual(row('DATABASE_URL'), ['postgres://ada@db:5432/assets', file, 'DATABASE_URL'])
  assert.deepEqual(row('METRICS_TOKEN'), ['(set)', 'environment', 'METRICS_TOKEN_FILE'])
  assert.ok(stderr.startsWith(`Settings were read from ${file}.\nThere is no file `), stderr)
  assert.ok(!`${stdout}${stderr}`.includes('hunter2'))
  assert.match(
    (await command(environment, 'config')).stdout,
    /^METRICS_TOKEN +\(set\) +environment, METRICS_TOKEN_FILE$/m,
  )
})

test('a command and a server in the same directory use the same configuration file', async () => {
  const data = directoryWith({ '.env': 'API_BASE_PATHS=/x\nAPI_BASE_PATH=/assets\nLOG_LEVEL=silent\n' })
  const here = directoryWith({ '.env': `DATA_DIR=${data}\n` })
  const { DATA_DIR, ...environment } = process.env
  const created = execFileSync(process.execPath, [resolve('src/main.ts'), 'tenant', 'create', 'acme'], {
    cwd: here,
    env: environment,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  assert.equal(created, 'acme\n')
  const stderr = await startAndStop({ DATA_DIR: data })
  assert.match(stderr, /The API is at http:\S+\/assets\n/)
  assert.match(stderr, /The name API_BASE_PATHS in \S+\.env has no effect; the setting is called API_BASE_PATH\.\n/)
})

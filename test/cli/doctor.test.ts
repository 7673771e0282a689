// `tenantdesk doctor` finds problems, gives advice and changes nothing.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { runInProcess } from '../support/program.ts'
import { command, type Environment, makeTenant, startService, temporaryDirectory } from '../support/service.ts'

type Finding = { check: string; status: 'ok' | 'warning' | 'error'; message: string; advice: string | null }

async function doctor(environment: Environment): Promise<{ exitCode: number; stderr: string; findings: Finding[] }> {
  const { exitCode, stdout, stderr } = await command({ PORT: '0', ...environment }, 'doctor', '--json')
  return { exitCode, stderr, findings: JSON.parse(stdout) }
}

/** Returns a check's findings that report a problem. */
async function problemsOf(environment: Environment, check: string): Promise<Finding[]> {
  const { findings } = await doctor(environment)
  for (const { status, advice } of findings) assert.equal(advice === null, status === 'ok', 'every problem has advice')
  return findings.filter((finding) => finding.check === check && finding.status !== 'ok')
}

/** Creates an installation with two tenants, whose server has been stopped. */
async function createInstallation() {
  const DATA_DIR = join(temporaryDirectory(), 'data')
  const environment = { DATA_DIR, DATABASE_URL: '', PORT: '0' }
  const { service } = await startService(environment, { nodes: 1 })
  await makeTenant(environment, 'acme')
  await makeTenant(environment, 'globex')
  await service.close()
  const files = globSync(`${DATA_DIR}/tenants/*/*.sqlite`)
  return { environment, DATA_DIR, files }
}

const intactInstallation = await createInstallation()

/** Returns every file's path and checksum. */
function checksumsOf(directory: string): string[] {
  return globSync(`${directory}/**/*`)
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
    .sort()
}

test('doctor finds no problem in an intact installation, changes nothing, and exits with code 0', async () => {
  const before = checksumsOf(intactInstallation.DATA_DIR)
  const { exitCode, stderr, findings } = await doctor(intactInstallation.environment)
  assert.deepEqual(checksumsOf(intactInstallation.DATA_DIR), before)
  assert.deepEqual([exitCode, stderr], [0, ''])
  const checks = new Set(findings.map(({ check }) => check))
  for (const check of [
    'versions',
    'settings',
    'data_directory',
    'disk_space',
    'disk_sync',
    'catalog',
    'open_files',
    'pepper',
    'clock',
    'tenants',
    'backups',
    'server',
    'proxy',
  ])
    assert.ok(checks.has(check), check)
  // disk_sync may report a problem, because the test directory may be in memory or on a slow disk.
  const problems = findings.filter(({ check, status }) => status !== 'ok' && check !== 'disk_sync')
  assert.deepEqual(problems, [])
})

test('doctor prints a line for each finding, with the advice below it', async () => {
  const settings = { ...intactInstallation.environment, MIN_FREE_DISK_BYTES: String(2 ** 50) }
  const { exitCode, stdout, stderr } = await command(settings, 'doctor')
  assert.equal(exitCode, 1)
  assert.equal(stderr, 'There is 1 problem to solve.\n')
  assert.match(stdout, /^ok +versions +Tenantdesk \d/m)
  assert.match(
    stdout,
    /^error +disk_space +Only [^\n]* free, less than MIN_FREE_DISK_BYTES [^\n]*\n +→ Enlarge the disk/m,
  )
})

test('doctor refuses every setting with which the server would not start', async () => {
  for (const [settings, message] of [
    [{ BACKUP_EVERY: '24h' }, /^BACKUP_EVERY requires BACKUP_DIR/],
    [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of/],
  ] as const) {
    const { exitCode, stdout, stderr } = await command({ ...intactInstallation.environment, ...settings }, 'doctor')
    assert.deepEqual([exitCode, stdout], [1, ''])
    assert.match(stderr, message)
  }
})

test('with --json, an invalid setting is a finding on stdout, and the only one', async () => {
  const { exitCode, stderr, findings } = await doctor({ ...intactInstallation.environment, LOG_LEVEL: 'loud' })
  const [{ check, status, message, advice }, ...others] = findings as [Finding, ...Finding[]]
  assert.deepEqual([exitCode, check, status, others], [1, 'settings', 'error', []])
  assert.match(message, /^LOG_LEVEL must be one of/)
  assert.equal(stderr, `${message}\n`)
  assert.notEqual(advice, null)
})

test('a directory without an installation is an error, and doctor does not create one', async () => {
  const DATA_DIR = temporaryDirectory()
  const missing = await doctor({ DATA_DIR: join(DATA_DIR, 'none'), DATABASE_URL: '' })
  assert.equal(missing.exitCode, 1)
  assert.deepEqual(
    missing.findings.filter(({ status }) => status === 'error').map(({ check }) => check),
    ['data_directory', 'catalog'],
  )
  assert.deepEqual(globSync(`${DATA_DIR}/*`), [])
})

test('doctor reports tenants whose databases are missing, damaged or at a different version', async () => {
  const { environment, files, DATA_DIR } = await createInstallation()
  const [damaged, missing] = files as [string, string]
  const bytes = readFileSync(damaged)
  writeFileSync(damaged, Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(bytes.length - 8192, 'x')]))
  renameSync(missing, `${missing}.away`)
  const problems = await problemsOf(environment, 'tenants')
  assert.deepEqual(
    problems.map(({ status, message }) => [status, /^The database of (acme|globex) cannot be used: /.test(message)]),
    [
      ['error', true],
      ['error', true],
    ],
  )
  assert.ok(problems.some(({ message }) => message.includes('malformed') || message.includes('damaged')))
  assert.ok(problems.some(({ message }) => message.includes('there is no file')))

  writeFileSync(damaged, bytes)
  renameSync(`${missing}.away`, missing)
  const older = new DatabaseSync(damaged)
  const version = older.prepare('pragma user_version').get()!.user_version as number
  older.exec(`pragma user_version = ${version - 1}`)
  older.close()
  const [behind, ...rest] = await problemsOf(environment, 'schema_versions')
  assert.deepEqual([behind!.status, rest], ['warning', []])
  assert.match(behind!.message, /^1 of 2 tenants have a schema older than version \d+: (acme|globex)\.$/)
  const newer = new DatabaseSync(damaged)
  newer.exec(`pragma user_version = ${version + 1}`)
  newer.close()
  assert.match((await problemsOf(environment, 'schema_versions'))[0]!.message, /^1 of 2 tenants have a schema newer/)
  assert.ok(existsSync(join(DATA_DIR, 'pepper')))
})

test('doctor finds a missing pepper and a wrong pepper', async () => {
  const { environment, DATA_DIR } = await createInstallation()
  const path = join(DATA_DIR, 'pepper')
  const right = readFileSync(path)
  unlinkSync(path)
  assert.match((await problemsOf(environment, 'pepper'))[0]!.message, /^Pepper 1 is missing, and API keys depend on it/)
  assert.ok(!existsSync(path), 'doctor does not create a pepper')
  writeFileSync(path, `1:${'x'.repeat(40)}`, { mode: 0o600 })
  const [wrongPepper] = await problemsOf(environment, 'pepper')
  assert.match(wrongPepper!.message, /^Pepper 1 is not the one/)
  assert.ok(!JSON.stringify(wrongPepper).includes('xxxx'))
  writeFileSync(path, right)
  assert.deepEqual(await problemsOf(environment, 'pepper'), [])
})

test('doctor finds files that other users can read', async () => {
  const { environment, DATA_DIR } = await createInstallation()
  chmodSync(DATA_DIR, 0o755)
  chmodSync(join(DATA_DIR, 'pepper'), 0o644)
  const problems = await problemsOf(environment, 'data_directory')
  assert.deepEqual(
    problems.map(({ advice }) => advice),
    [`chmod 700 ${DATA_DIR}`, `chmod 600 ${join(DATA_DIR, 'pepper')}`],
  )
})

test('doctor does not migrate an older catalog, and reports a newer catalog as an error', async () => {
  const { environment, DATA_DIR } = await createInstallation()
  const path = join(DATA_DIR, 'catalog.sqlite')
  const set = (change: number) => {
    const catalog = new DatabaseSync(path)
    const version = (catalog.prepare('pragma user_version').get()!.user_version as number) + change
    catalog.exec(`pragma user_version = ${version}`)
    catalog.close()
  }
  set(-1)
  const before = checksumsOf(DATA_DIR)
  const older = await doctor(environment)
  assert.deepEqual(checksumsOf(DATA_DIR), before)
  assert.equal(older.findings.find(({ check }) => check === 'catalog')!.status, 'warning')
  assert.ok(!older.findings.some(({ check }) => check === 'tenants'))
  set(2)
  const newer = await doctor(environment)
  assert.deepEqual([newer.exitCode, newer.findings.find(({ check }) => check === 'catalog')!.status], [1, 'error'])
})

test('doctor reports a clock that was set back', async () => {
  const { environment, DATA_DIR } = await createInstallation()
  const catalog = new DatabaseSync(join(DATA_DIR, 'catalog.sqlite'))
  catalog.prepare('update audit_events set at = ?').run(new Date(Date.now() + 3_600_000).toISOString())
  catalog.close()
  assert.match((await problemsOf(environment, 'clock'))[0]!.message, /3\d{3} s in the future/)
})

test('while a server is running, doctor also reports the state of the server and problems with a proxy', async () => {
  const started = await startService({ DATABASE_URL: '' }, { nodes: 1 })
  await makeTenant(started.environment, 'acme')
  const { port, origin } = new URL(await started.listen())
  const environment = { ...started.environment, PORT: port }
  const { findings } = await doctor(environment)
  const server = findings.find(({ check }) => check === 'server')
  assert.deepEqual(server, {
    check: 'server',
    status: 'ok',
    message: `The server at ${origin} is ready.`,
    advice: null,
  })
  assert.equal((await problemsOf({ ...environment, PUBLIC_URL: origin }, 'proxy')).length, 0)
  const [elsewhere] = await problemsOf({ ...environment, PUBLIC_URL: 'http://127.0.0.1:9' }, 'proxy')
  assert.match(elsewhere!.message, /^PUBLIC_URL cannot be reached from this machine: /)
  const secure = await problemsOf({ ...environment, PUBLIC_URL: 'https://127.0.0.1:9' }, 'proxy')
  assert.match(secure[0]!.message, /TRUST_PROXY is not set/)
  await fetch(`${origin}/healthz`, { headers: { 'x-forwarded-for': '203.0.113.7' } })
  const [proxied] = await problemsOf(environment, 'server')
  assert.match(proxied!.message, /^The server reports proxy: .*TRUST_PROXY is not set/)
  assert.match(proxied!.advice!, /^Set TRUST_PROXY/)
})

test('doctor warns about a tenant without a recent backup until the tenant has one', async () => {
  const { environment, DATA_DIR } = await createInstallation()
  const catalog = new DatabaseSync(join(DATA_DIR, 'catalog.sqlite'))
  catalog.exec(`update tenants set created_at = '2026-01-01T00:00:00.000Z' where slug = 'acme'`)
  catalog.close()
  const [late] = await problemsOf(environment, 'backups')
  assert.match(late!.message, /^1 of 2 tenants have had no backup since 2026-01-01/)
  assert.match(late!.advice!, /tenantdesk backup --to DIR/)
  assert.equal((await command(environment, 'backup', '--to', join(temporaryDirectory(), 'backups'))).exitCode, 0)
  assert.deepEqual(await problemsOf(environment, 'backups'), [])
})

/** Overwrites the middle of a file with noise. */
function damage(path: string): void {
  const bytes = readFileSync(path)
  writeFileSync(path, Buffer.concat([bytes.subarray(0, 4096), Buffer.alloc(bytes.length - 4096, 'x')]))
}

test('doctor works on a damaged catalog, names the file, and says how to restore it', async () => {
  const { environment, DATA_DIR } = await createInstallation()
  const path = join(DATA_DIR, 'catalog.sqlite')
  const intact = readFileSync(path)
  for (const spoil of [() => damage(path), () => writeFileSync(path, Buffer.alloc(intact.length, 'x'))]) {
    spoil()
    const { exitCode, findings } = await doctor(environment)
    const [problem] = findings.filter(({ check }) => check === 'catalog')
    assert.deepEqual([exitCode, problem!.status], [1, 'error'])
    assert.ok(problem!.message.startsWith(`The catalog ${path} is damaged: `), problem!.message)
    assert.match(problem!.advice!, /tenantdesk restore <backup> --catalog$/)
    assert.ok(
      findings.some(({ check }) => check === 'server'),
      'the other checks run',
    )
    const serve = await runInProcess({ ...environment, LOG_LEVEL: 'silent' }, 'serve')
    assert.equal(serve.exitCode, 1)
    assert.ok(serve.stderr.includes(`catalog ${path} is damaged`), serve.stderr)
    writeFileSync(path, intact)
  }
  assert.equal((await doctor(environment)).exitCode, 0)
})

test('doctor checks BACKUP_DIR even if the catalog cannot be used, and leaves nothing there', async () => {
  const damaged = await createInstallation()
  damage(join(damaged.DATA_DIR, 'catalog.sqlite'))
  const older = await createInstallation()
  const catalog = new DatabaseSync(join(older.DATA_DIR, 'catalog.sqlite'))
  catalog.exec('pragma user_version = 1')
  catalog.close()
  const unusable = [
    damaged.environment,
    older.environment,
    { DATA_DIR: join(temporaryDirectory(), 'none'), DATABASE_URL: '' },
    { DATA_DIR: temporaryDirectory(), DATABASE_URL: 'postgres://127.0.0.1:1/none' },
  ]
  const parent = temporaryDirectory()
  const usable = join(parent, 'backups')
  mkdirSync(usable)
  writeFileSync(join(parent, 'file'), '')
  const daily = { BACKUP_EVERY: '24h' }
  const cases: [Environment, Finding['status'], RegExp][] = [
    [{ ...daily, BACKUP_DIR: join(parent, 'file') }, 'error', /\/file cannot be written to: ENOTDIR/],
    [{ ...daily, BACKUP_DIR: join(parent, 'unmounted', 'backups') }, 'error', /^There is no directory \S+unmounted\.$/],
    [{ BACKUP_DIR: usable }, 'warning', /^BACKUP_DIR is set without BACKUP_EVERY\.$/],
    [{ ...daily, BACKUP_DIR: usable }, 'ok', /^Backups can be written to /],
  ]
  for (const environment of unusable)
    for (const [settings, status, message] of cases) {
      const { findings } = await doctor({ ...environment, ...settings })
      assert.ok(findings.some(({ check, status }) => check === 'catalog' && status !== 'ok'))
      const [finding, ...rest] = findings.filter(({ check }) => check === 'backup_directory')
      assert.deepEqual([finding?.status, rest], [status, []])
      assert.match(finding!.message, message)
    }
  assert.deepEqual(globSync(`${parent}/**`).sort(), [parent, usable, join(parent, 'file')])
})

test('doctor advises a restore only for a tenant whose database is damaged or lost', async () => {
  const { environment, files, DATA_DIR } = await createInstallation()
  const [file, other] = files as [string, string]
  const adviceFor = async (check = 'tenants') => {
    const problems = await problemsOf(environment, check)
    assert.equal(problems.length, 1, JSON.stringify(problems))
    return problems[0]!.advice!
  }
  const bytes = readFileSync(file)
  damage(file)
  assert.match(await adviceFor(), /Restore it from a backup, .+ tenantdesk restore <backup> --tenant \w+ --replace$/)
  writeFileSync(file, bytes)
  renameSync(other, `${other}.away`)
  assert.match(await adviceFor(), /Put it back, or restore it from a backup\. To restore it: tenantdesk restore/)
  renameSync(`${other}.away`, other)

  const catalog = new DatabaseSync(join(DATA_DIR, 'catalog.sqlite'))
  catalog.exec(`update tenants set schema_version = 1, migration_error = 'no such column' where slug = 'acme'`)
  catalog.close()
  assert.match(await adviceFor('schema_versions'), /the data is unchanged: .+ Nothing needs to be restored\.$/)
})

test('doctor advises to delete a damaged tenant that a restore has replaced', async () => {
  const { environment, DATA_DIR } = await createInstallation()
  const backups = join(DATA_DIR, '../backups')
  assert.equal((await command(environment, 'backup', '--to', backups)).exitCode, 0)
  const before = new Set(globSync(`${DATA_DIR}/tenants/*/*.sqlite`))
  const restored = await command(environment, 'restore', backups, '--tenant', 'acme', '--replace')
  assert.equal(restored.exitCode, 0, restored.stderr)
  for (const file of before) damage(file)
  const problems = await problemsOf(environment, 'tenants')
  const advice = problems.find(({ message }) => message.includes('acme-replaced'))!.advice!
  assert.match(advice, /A restore has already replaced it\..* tenantdesk tenant delete acme-replaced --yes$/)
  assert.equal((await command(environment, 'tenant', 'delete', 'acme-replaced', '--yes')).exitCode, 0)
  assert.equal((await problemsOf(environment, 'tenants')).length, 1) // globex
})

test('doctor names a file that it may not read as a matter of permissions', {
  skip: process.getuid?.() !== 0,
}, async (context) => {
  const { environment, files, DATA_DIR } = await createInstallation()
  const owner = 65534
  chmodSync(dirname(DATA_DIR), 0o711)
  for (const path of [DATA_DIR, ...globSync(`${DATA_DIR}/**`)]) chownSync(path, owner, owner)
  chownSync(files[0]!, 0, 0)
  const env = { ...process.env, ...environment }
  const run = spawnSync(process.execPath, ['src/main.ts', 'doctor', '--json'], { uid: owner, gid: owner, env })
  if (run.stdout.length === 0) return context.skip(`another user cannot run this checkout: ${run.stderr}`)
  const [problem] = (JSON.parse(String(run.stdout)) as Finding[]).filter(({ check }) => check === 'tenants')
  assert.match(problem!.advice!, /Let the server's user read and write it .+ Nothing needs to be restored\.$/)
})

test('doctor refuses to examine the data of another user', { skip: process.getuid?.() !== 0 }, async () => {
  const { environment, DATA_DIR } = await createInstallation()
  chownSync(DATA_DIR, 65534, 65534)
  const { exitCode, findings } = await doctor(environment)
  assert.equal(exitCode, 1)
  const [problem] = findings.filter(({ check, status }) => check === 'data_directory' && status === 'error')
  assert.match(problem!.message, / belongs to \S+, and this command runs as root\.$/)
  assert.match(problem!.advice!, /sudo -u \S+ env DATA_DIR=/)
})

test('tenant list names a database that is missing or damaged', async () => {
  const { environment, files } = await createInstallation()
  const databasesOf = async () => {
    const { stdout } = await command(environment, 'tenant', 'list', '--json')
    return (JSON.parse(stdout) as { database: string }[]).map(({ database }) => database).sort()
  }
  assert.deepEqual(await databasesOf(), ['ready', 'ready'])
  renameSync(files[0]!, `${files[0]}.away`)
  damage(files[1]!)
  assert.deepEqual(await databasesOf(), ['damaged', 'missing'])
  assert.match((await command(environment, 'tenant', 'list')).stdout, / missing /)
})

test('a server that does not answer is a warning, with the way to start it', async () => {
  const { environment } = await createInstallation()
  const [problem] = await problemsOf({ ...environment, PORT: '9' }, 'server')
  assert.deepEqual([problem!.status, problem!.message], ['warning', 'No server answers at http://127.0.0.1:9.'])
})

test('doctor reports changes in the future, in the history of any tenant', async () => {
  const { environment, files } = await createInstallation()
  const tenant = new DatabaseSync(files[0]!)
  tenant.exec(`insert into changes (seq, at, resource, record_id, action, request_id)
    values (1, '${new Date(Date.now() + 3_600_000).toISOString()}', 'customers', 1, 'create', 'r')`)
  tenant.close()
  const [problem] = await problemsOf(environment, 'clock')
  assert.equal(problem!.status, 'warning')
  assert.match(problem!.message, /^The history of 1 of 2 tenants has changes in the future: \w+\./)
})

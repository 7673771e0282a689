// `tenantdesk doctor` with tenants on PostgreSQL servers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { query, tenantDatabaseOf } from '../../support/databases/tenant-database.ts'
import { runProgram } from '../../support/program.ts'
import { command, type Environment, makeTenant, startService, temporaryDirectory } from '../../support/service.ts'

type Finding = { check: string; status: string; message: string; advice: string | null }

async function doctor(environment: Environment): Promise<{ exitCode: number; findings: Finding[] }> {
  const { exitCode, stdout } = await command({ ...environment, PORT: '0' }, 'doctor', '--json')
  return { exitCode, findings: JSON.parse(stdout) }
}

const { environment } = await startService({ DATA_DIR: temporaryDirectory() }, { nodes: 1 })
await makeTenant(environment, 'acme')
await makeTenant(environment, 'globex')

test('doctor checks the database server, its clock, and each tenant’s schema', async () => {
  const { exitCode, findings } = await doctor(environment)
  assert.equal(exitCode, 0, JSON.stringify(findings))
  const messageOf = (check: string) => findings.find((finding) => finding.check === check)?.message
  assert.equal(
    messageOf('database_servers'),
    'The server of DATABASE_URL responds and has the databases of all its tenants (2).',
  )
  assert.equal(messageOf('tenants'), 'All databases are intact (2).')
  assert.equal(findings.filter(({ check }) => check === 'clock').length, 1, 'the clocks agree')
  assert.doesNotMatch(JSON.stringify(findings), /postgres:\/\/|:tests/)
})

test('doctor names a tenant whose schema is missing, and an unreachable server without showing the password', async () => {
  const { id } = await tenantDatabaseOf(environment, 'globex')
  await query(environment.DATABASE_URL!, 'public', `alter schema t_${id} rename to t_away`)
  const url = 'postgres://tenantdesk:hidden@127.0.0.1:9/none'
  await command(environment, 'server', 'add', 'silent', url, '--offline')
  const { exitCode, findings } = await doctor(environment)
  assert.equal(exitCode, 1)
  const errors = findings.filter(({ status }) => status === 'error').map(({ message }) => message)
  assert.ok(errors.some((message) => message === 'The server of DATABASE_URL has no database for globex.'))
  assert.ok(errors.some((message) => message.startsWith('Server silent cannot be used: connect ECONNREFUSED')))
  assert.ok(errors.some((message) => message.startsWith('The database of globex cannot be used: ')))
  assert.doesNotMatch(JSON.stringify(findings), /hidden/)
})

test('doctor reports a database without an installation and an unreachable database as errors', async () => {
  const DATABASE_URL = environment.DATABASE_URL!.replace(/[^/]+$/, 'postgres')
  const catalogOf = async (DATA_DIR: string) => {
    const { stdout } = await runProgram({ DATA_DIR, DATABASE_URL, PORT: '0' }, 'doctor --json')
    return (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'catalog')!
  }
  const { message, status } = await catalogOf(temporaryDirectory())
  assert.deepEqual([message, status], ['There is no installation in the database of DATABASE_URL.', 'error'])
  const lost = await catalogOf(environment.DATA_DIR!)
  assert.match(
    lost.message,
    /^The catalog in the database of DATABASE_URL is missing, but other data is there: the pepper/,
  )
  assert.match(lost.advice!, /^Correct DATABASE_URL, /)
  const unreachable = await doctor({
    DATA_DIR: environment.DATA_DIR!,
    DATABASE_URL: 'postgres://x:hidden@127.0.0.1:9/none',
  })
  const catalog = unreachable.findings.find(({ check }) => check === 'catalog')!
  assert.match(catalog.message, /^The catalog cannot be read: connect ECONNREFUSED/)
  assert.doesNotMatch(JSON.stringify(unreachable), /hidden/)
})

test('doctor advises to correct a wrong password, not to restore the tenants on that server', async () => {
  const url = environment.DATABASE_URL!.replace(':tests@', ':hidden@')
  await command(environment, 'server', 'add', 'locked', url, '--offline')
  await makeTenant(environment, 'initech')
  await query(environment.DATABASE_URL!, 'tenantdesk', `update tenants set server = 'locked' where slug = 'initech'`)
  const { findings } = await doctor(environment)
  const problem = findings.find(({ message }) => message.startsWith('The database of initech'))!
  assert.match(problem.message, /password authentication failed/)
  assert.match(problem.advice!, /Nothing needs to be restored\. tenantdesk server set locked -$/)
  const list = JSON.parse((await command(environment, 'tenant', 'list', '--json')).stdout)
  assert.equal(list.find(({ slug }: { slug: string }) => slug === 'initech').database, 'unavailable')
})

test('server list shows the files in DATA_DIR while there are tenants in them', async () => {
  const list = async () => {
    const servers = JSON.parse((await command(environment, 'server', 'list', '--json')).stdout)
    return servers.filter(({ name }: { name: string }) => ['main', 'sqlite'].includes(name))
  }
  assert.deepEqual((await list()).length, 1)
  await command(environment, 'tenant', 'create', 'umbrella', '--server', 'sqlite')
  assert.deepEqual(
    (await list()).map(({ name, tenants }: { name: string; tenants: number }) => [name, tenants > 0]),
    [
      ['main', true],
      ['sqlite', true],
    ],
  )
})

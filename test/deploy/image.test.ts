import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { validate } from 'dockerfile-utils'
import { composeHealthcheck, imageHealthcheck, makeImage, program, readDockerfile } from '../support/release/image.ts'
import { freePort } from '../support/servers/free-port.ts'
import { networkClient } from '../support/service.ts'

const port = await freePort()
const image = makeImage(port)
const healthchecks = [imageHealthcheck, composeHealthcheck]

/** If stopping takes more than 8 s, the program kills itself, and the assertion with this message fails. */
const stopsCleanly = 'the program stopped cleanly'

test('the Dockerfile passes its linter', () => {
  assert.deepEqual(validate(readFileSync('Dockerfile', 'utf8')), [])
})

test('all stages of the Dockerfile use the same Node.js image, with a named major version that the program supports', () => {
  const bases = readDockerfile().map(([from]) => from!.words.split(' ')[0]!)
  assert.equal(new Set(bases).size, 1)
  const [, major] = /^node:(\d+)-[a-z]+-slim$/.exec(bases[0]!)!
  assert.ok(Number(major) >= 26)
})

test('the build context contains only the files that the Dockerfile needs, and the image does not run as root', () => {
  const [first, ...others] = readFileSync('.dockerignore', 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .trim()
    .split('\n')
  const named = readDockerfile().flatMap((stage) =>
    stage
      .filter(({ name, words }) => name === 'COPY' && !words.startsWith('--from'))
      .flatMap(({ words }) => words.split(' ').slice(0, -1)),
  )
  assert.equal(first, '*')
  assert.deepEqual(others.sort(), [...new Set(named)].map((source) => `!${source}`).sort())
  const users = readDockerfile()
    .at(-1)!
    .filter(({ name }) => name === 'USER')
  assert.deepEqual(users, [{ name: 'USER', words: 'node' }])
})

test('the image limits the number of memory arenas in the same way as npm start', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  const [arenas] = /MALLOC_ARENA_MAX=\d+/.exec(scripts.start)!
  const set = readDockerfile()
    .at(-1)!
    .filter(({ name }) => name === 'ENV')
  assert.ok(set.some(({ words }) => words.split(' ').includes(arenas)))
})

test('the image runs as a user that owns only the data, passes its health check and exits on SIGTERM', async () => {
  const { child, ended } = await image.start(program)
  for (const check of healthchecks) assert.equal(image.run(check).status, 0)
  const tenantdesk = program.slice(0, -1)
  assert.equal(image.run([...tenantdesk, 'tenant', 'create', 'acme']).stdout, 'acme\n')
  const token = image.run([...tenantdesk, 'key', 'create', 'acme', '--scope', '*:write']).stdout.trim()
  const client = networkClient(`http://127.0.0.1:${port}/api/v1`, token)
  assert.equal((await client('POST', '/customers.php', { name: 'Head office' })).status, 201)
  for (const file of readdirSync(image.data)) assert.equal(statSync(join(image.data, file)).uid, image.owner)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null], stopsCleanly)
  for (const check of healthchecks) assert.equal(image.run(check).status, 1)
})

const namespace = ['unshare', '--pid', '--fork', '--mount-proc']
const withoutNamespace = spawnSync(namespace[0]!, [...namespace.slice(1), 'true']).status !== 0

test('the program exits on SIGTERM when it is process 1 of a container', {
  skip: withoutNamespace && 'unshare cannot create a process namespace here',
}, async () => {
  const { child, ended } = await image.start([...namespace, ...program])
  const [first] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ')
  process.kill(Number(first), 'SIGTERM')
  assert.deepEqual(await ended, [0, null], stopsCleanly)
})

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { generateReadme } from '../docs/generate.ts'
import { usage } from '../src/cli/commands.ts'
import { makeKey, startProcess, temporaryDirectory } from './service.ts'

const readme = readFileSync('README.md', 'utf8')

/** The commands of a section, block by block. */
function commands(section: string): string[] {
  const [, text = ''] = readme.split(`\n## ${section}\n`)
  return [...text.split('\n## ')[0]!.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)
}

test('the tables of settings and errors are those of the code (npm run docs)', () => {
  assert.equal(generateReadme(readme), readme)
  assert.match(readme, /\| `PORT` \| `8080` \|/)
  assert.match(readme, /\| 503 \| `tenant_unavailable` \|/)
})

test('the commands listed are those of the usage', () => {
  for (const line of usage().split('\n').slice(1)) assert.ok(readme.includes(`\n${line.trim()}\n`), line)
})

test('what has to pass for a change is the test command of this page', () => {
  const [testing] = commands('Tests')
  assert.ok(readFileSync('.ci/run', 'utf8').includes(`\n${testing}`))
})

test('npm start starts the service, and ends it when told to', async () => {
  assert.equal(commands('Start')[0], 'npm ci\nnpm start\n')
  const child = spawn('npm', ['start'], {
    env: { ...process.env, PORT: '0', DATA_DIR: temporaryDirectory() },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  for await (const chunk of child.stderr) {
    said += chunk
    if (said.includes('/customers.php')) child.kill('SIGTERM') // npm alone, as a supervisor does
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  assert.match(said, /The API is at http:\/\/127\.0\.0\.1:\d+\/api\/v1/)
  assert.match(said, /npx tenantdesk tenant create acme/)
  assert.match(said, /KEY=\$\(.*npx tenantdesk key create acme/)
})

test('the first requests, pasted, do what the page says', async () => {
  const directory = temporaryDirectory()
  const server = await startProcess({ DATA_DIR: directory })
  const script = commands('Start').slice(1).join('').replaceAll('http://127.0.0.1:8080/api/v1', server.url)
  const ran = spawnSync('bash', ['-e', '-c', script], {
    env: { ...process.env, DATA_DIR: directory },
    encoding: 'utf8',
  })
  assert.equal(ran.status, 0, ran.stderr)
  const statuses = [...ran.stdout.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  assert.deepEqual(statuses, [201, 201, 201, 200, 200, 200])
  assert.match(ran.stdout, /"status":"in_repair"/)
  const key = await makeKey({ DATA_DIR: directory }, 'acme')
  const example = /```ts\n([\s\S]*?)```/.exec(readme)![1]!.replace('http://127.0.0.1:8080/api/v1', server.url)
  const typed = spawnSync(process.execPath, ['--input-type=module-typescript', '--eval', example], {
    env: { ...process.env, KEY: key },
    encoding: 'utf8',
  })
  assert.equal(typed.stdout, 'TD-2 grace@example.com\n', typed.stderr)
  await server.end('SIGTERM')
})

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { generateReadme } from '../docs/generate.ts'
import { type Json, startProcess, temporaryDirectory } from './support/service.ts'

const readme = readFileSync('README.md', 'utf8')

/** The commands of a section, block by block. */
function commands(section: string): string[] {
  const [, text = ''] = readme.split(`\n## ${section}\n`)
  return [...text.split('\n## ')[0]!.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)
}

test('the commands, settings and errors in README.md are generated from the code (npm run docs)', () => {
  assert.equal(generateReadme(readme), readme)
  assert.match(readme, /\ntenantdesk tenant create <slug> \[--name TEXT\]/)
  assert.match(readme, /\| `PORT` \| `8080` \|/)
  assert.match(readme, /\| 503 \| `tenant_unavailable` \|/)
})

test('the test command in README.md is what has to pass for a change', () => {
  const [testing] = commands('Tests')
  assert.ok(readFileSync('.ci/run', 'utf8').includes(`\n${testing}`))
})

test('npm start starts the service, and stops it on a signal', async () => {
  assert.equal(commands('Start')[0], 'npm ci\nnpm start\n')
  const child = spawn('npm', ['start'], {
    env: { ...process.env, PORT: '0', DATA_DIR: temporaryDirectory() },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  for await (const chunk of child.stderr) {
    output += chunk
    if (output.includes('/customers.php')) child.kill('SIGTERM') // npm alone, as a supervisor does
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  assert.match(output, /The API is at http:\/\/127\.0\.0\.1:\d+\/api\/v1/)
  assert.match(output, /npx tenantdesk tenant create acme/)
  assert.match(output, /KEY=\$\(.*npx tenantdesk key create acme/)
})

/** A copy of the working directory in which files can be created. */
function checkout(): string {
  const directory = temporaryDirectory()
  for (const name of ['bin', 'client', 'node_modules', 'src']) symlinkSync(resolve(name), join(directory, name))
  copyFileSync('package.json', join(directory, 'package.json'))
  return directory
}

/** Blocks that need more than a checkout: they are run by the tests above, by this test run itself, or only with
 *  PostgreSQL. */
const elsewhere = /^(npm ci|npx tenantdesk server add )/

test('every command of README.md works when pasted in order', async () => {
  const directory = temporaryDirectory()
  const server = await startProcess({ DATA_DIR: directory })
  const blocks = [...readme.matchAll(/^```(sh|ts)\n(.*?)^```/gms)].map(([, kind, text]) => ({ kind, text: text! }))
  const pasted = blocks.filter(({ text }) => !elsewhere.test(text))
  assert.deepEqual([blocks.length, pasted.length], [13, 10])
  const script = pasted.map(({ kind, text }) => (kind === 'ts' ? `cat > try.ts <<'END'\n${text}END\n` : text)).join('')
  const ran = spawnSync('bash', ['-e', '-c', script.replaceAll('http://127.0.0.1:8080/api/v1', server.url)], {
    cwd: checkout(),
    env: { ...process.env, KEY: '', DATA_DIR: directory },
    encoding: 'utf8',
  })
  assert.equal(ran.status, 0, ran.stderr)
  const statuses = [...ran.stdout.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  assert.deepEqual(statuses, [201, 201, 201, 200, 200, 200, 201, 201, 200, 200])
  assert.match(ran.stdout, /TD-2 grace@example\.com\n/)
  assert.match(ran.stdout, /"status":"in_repair"/)
  assert.match(ran.stdout, /asset_tag,type,employee_name\r\nTD-1,laptop,Ada\r\n/)
  const lists = [...ran.stdout.matchAll(/\{"data":.*?"page":\{[^}]*\}\}/g)].map(([text]) => JSON.parse(text) as Json)
  assert.deepEqual(
    lists.map(({ data }) => data.map((row: Json) => row.asset_tag ?? row.email ?? `${row.action} ${row.id}`)),
    [['TD-1'], ['ada@example.com'], ['create 1', 'create 2', 'update 1', 'delete 1'], ['TD-1', 'TD-2']],
  )
  assert.equal(lists[0].data[0].employee.name, 'Ada')
  await server.end('SIGTERM')
})

test('no package asks npm for a Node.js newer than 20, which would cause a warning at npm ci', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const asked = Object.entries<{ engines?: { node?: string } }>(packages).flatMap(([path, { engines }]) =>
    engines?.node ? [{ path, node: engines.node }] : [],
  )
  assert.ok(asked.length > 50)
  const isMet = (range: string) => /^\*$|^>= ?([0-9]|1\d|20)\b|^20\b|^\^20\b/.test(range.trim())
  assert.deepEqual(
    asked.filter(({ node }) => !node.split('||').some(isMet)),
    [],
  )
})

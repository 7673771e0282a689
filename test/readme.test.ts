import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { generateReference } from '../docs/generate.ts'
import { type Json, makeTenant, networkClient, startProcess, temporaryDirectory } from './support/service.ts'

const readme = readFileSync('README.md', 'utf8')

/** Returns the shell commands in a section of README.md, one string per code block. */
function commandsIn(section: string): string[] {
  const [, text = ''] = readme.split(`\n## ${section}\n`)
  return [...text.split('\n## ')[0]!.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)
}

test('the commands, settings and errors in docs/reference.md are generated from the code (npm run docs)', () => {
  const reference = readFileSync('docs/reference.md', 'utf8')
  assert.equal(generateReference(reference), reference)
  assert.match(reference, /\ntenantdesk tenant create <slug> \[--name TEXT\]/)
  assert.match(reference, /\| `PORT` \| `8080` \|/)
  assert.match(reference, /\| 503 \| `tenant_unavailable` \|/)
})

test('the test command in README.md is the one that .ci/run executes', () => {
  const [testing] = commandsIn('Tests')
  assert.ok(readFileSync('.ci/run', 'utf8').includes(`\n${testing}`))
})

test('npm start starts the service, prints the first commands, and stops on SIGTERM', async () => {
  assert.equal(commandsIn('Start')[0], 'npm ci\nnpm start\n')
  const child = spawn('npm', ['start'], {
    env: { ...process.env, PORT: '0', DATA_DIR: temporaryDirectory() },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  for await (const chunk of child.stderr) {
    output += chunk
    if (output.includes('/customers.php')) child.kill('SIGTERM') // only to npm, as a supervisor does
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  assert.match(output, /The API is at http:\/\/127\.0\.0\.1:\d+\/api\/v1/)
  assert.match(output, /npx tenantdesk tenant create acme/)
  assert.match(output, /KEY=\$\(.*npx tenantdesk key create acme/)
})

/** Creates a directory with links to the source code, in which the commands can create files. */
function createCheckout(): string {
  const directory = temporaryDirectory()
  for (const name of ['bin', 'client', 'node_modules', 'src']) symlinkSync(resolve(name), join(directory, name))
  copyFileSync('package.json', join(directory, 'package.json'))
  return directory
}

/** The documents with the commands that the next test runs, in this order. `blocks`: the number of code blocks.
 *  `pasted`: the number of code blocks that the test runs. */
const pastedDocuments = [
  { path: 'README.md', blocks: 6, pasted: 4 },
  { path: 'docs/guide/api.md', blocks: 5, pasted: 5 },
  { path: 'docs/reference.md', blocks: 1, pasted: 1 },
]

/** The beginning of the code blocks that the next test skips: `npm start`, which another test runs, and the test
 *  suite. */
const skippedBlocks = /^npm ci/

test('the commands in README.md, the API guide and the reference work when pasted in order', async () => {
  const directory = temporaryDirectory()
  const server = await startProcess({ DATA_DIR: directory })
  const pasted = pastedDocuments.flatMap(({ path, ...counts }) => {
    const text = readFileSync(path, 'utf8')
    const blocks = [...text.matchAll(/^```(sh|ts)\n(.*?)^```/gms)].map(([, kind, text]) => ({ kind, text: text! }))
    const pasted = blocks.filter(({ text }) => !skippedBlocks.test(text))
    assert.deepEqual({ blocks: blocks.length, pasted: pasted.length }, counts, `the number of code blocks in ${path}`)
    return pasted
  })
  const once = pasted.map(({ kind, text }) => (kind === 'ts' ? `cat > try.ts <<'END'\n${text}END\n` : text)).join('')
  const script = once.replace('npx node try.ts\n', (run) => run.repeat(2)) // it can be run again
  const result = spawnSync('bash', ['-e', '-c', script.replaceAll('http://127.0.0.1:8080/api/v1', server.url)], {
    cwd: createCheckout(),
    env: { ...process.env, KEY: '', DATA_DIR: directory },
    encoding: 'utf8',
  })
  assert.equal(result.status, 0, result.stderr)
  const statuses = [...result.stdout.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  assert.deepEqual(statuses, [201, 201, 201, 200, 200, 200, 201, 201, 200, 200])
  assert.match(result.stdout, /(TD-2 grace@example\.com\n){2}/)
  assert.match(result.stdout, /"status":"in_repair"/)
  assert.match(result.stdout, /asset_tag,type,employee_name\r\nTD-1,laptop,Ada\r\n/)
  const lists = [...result.stdout.matchAll(/\{"data":.*?"page":\{[^}]*\}\}/g)].map(([text]) => JSON.parse(text) as Json)
  assert.deepEqual(
    lists.map(({ data }) => data.map((row: Json) => row.asset_tag ?? row.email ?? `${row.action} ${row.id}`)),
    [['TD-1'], ['ada@example.com'], ['create 1', 'create 2', 'update 1', 'delete 1'], ['TD-1', 'TD-2']],
  )
  assert.equal(lists[0].data[0].employee.name, 'Ada')
  await server.end('SIGTERM')
})

test('the file, the requests and the command that getting-your-data-in.md shows for an import work, and so does its bulk request', async () => {
  const guide = readFileSync('docs/guide/getting-your-data-in.md', 'utf8')
  const blockAfter = (kind: string, start: string) =>
    new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'ms').exec(guide.slice(guide.indexOf(start)))![1]!
  const directory = temporaryDirectory()
  const server = await startProcess({ DATA_DIR: directory })
  const key = await makeTenant({ DATA_DIR: directory }, 'acme')
  const client = networkClient(server.url, key)
  const branch = await client('POST', '/customers.php', { name: 'Headquarters', code: 'HQ' })
  assert.equal(branch.status, 201)

  const checkout = createCheckout()
  writeFileSync(join(checkout, 'people.csv'), blockAfter('csv', '## CSV files'))
  const commands = blockAfter('sh', '## CSV files').replaceAll('http://127.0.0.1:8080/api/v1', server.url)
  const result = spawnSync('bash', ['-e', '-c', commands], {
    cwd: checkout,
    env: { ...process.env, KEY: key, DATA_DIR: directory },
    encoding: 'utf8',
  })
  assert.equal(result.status, 0, result.stderr)
  assert.match(result.stdout, /"invalid":1/)
  assert.match(result.stdout, /hr-21,nobody,Mo,HQ/)
  assert.match(result.stderr, /people\.csv: imported: \d created, 0 updated, \d unchanged, 1 invalid\./) // the request may still be at work
  const { data } = (await client('GET', '/employees.php')).body
  assert.deepEqual(
    data.map((each: Json) => [each.external_id, each.email, each.customer_id]),
    [['hr-20', 'lin@example.com', branch.body.id]],
  )

  const bulk = await client('POST', '/bulk.php', JSON.parse(blockAfter('json', '## Many records at once')))
  assert.deepEqual([bulk.status, bulk.body.failed], [200, 0])
  await server.end('SIGTERM')
})

test('every package accepts Node.js 20, so npm ci does not print a warning', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  const constraints = Object.entries<{ engines?: { node?: string } }>(packages).flatMap(([path, { engines }]) =>
    engines?.node ? [{ path, node: engines.node }] : [],
  )
  assert.ok(constraints.length > 50)
  const acceptsNode20 = (range: string) => /^\*$|^>= ?([0-9]|1\d|20)\b|^20\b|^\^20\b/.test(range.trim())
  assert.deepEqual(
    constraints.filter(({ node }) => !node.split('||').some(acceptsNode20)),
    [],
  )
})

// The packages of a release, installed from their files as an operator or a developer would install them.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { after, test } from 'node:test'
import { licencesOf } from '../../release/licences.ts'
import { dependencies, filesOf, install, makeRelease, version } from '../support/release/release.ts'
import { networkClient, temporaryDirectory } from '../support/service.ts'

const release = makeRelease()
const packageFile = join(release, `tenantdesk-${version}.tgz`)
const clientFile = join(release, `tenantdesk-client-${version}.tgz`)
const installed = install(packageFile, 'tenantdesk', Object.keys(dependencies))
const program = join(installed, 'node_modules/tenantdesk/bin/tenantdesk.js')

function dependenciesOf(name: string): string[] {
  return Object.keys(JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).dependencies)
}

/** The Node.js that runs the tests, and the one at the path in NODE_24. */
const versions: [name: string, path: string | undefined][] = [
  ['26', process.execPath],
  ['24', process.env.NODE_24],
]

type Node = { path: string; env: Record<string, string> }

function run({ path, env }: Node, ...args: string[]) {
  return spawnSync(path, [program, ...args], { env, cwd: installed, encoding: 'utf8' })
}

/** Starts `serve` from the package. Returns the base URL of the API. */
async function startServer({ path, env }: Node): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(path, [program, 'serve'], { env, cwd: installed, stdio: ['ignore', 'ignore', 'pipe'] })
  after(() => child.kill('SIGKILL'))
  let stderr = ''
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    stderr += chunk
    const [, url] = /API is at ([^\s"]+)/.exec(stderr) ?? []
    if (url) return { child, url }
  }
  throw new Error(`the server exited: ${stderr}`)
}

function environment(): Record<string, string> {
  return { DATA_DIR: temporaryDirectory(), PORT: '0', PATH: process.env.PATH! }
}

test('a release contains both packages, a bill of materials, the licences, and the checksum of each file', () => {
  const sums = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trim().split('\n')
  const files = [`tenantdesk-${version}-licences.txt`, `tenantdesk-${version}.cdx.json`]
  assert.deepEqual(
    sums.map((line) => line.split('  ')),
    [...files, `tenantdesk-${version}.tgz`, `tenantdesk-client-${version}.tgz`].map((file) => [
      createHash('sha256')
        .update(readFileSync(join(release, file)))
        .digest('hex'),
      file,
    ]),
  )
  assert.equal(readdirSync(release).length, sums.length + 1)
  const [licences, bom] = files.map((file) => readFileSync(join(release, file), 'utf8'))
  const { specVersion, metadata, components } = JSON.parse(bom!)
  assert.deepEqual([specVersion, metadata.component.name, metadata.component.version], ['1.5', 'tenantdesk', version])
  const entries = [...licences!.matchAll(/^(\S+)@\S+ +(.+)$/gm)]
  assert.deepEqual(
    entries.map(([, name]) => name),
    components.map((component: { name: string }) => component.name),
  )
  for (const name of [...Object.keys(dependencies), ...dependenciesOf('pg')])
    assert.ok(
      entries.some(([, listedName]) => listedName === name),
      `the licence of ${name} is listed`,
    )
})

test('a release is refused if a licence is missing or not permissive', () => {
  const component = (name: string, licenses?: object[]) => ({ name, version: '1.0.0', licenses })
  const permissive = component('fine', [{ expression: '(MIT OR Apache-2.0)' }, { license: { id: 'ISC' } }])
  const refused = [component('copyleft', [{ expression: '(MIT AND GPL-3.0-only)' }]), component('none')]
  assert.equal(licencesOf({ components: [permissive] }), 'fine@1.0.0  (MIT OR Apache-2.0) AND ISC\n')
  assert.throws(() => licencesOf({ components: [permissive, ...refused] }), {
    message: 'Not a permissive licence: copyleft ((MIT AND GPL-3.0-only)), none (unknown)',
  })
})

test('the package and the client have the same version', () => {
  assert.equal(JSON.parse(readFileSync('client/package.json', 'utf8')).version, version)
})

test('the package contains only the compiled code with source maps, the files that it reads, and files and guides for operators', () => {
  const compiled = globSync('src/**/*.*').flatMap((path) => {
    const file = `dist/${relative('src', path)}`
    return path.endsWith('.ts') ? [file.replace(/ts$/, 'js'), file.replace(/ts$/, 'js.map')] : [file]
  })
  const manifests = ['npm-shrinkwrap.json', 'package.json']
  const deployed = globSync('deploy/*')
  const guides = globSync(['docs/{guide,images,monitoring}/**/*.*', 'docs/{reference,scaling,security-assessment}.md'])
  const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', ...guides]
  assert.deepEqual(
    filesOf(packageFile).sort(),
    [...compiled, ...deployed, ...documents, 'bin/tenantdesk.js', ...manifests].sort(),
  )
})

for (const [name, path] of versions) {
  const skip = path === undefined && `NODE_24 is not set: npm run test:release sets it`
  test(`the package runs on Node.js ${name} when installed in node_modules`, { skip }, async () => {
    const node = { path: path!, env: environment() }
    assert.equal(run(node, '--version').stdout, `${version}\n`)
    const { child, url } = await startServer(node)
    const created = run(node, 'tenant', 'create', 'acme')
    assert.equal(created.stdout, 'acme\n')
    // If the hint said `npx tenantdesk`, npx would download a package of this name.
    assert.match(created.stderr, /Next: tenantdesk key create acme/)
    const key = run(node, 'key', 'create', 'acme', '--scope', '*:read', '--scope', '*:write').stdout.trim()
    const client = networkClient(url, key)
    assert.equal((await client('POST', '/customers.php', { name: 'Head office' })).status, 201)
    assert.equal((await client('GET', '/customers.php?q=head')).body.data.length, 1)
    assert.equal((await client('GET', '/me.php')).body.version, version)
    for (const asset of ['/docs/style.css', '/panel/panel.js', '/login.php', '/docs'])
      assert.equal((await fetch(new URL(asset, url))).status, 200, asset)
    const backups = join(node.env.DATA_DIR!, 'backups')
    const lines = [
      ['backup', '--to', backups],
      ['verify', backups],
      ['export', 'acme', '--to', join(backups, 'a.zip')],
    ]
    for (const line of lines) assert.equal(run(node, ...line).status, 0, line.join(' '))
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })
}

test('the package has the lock file with which the release was tested', () => {
  const lock = readFileSync(join(installed, 'node_modules/tenantdesk/npm-shrinkwrap.json'), 'utf8')
  assert.equal(lock, readFileSync('package-lock.json', 'utf8'))
})

test('with --enable-source-maps, a stack trace of the package refers to lines of the TypeScript sources', () => {
  const code = `import('./node_modules/tenantdesk/dist/config.js').then((m) => m.readConfig({ PORT: 'x' }))`
  const child = spawnSync(process.execPath, ['--enable-source-maps', '-e', code], { cwd: installed, encoding: 'utf8' })
  const [, line] = /src\/config\.ts:(\d+)/.exec(child.stderr)!
  assert.match(readFileSync('src/config.ts', 'utf8').split('\n')[Number(line) - 1]!, /throw/)
})

const consumer = `
import { createClient, metaOf, TenantdeskError, type Customer } from '@tenantdesk/client'

const tenantdesk = createClient({ baseUrl: process.env.URL!, key: process.env.KEY! })
const customer: Customer = await tenantdesk.customers.create({ name: 'Harbour branch' })
// @ts-expect-error: a customer has no such field
const wrong = await tenantdesk.customers.create({ nam: 'X' }).catch((error: unknown) => error)
if (!(wrong instanceof TenantdeskError)) throw wrong
console.log(JSON.stringify([metaOf(customer)?.status, customer.name, wrong.code]))
`

test('a program that installs the client type-checks and runs', async () => {
  const node = { path: process.execPath, env: environment() }
  const { url } = await startServer(node)
  run(node, 'tenant', 'create', 'acme')
  const KEY = run(node, 'key', 'create', 'acme', '--scope', '*:write').stdout.trim()
  const folder = install(clientFile, '@tenantdesk/client', ['@types/node', 'undici-types'])
  const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, noEmit: true, types: ['node'] }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
  writeFileSync(join(folder, 'consumer.ts'), consumer)
  const typeCheck = spawnSync(resolve('node_modules/.bin/tsc'), ['--project', folder], { encoding: 'utf8' })
  assert.equal(typeCheck.status, 0, typeCheck.stdout)
  const options = { cwd: folder, env: { ...node.env, URL: url, KEY }, encoding: 'utf8' } as const
  const child = spawnSync(process.execPath, ['consumer.ts'], options)
  assert.equal(child.stdout, '[201,"Harbour branch","validation_failed"]\n', child.stderr)
  const script = `console.log(typeof require('@tenantdesk/client').createClient)`
  assert.equal(spawnSync(process.execPath, ['--input-type=commonjs', '-e', script], options).stdout, 'function\n')
})

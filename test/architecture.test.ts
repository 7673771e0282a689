import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'
import { resourceNames } from './support/resource-names.ts'

/** The layers of src, from top to bottom. A file imports only from its own folder and from lower layers. */
const layers = [
  ['main'],
  ['app'],
  ['cli', 'api', 'panel'],
  ['http'],
  ['accounts', 'access'],
  ['tenants'],
  ['catalog'],
  ['domain'],
  ['engine'],
  ['problem', 'config'],
  ['lib'],
]

const files = globSync('src/**/*.ts')

/** Returns the folder of src that contains a file, or the name of a file that is directly in src. */
function folderOf(path: string): string {
  return path.split('/')[1]!.replace('.ts', '')
}

function layerOf(path: string): number {
  const layer = layers.findIndex((folders) => folders.includes(folderOf(path)))
  assert.notEqual(layer, -1, `no layer contains ${path}`)
  return layer
}

function importsOf(path: string): string[] {
  const lines = readFileSync(path, 'utf8').matchAll(/(?:from|import|new URL\()\s*\(?'(\.[^']+)'/g)
  return [...lines].map(([, to]) => normalize(join(dirname(path), to!)))
}

test('a file in src imports only from its own folder and from lower layers', () => {
  assert.ok(files.length > 100)
  const wrong = files.flatMap((from) =>
    importsOf(from)
      .filter((to) => layerOf(to) < layerOf(from) || (layerOf(to) === layerOf(from) && folderOf(to) !== folderOf(from)))
      .map((to) => `${from} → ${to}`),
  )
  assert.deepEqual(wrong, [])
})

test('a subject of the domain imports only the common subjects, and those that the README of the domain names', () => {
  const rows = [...readFileSync('src/domain/README.md', 'utf8').matchAll(/^\| `([\w-]+)` \|[^|]*\|([^|]*)\|$/gm)]
  const allowed = new Map(rows.map(([, subject, also]) => [subject!, also!.split(/[\s,`]+/).filter(Boolean)]))
  const subjectOf = (path: string) => /^src\/domain\/([\w-]+)\//.exec(path)?.[1]
  const subjects = new Set(files.flatMap((path) => subjectOf(path) ?? []))
  assert.deepEqual([...allowed.keys()].sort(), [...subjects].sort())
  const used = new Map([...subjects].map((subject) => [subject, new Set<string>()]))
  for (const path of files)
    for (const to of importsOf(path)) {
      const [subject, other] = [subjectOf(path), subjectOf(to)]
      if (subject && other && other !== subject && !commonSubjects.includes(other)) used.get(subject)!.add(other)
    }
  assert.deepEqual(
    Object.fromEntries([...used].map(([subject, others]) => [subject, [...others].sort()])),
    Object.fromEntries(allowed),
  )
})

const commonSubjects = ['declarations', 'fields', 'records', 'lists', 'history', 'jobs']

test('the engine does not contain a word of the product', () => {
  const words = /\b(customers?|employees?|hardware|assets?|import_?[a-z]*Job|handOver|webhook|scope|apiKey)\b/gi
  const engine = files.filter((path) => path.startsWith('src/engine/'))
  assert.ok(engine.length >= 40)
  const productWords = engine.flatMap((path) => {
    const code = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '')
    return [...code.matchAll(words)].map(([word]) => `${path}: ${word}`)
  })
  assert.deepEqual(productWords, [])
})

test('there are no circular imports', () => {
  const programs = globSync('{src,bench,client,docs,release}/**/*.ts')
  const visited = new Set<string>()
  const cycles: string[] = []

  function visit(path: string, trail: string[]): void {
    const cycleStart = trail.indexOf(path)
    if (cycleStart !== -1) cycles.push([...trail.slice(cycleStart), path].join(' → '))
    if (cycleStart !== -1 || visited.has(path)) return
    for (const to of importsOf(path)) if (programs.includes(to)) visit(to, [...trail, path])
    visited.add(path)
  }

  for (const path of programs) visit(path, [])
  assert.deepEqual(cycles, [])
})

test('only declarations, presentations and texts have maps keyed by resource names', () => {
  const excepted = /\/(declarations|panel\/resources|i18n)\//
  const covered = files.filter((path) => !excepted.test(path))
  assert.ok(covered.length > 400 && covered.length < files.length, `${covered.length} files are covered`)
  const keyed = covered.filter((path) => {
    const code = readFileSync(path, 'utf8').replaceAll(/\/\*.*?\*\/|^\s*\/\/.*$|'[^'\n]*'|`[^`]*`/gms, '')
    return resourceNames.filter((name) => new RegExp(`\\b${name}\\s*:`).test(code)).length > 1
  })
  assert.deepEqual(keyed, [])
})

test('ARCHITECTURE.md lists every folder in src and no others', () => {
  const [, tree] = /^## The tree\n+```\n(.*?)^```/ms.exec(readFileSync('ARCHITECTURE.md', 'utf8'))!
  const named = [...tree!.matchAll(/^ {2}([\w-]+)\/ /gm)].map(([, name]) => name!)
  const present = new Set(files.filter((path) => path.split('/').length > 2).map(folderOf))
  assert.deepEqual(named.sort(), [...present].sort())
})

test('only one file in src imports node:sqlite, and only one reads process.env', () => {
  const filesWith = (text: string) => files.filter((path) => readFileSync(path, 'utf8').includes(text))
  assert.deepEqual(filesWith("from 'node:sqlite'"), ['src/engine/database/sqlite/connection.ts'])
  assert.deepEqual(filesWith('process.env'), ['src/config.ts'])
})

test('only three files in src cache values in a WeakMap: one by declaration, two by connection', () => {
  const caching = files.filter((path) => readFileSync(path, 'utf8').includes('WeakMap'))
  const byConnection = ['src/domain/schema/derived.ts', 'src/domain/search/postgres.ts']
  assert.deepEqual(caching.sort(), ['src/domain/declarations/resource.ts', ...byConnection])
})

test('an operation cannot reach another tenant, a file, a program or the network', () => {
  const callers = files.filter((path) => path.startsWith('src/domain/') && importsOf(path).some(isForCallers))
  assert.ok(callers.length <= 8, `more files of the domain call operations: ${callers.join(', ')}`)
  const rules = files.filter((path) => path.startsWith('src/domain/') && !callers.includes(path))
  const operationFiles = filesReachableFrom([registry, ...rules])
  const declaring = files.filter((path) => /= defineOperations\(/.test(readFileSync(path, 'utf8')))
  assert.ok(
    declaring.length >= 19 && operationFiles.length >= 115,
    `only ${operationFiles.length} files are covered, ${declaring.length} declare operations`,
  )
  assert.deepEqual(
    declaring.filter((path) => !operationFiles.includes(path)),
    [],
  )
  for (const path of operationFiles) {
    const text = readFileSync(path, 'utf8')
    const foreign = [...text.matchAll(/(?:from|import)\s*\(?'([^.'\s][^'\s]*)'/g)].map(([, name]) => name!)
    const wrong = foreign.filter((name) => !harmless.includes(name))
    assert.deepEqual(wrong, [], path)
    assert.doesNotMatch(text, /\bfetch\(|\bprocess\.[a-z]|TenantLocation/, path)
    if (path !== 'src/problem.ts') assert.doesNotMatch(text, /\btenant\w*\??:/, path)
  }
})

const registry = 'src/domain/product.ts'

/** Whether only code that calls operations, or copies whole databases, may import this file. */
function isForCallers(path: string): boolean {
  return path === 'src/engine/engine.ts' || path === 'src/engine/tenant-databases.ts'
}

/** The modules outside src that operations may import: they only compute. */
const harmless = ['node:crypto', 'node:zlib', 'node:querystring', 'csv-stringify/sync']

/** Returns these files and all files that they import, directly or indirectly. */
function filesReachableFrom(paths: readonly string[]): string[] {
  const reached = new Set(paths)
  for (const path of reached) for (const to of importsOf(path)) reached.add(to)
  return [...reached]
}

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

/** The layers of src, from the top down. A file imports from its own folder or from a layer below. */
const layers = [
  ['main'],
  ['app'],
  ['cli', 'api', 'panel'],
  ['http'],
  ['accounts', 'access'],
  ['tenants'],
  ['catalog'],
  ['storage'],
  ['resources'],
  ['database'],
  ['setting-sources'],
  ['problem', 'config'],
  ['lib'],
]

const files = globSync('src/**/*.ts')

/** The folder below src that a file is in, or the name of a file beside the folders. */
function folderOf(path: string): string {
  return path.split('/')[1]!.replace('.ts', '')
}

function layerOf(path: string): number {
  const found = layers.findIndex((folders) => folders.includes(folderOf(path)))
  assert.notEqual(found, -1, `${path} is in no layer`)
  return found
}

function importsOf(path: string): string[] {
  const lines = readFileSync(path, 'utf8').matchAll(/(?:from|import|new URL\()\s*\(?'(\.[^']+)'/g)
  return [...lines].map(([, to]) => normalize(join(dirname(path), to!)))
}

test('files import only from lower layers of src, never from another folder of the same layer', () => {
  assert.ok(files.length > 100)
  const wrong = files.flatMap((from) =>
    importsOf(from)
      .filter((to) => layerOf(to) < layerOf(from) || (layerOf(to) === layerOf(from) && folderOf(to) !== folderOf(from)))
      .map((to) => `${from} → ${to}`),
  )
  assert.deepEqual(wrong, [])
})

test('there are no import cycles in src', () => {
  const visited = new Set<string>()
  const cycles: string[] = []

  function visit(path: string, trail: string[]): void {
    const before = trail.indexOf(path)
    if (before !== -1) cycles.push([...trail.slice(before), path].join(' → '))
    if (before !== -1 || visited.has(path)) return
    for (const to of importsOf(path)) if (files.includes(to)) visit(to, [...trail, path])
    visited.add(path)
  }

  for (const path of files) visit(path, [])
  assert.deepEqual(cycles, [])
})

test('ARCHITECTURE.md explains exactly the folders of src', () => {
  const [, tree] = /^## The tree\n+```\n(.*?)^```/ms.exec(readFileSync('ARCHITECTURE.md', 'utf8'))!
  const named = [...tree!.matchAll(/^ {2}([\w-]+)\/ /gm)].map(([, name]) => name!)
  const present = new Set(files.filter((path) => path.split('/').length > 2).map(folderOf))
  assert.deepEqual(named.sort(), [...present].sort())
})

test('only one file imports node:sqlite, and only one reads process.env', () => {
  const holding = (text: string) => files.filter((path) => readFileSync(path, 'utf8').includes(text))
  assert.deepEqual(holding("from 'node:sqlite'"), ['src/database/sqlite/connection.ts'])
  assert.deepEqual(holding('process.env'), ['src/config.ts'])
})

test('what is derived from declarations is cached in one file, and facts about a connection in two', () => {
  const holding = files.filter((path) => readFileSync(path, 'utf8').includes('WeakMap'))
  const aboutConnections = ['src/resources/schema/deferred-indexes.ts', 'src/resources/search/postgres.ts']
  assert.deepEqual(holding.sort(), ['src/resources/derive.ts', ...aboutConnections])
})

test('operations get one database and cannot name another tenant', () => {
  const nextToTheData = [
    ...globSync('src/resources/**/*.ts'),
    'src/storage/operations.ts',
    ...globSync('src/storage/operations/*.ts'),
    'src/storage/idempotency.ts',
  ]
  for (const path of nextToTheData) {
    assert.doesNotMatch(readFileSync(path, 'utf8'), /tenant\w*:|\/tenants\/|node:fs|node:path|sqlite\//, path)
  }
})

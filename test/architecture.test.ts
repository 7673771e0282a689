import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

/** From the top of the house to its ground: a file imports from its own floor or from one below. */
const floors = [
  ['main', 'cli', 'server', 'engine', 'log'],
  ['api', 'panel'],
  ['http'],
  ['tenancy'],
  ['storage'],
  ['resources'],
  ['problem', 'database', 'config', 'setting-names', 'edit-distance'],
]

/** The room of a file in src: its folder, or its own name. */
function room(path: string): string {
  return path.split('/')[1]!.replace('.ts', '')
}

function floor(path: string): number {
  const found = floors.findIndex((rooms) => rooms.includes(room(path)))
  assert.notEqual(found, -1, `${path} has no floor`)
  return found
}

function imports(path: string): string[] {
  const lines = readFileSync(path, 'utf8').matchAll(/(?:from|import|new URL\()\s*\(?'(\.[^']+)'/g)
  return [...lines].map(([, to]) => normalize(join(dirname(path), to!)))
}

const files = globSync('src/**/*.ts')

test('imports go one way, from the doors down to the vocabulary', () => {
  assert.ok(files.length > 20)
  const upwards = files.flatMap((from) =>
    imports(from).flatMap((to) => (floor(to) < floor(from) ? `${from} → ${to}` : [])),
  )
  assert.deepEqual(upwards, [])
})

test('the plan of the house names every file, and none that is not there', () => {
  const [, plan] = /^## The house\n+```\n(.*?)^```/ms.exec(readFileSync('ARCHITECTURE.md', 'utf8'))!
  const named = new Set(plan!.match(/[\w-]+\.ts/g))
  const together = /^src\/(cli\/|panel\/texts\/|panel\/record-)/
  const unnamed = files.filter((path) => !named.has(basename(path)) && !together.test(path))
  assert.deepEqual(unnamed, [])
  const present = new Set(files.map((path) => basename(path)))
  assert.deepEqual(
    [...named].filter((name) => !present.has(name)),
    [],
  )
})

test('the doors do not know each other', () => {
  const crossing = files.flatMap((from) =>
    imports(from).flatMap((to) =>
      floor(from) === 1 && floor(to) === 1 && room(from) !== room(to) ? `${from} → ${to}` : [],
    ),
  )
  assert.deepEqual(crossing, [])
})

test('one file knows node:sqlite, one file reads process.env', () => {
  const holding = (text: string) => files.filter((path) => readFileSync(path, 'utf8').includes(text))
  assert.deepEqual(holding("from 'node:sqlite'"), ['src/storage/sqlite/connection.ts'])
  assert.deepEqual(holding('process.env'), ['src/config.ts'])
})

test('operations know no tenant: what runs next to the data is given one database and nothing to find another', () => {
  for (const path of [...globSync('src/resources/*.ts'), 'src/storage/operations.ts', 'src/storage/once.ts']) {
    assert.doesNotMatch(readFileSync(path, 'utf8'), /tenant\w*:|tenancy|node:fs|node:path|sqlite\/(?!connection)/, path)
  }
})

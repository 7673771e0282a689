import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { test } from 'node:test'

/** Returns the anchors that GitHub creates for a document's headings. */
function anchorsOf(path: string): string[] {
  const headings = readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)
  return [...headings].map(([, text]) =>
    text!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('every link between documents leads to an existing file and heading', () => {
  const documents = globSync(['*.md', 'client/*.md', 'docs/**/*.md'])
  assert.ok(documents.length > 50)
  const broken = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/\]\((?!\w+:)([^)\s#]*)#?([^)\s]*)\)/g)].flatMap(([, path, anchor]) => {
      const file = path ? join(dirname(document), path) : document
      const isFound = existsSync(file) && (!anchor || !file.endsWith('.md') || anchorsOf(file).includes(anchor))
      return isFound ? [] : [`${document} → ${path}#${anchor}`]
    }),
  )
  assert.deepEqual(broken, [])
})

/** Files that CONTRIBUTING.md tells the reader to create. */
const exampleFiles = ['src/domain/equipment/confirm.ts', 'src/api/endpoints/confirm-hardware.ts']

test('every source file and folder that a document for developers names exists', () => {
  const files = globSync('{src,test,docs,bench,release,client}/**/*.ts')
  const existing = [...exampleFiles, ...files, ...files.map((file) => `${dirname(file)}/`)].map((path) => `/${path}`)
  const documents = globSync([
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'STYLE.md',
    'docs/decisions/*.md',
    'src/**/README.md',
  ])
  const named = documents.flatMap((document) =>
    [...readFileSync(document, 'utf8').matchAll(/(?<![\w*/.-])[\w/-][\w./-]*\.ts\b|(?<=`)[\w-]+\/[\w/-]*\/(?=`)/g)].map(
      ([path]) => ({ document, path }),
    ),
  )
  assert.ok(named.length > 100, `${named.length} files and folders are named`)
  const missing = named.filter(({ path }) => !existing.some((file) => file.endsWith(`/${path}`)))
  assert.deepEqual(missing, [])
})

test('docs/decisions/README.md links to every decision', () => {
  const list = readFileSync('docs/decisions/README.md', 'utf8')
  const decisions = globSync('docs/decisions/0*.md').map((path) => basename(path))
  assert.ok(decisions.length > 0)
  assert.deepEqual(
    decisions.filter((name) => !list.includes(`(${name})`)),
    [],
  )
})

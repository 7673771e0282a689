// Writes the files of a release: `npm run release -- <folder>`. They are the npm packages of the program and its
// client, the software bill of materials (CycloneDX), the licences of all packages in it, and checksums.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { licencesOf } from './licences.ts'

const root = join(import.meta.dirname, '..')
const output = resolve(process.argv[2] ?? 'artifacts')
const { name, version } = readJson('package.json')

mkdirSync(output, { recursive: true })
const taken = readdirSync(output)
if (taken.length > 0) throw new Error(`${output} is not empty: ${taken.join(', ')}`)

for (const folder of [root, join(root, 'client')]) npm(folder, 'pack', '--pack-destination', output)
const bom = makeBom()
writeFileSync(join(output, `${name}-${version}.cdx.json`), bom)
writeFileSync(join(output, `${name}-${version}-licences.txt`), licencesOf(JSON.parse(bom)))
const sums = readdirSync(output)
  .sort()
  .map((file) => `${sha256(join(output, file))}  ${file}\n`)
writeFileSync(join(output, 'SHA256SUMS'), sums.join(''))

/** Creates the bill of materials from the lock file without its development packages. `npm sbom --omit=dev` would also
 *  omit packages that a development package also depends on, such as pg. The folder is named after the package, because
 *  npm uses the folder's name as the project's name. */
function makeBom(): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'release-')), name)
  const { packages, ...lock } = readJson('package-lock.json')
  const { devDependencies: _, ...manifest } = readJson('package.json')
  const installed = Object.entries<{ dev?: boolean }>(packages).filter(([path, each]) => path !== '' && !each.dev)
  const production = { ...lock, packages: { '': manifest, ...Object.fromEntries(installed) } }
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(production))
  try {
    return npm(folder, 'sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only')
  } finally {
    rmSync(dirname(folder), { recursive: true })
  }
}

function readJson(file: string) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'))
}

function npm(folder: string, ...words: string[]): string {
  return execFileSync('npm', words, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

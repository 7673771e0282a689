// Builds a release from a fresh clone, and installs them in folders as users would.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { temporaryDirectory } from '../service.ts'
import { copyCheckout } from './checkout.ts'

export const { version, dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  version: string
  dependencies: Record<string, string>
}

/** Builds a release, and returns the folder with its files. */
export function makeRelease(): string {
  const checkout = temporaryDirectory()
  copyCheckout(checkout)
  symlinkSync(resolve('node_modules'), join(checkout, 'node_modules'))
  const release = join(checkout, 'artifacts')
  execFileSync('npm', ['run', '--silent', 'release', '--', release], {
    cwd: checkout,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return release
}

/** The names of the files in a package. */
export function filesOf(tarball: string): string[] {
  const listing = spawnSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
  return listing.stdout
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''))
}

/** Unpacks a package as npm does. Links only the given dependencies, so that importing any other package fails. Returns
 *  the folder that contains `node_modules`. */
export function install(tarball: string, name: string, dependencies: string[] = []): string {
  const folder = temporaryDirectory()
  const target = join(folder, 'node_modules', name)
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', target])
  for (const dependency of dependencies) {
    const link = join(folder, 'node_modules', dependency)
    mkdirSync(dirname(link), { recursive: true })
    if (!existsSync(link)) symlinkSync(resolve('node_modules', dependency), link)
  }
  return folder
}

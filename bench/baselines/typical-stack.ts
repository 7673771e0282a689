// Starts the typical stack (bench/baselines/typical). Installs its dependencies if they are missing or have changed.

import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Server, startServer } from '../harness/processes.ts'

/** `versions`: the stack's library versions. */
export type TypicalStack = { server: Server; token: string; versions: string }

const home = join(import.meta.dirname, 'typical')

/** Starts the stack on a new database in `directory`. Throws if it cannot be installed or started. */
export async function startTypicalStack(directory: string): Promise<TypicalStack> {
  install()
  const environment = { DATABASE: join(directory, 'typical.sqlite'), NODE_ENV: 'production' }
  const seed = { cwd: home, env: { ...process.env, ...environment }, encoding: 'utf8' } as const
  const token = execFileSync(process.execPath, ['dist/seed.js'], seed).trim()
  const server = await startServer([join(home, 'dist/main.js')], environment, join(directory, 'typical.log'))
  return { server, token, versions: versions() }
}

function install(): void {
  if (!isInstalled()) {
    console.log(
      'Installing the typical stack in bench/baselines/typical, because its dependencies are missing or have changed …',
    )
    npm('ci', '--no-audit', '--no-fund')
  }
  npm('run', 'build')
}

function isInstalled(): boolean {
  const changedAt = (path: string) => statSync(join(home, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return changedAt('node_modules/.package-lock.json') > changedAt('package-lock.json')
}

function npm(...args: string[]): void {
  execFileSync('npm', args, { cwd: home, stdio: 'pipe' })
}

function versions(): string {
  const libraries = { NestJS: '@nestjs/core', TypeORM: 'typeorm', 'better-sqlite3': 'better-sqlite3' }
  const version = (name: string) =>
    (JSON.parse(readFileSync(join(home, 'node_modules', name, 'package.json'), 'utf8')) as { version: string }).version
  return Object.entries(libraries)
    .map(([title, name]) => `${title} ${version(name)}`)
    .join(', ')
}

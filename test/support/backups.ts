// Runs the backup commands of one installation in the test's process.

import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command, type Environment, type Json, temporaryDirectory } from './service.ts'

export type Outcome = Awaited<ReturnType<typeof command>>

/** Runs `backup` and returns its JSON output. */
export async function backUp(environment: Environment, directory: string, ...line: string[]): Promise<Json> {
  const outcome = await command(environment, 'backup', ...line, '--to', directory, '--json')
  assert.equal(outcome.exitCode, 0, outcome.stderr)
  return { ...JSON.parse(outcome.stdout), stderr: outcome.stderr }
}

/** Asserts that a command was refused with a sentence, and printed no value. */
export function assertRefused({ exitCode, stderr, stdout }: Outcome, message: RegExp): void {
  assert.deepEqual([exitCode, stdout], [1, ''], stderr)
  assert.match(stderr, message)
}

export function assertDone({ exitCode, stderr }: Outcome, message = /./): void {
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, message)
}

/** Writes a passphrase that only its owner can read, and returns the file's path. */
export function passphraseFile(text: string): string {
  const path = join(temporaryDirectory(), 'passphrase')
  writeFileSync(path, `${text}\n`, { mode: 0o600 })
  return path
}

/** The names of a directory's manifests, newest first. */
export function manifestsIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .reverse()
}

export function copyOf(directory: string): string {
  const copy = join(temporaryDirectory(), 'copy')
  cpSync(directory, copy, { recursive: true })
  return copy
}

/** Changes one byte, and keeps the file's size. */
export function flipByte(path: string, position = 0.5): void {
  const bytes = readFileSync(path)
  bytes[Math.floor((bytes.length - 1) * position)]! ^= 1
  writeFileSync(path, bytes)
}

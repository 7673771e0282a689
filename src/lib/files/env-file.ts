// Reads a settings file in .env format, and rejects a file that untrusted users can change.

import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { parseEnv } from 'node:util'
import { errorCodeOf } from '../errors.ts'

export type EnvFile = { values: Record<string, string | undefined>; mode: number }

/** Returns undefined if there is no such file. Throws an Error whose message continues a sentence that starts with the
 *  path. */
export function readEnvFile(path: string): EnvFile | undefined {
  const descriptor = openIfPresent(path)
  if (descriptor === undefined) return undefined
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return undefined // Python virtual environments are often directories with this name
    requireTrusted(path, stats)
    const text = readFileSync(descriptor, 'utf8').replace('\uFEFF', '') // editors on Windows write a byte order mark
    return { values: parseEnv(text), mode: stats.mode }
  } finally {
    closeSync(descriptor)
  }
}

function openIfPresent(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK) // a named pipe would block
  } catch (error) {
    const code = errorCodeOf(error)
    // existsSync: without access to the directory, this user cannot know whether there is a file.
    if (code === 'ENOENT' || code === 'ENOTDIR' || (code === 'EACCES' && !existsSync(path))) return undefined
    throw new Error(`cannot be read: ${code}`)
  }
}

/** Throws if an untrusted user can control the file. In a directory such as /tmp, any user could leave a settings file
 *  that would affect other users who run a command there. */
function requireTrusted(path: string, { uid, mode }: Stats): void {
  if (!process.getuid) return // Windows
  const trusted = [process.getuid(), 0, statSync(dirname(path)).uid]
  if (!trusted.includes(uid)) throw new Error(`belongs to another user (id ${uid}), who could control the settings`)
  if (mode & 0o002) throw new Error('can be written by every user of this machine; to prevent this: chmod o-w')
}

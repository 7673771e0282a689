// The file `pepper` in the data directory: the pepper of installations that are not given one as a setting.

import { randomBytes } from 'node:crypto'
import { closeSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { peppers, SettingError } from '../config.ts'
import { makeDirectory, syncPath } from '../storage/sqlite/tenant-files.ts'

export function pepperPath(directory: string): string {
  return join(directory, 'pepper')
}

/** The secrets in the file, by number; undefined when there is no file. Throws SettingError. */
export function readPepperFile(directory: string): ReadonlyMap<number, string> | undefined {
  const path = pepperPath(directory)
  const secrets = parse(read(path))
  if (!secrets) return undefined
  if (secrets.size > 0) return secrets
  throw new SettingError(`${path} must hold secrets of at least 32 characters, one a line, as number:secret.`)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code!)) return undefined
    throw new SettingError(`The pepper cannot be read: ${(error as Error).message}.`)
  }
}

function parse(text: string | undefined): ReadonlyMap<number, string> | undefined {
  try {
    return text === undefined ? undefined : peppers(text)
  } catch {
    return new Map() // its message tells of a setting, not of a file
  }
}

/** Makes a new pepper with the number 1. Written aside and linked into place: of two processes that start at once, one makes it
 *  and both read that one. */
export function makePepperFile(directory: string): void {
  const path = pepperPath(directory)
  makeDirectory(dirname(path))
  const aside = `${path}.${process.pid}`
  const descriptor = openSync(aside, 'w', 0o600)
  writeSync(descriptor, `1:${randomBytes(32).toString('base64url')}\n`)
  closeSync(descriptor)
  syncPath(aside)
  try {
    linkSync(aside, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(aside)
  }
  syncPath(dirname(path))
}

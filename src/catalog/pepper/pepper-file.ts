// Reads and creates the `pepper` file in the data directory, for installations that do not set API_KEY_PEPPER.

import { randomBytes } from 'node:crypto'
import { closeSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SettingError } from '../../config.ts'
import { errorCodeOf, errorMessageOf } from '../../lib/errors.ts'
import { createDirectory, syncPath } from '../../lib/files/files.ts'
import { readPeppers } from '../../lib/setting-values.ts'

export function pepperPath(directory: string): string {
  return join(directory, 'pepper')
}

/** Returns the secrets in the file by number; undefined if there is no file. Throws SettingError. */
export function readPepperFile(directory: string): ReadonlyMap<number, string> | undefined {
  const path = pepperPath(directory)
  const text = read(path)
  if (text === undefined) return undefined
  try {
    const secrets = readPeppers(text)
    if (secrets.size > 0) return secrets
  } catch {
    // The error of readPeppers is about a setting.
  }
  throw new SettingError(`${path} must contain secrets of at least 32 characters, one per line, as number:secret.`)
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCodeOf(error) ?? '')) return undefined
    throw new SettingError(`The pepper cannot be read: ${errorMessageOf(error)}.`)
  }
}

/** Creates a pepper with the number 1. Writes a temporary file and links it into place, so that two processes that
 *  start at the same time use the same pepper. */
export function createPepperFile(directory: string): void {
  const path = pepperPath(directory)
  createDirectory(dirname(path))
  const temporaryPath = `${path}.${process.pid}`
  const descriptor = openSync(temporaryPath, 'w', 0o600)
  writeSync(descriptor, `1:${randomBytes(32).toString('base64url')}\n`)
  closeSync(descriptor)
  syncPath(temporaryPath)
  try {
    linkSync(temporaryPath, path)
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(temporaryPath)
  }
  syncPath(dirname(path))
}

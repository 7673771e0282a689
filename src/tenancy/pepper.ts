// The pepper: a secret outside the catalog that every stored key hash depends on, so that a stolen catalog opens nothing.

import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirectory, syncPath } from '../storage/sqlite/files.ts'

/** Peppers by number. New keys use `current`; older ones stay valid until their number is removed. */
export type Pepper = { current: number; secrets: ReadonlyMap<number, string> }

/** Reads `API_KEY_PEPPER` if it is set, else the file `pepper` of the data directory, which is made at first use.
 *  Both hold `number:secret`, one a line or separated by commas; a bare secret has the number 1. */
export function readPepper(directory: string, given: string): Pepper {
  return parse(given || readFile(directory))
}

function parse(text: string): Pepper {
  const lines = text.split(/[\s,]+/).filter(Boolean)
  const secrets = new Map(
    lines.map((line): [number, string] => {
      const [, number = '1', secret = ''] = /^(?:(\d{1,9}):)?(.*)$/.exec(line)!
      if (secret.length < 32) throw new Error('A pepper must be at least 32 characters long.')
      return [Number(number), secret]
    }),
  )
  if (secrets.size === 0) throw new Error('The pepper is empty.')
  return { current: Math.max(...secrets.keys()), secrets }
}

function readFile(directory: string): string {
  const path = join(directory, 'pepper')
  if (!existsSync(path)) makeFile(directory, path)
  return readFileSync(path, 'utf8')
}

/** Written aside and linked into place: of two processes that start at once, one makes it and both read that one. */
function makeFile(directory: string, path: string): void {
  makeDirectory(directory)
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
  syncPath(directory)
}

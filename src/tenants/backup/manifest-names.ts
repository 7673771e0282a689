// The names of manifests, which contain the times of the backups.

import { readdirSync } from 'node:fs'
import { errorCodeOf, errorMessageOf } from '../../lib/errors.ts'
import { UserError } from '../../lib/user-error.ts'

const namePattern = /^backup-(\d{8}T\d{9}Z)\.json$/

/** Returns the names of all manifests in a directory, newest first. Throws UserError if the directory has none or
 *  cannot be read. */
export function listManifests(directory: string): string[] {
  const names = namesIn(directory)
  if (names.length === 0) throw new UserError(`There is no backup in ${directory}.`)
  return names
}

/** Like `listManifests`, but returns an empty list if the directory is missing or has no manifests. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => namePattern.test(name))
      .sort()
      .reverse()
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return []
    throw new UserError(`${directory} cannot be read: ${errorMessageOf(error)}.`)
  }
}

/** Returns the next backup's timestamp: later than that of the newest readable manifest, even if the clock was set
 *  back. */
export function nextStamp(newestName: string | undefined, now: Date): string {
  const newest = newestName === undefined ? '' : namePattern.exec(newestName)![1]!
  const stamp = stampOf(now)
  return stamp <= newest ? stampOf(new Date(timeOf(newest) + 1)) : stamp
}

export function manifestName(stamp: string): string {
  return `backup-${stamp}.json`
}

/** Returns a timestamp such as `20261123T031500123Z`. */
function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[-:.]/g, '')
}

function timeOf(stamp: string): number {
  return Date.parse(stamp.replace(/^(....)(..)(..T..)(..)(..)(...Z)$/, '$1-$2-$3:$4:$5.$6'))
}

/** Returns the time in a manifest's name. */
export function timeInName(name: string): string {
  return new Date(timeOf(namePattern.exec(name)![1]!)).toISOString()
}

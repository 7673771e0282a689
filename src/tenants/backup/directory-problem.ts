// Finds out whether backups can be written to a directory, before one is due.

import { accessSync, constants, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Catalog } from '../../catalog/catalog.ts'
import { findRun } from '../../catalog/tables/backup-records.ts'
import { namesIn } from './manifest-names.ts'

/** Both are sentences. */
export type DirectoryProblem = { message: string; remedy: string }

/** Returns why scheduled backups cannot be written to the directory; undefined if they can. Without a catalog, earlier
 *  backups are unknown. A missing directory is not created here. Leaves nothing behind. */
export async function findDirectoryProblem(
  catalog: Catalog | undefined,
  directory: string,
): Promise<DirectoryProblem | undefined> {
  return findWriteProblem(directory) ?? (await findMissingDisk(catalog, directory))
}

/** Returns a problem if the directory seems to be on a disk that is not mounted: a backup on the wrong disk would fill it
 *  and be taken for the real one. */
export async function findMissingDisk(
  catalog: Catalog | undefined,
  directory: string,
): Promise<DirectoryProblem | undefined> {
  const parent = dirname(directory)
  if (!statSync(parent, { throwIfNoEntry: false }))
    return { message: `There is no directory ${parent}.`, remedy: 'Mount the disk for the backups, or create it.' }
  const run = catalog && (await findRun(catalog, directory))
  if (!run?.finished_at || namesIn(directory).length > 0) return undefined
  return {
    message: `There was a backup in ${directory} at ${run.finished_at}, and now there is none.`,
    remedy: `Mount its disk. If it is lost, start again there: tenantdesk backup --to ${directory}`,
  }
}

function findWriteProblem(directory: string): DirectoryProblem | undefined {
  const path = join(directory, `backup-test-${process.pid}.tmp`)
  try {
    if (!statSync(dirname(directory), { throwIfNoEntry: false })) return undefined // see findMissingDisk
    if (!statSync(directory, { throwIfNoEntry: false })) {
      accessSync(dirname(directory), constants.W_OK | constants.X_OK)
      return undefined
    }
    writeFileSync(path, '', { flag: 'wx', mode: 0o600 })
    rmSync(path)
    return undefined
  } catch (error) {
    return {
      message: `${directory} cannot be written to: ${(error as Error).message}.`,
      remedy:
        "Make the server's user its owner. Under systemd, also name it in ReadWritePaths= of the unit (docs/guide/back-up-and-restore.md).",
    }
  }
}

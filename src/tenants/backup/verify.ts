// Verifies that backups can be restored: reads every backup file in a directory, and checks the database in each file.

import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Passphrase } from '../../lib/files/passphrase-encryption.ts'
import { DamagedBackup } from './archive.ts'
import { filesFolder, filesOf, listManifests, namesIn, readManifest } from './manifest.ts'
import { withScratch } from './scratch.ts'
import { verifyArchive } from './write-verified.ts'

/** `damaged`: every damaged file or manifest, with the reason. */
export type Verification = {
  backups: number
  files: number
  bytes: number
  damaged: { file: string; reason: string }[]
}

/** Verifies every backup in a directory, without changing anything there. A file that belongs to several backups is
 *  verified only once. Stores temporary copies in the system's temporary directory (TMPDIR). Throws UserError. */
export function verifyBackups(
  path: string,
  passphrase: Passphrase | undefined,
  onProgress: (progress: { file: string; done: number; total: number }) => void = () => {},
): Promise<Verification> {
  const directory = resolve(path)
  const names = listManifests(directory)
  const { files, damaged } = collectFiles(directory, names)
  return withScratch(tmpdir(), async (scratch) => {
    let bytes = 0
    for (const [done, archived] of [...files.values()].entries()) {
      onProgress({ file: archived.file, done, total: files.size })
      try {
        await verifyArchive(join(directory, filesFolder, archived.file), archived, scratch, passphrase)
        bytes += archived.bytes
      } catch (error) {
        if (!(error instanceof DamagedBackup)) throw error
        damaged.push({ file: archived.file, reason: error.message })
      }
    }
    return { bytes, ...withoutRemoved(directory, { names, files: [...files.keys()], damaged }) }
  })
}

/** Leaves out backups and files that a backup with --keep has removed during the verification. */
function withoutRemoved(
  directory: string,
  { names, files, damaged }: { names: string[]; files: string[]; damaged: Verification['damaged'] },
): Omit<Verification, 'bytes'> {
  const presentNames = new Set(namesIn(directory))
  const presentFiles = collectFiles(directory, [...presentNames]).files
  return {
    backups: names.filter((name) => presentNames.has(name)).length,
    files: files.filter((file) => presentFiles.has(file)).length,
    damaged: damaged.filter(({ file }) => presentNames.has(file) || presentFiles.has(file)),
  }
}

function collectFiles(directory: string, names: string[]) {
  const files = new Map<string, ReturnType<typeof filesOf>[number]>()
  const damaged: Verification['damaged'] = []
  for (const name of names) {
    try {
      for (const archived of filesOf(readManifest(directory, name))) files.set(archived.file, archived)
    } catch (error) {
      if (!(error instanceof DamagedBackup)) throw error
      damaged.push({ file: name, reason: error.message })
    }
  }
  return { files, damaged }
}

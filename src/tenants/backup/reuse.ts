// Decides which files of the last backup a new backup can reuse. A file counts only after it has been opened and
// its size compared, and each run reads a share of the files completely.

import { join } from 'node:path'
import type { Passphrase } from '../../lib/files/passphrase-encryption.ts'
import { isAboutBackup } from './access.ts'
import { requireOpens, requireSameHash } from './archive.ts'
import { filesFolder } from './directory.ts'
import { type ArchivedDatabase, filesOf, type Manifest } from './manifest.ts'

/** A file of the last backup that is missing or damaged. `slug`: its tenant; null for the catalog. */
export type LostFile = { file: string; slug: string | null; reason: string }

/** `last`: the last backup without its lost files, and with the times at which files were read just now. */
export type ReusableBackup = { last: Manifest; lost: LostFile[] }

/** With a backup a day, every file is read within this time. */
const readWithinMs = 28 * 86_400_000

export type ReuseRequest = {
  directory: string
  passphrase: Passphrase | undefined
  /** Whether to read a share of the files. */
  reads: boolean
  now: Date
  /** Called after each file that was read, with the time that it took. */
  pause?: ((tookMs: number) => Promise<void>) | undefined
}

export async function findReusable(manifest: Manifest, request: ReuseRequest): Promise<ReusableBackup> {
  const reasons = new Map<string, string>()
  const check = async ({ file }: ArchivedDatabase, requireUsable: (path: string) => Promise<void>) => {
    try {
      await requireUsable(join(request.directory, filesFolder, file))
    } catch (error) {
      if (!isAboutBackup(error)) throw error
      reasons.set(file, error.message)
    }
  }
  const isReusable = ({ encrypted }: ArchivedDatabase) => encrypted === (request.passphrase !== undefined)
  const files = filesOf(manifest).filter(isReusable)
  for (const each of files) await check(each, (path) => requireOpens(path, each, request.passphrase))
  const whole = files.filter(({ file }) => !reasons.has(file))
  const due = request.reads ? chooseDue(whole, Date.parse(manifest.made_at), request.now) : []
  for (const each of due) {
    const start = performance.now()
    await check(each, (path) => requireSameHash(path, each))
    await request.pause?.(performance.now() - start)
  }
  const readNow = new Set(due.map(({ file }) => file))
  const isUsable = (each: ArchivedDatabase) => isReusable(each) && !reasons.has(each.file)
  const withReadTime = <Entry extends ArchivedDatabase>(each: Entry): Entry =>
    readNow.has(each.file) ? { ...each, read_at: request.now.toISOString() } : each
  const { catalog } = manifest
  const slugs = new Map(manifest.tenants.map(({ file, slug }) => [file, slug]))
  return {
    last: {
      ...manifest,
      catalog: catalog && isUsable(catalog) ? withReadTime(catalog) : null,
      tenants: manifest.tenants.filter(isUsable).map(withReadTime),
    },
    lost: [...reasons].map(([file, reason]) => ({ file, slug: slugs.get(file) ?? null, reason })),
  }
}

/** Returns the files to read now: those that have not been read for longest, as many as the time since the last backup
 *  requires, but at least one. */
function chooseDue(files: ArchivedDatabase[], lastBackupAt: number, now: Date): ArchivedDatabase[] {
  const share = Math.min(1, (now.getTime() - lastBackupAt) / readWithinMs)
  const count = Math.max(1, Math.ceil(files.length * share))
  const oldestFirst = files.toSorted((one, other) => (readTime(one) < readTime(other) ? -1 : 1))
  const tooOld = new Date(now.getTime() - readWithinMs).toISOString()
  return oldestFirst.filter((file, index) => index < count || readTime(file) < tooOld)
}

/** Returns when the file was last read and found intact. Every file is read when it is written. */
export function readTime({ read_at, made_at }: ArchivedDatabase): string {
  return read_at ?? made_at
}

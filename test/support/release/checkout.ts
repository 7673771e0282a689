import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Copies the files from `sources` that a fresh clone would contain, including their uncommitted changes. */
export function copyCheckout(target: string, sources: string[] = ['.']): void {
  const listing = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z', ...sources])
  const files = listing.stdout.toString().split('\0').filter(existsSync)
  for (const file of files) {
    mkdirSync(join(target, dirname(file)), { recursive: true })
    copyFileSync(file, join(target, file))
  }
}

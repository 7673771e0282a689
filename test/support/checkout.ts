import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Copies these files and folders as a fresh clone would contain them, including uncommitted changes. */
export function copyCheckout(to: string, sources: string[] = ['.']): void {
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z', ...sources])
  const files = listed.stdout.toString().split('\0').filter(existsSync)
  for (const file of files) {
    mkdirSync(join(to, dirname(file)), { recursive: true })
    copyFileSync(file, join(to, file))
  }
}

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Returns the short hash of the current commit, followed by "with changes" if there are uncommitted changes. */
export function commit(): string {
  const git = (...words: string[]) => execFileSync('git', words, { encoding: 'utf8', cwd: root }).trim()
  try {
    const isChanged = git('status', '--porcelain', '--', 'src', 'bench', 'package-lock.json') !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`
  } catch {
    return 'unknown'
  }
}

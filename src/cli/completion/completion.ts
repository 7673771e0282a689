import { UserError } from '../../lib/user-error.ts'
import type { Command } from '../usage.ts'
import { bashScript, zshScript } from './bash-and-zsh.ts'
import { fishScript } from './fish.ts'
import { listContexts } from './words.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }

export const shells = Object.keys(scripts)

/** Returns the script that completes these commands in a shell. Throws UserError. */
export function completionScript(commands: readonly Command[], shell: string): string {
  if (!Object.hasOwn(scripts, shell))
    throw new UserError(
      `There is no completion for ${JSON.stringify(shell)}; the supported shells are ${shells.join(', ')}.`,
    )
  return scripts[shell as keyof typeof scripts](listContexts(commands))
}

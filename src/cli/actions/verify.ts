import { UserError } from '../../lib/user-error.ts'
import { type UnverifiedFile, verifyBackups } from '../../tenants/backup/verify.ts'
import type { CommandHandler } from '../command.ts'
import { printResult, progressBar } from '../output.ts'
import { readAccess } from './backup-access.ts'

/** Does not require an installation, so a backup can be verified on any machine. */
export const verifyCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const bar = progressBar(terminal, 'verify', 'files')
  const onProgress = ({ done, total }: { done: number; total: number }) => bar.update(done, total)
  const result = await verifyBackups(values[0]!, readAccess(options, config, terminal), onProgress).finally(bar.end)
  printResult(terminal, { json: options.json, result: result })
  const problems = [
    ...describe(`Damaged files in ${values[0]}`, result.damaged),
    ...describe(`Files in ${values[0]} that were not verified`, result.refused),
  ]
  if (problems.length > 0) throw new UserError(problems.join(' '))
  terminal.stderr(`Backups in ${values[0]}: ${result.backups}, all complete; files verified: ${result.files}.`)
}

function describe(title: string, [first, ...others]: readonly UnverifiedFile[]): string[] {
  return first ? [`${title}: ${others.length + 1}, such as ${first.file}: ${first.reason}.`] : []
}

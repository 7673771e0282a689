import { UserError } from '../../lib/user-error.ts'
import { verifyBackups } from '../../tenants/backup/verify.ts'
import type { CommandHandler } from '../command.ts'
import { printResult, progressBar } from '../output.ts'
import { readPassphrase } from './backup.ts'

/** Does not require an installation, so a backup can be verified on any machine. */
export const verifyCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const bar = progressBar(terminal, 'verify', 'files')
  const onProgress = ({ done, total }: { done: number; total: number }) => bar.update(done, total)
  const result = await verifyBackups(values[0]!, readPassphrase(options, config), onProgress).finally(bar.end)
  printResult(terminal, { json: options.json, result: result })
  const [first] = result.damaged
  if (first)
    throw new UserError(
      `Damaged files in ${values[0]}: ${result.damaged.length}, such as ${first.file}: ${first.reason}.`,
    )
  terminal.stderr(`Backups in ${values[0]}: ${result.backups}, all complete; files verified: ${result.files}.`)
}

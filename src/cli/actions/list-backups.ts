import { type ListedBackup, listBackups } from '../../tenants/backup/list-backups.ts'
import type { CommandHandler } from '../command.ts'
import { type Columns, printList } from '../output.ts'
import { readAccess } from './backup-access.ts'

const yesOrNo = (value: boolean | null) => (value === null ? 'unknown' : value ? 'yes' : 'no')

const columns: Columns<ListedBackup> = {
  NAME: ({ name }) => name,
  TIME: ({ time }) => time,
  TENANTS: ({ tenants }) => tenants ?? 'unknown',
  COMPLETE: ({ complete }) => yesOrNo(complete),
  ENCRYPTED: ({ encrypted }) => yesOrNo(encrypted),
  PROBLEM: ({ problem }) => problem,
}

/** Does not require an installation. */
export const listBackupsCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const rows = await listBackups(values[0]!, readAccess(options, config, terminal))
  printList(terminal, { json: options.json, rows, columns })
}

import { UserError } from '../../lib/user-error.ts'

const diskFailures = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO']

/** Whether the error means that nothing more can be written, so the backup must stop instead of trying the next
 *  tenant. */
export function isDiskFailure(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException
  return (code !== undefined && diskFailures.includes(code)) || message.includes('disk is full')
}

/** Returns a function that turns a failure to write into a UserError, and rethrows other errors. */
export function explainFailure(directory: string) {
  return (error: unknown): never => {
    if (!isDiskFailure(error) && !(error instanceof Error && 'syscall' in error)) throw error
    const reason = (error as Error).message.replace(/\.$/, '')
    throw new UserError(`The backup to ${directory} failed: ${reason}. Earlier backups are unchanged.`)
  }
}

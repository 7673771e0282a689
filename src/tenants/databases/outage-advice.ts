import type { Outage } from '../../engine/database/database.ts'

/** What an operator should do about each cause. Only damage and loss are reasons for a restore: a restore loses the
 *  newest changes. */
export const outageAdvice: Record<Outage, string> = {
  damaged: 'Restore it from a backup, and check the disk.',
  missing: 'Put it back, or restore it from a backup.',
  permission:
    "Let the server's user read and write it (on a disk: chown and chmod; on PostgreSQL: grant). Nothing needs to be restored.",
  password: 'Correct the password in the URL of the database server. Nothing needs to be restored.',
  full: 'Free space on the disk. Nothing needs to be restored.',
  unreachable:
    'Check that the database server is running and can be reached. Nothing needs to be restored: it is used again as soon as it responds.',
  unknown: "Look for the reason in the server's log.",
}

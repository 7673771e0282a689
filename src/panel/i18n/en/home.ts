// English texts for a tenant's home page and for the installation overview.

import { plural } from '../plural.ts'
import { withinDays } from './lists.ts'

const locale = 'en-GB'

export const home = {
  firstSteps: 'Get started',
  firstStepsHelp: 'Three steps, in this order. Import a list if you have one.',
  done: 'done',

  /** The number of people who have not left. */
  currentPeople: 'People working here',
  value: 'Purchase value',
  byStatus: 'Assets by status',
  byType: 'Assets by type',
  byBranch: (branches: string) => `${branches} with the most assets`,
  allActivity: 'All activity',
  changes: (count: number) => plural(locale, count, { one: '# change', other: '# changes' }),
  timesIn: (zone: string) => `Times are in ${zone}.`,

  toDo: 'To do',
  allClear: 'All clear ✓',
  left: (day: string) => `left on ${day}`,
  leaves: (day: string) => `leaves on ${day}`,
  leftEarlier: 'has left',
  collect: 'Collect equipment',
  moreLeavers: (count: number) => plural(locale, count, { one: 'and # more person', other: 'and # more people' }),
  moreAssets: (count: number) => plural(locale, count, { one: 'and # more asset', other: 'and # more assets' }),
  toDos: {
    left: (count: number) =>
      plural(locale, count, {
        one: '# asset is held by someone who left',
        other: '# assets are held by people who left',
      }),
    leaving: (count: number, days: number) =>
      plural(locale, count, {
        one: `# asset is held by someone who leaves ${withinDays(days)}`,
        other: `# assets are held by people who leave ${withinDays(days)}`,
      }),
    loans: (count: number) => plural(locale, count, { one: '# loan is overdue', other: '# loans are overdue' }),
    due: (count: number, days: number) =>
      plural(locale, count, {
        one: `# loan is due back ${withinDays(days)}`,
        other: `# loans are due back ${withinDays(days)}`,
      }),
    repairs: (count: number, days: number) =>
      plural(locale, count, {
        one: `# asset has been in repair for more than ${days} days`,
        other: `# assets have been in repair for more than ${days} days`,
      }),
    warranties: (count: number, days: number) =>
      plural(locale, count, {
        one: `# warranty ends ${withinDays(days)}`,
        other: `# warranties end ${withinDays(days)}`,
      }),
    contracts: (count: number, days: number) =>
      plural(locale, count, {
        one: `# contract ends ${withinDays(days)}`,
        other: `# contracts end ${withinDays(days)}`,
      }),
    unmarked: (count: number) =>
      plural(locale, count, {
        one: '# asset is missing its serial number or asset tag',
        other: '# assets are missing a serial number or asset tag',
      }),
  },

  requests: 'Requests (24 h)',
  lastActivity: 'Last activity',
  backupLate: (day: string) => `The last backup is from ${day}.`,
  backupMissing: 'There is no backup yet.',
  backupFailed: (time: string) => `The last backup failed (${time}).`,
  tenantFacts: {
    historyKept: 'History retention',
    forEver: 'for ever',
    days: (count: number) => plural(locale, count, { one: '# day', other: '# days' }),
    byDefault: (time: string) => `${time} (system default)`,
  },
  noTenantHelp: 'A tenant is a company with its own records, users and API keys. Tenants cannot see each other.',
  unreachable: (server: string) =>
    `Its database on server ${server} cannot be reached, so its requests fail with 503. Check that the server or the file is available. The tenant recovers automatically.`,
  notMigrated:
    'Its database could not be upgraded, so its requests fail with 503. Fix the error below; the next request tries the upgrade again.',
  suspended: 'Requests are rejected. Activate the tenant once the reason for the suspension is resolved.',
  trialOver: 'The trial has ended, so requests are rejected. Activate or delete the tenant.',
  trialEnds: 'The trial ends soon. Activate the tenant to keep it.',
}

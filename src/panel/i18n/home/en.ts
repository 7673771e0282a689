// English texts of the home page: of a tenant, and the overview of the installation.

import { plural } from '../plural.ts'

const locale = 'en-GB'

export const home = {
  firstSteps: 'Get started',
  firstStepsHelp: 'Three steps, in this order. Import a list if you have one.',
  done: 'done',

  noTenant: 'No tenants yet',
  noTenantHelp: 'A tenant is a company with its own records, users and API keys. Tenants cannot see each other.',
  attention: 'Needs attention',
  nothing: 'All clear.',
  unreachable: (server: string) =>
    `Its database on server ${server} cannot be reached, so its requests fail with 503. Check that the server or the file is available. The tenant recovers automatically.`,
  notMigrated:
    'Its database could not be upgraded, so its requests fail with 503. Fix the error below; the next request tries the upgrade again.',
  suspended: 'Requests are rejected. Activate the tenant once the reason is resolved.',
  trialOver: 'The trial is over, so requests are rejected. Activate or delete the tenant.',
  trialEnds: 'The trial ends soon. Activate the tenant to keep it.',
  more: (count: number) =>
    plural(locale, count, {
      one: '# more tenant needs attention; see the list of tenants.',
      other: '# more tenants need attention; see the list of tenants.',
    }),
}

// English texts for the security log's filters.

export const securityLog = {
  all: 'All events',
  failures: 'Failed attempts',
  user: 'User',
  userHint: 'Email address',
  tenant: 'Tenant',
  tenantHint: 'Name',
  from: 'From',
  to: 'To',
  search: 'IP, device, details',
  device: 'Device',
  onlyUser: 'Only events by or about one user are shown.',
  empty: 'No matching events.',
}

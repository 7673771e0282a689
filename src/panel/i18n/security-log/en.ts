// English texts of the security log's filters.

export const securityLog = {
  all: 'All events',
  failures: 'Failed attempts',
  user: 'User',
  userHint: 'Part of an email address',
  tenant: 'Tenant',
  tenantHint: 'Part of a name',
  from: 'From',
  to: 'To',
  search: 'IP address, device, details',
  device: 'Device',
  onlyUser: 'Only events by or about one user are shown.',
  empty: 'No matching events.',
}

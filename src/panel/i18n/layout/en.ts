// English texts of the layout: bars, menus, and the page before signing in.

export const layout = {
  home: 'Home',
  overview: 'Overview',
  allTenants: 'All tenants',
  findTenant: 'Find a tenant',
  settings: 'Settings',
  general: 'General',
  import: 'Import',
  lifecycle: 'Tenant',
  add: 'New',
  more: 'More',
  account: 'Account',
  profile: 'Profile',
  language: 'Language',
  theme: 'Theme',
  dismiss: 'Dismiss',
  undo: 'Undo',
  docs: 'API documentation',
  cannotSignIn: 'Can’t sign in? Ask your administrator for a new password link.',
  chooseAccount: (name: string) => `Account: ${name}`,
}

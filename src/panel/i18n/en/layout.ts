// English texts for the layout: bars, menus, and the sign-in page.

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
  profile: 'Profile',
  theme: 'Theme',
  rowHeight: 'Row height',
  rowSizes: { compact: 'Compact', comfortable: 'Comfortable' },
  rowHeightHint: 'Applies to this browser only.',
  dismiss: 'Dismiss',
  undo: 'Undo',
  cannotSignIn: 'Can’t sign in? Ask your administrator for a password reset link.',
  accountMenu: (name: string) => `Account: ${name}`,
}

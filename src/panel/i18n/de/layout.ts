// Deutsche Texte des Layouts: Leisten, Menüs und die Seite vor der Anmeldung.

export const layout = {
  home: 'Start',
  overview: 'Übersicht',
  allTenants: 'Alle Mandanten',
  findTenant: 'Mandanten suchen',
  settings: 'Einstellungen',
  general: 'Allgemein',
  import: 'Import',
  lifecycle: 'Mandant',
  add: 'Neu',
  more: 'Mehr',
  profile: 'Profil',
  theme: 'Design',
  rowHeight: 'Zeilenhöhe',
  rowSizes: { compact: 'Kompakt', comfortable: 'Geräumig' },
  rowHeightHint: 'Gilt nur in diesem Browser.',
  dismiss: 'Ausblenden',
  undo: 'Rückgängig machen',
  cannotSignIn: 'Anmeldung nicht möglich? Bitten Sie Ihren Administrator um einen Passwort-Link.',
  accountMenu: (name: string) => `Konto: ${name}`,
}

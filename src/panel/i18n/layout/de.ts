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
  account: 'Konto',
  profile: 'Profil',
  language: 'Sprache',
  theme: 'Design',
  dismiss: 'Ausblenden',
  undo: 'Rückgängig machen',
  docs: 'API-Dokumentation',
  cannotSignIn: 'Anmeldung nicht möglich? Bitten Sie Ihren Administrator um einen neuen Passwort-Link.',
  chooseAccount: (name: string) => `Konto: ${name}`,
}

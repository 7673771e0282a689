// Deutsche Texte der Filter des Sicherheitsprotokolls.

import type { securityLog as english } from '../en/security-log.ts'

export const securityLog: typeof english = {
  all: 'Alle Ereignisse',
  failures: 'Fehlgeschlagene Versuche',
  user: 'Benutzer',
  userHint: 'E-Mail-Adresse',
  tenant: 'Mandant',
  tenantHint: 'Name',
  from: 'Von',
  to: 'Bis',
  search: 'IP, Gerät, Details',
  device: 'Gerät',
  onlyUser: 'Es werden nur Ereignisse eines einzelnen Benutzers angezeigt.',
  empty: 'Keine passenden Ereignisse.',
}

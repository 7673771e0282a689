// Deutsche Texte der Startseite: eines Mandanten, und die Übersicht der Installation.

import { plural } from '../plural.ts'
import type { home as english } from './en.ts'

const locale = 'de-DE'

export const home: typeof english = {
  firstSteps: 'Erste Schritte',
  firstStepsHelp: 'Drei Schritte in dieser Reihenfolge. Wenn es schon eine Liste gibt, importieren Sie sie.',
  done: 'erledigt',

  noTenant: 'Noch keine Mandanten',
  noTenantHelp:
    'Ein Mandant ist eine Firma mit eigenen Datensätzen, Benutzern und API-Schlüsseln. Mandanten sehen einander nicht.',
  attention: 'Handlungsbedarf',
  nothing: 'Alles erledigt.',
  unreachable: (server) =>
    `Die Datenbank auf dem Server ${server} ist nicht erreichbar; Anfragen schlagen fehl (503). Prüfen Sie, ob der Server oder die Datei verfügbar ist. Danach läuft es automatisch weiter.`,
  notMigrated:
    'Die Datenbank konnte nicht aktualisiert werden; Anfragen schlagen fehl (503). Beheben Sie den folgenden Fehler; die nächste Anfrage versucht es erneut.',
  suspended: 'Anfragen werden abgelehnt. Aktivieren Sie den Mandanten, sobald der Grund behoben ist.',
  trialOver: 'Die Testphase ist abgelaufen; Anfragen werden abgelehnt. Aktivieren oder löschen Sie den Mandanten.',
  trialEnds: 'Die Testphase endet bald. Aktivieren Sie den Mandanten, um ihn zu behalten.',
  more: (count) =>
    plural(locale, count, {
      one: '# weiterer Mandant braucht Aufmerksamkeit; siehe Mandantenliste.',
      other: '# weitere Mandanten brauchen Aufmerksamkeit; siehe Mandantenliste.',
    }),
}

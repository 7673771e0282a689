// Deutsche Texte der Startseite: eines Mandanten, und die Übersicht der Installation.

import type { home as english } from '../en/home.ts'
import { plural } from '../plural.ts'
import { withinDays } from './lists.ts'

const locale = 'de-DE'

export const home: typeof english = {
  firstSteps: 'Erste Schritte',
  firstStepsHelp: 'Drei Schritte in dieser Reihenfolge. Wenn Sie schon eine Liste haben, importieren Sie sie.',
  done: 'erledigt',

  currentPeople: 'Aktive Personen',
  value: 'Anschaffungswert',
  byStatus: 'Geräte nach Status',
  byType: 'Geräte nach Art',
  byBranch: (branches) => `${branches} mit den meisten Geräten`,
  allActivity: 'Alle Aktivitäten',
  changes: (count) => plural(locale, count, { one: '# Änderung', other: '# Änderungen' }),
  timesIn: (zone) => `Alle Zeiten in der Zeitzone ${zone}.`,

  toDo: 'Aufgaben',
  allClear: 'Alles erledigt ✓',
  left: (day) => `ausgeschieden am ${day}`,
  leaves: (day) => `scheidet am ${day} aus`,
  leftEarlier: 'ausgeschieden',
  collect: 'Geräte einsammeln',
  moreLeavers: (count) => plural(locale, count, { one: 'und # weitere Person', other: 'und # weitere Personen' }),
  moreAssets: (count) => plural(locale, count, { one: 'und # weiteres Gerät', other: 'und # weitere Geräte' }),
  toDos: {
    left: (count) =>
      plural(locale, count, {
        one: '# Gerät ist noch bei einer ausgeschiedenen Person',
        other: '# Geräte sind noch bei ausgeschiedenen Personen',
      }),
    leaving: (count, days) =>
      plural(locale, count, {
        one: `# Gerät ist bei einer Person, die ${withinDays(days)} ausscheidet`,
        other: `# Geräte sind bei Personen, die ${withinDays(days)} ausscheiden`,
      }),
    loans: (count) => plural(locale, count, { one: '# Ausleihe ist überfällig', other: '# Ausleihen sind überfällig' }),
    due: (count, days) =>
      plural(locale, count, {
        one: `# Ausleihe ist ${withinDays(days)} fällig`,
        other: `# Ausleihen sind ${withinDays(days)} fällig`,
      }),
    repairs: (count, days) =>
      plural(locale, count, {
        one: `# Gerät ist seit mehr als ${days} Tagen in Reparatur`,
        other: `# Geräte sind seit mehr als ${days} Tagen in Reparatur`,
      }),
    warranties: (count, days) =>
      plural(locale, count, {
        one: `# Garantie endet ${withinDays(days)}`,
        other: `# Garantien enden ${withinDays(days)}`,
      }),
    contracts: (count, days) =>
      plural(locale, count, {
        one: `# Vertrag endet ${withinDays(days)}`,
        other: `# Verträge enden ${withinDays(days)}`,
      }),
    unmarked: (count) =>
      plural(locale, count, {
        one: '# Gerät ist ohne Serien- oder Inventarnummer',
        other: '# Geräte sind ohne Serien- oder Inventarnummer',
      }),
  },

  requests: 'Anfragen (24 h)',
  lastActivity: 'Letzte Aktivität',
  backupLate: (day) => `Die letzte Sicherung ist vom ${day}.`,
  backupMissing: 'Es gibt noch keine Sicherung.',
  backupFailed: (time) => `Die letzte Sicherung ist fehlgeschlagen (${time}).`,
  tenantFacts: {
    historyKept: 'Aufbewahrung des Verlaufs',
    forEver: 'unbegrenzt',
    days: (count) => plural(locale, count, { one: '# Tag', other: '# Tage' }),
    byDefault: (time) => `${time} (Systemstandard)`,
  },
  noTenantHelp:
    'Ein Mandant ist eine Firma mit eigenen Datensätzen, Benutzern und API-Schlüsseln. Mandanten sehen einander nicht.',
  unreachable: (server) =>
    `Die Datenbank auf dem Server ${server} ist nicht erreichbar; Anfragen schlagen fehl (503). Prüfen Sie, ob der Server oder die Datei verfügbar ist. Danach läuft es automatisch weiter.`,
  notMigrated:
    'Die Datenbank konnte nicht aktualisiert werden; Anfragen schlagen fehl (503). Beheben Sie den folgenden Fehler; die nächste Anfrage versucht es erneut.',
  suspended: 'Anfragen werden abgelehnt. Aktivieren Sie den Mandanten, sobald der Grund behoben ist.',
  trialOver: 'Die Testphase ist abgelaufen; Anfragen werden abgelehnt. Aktivieren oder löschen Sie den Mandanten.',
  trialEnds: 'Die Testphase endet bald. Aktivieren Sie den Mandanten, um ihn zu behalten.',
}

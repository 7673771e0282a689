// Deutsche Texte der Seiten und Formulare von Datensätzen.

import type { recordPages as english } from './en.ts'

export const recordPages: typeof english = {
  kept: {
    signIn: 'Ihre Sitzung ist abgelaufen. Melden Sie sich an, um fortzufahren. Ihre Eingaben bleiben erhalten.',
    reopen: 'Formular mit Ihren Eingaben erneut öffnen',
    filledIn: 'Ihre Eingaben von vor der Anmeldung sind unten eingetragen, aber noch nicht gespeichert.',
  },
  back: 'Zurück',
  delete: {
    help: 'Der Verlauf bleibt erhalten. Sie können das Löschen unter „Aktivität“ rückgängig machen.',
    changed: 'Jemand hat diesen Datensatz gerade geändert. Prüfen Sie, ob er weiterhin gelöscht werden soll.',
    refused: (name) => `${name} kann noch nicht gelöscht werden`,
    wayOut: {
      employees: 'Diese Personen gehören hierzu. Verschieben oder löschen Sie sie zuerst.',
      hardware: 'Diese Geräte sind hier zugewiesen. Geben Sie sie zuerst zurück oder weiter, oder löschen Sie sie.',
    },
  },
  deleted: (moment, actor) => `Gelöscht am ${moment} von ${actor}.`,
  restore: 'Wiederherstellen',
  showAll: (count) => `Alle anzeigen: ${count}`,
}

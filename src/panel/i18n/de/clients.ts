// Die deutschen Texte, die anders lauten, wenn ein Mandant seine Standorte Kunden nennt.

import type { Texts } from '../index.ts'
import { plural } from '../plural.ts'
import type { TextChanges } from '../replace-texts.ts'
import type { ResourceTexts } from '../resource-texts.ts'

const locale = 'de-DE'

const customers: ResourceTexts = {
  one: 'Kunde',
  many: 'Kunden',
  new: 'Neuer Kunde',
  add: 'Kunden anlegen',
  delete: 'Kunden löschen',
  search: 'Kunden suchen',
  all: 'Alle Kunden',
  empty: 'Noch keine Kunden',
  emptyHelp: 'Legen Sie die Firmen an, die Sie betreuen.',
  noMatch: 'Keine passenden Kunden.',
  import: 'Kunden importieren',
  importColumns: 'Kunden importieren: Spalten zuordnen',
  assignments: '',
  count: (count) => plural(locale, count, { one: '# Kunde', other: '# Kunden' }),
}

export const clients: TextChanges<Texts> = {
  fields: { customer_id: 'Kunde', customers_called: 'Bezeichnung der Kunden' },
  bulkEdits: { tasks: { move: 'Zu Kunden verschieben' } },
  closeBranch: {
    insteadOfDeleting:
      'Sie können den Kunden stattdessen schließen: Personen und Lagerbestand wechseln zu einem anderen Kunden, und der Verlauf bleibt erhalten.',
    link: 'Kunden schließen',
    intro:
      'Die Personen wechseln mit allen ihren Geräten zu einem anderen Kunden, und der Lagerbestand kommt in dessen Lager. Nichts wird gelöscht.',
    target: 'Neuer Kunde',
    chooseTarget: 'Wählen Sie einen aktiven Kunden.',
    preview: (target) => `Noch ist nichts geändert. Neuer Kunde für alles: ${target}`,
    willMove: { people: 'mit allen Geräten zum neuen Kunden' },
    thenInactive: 'Danach wird der Kunde inaktiv. Ausgeschiedene Personen ohne Geräte bleiben dort aufgeführt.',
    empty: 'Es gibt nichts zu verschieben. Der Kunde wird inaktiv.',
    back: 'Anderen Kunden wählen',
    changed: 'Bei diesem Kunden hat sich seit der Vorschau etwas geändert. So ist der Stand jetzt.',
    alreadyClosed: 'Dieser Kunde ist bereits geschlossen.',
  },
  handOver: { site: 'Kunde', person: { branch: 'Kunde' } },
  recordPages: {
    where: {
      needsBranch:
        'Jedes Gerät ist bei einem Kunden auf Lager oder bei einer Person eines Kunden. Legen Sie zuerst einen Kunden an.',
    },
  },
  search: {
    fieldLabel: 'Geräte, Personen und Kunden suchen',
    choose: {
      customers: {
        empty: 'Wählen Sie einen Kunden.',
        unknown: 'Kein passender Kunde. Prüfen Sie die Schreibweise oder geben Sie nur einen Teil des Namens ein.',
        ambiguous: 'Mehrere Kunden passen. Wählen Sie einen davon.',
      },
    },
  },
  verbs: {
    names: { move: 'Zu Kunden verschieben' },
    inStockElsewhere: 'Auf Lager bei einem anderen Kunden',
    sameBranch:
      'Leer lassen, um den Kunden beizubehalten. Ausgeliehene Geräte kommen in das Lager zurück, aus dem sie stammen.',
    stockBranchHint:
      'Leer lassen für den Kunden der Person. Ausgeliehene Geräte kommen in das Lager zurück, aus dem sie stammen.',
    sentences: { changedBranch: (branch) => `Neuer Kunde: ${branch}` },
  },
  choices: { customers: customers.many },
  resources: { customers, employees: { assignments: 'Kundenverlauf' } },
}

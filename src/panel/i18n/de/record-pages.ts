// Deutsche Texte der Seiten und Formulare von Datensätzen.

import type { recordPages as english } from '../en/record-pages.ts'
import { plural } from '../plural.ts'
import { withinDays } from './lists.ts'

const locale = 'de-DE'

export const recordPages: typeof english = {
  back: 'Zurück',
  delete: {
    help: 'Der Verlauf bleibt erhalten. Sie können das Löschen unter „Aktivitäten“ rückgängig machen.',
    changed: 'Jemand hat diesen Datensatz gerade geändert. Prüfen Sie, ob er weiterhin gelöscht werden soll.',
    refused: (name) => `${name} kann noch nicht gelöscht werden`,
    otherWayOut: 'Löschen Sie zuerst diese Datensätze oder ordnen Sie sie einem anderen Datensatz zu.',
    wayOut: {
      employees: 'Diese Personen sind hier eingetragen. Verschieben oder löschen Sie sie zuerst.',
      storage: 'Verschieben Sie zuerst, was dort auf Lager ist, und löschen Sie dann diese Lagerorte.',
      hardware:
        'Diese Geräte sind noch zugewiesen. Nehmen Sie sie zuerst ins Lager zurück, übergeben oder löschen Sie sie.',
    },
    groups: {
      storage: (count) => plural(locale, count, { one: '# Lagerort', other: '# Lagerorte' }),
    },
  },
  toasts: {
    created: (title) => `${title} angelegt.`,
    deleted: (title) => `${title} gelöscht.`,
  },
  deleted: (moment, actor) => `Gelöscht am ${moment} von ${actor}.`,
  restore: 'Wiederherstellen',
  showAll: (count) => `Alle anzeigen: ${count}`,
  open: 'Öffnen',
  saveAndAdd: 'Speichern und neu',

  sections: {
    what: 'Allgemein',
    identification: 'Kennzeichnung',
    purchase: 'Kauf und Garantie',
    assignment: 'Zuweisung',
    person: 'Person',
    work: 'Arbeitsplatz',
    period: 'Beschäftigung',
    contact: 'Kontakt',
    contract: 'Vertrag',
    notes: 'Notizen',
    more: 'Weiteres',
  },

  hints: {
    code: 'Eine Kurzform für Listen und Etiketten.',
    contract_end: 'Der letzte Tag des Vertrags.',
    employee_no: 'Ihre eigene Nummer für diese Person.',
    start_date: 'Der erste Arbeitstag.',
    end_date: 'Der letzte Arbeitstag.',
    kind: 'Ein Lagerort, etwa ein Raum oder ein Regal, enthält Geräte, die niemand verwendet.',
    asset_tag: 'Der Text auf dem Etikett des Geräts. Jede Inventarnummer gibt es nur einmal.',
    warranty_end: 'Der letzte Tag der Garantie.',
    is_loaner: 'Wird befristet ausgeliehen und nicht dauerhaft zugewiesen.',
    due_back: 'Der letzte Tag der Ausleihe.',
    external_id: 'Die ID in einem anderen System, falls der Datensatz von dort stammt.',
    'employees.email': 'Kennzeichnet die Person, auch bei Importen.',
  },

  errors: {
    tooLong: (max) => `Geben Sie höchstens ${max} Zeichen ein.`,
    tooShort: (min) => `Geben Sie mindestens ${min} Zeichen ein.`,
    wholeNumber: (from, to) => `Geben Sie eine ganze Zahl von ${from} bis ${to} ein.`,
    usedBy: (title) => `Bereits vergeben: ${title}.`,
    emailUsedBy: (title) => `${title} hat diese E-Mail-Adresse bereits.`,
    useAnyway: 'Trotzdem speichern',
  },
  asOfNote: (day) => `Das ist der Datensatz mit Stand vom ${day}. Hier kann nichts geändert werden.`,
  asOfFuture: (day) => `${day} liegt in der Zukunft. Das ist der Datensatz von heute.`,
  notThen: (day) => `Diesen Datensatz gab es am ${day} nicht.`,

  where: {
    legend: 'Wo ist das Gerät?',
    inStock: 'Auf Lager',
    withPerson: 'Bei einer Person',
    choosePerson: 'Wählen Sie, wer das Gerät hat.',
    needsBranch:
      'Jedes Gerät ist an einem Standort auf Lager oder bei einer Person an einem Standort. Legen Sie zuerst einen Standort an.',
  },

  conflict: {
    explain:
      'Während Sie diesen Datensatz bearbeitet haben, hat ihn jemand anderes gespeichert. Wählen Sie für jedes abweichende Feld, welche Fassung gelten soll.',
    mine: 'Ihre Fassung',
    theirs: 'Gespeicherte Fassung',
    savedBy: (name) => `Gespeichert von ${name}`,
    edit: 'Weiter bearbeiten',
    discard: 'Eigene Änderungen verwerfen',
  },
  moreActions: 'Weitere Aktionen',
  warranty: {
    months: (count) => `+${count} Monate`,
    purchaseFirst: 'Geben Sie zuerst das Kaufdatum ein, denn an diesem Tag beginnt die Garantie.',
  },
  pastItems: 'Frühere Geräte',
  until: (day) => `bis ${day}`,
  editField: (field: string) => `Bearbeiten: ${field}`,
  addFacts: 'Ergänzen:',
  copy: (field) => `Kopieren: ${field}`,
  since: (day) => `seit ${day}`,
  states: { left: 'Ausgeschieden', leaves: (day) => `Scheidet am ${day} aus`, closed: 'Geschlossen' },
  ends: { over: 'abgelaufen', today: 'endet heute', inDays: { one: 'endet in # Tag', other: 'endet in # Tagen' } },
  due: {
    overdue: { one: '# Tag überfällig', other: '# Tage überfällig' },
    today: 'Rückgabe heute',
    inDays: { one: 'Rückgabe in # Tag', other: 'Rückgabe in # Tagen' },
  },
  warrantiesEnding: (days) => `Garantie endet ${withinDays(days)}`,
  draft: {
    restored: 'Was Sie hier zuvor eingegeben haben, ist wieder da, aber noch nicht gespeichert.',
    discard: 'Verwerfen',
  },
  inactive: {
    suspended: 'Dieser Mandant ist gesperrt. Benutzer und API-Schlüssel haben keinen Zugriff.',
    trialOver: 'Die Testphase dieses Mandanten ist abgelaufen. Benutzer und API-Schlüssel haben keinen Zugriff.',
    manage: 'Mandant verwalten',
  },
  was: 'vorher',
  now: 'jetzt',
}

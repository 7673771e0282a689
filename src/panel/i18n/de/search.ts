// Deutsche Texte der Suche und der Felder, die einen Datensatz auswählen.

import { plural } from '../plural.ts'

const locale = 'de-DE'

export const search = {
  title: 'Suche',
  titleEverywhere: 'Suche in allen Mandanten',
  fieldLabel: 'Geräte, Personen und Standorte suchen',
  help: 'Geben Sie einen Teil eines Namens, eine Inventarnummer, eine Seriennummer oder eine E-Mail-Adresse ein.',
  nothing: 'Keine Ergebnisse',
  nothingHelp: 'Prüfen Sie die Schreibweise oder geben Sie weniger Wörter ein.',
  back: 'Zurück zu allen Ergebnissen',
  everywhere: 'In allen Mandanten suchen',
  inactive: 'Inaktiv',
  next: 'Weitere Mandanten durchsuchen',
  all: (count: string) => `Alle ${count} anzeigen`,
  limit: (count: string) => `Nur die ersten ${count} Ergebnisse werden angezeigt. Ein weiteres Wort grenzt sie ein.`,
  moreIn: (tenant: string) => `Alle Ergebnisse in ${tenant} anzeigen`,
  notSearched: (names: string) => `Diese Mandanten konnten nicht durchsucht werden: ${names}.`,
  searched: (done: string, all: string) => `${done} von ${all} Mandanten wurden durchsucht.`,

  offers: (count: number) => plural(locale, count, { one: '# Ergebnis', other: '# Ergebnisse' }),
  allFor: (text: string) => `Alle Ergebnisse für „${text}“ anzeigen`,
  everywhereFor: (text: string) => `In allen Mandanten nach „${text}“ suchen`,

  shortcuts: {
    title: 'Tastenkürzel',
    letters: 'Kürzel mit nur einer Taste verwenden',
    close: 'Schließen',
    names: {
      search: 'Suchen oder zu einer Seite wechseln',
      next: 'Nächste Zeile einer Liste',
      previous: 'Vorherige Zeile',
      open: 'Zeile öffnen',
      select: 'Zeile auswählen',
      act: 'Aktion für die ausgewählten Zeilen wählen',
      save: 'Formular speichern',
      close: 'Menü oder Liste schließen',
      list: 'Diese Kürzel anzeigen',
    },
  },

  none: 'Keine Treffer',
  first: (count: string) => `${count} oder mehr. Geben Sie mehr ein, um die Liste einzugrenzen.`,
  /** Messages if no record was chosen, by resource. */
  choose: {
    records: {
      empty: 'Wählen Sie einen Datensatz.',
      unknown: 'Kein passender Datensatz. Prüfen Sie die Schreibweise oder geben Sie nur einen Teil des Namens ein.',
      ambiguous: 'Mehrere Datensätze passen. Wählen Sie einen davon.',
    },
    employees: {
      empty: 'Wählen Sie eine Person.',
      unknown: 'Keine passende Person. Prüfen Sie die Schreibweise oder geben Sie nur einen Teil des Namens ein.',
      ambiguous: 'Mehrere Personen passen. Wählen Sie eine davon.',
    },
    customers: {
      empty: 'Wählen Sie einen Standort.',
      unknown: 'Kein passender Standort. Prüfen Sie die Schreibweise oder geben Sie nur einen Teil des Namens ein.',
      ambiguous: 'Mehrere Standorte passen. Wählen Sie einen davon.',
    },
    hardware: {
      empty: 'Wählen Sie ein Gerät.',
      unknown:
        'Kein passendes Gerät. Prüfen Sie die Schreibweise oder geben Sie nur einen Teil der Inventar- oder Seriennummer ein.',
      ambiguous: 'Mehrere Geräte passen. Wählen Sie eines davon.',
    },
  },
}

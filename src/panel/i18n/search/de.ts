// Deutsche Texte der Suche und der Felder, die einen Datensatz auswählen.

export const search = {
  button: 'Suchen',
  none: 'Keine Treffer',
  first: (count: string) => `${count} oder mehr. Geben Sie mehr ein, um die Liste einzugrenzen.`,
  /** Why a form chose no record. */
  choose: {
    employees: {
      empty: 'Wählen Sie eine Person.',
      unknown: 'Keine passende Person. Prüfen Sie die Schreibweise, oder geben Sie nur einen Teil des Namens ein.',
      ambiguous: 'Mehrere Personen passen. Wählen Sie eine davon.',
    },
    customers: {
      empty: 'Wählen Sie einen Standort.',
      unknown: 'Kein passender Standort. Prüfen Sie die Schreibweise, oder geben Sie nur einen Teil des Namens ein.',
      ambiguous: 'Mehrere Standorte passen. Wählen Sie einen davon.',
    },
    hardware: {
      empty: 'Wählen Sie ein Gerät.',
      unknown:
        'Kein passendes Gerät. Prüfen Sie die Schreibweise, oder geben Sie nur einen Teil der Inventar- oder Seriennummer ein.',
      ambiguous: 'Mehrere Geräte passen. Wählen Sie eines davon.',
    },
  },
}

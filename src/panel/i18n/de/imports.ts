// Deutsche Texte des Imports.

import type { imports as english } from '../en/imports.ts'
import { plural } from '../plural.ts'

const locale = 'de-DE'

export const imports: typeof english = {
  steps: ['Datei wählen', 'Spalten zuordnen', 'Fragen beantworten', 'Prüfen', 'Importieren'],
  link: 'CSV importieren',
  intro:
    'Laden Sie eine CSV-Datei hoch: in der ersten Zeile die Spaltentitel, in jeder weiteren ein Datensatz. Sie sehen, was der Import bewirken würde, bevor sich etwas ändert.',
  resource: 'Inhalt der Datei',
  byTitles: 'Anhand der Überschriften erkennen',
  changeResource: 'Ändern',
  file: 'CSV-Datei',
  fileHint: (limit) =>
    `Ziehen Sie die Datei hierher oder wählen Sie sie aus. Höchstens ${limit} MB. Speichern Sie Tabellen aus Excel oder LibreOffice zuerst als CSV.`,
  upload: 'Hochladen und weiter',
  recent: 'Letzte Importe',
  author: 'Von',
  created: 'Begonnen',
  rows: 'Zeilen',
  state: 'Status',
  faults: {
    no_file: 'Wählen Sie eine Datei aus.',
    too_large: (limit) =>
      `Die Datei ist größer als ${limit} MB. Teilen Sie sie in mehrere Dateien auf, jede mit den Spaltentiteln in der ersten Zeile.`,
    workbook:
      'Das ist eine Excel-Arbeitsmappe und keine CSV-Datei. Speichern Sie das Blatt als „CSV UTF-8“ und laden Sie diese Datei hoch.',
    not_text: 'Das ist keine Textdatei. Speichern Sie die Daten als CSV und laden Sie diese Datei hoch.',
    invalid_utf8:
      'Die Datei ist als UTF-8 gekennzeichnet, enthält aber ungültige Zeichen. Speichern Sie sie erneut als „CSV UTF-8“.',
    no_header: 'Die erste Zeile ist leer. Sie muss die Spaltentitel enthalten.',
    open_quote: (row) =>
      `Ein Anführungszeichen in Zeile ${row} wird nicht geschlossen. Korrigieren Sie die Zeile und versuchen Sie es erneut.`,
    many_columns: (row) => `Zeile ${row} hat mehr als 500 Zellen. Eine Datei darf höchstens 500 Spalten haben.`,
    long_title: (column) => `Der Titel von Spalte ${column} ist länger als 200 Zeichen. Kürzen Sie ihn.`,
    long_cell: (row, column) =>
      `Die Zelle in Zeile ${row}, Spalte ${column} ist länger als 32.000 Zeichen. Vielleicht fehlt ein schließendes Anführungszeichen.`,
    many_rows: 'Die Datei hat mehr als 1.000.000 Zeilen. Teilen Sie sie in mehrere Dateien auf.',
    disk: 'Auf dem Server ist zu wenig Speicherplatz frei, um Dateien hochzuladen. Wenden Sie sich an Ihren Administrator.',
    busy: 'Gerade werden zu viele Dateien hochgeladen. Versuchen Sie es in einigen Sekunden erneut.',
  },

  columnsIntro: (count) =>
    plural(locale, count, {
      one: 'Die Datei hat # Zeile. Legen Sie fest, was jede Spalte enthält.',
      other: 'Die Datei hat # Zeilen. Legen Sie fest, was jede Spalte enthält.',
    }),
  asked: 'Bitte prüfen Sie diese Spalten',
  recognized: 'Erkannte Spalten',
  ignored: (count) =>
    plural(locale, count, { one: '# Spalte wird nicht importiert', other: '# Spalten werden nicht importiert' }),
  doubts: {
    title: (target) => `Der Titel klingt nach „${target}“. Stimmt das?`,
    part: (target) => `Wird zusammen mit den anderen Namensteilen als „${target}“ importiert.`,
    cells: (target) => `Die Werte sehen aus wie „${target}“. Stimmt das?`,
    unlikely: (target) => `Die Werte sehen nicht aus wie „${target}“.`,
  },
  moreColumns: 'Weitere Spalten. Kreuzen Sie an, welche Sie importieren möchten.',
  chooseFields: 'Felder für die angekreuzten Spalten wählen',
  fromProgram: (program) => `Das sieht nach einem Export aus ${program} aus. Die Spalten sind entsprechend zugeordnet.`,
  fromSaved: (name) => `Die Spalten sind so zugeordnet, wie Sie es unter „${name}“ gespeichert haben.`,
  fromLatest: 'Die Antworten sind so vorgeschlagen wie beim letzten Import einer Datei mit diesen Titeln.',
  ignoreLatest: 'Ohne diese Antworten fortfahren',
  ignoreMapping: 'Ohne diese Vorlage fortfahren',
  forgetMapping: 'Diese Vorlage löschen',
  forgotten: (name) => `Vorlage „${name}“ gelöscht.`,
  keepTitle: 'Diese Antworten als Vorlage speichern',
  keepHint: 'Sie wird für Dateien mit denselben Spaltentiteln vorgeschlagen.',
  keepName: 'Name',
  keep: 'Speichern',
  kept: (name) => `Vorlage „${name}“ gespeichert.`,
  notKept:
    'Unter diesem Namen lässt sich die Vorlage nicht speichern. Wählen Sie einen anderen mit höchstens 100 Zeichen.',
  next: 'Weiter',
  column: 'Spalte der Datei',
  samples: 'Erste Werte',
  target: 'Importieren als',
  skip: 'Nicht importieren',
  untitled: (number) => `Spalte ${number}`,
  id: 'ID',
  match: 'Vorhandene Datensätze finden über',
  matchHint:
    'Eine Zeile, zu der es schon einen Datensatz gibt, aktualisiert ihn. Jede andere Zeile legt einen neuen Datensatz an.',
  emptyCells: 'Eine leere Zelle leert das Feld. Felder ohne Spalte behalten ihre Werte.',
  check: 'Datei prüfen',
  assignment: {
    twice: (target) => `Zwei Spalten werden als „${target}“ importiert. Wählen Sie für eine davon „Nicht importieren“.`,
    missing_match: (target) =>
      `Vorhandene Datensätze sollen über „${target}“ gefunden werden, aber keine Spalte wird so importiert.`,
    required: (target) => `„${target}“ ist erforderlich, aber keine Spalte wird als „${target}“ importiert.`,
    unused_id:
      'Eine Spalte wird als „ID“ importiert. Lassen Sie vorhandene Datensätze über „ID“ finden oder importieren Sie die Spalte nicht.',
    invalid_value: (target: string) => `Der Wert, der für alle Zeilen gelten soll, passt nicht zu „${target}“.`,
    nothing: 'Wählen Sie für mindestens eine Spalte ein Feld.',
  },

  valuesIntro: 'Einige Fragen, auf die die Datei keine Antwort gibt.',
  unknownWords: (column) => `Unbekannte Wörter in „${column}“`,
  rowCount: (count) => plural(locale, count, { one: '# Zeile', other: '# Zeilen' }),
  word: 'In der Datei',
  means: (field) => `Bedeutet (${field})`,
  undecided: 'Diese Zeilen nicht importieren',
  leaveEmpty: 'Feld leer lassen',
  notFound: (column) => `Werte in „${column}“, die nicht gefunden wurden`,
  notFoundHelp:
    'Wählen Sie, was jeder Wert bedeutet. Zeilen mit einem Wert, den Sie offen lassen, werden nicht importiert.',
  notFoundMany: (list, examples) =>
    `Viele Werte wurden unter „${list}“ nicht gefunden, zum Beispiel ${examples}. Ihre Zeilen werden nicht importiert. Importieren Sie am besten zuerst diese Liste:`,
  newTab: 'in neuem Tab',
  similar: (titles) => `Ähnlich: ${titles}`,
  notNamed:
    'Andere Datensätze haben dieselben Werte, deshalb kann die Datei diesen nicht bezeichnen. Wählen Sie einen anderen.',
  forAllRows: 'Was die Datei nicht sagt',
  forAllRowsHelp: 'Neue Datensätze erhalten diese Werte. Vorhandene Datensätze behalten ihre eigenen.',
  noHolder: 'Niemandem zugewiesen: in das Lager unten',
  stockFor: 'Geräte, die niemandem zugewiesen sind, kommen in dieses Lager.',
  stockHint: (count) =>
    plural(locale, count, {
      one: '# Zeile nennt niemanden. Ihr Gerät kommt in dieses Lager. Bleibt das Feld leer, wird sie nicht importiert.',
      other:
        '# Zeilen nennen niemanden. Ihre Geräte kommen in dieses Lager. Bleibt das Feld leer, werden sie nicht importiert.',
    }),
  emptyHint: (count) =>
    plural(locale, count, {
      one: '# Zeile hat hier eine leere Zelle und erhält diesen Wert; ohne Angabe wird sie nicht importiert.',
      other: '# Zeilen haben hier eine leere Zelle und erhalten diesen Wert; ohne Angabe werden sie nicht importiert.',
    }),
  usual: (choice) => `${choice} (Standard)`,
  assignTags: (tag) => `Jedem neuen Gerät ohne Inventarnummer die nächste geben (ab ${tag})`,

  states: {
    draft: 'Nicht abgeschlossen',
    checking: 'Wird geprüft',
    checked: 'Geprüft',
    running: 'Läuft',
    done: 'Fertig',
    failed: 'Fehlgeschlagen',
    cancelled: 'Abgebrochen',
    undone: 'Rückgängig gemacht',
  },
  checking: 'Die Datei wird geprüft. Noch ändert sich nichts.',
  checkingAgain: 'Die Zeilen werden noch einmal geprüft und dann importiert.',
  running: 'Die Zeilen werden importiert. Der Import läuft weiter, auch wenn Sie diese Seite verlassen.',
  progress: (done, all) => `${done} von ${all} Zeilen`,
  reload: 'Aktualisieren',

  ready: 'Alle Zeilen können importiert werden.',
  nothingToDo: 'Es gibt nichts zu ändern: Jede Zeile stimmt mit ihrem Datensatz überein.',
  partly: 'Einige Zeilen enthalten Fehler und können nicht importiert werden.',
  none: 'Keine Zeile kann importiert werden.',
  empty: 'Die Datei enthält außer den Spaltentiteln keine Zeilen.',
  expired: 'Die Datei wurde 24 Stunden nach der Prüfung gelöscht. Laden Sie sie erneut hoch, um sie zu importieren.',
  done: 'Der Import ist abgeschlossen.',
  failed: 'Der Import ist wegen der Fehler unten fehlgeschlagen. Seine Änderungen wurden rückgängig gemacht.',
  failedKept: 'Der Import ist fehlgeschlagen. Die Zahlen zeigen, was sich nicht rückgängig machen ließ.',
  cancelled: 'Der Import wurde abgebrochen. Was bis dahin importiert war, bleibt erhalten.',
  undone: 'Der Import wurde rückgängig gemacht.',
  counts: { created: 'neu', updated: 'geändert', unchanged: 'unverändert', invalid: 'mit Fehlern' },

  preview: 'Die ersten Zeilen',
  amounts: (column) => `Beträge in „${column}“ werden gelesen als`,
  inRow: (row) => `Zeile ${row}`,
  outcomes: { created: 'Neu', updated: 'Geändert', unchanged: 'Unverändert', invalid: 'Fehler' },

  assumptions: 'So wurde die Datei gelesen',
  assumed: {
    encoding: (name) => `Der Text ist in ${name} kodiert.`,
    delimiter: (name) => `Die Spalten sind durch ${name} getrennt.`,
    ignored_columns: (columns) => `Unbekannte Spalten, die nicht importiert werden: ${columns}.`,
    odd_characters: (columns) =>
      `Spalten mit Zeichen, die sich nicht anzeigen lassen, oder mit falsch gelesenen Buchstaben wie Ã¼; vielleicht ist die Datei beschädigt: ${columns}.`,
    no_match_column: (target) =>
      `Keine Spalte wird als „${target}“ importiert, deshalb legt jede Zeile einen neuen Datensatz an.`,
    day_first: (column) => `Datumsangaben mit Schräg- oder Bindestrichen in „${column}“ beginnen mit dem Tag.`,
    month_first: (column) => `Datumsangaben mit Schräg- oder Bindestrichen in „${column}“ beginnen mit dem Monat.`,
    unclear_dates: (column) =>
      `Bei Datumsangaben mit Schräg- oder Bindestrichen in „${column}“ ist unklar, ob zuerst der Tag oder der Monat steht. Schreiben Sie 2026-12-31 oder 31.12.2026.`,
    times: (column) => `„${column}“ enthält auch Uhrzeiten. Gespeichert wird nur das Datum.`,
    missing_dates: (column, date) => `Ein Datum wie ${date} in „${column}“ bedeutet, dass keines bekannt ist.`,
    looked_up_by: (column, field) => `„${column}“ wird gesucht über: ${field}.`,
    own_export: () =>
      'Zeilen mit leerer oder neuer externer ID ändern den Datensatz mit derselben ID und demselben Anlegedatum, falls es ihn gibt, wie in Dateien, die aus Tenantdesk exportiert wurden.',
    existing_values: (column, count) =>
      `Neue Datensätze, deren Wert in „${column}“ ein vorhandener Datensatz schon hat: ${count}.`,
    damaged_codes: (columns) =>
      `Eine Tabellenkalkulation hat Nummern in Zahlen wie 1,23E+11 verwandelt; ihre letzten Stellen sind verloren: ${columns}.`,
    header_row: (row) => `Die Spaltentitel stehen in Zeile ${row}. Die Zeilen darüber werden nicht importiert.`,
    total_row: (row) => `Zeile ${row} wird nicht importiert, weil sie nur Summen enthält.`,
    kept_values: (column, count) =>
      `Zellen in „${column}“, die eine Tabellenkalkulation beschädigt hat: ${count}. Die Datensätze behalten ihre bisherigen Werte.`,
    blank_is_no: (column) => `Eine leere Zelle in „${column}“ bedeutet Nein.`,
    major_units: (column) =>
      `Die Beträge in „${column}“ sind in ganzen Währungseinheiten angegeben: 1,50 ist anderthalb.`,
    minor_units: (column) =>
      `Die Beträge in „${column}“ sind in Cent oder der kleinsten Einheit der Währung angegeben: 150 ist 1,50.`,
  },
  delimiters: { comma: 'Kommas', semicolon: 'Semikolons', tab: 'Tabulatoren' },

  errors: 'Fehler',
  inRows: (count, first) =>
    plural(locale, count, { one: `Zeile ${first}`, other: `# Zeilen, zuerst in Zeile ${first}` }),
  failedRows: 'Fehlerhafte Zeilen herunterladen',
  failedRowsKept: (limit) => `Nur die ersten ${limit} Zeilen mit Fehlern werden aufbewahrt.`,
  failedRowsHelp: 'Korrigieren Sie diese Zeilen und laden Sie die Datei als neuen Import hoch.',
  codes: {
    required: 'Der Wert fehlt.',
    not_in_list: 'Dieser Wert ist unbekannt.',
    duplicate: 'Ein anderer Datensatz oder eine andere Zeile hat denselben Wert.',
    ambiguous: 'Mehrere Datensätze haben diesen Wert.',
    too_many_cells: 'Die Zeile hat mehr Zellen, als es Spalten gibt.',
    invalid_email: 'Das ist keine gültige E-Mail-Adresse.',
    invalid_bool: 'Verwenden Sie Ja oder Nein.',
    invalid_int: 'Verwenden Sie eine ganze Zahl oder einen eindeutigen Betrag im zulässigen Bereich.',
    wrong_currency: 'Der Betrag ist in einer anderen Währung. Rechnen Sie ihn zuerst um.',
    invalid_date: 'Verwenden Sie ein gültiges Datum wie 31.12.2026 oder 2026-12-31.',
  },
  lookups: {
    not_in_list: (word, field, list) => `„${word}“ wurde unter „${list}“ nicht gefunden (${field}).`,
    ambiguous: (word, field, list) => `„${word}“ wurde unter „${list}“ mehrmals gefunden (${field}).`,
  },
  noCountry: 'Kein Land hat diesen Namen oder dieses zweistellige Kürzel.',
  knownWords: (word, choices) => `„${word}“ ist unbekannt. Möglich sind: ${choices}.`,
  answerAgain:
    'Wählen Sie, was die unbekannten Werte bedeuten, oder legen Sie an, was fehlt, und prüfen Sie die Datei erneut:',

  run: (count) => plural(locale, count, { one: '# Zeile importieren', other: '# Zeilen importieren' }),
  runValid: (count) =>
    plural(locale, count, { one: '# fehlerfreie Zeile importieren', other: '# fehlerfreie Zeilen importieren' }),
  changeColumns: 'Spalten ändern',
  discard: 'Verwerfen',
  cancelRun: 'Import abbrechen',
  cancelRunHelp: 'Bereits importierte Zeilen bleiben erhalten.',
  newRecords: 'Neue Datensätze zeigen',
  another: 'Weitere Datei importieren',
  changes: 'Änderungen ansehen',
}

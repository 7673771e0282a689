// Deutsche Texte der Listen: Spalten, Filter, Ansichten, Seiten und Dateien.

import type { lists as english } from '../en/lists.ts'
import { plural } from '../plural.ts'

const locale = 'de-DE'

/** Sagt, dass etwas in so vielen Tagen geschieht, heute eingeschlossen. */
export function withinDays(days: number): string {
  if (days === 0) return 'heute'
  return plural(locale, days, { one: 'heute oder morgen', other: 'in den nächsten # Tagen' })
}

export const lists: typeof english = {
  columns: { employee_name: 'Zugewiesen an', id: 'ID' },
  inStock: 'Auf Lager',
  left: 'Ausgeschieden',

  views: 'Ansichten',
  moreViews: 'Weitere Ansichten',
  all: 'Alle',
  builtIn: {
    '-9': 'Bald ausscheidend',
    '-8': 'Ausgeschieden',
    '-6': 'Auf Lager',
    '-5': 'Über 14 Tage in Reparatur',
    '-4': 'Garantie endet bald',
    '-3': 'Ausleihe überfällig',
    '-2': 'Bei Ausgeschiedenen',
    '-1': 'Ohne Serien- oder Inventarnr.',
  },
  saveView: 'Ansicht speichern',
  viewName: 'Name der Ansicht',
  shareView: 'Für alle in dieser Firma anzeigen',
  saveViewHelp: 'Speichert Filter, Sortierung und Spalten. Eine eigene Ansicht mit demselben Namen wird ersetzt.',
  viewSaved: (name) => `Ansicht „${name}“ gespeichert.`,
  viewNotSaved: 'Die Ansicht wurde nicht gespeichert, weil ihre Filter oder Spalten nicht zu dieser Liste passen.',
  nameView: 'Geben Sie der Ansicht einen Namen.',
  deleteView: 'Ansicht löschen',
  viewDeleted: (name) => `Ansicht „${name}“ gelöscht.`,

  sortMenu: 'Sortieren',
  columnsMenu: 'Spalten',
  chooseColumns: 'Diese Spalten anzeigen',
  standardColumns: 'Standardspalten',
  apply: 'Anwenden',

  exportMenu: 'Exportieren',
  exportShown: 'Diese Liste wie angezeigt',
  exportFinance: 'Finanzliste mit Kaufpreisen und Summe',
  exportAll: 'Alle Felder, zum erneuten Importieren',
  total: 'Summe',

  more: 'Weitere Filter',
  asOf: 'Stand vom',
  asOfHelp: 'Zeigt das Inventar, wie es am Ende dieses Tages war.',
  asOfDay: (day) => `Stand vom ${day}`,
  asOfNote: (day) => `Das ist das Inventar mit Stand vom ${day}. Hier kann nichts geändert werden.`,
  asOfFuture: (day) => `${day} liegt in der Zukunft. Das ist das Inventar von heute.`,
  backToToday: 'Zurück zu heute',
  remove: (filter) => `Filter entfernen: ${filter}`,
  clear: 'Alle entfernen',
  atLeast: 'Mindestens',
  atMost: 'Höchstens',
  from: 'Von',
  to: 'Bis',
  empty: 'leer',
  notEmpty: 'nicht leer',
  invalid: 'Diese Filter passen nicht zu dieser Liste. Entfernen Sie sie oder wählen Sie oben eine Ansicht.',

  compared: {
    eq: (field, value) => `${field}: ${value}`,
    in: (field, value) => `${field}: ${value}`,
    ne: (field, value) => `${field}: nicht ${value}`,
    gte: (field, value) => `${field}: ab ${value}`,
    gt: (field, value) => `${field}: nach ${value}`,
    lte: (field, value) => `${field}: bis ${value}`,
    lt: (field, value) => `${field}: vor ${value}`,
    contains: (field, value) => `${field}: „${value}“`,
    null: (field, value) => `${field}: ${value}`,
  },
  names: {
    q: 'Suche',
    employee_id: 'Person',
    warranty: 'Garantie',
    loan: 'Ausleihe',
    employment: 'Beschäftigung',
    'employee.employment': 'Beschäftigung',
    'employee.kind': 'Zugewiesen an',
    'employee.department': 'Abteilung',
    status_since: 'Status seit',
    created_in: 'Hinzugefügt',
    missing: 'Ohne',
  },
  words: {
    valid: 'läuft noch',
    expired: 'abgelaufen',
    none: 'unbekannt',
    out: 'ausgeliehen',
    overdue: 'überfällig',
    current: 'aktiv',
    left: 'ausgeschieden',
    storage: 'Lager',
    person: 'Person',
  },
  oneChange: 'in einem Schritt',
  within: (days) => `endet ${withinDays(days)}`,
  daysAgo: (days) => plural(locale, days, { one: 'vor # Tag', other: 'vor # Tagen' }),
  inDays: (days) => plural(locale, days, { one: 'in # Tag', other: 'in # Tagen' }),
  dueWithin: (days) => `Rückgabe ${withinDays(days)}`,
  today: 'heute',
  lastDays: (days) => plural(locale, days, { one: 'seit gestern', other: 'in den letzten # Tagen' }),
  or: ' oder ',

  foundOf: (found, all) => `${found} von ${all}`,
  range: (from, to, total) => `${from}–${to} von ${total}`,
  onThisPage: (shown) => `Auf dieser Seite (${shown})`,
  allMatching: (all) => `Alle (${all})`,
  addUp: 'Alle zusammenzählen',
  rangeOnly: (from, to) => `${from}–${to}`,
  previous: 'Zurück',
  next: 'Weiter',
  perPage: 'Zeilen pro Seite',
}

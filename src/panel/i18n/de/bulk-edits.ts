// Deutsche Texte zum Bearbeiten vieler Datensätze. `count` ist eine Zahl mit ihrem Wort, etwa „20 Geräte“.

import type { bulkEdits as english } from '../en/bulk-edits.ts'
import { plural } from '../plural.ts'

const locale = 'de-DE'

export const bulkEdits: typeof english = {
  tasks: {
    edit: 'Felder bearbeiten',
    move: 'An Standort verschieben',
    export: 'Exportieren',
    delete: 'Löschen',
  },
  title: (task, count) => `${task}: ${count}`,
  button: (task, count) => `${task} (${count})`,

  select: (title) => `${title} auswählen`,
  selectPage: 'Alle auf dieser Seite auswählen',
  selectAll: (count) => (count ? `Alle passenden: ${count}` : 'Alle passenden'),
  selected: 'ausgewählt',
  clear: 'Auswahl aufheben',
  task: 'Aktion',
  moreTasks: 'Mehr',
  go: 'Weiter',
  nothingSelected: 'Es ist nichts ausgewählt. Wählen Sie die Zeilen aus, die Sie ändern möchten.',
  tooMany: (limit) =>
    `Es können höchstens ${limit} Datensätze auf einmal geändert werden. Grenzen Sie die Liste mit Filtern ein.`,

  chooseFields:
    'Kreuzen Sie die Felder an, die geändert werden sollen. Ein Feld, das angekreuzt und leer ist, wird geleert.',
  change: (field) => `Ändern: ${field}`,
  noFields: 'Kreuzen Sie mindestens ein Feld an.',
  toPreview: 'Vorschau',

  preview: 'Noch ist nichts geändert. Das ist geplant:',
  counts: { changed: 'zu ändern', unchanged: 'ohne Änderung', refused: 'nicht möglich' },
  results: { changed: 'geändert', unchanged: 'unverändert', refused: 'nicht geändert' },
  willChange: 'Was sich ändert',
  willDelete: 'Was gelöscht wird',
  deleted: {
    before: 'zu löschen',
    after: 'gelöscht',
    kept: 'nicht löschbar',
    left: 'nicht gelöscht',
  },
  more: (count) => plural(locale, count, { one: 'und # weiterer Datensatz', other: 'und # weitere Datensätze' }),
  cannotChange: 'Was nicht geändert werden kann',
  reasons: {
    gone: 'Inzwischen gelöscht.',
    changed_since: 'Geändert, nachdem Sie diese Vorschau geöffnet haben.',
    unfit: 'Beim aktuellen Status nicht möglich.',
    in_use: 'Andere Datensätze verweisen noch darauf. Verschieben oder löschen Sie zuerst diese.',
    holds_items: 'Diese Person hat noch Geräte. Nehmen Sie sie zuerst ins Lager zurück oder übergeben Sie sie.',
    left: 'Die Person, die es bekommen soll, ist ausgeschieden.',
  },
  nothingToDo: 'Es gibt nichts zu ändern.',
  newStock: (branch) => `Lager · ${branch}`,
  back: 'Zurück zur Liste',

  checking: 'Die Datensätze werden geprüft. Noch ist nichts geändert.',
  running: 'Die Datensätze werden geändert. Das läuft weiter, auch wenn Sie die Seite verlassen.',
  progress: (done, all) => `${done} von ${all}`,
  stop: 'Anhalten',
  stopHelp: 'Was schon geändert ist, bleibt geändert und lässt sich rückgängig machen.',
  done: 'Fertig.',
  cancelled: 'Angehalten. Was bis dahin geändert war, bleibt geändert.',
  failed: 'Wegen eines Fehlers abgebrochen. Was bis dahin geändert war, bleibt geändert.',
  undone: 'Das wurde rückgängig gemacht.',
  changes: 'Änderungen ansehen oder rückgängig machen',
}

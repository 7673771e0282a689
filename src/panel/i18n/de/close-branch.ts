// Deutsche Texte der Seite, die einen Standort schließt. Anzahlen sind Zahlen mit ihrem Wort.

import type { closeBranchTexts as english } from '../en/close-branch.ts'

export const closeBranchTexts: typeof english = {
  link: 'Standort schließen',
  title: (branch) => `${branch} schließen`,
  intro:
    'Die Personen wechseln mit allen ihren Geräten an einen anderen Standort, und der Lagerbestand kommt in dessen Lager. Nichts wird gelöscht.',
  alsoMove: (lists) => `Außerdem wechseln: ${lists}.`,
  insteadOfDeleting:
    'Sie können den Standort stattdessen schließen: Personen und Lagerbestand wechseln an einen anderen Standort, und der Verlauf bleibt erhalten.',
  target: 'Neuer Standort',
  chooseTarget: 'Wählen Sie einen aktiven Standort.',
  preview: (target) => `Noch ist nichts geändert. Neuer Standort für alles: ${target}`,
  willMove: {
    people: 'mit allen Geräten an den neuen Standort',
    items: 'aus dem Lager in das neue Lager',
    others: 'werden übernommen',
  },
  people: 'Personen, die wechseln',
  items: 'Geräte, die ins neue Lager kommen',
  more: (count) => `und ${count} weitere`,
  thenInactive: 'Danach wird der Standort inaktiv. Ausgeschiedene Personen ohne Geräte bleiben dort aufgeführt.',
  empty: 'Es gibt nichts zu verschieben. Der Standort wird inaktiv.',
  confirm: (branch) => `${branch} schließen`,
  back: 'Anderen Standort wählen',
  changed: 'An diesem Standort hat sich seit der Vorschau etwas geändert. So ist der Stand jetzt.',
  alreadyClosed: 'Dieser Standort ist bereits geschlossen.',
  done: (branch) => `${branch} ist geschlossen.`,
  moved: { people: 'gewechselt', items: 'ins neue Lager verschoben', others: 'übernommen' },
}

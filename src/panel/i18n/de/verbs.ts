// Die deutschen Texte zu den Verben und die Sätze des Verlaufs.

import type { verbTexts as english } from '../en/verbs.ts'
import { plural } from '../plural.ts'

const locale = 'de-DE'

export const verbTexts: typeof english = {
  names: {
    back_from_repair: 'Aus Reparatur zurück',
    assign: 'Zuweisen',
    return: 'Zurück ins Lager',
    hand_over: 'Übergeben',
    lend: 'Ausleihen',
    send_to_repair: 'In Reparatur geben',
    move: 'An Standort verschieben',
    report_lost: 'Als verloren melden',
    retire: 'Ausmustern',
  },

  done: {
    back_from_repair: (items) => `${items} aus der Reparatur zurück.`,
    assign: (items, person) => `${items} zugewiesen an ${person}.`,
    return: (items, holder) => `${items} zurück im Lager: ${holder}.`,
    hand_over: (items, person) => `${items} übergeben an ${person}.`,
    lend: (items, holder, day = '') => `${items} bis ${day} an ${holder} ausgeliehen.`,
    send_to_repair: (items) => `${items} in Reparatur gegeben.`,
    move: (items, holder) => `${items} ins Lager verschoben: ${holder}.`,
    report_lost: (items) => `${items} als verloren gemeldet.`,
    retire: (items) => `${items} ausgemustert.`,
  },

  inStock: (place) => `Lager: ${place}`,
  inStockElsewhere: 'Auf Lager an einem anderen Standort',
  note: 'Notiz',
  noteHint: 'Optional. Wird mit Datum an die Notizen des Geräts angehängt.',
  notesFull: 'Die Notizen eines Geräts haben dafür keinen Platz. Kürzen Sie sie oder lassen Sie dieses Feld leer.',
  weeks: (count) => (count === 1 ? '1 Woche' : `${count} Wochen`),
  dayOver: 'Wählen Sie den heutigen oder einen späteren Tag.',
  hasLeft: (person) => `${person} ist ausgeschieden und kann keine Geräte mehr bekommen.`,
  chooseLocation: 'Es gibt mehrere Lagerorte. Wählen Sie einen.',
  sameBranch:
    'Leer lassen, um den Standort beizubehalten. Ausgeliehene Geräte kommen in das Lager zurück, aus dem sie stammen.',
  changedMeanwhile:
    'Inzwischen hat hier jemand anderes etwas geändert. Prüfen Sie den aktuellen Stand und bestätigen Sie erneut.',
  noneFits: 'Das ist für diese Geräte derzeit nicht möglich.',
  nothingLeft: 'Hier ist nichts mehr zu tun. Das ist der aktuelle Stand:',
  excluded: 'Wegen ihres Status ausgelassen',
  nothingChosen: 'Wählen Sie mindestens ein Gerät.',

  giveTo: (person) => `Geräte ausgeben an ${person}`,
  give: 'Geräte ausgeben',
  fromStock: 'Aus dem Lager',
  searchStock: 'Lager durchsuchen',
  moreInStock: 'Es ist noch mehr auf Lager. Suchen Sie nach Name, Inventarnummer, Seriennummer oder Modell.',
  stockEmpty: 'Nichts auf Lager.',
  newAssets: 'Neue Geräte',
  moreAssets: 'Weiteres Gerät',
  newAsset: (number) => `Neues Gerät ${number}`,
  withRecipient: (person) => (person === undefined ? 'Bei dieser Person' : `Bei ${person}`),
  addedToStock: (count) => `${count} ins Lager aufgenommen.`,
  holdsNothing: 'Hat keine Geräte.',

  offboard: 'Austritt erfassen',
  offboardTitle: (person) => `Austritt von ${person} erfassen`,
  offboarded: (person, kept) =>
    kept === 0
      ? `Austritt von ${person} erfasst.`
      : plural(locale, kept, {
          one: `Austritt von ${person} erfasst; # Gerät ist noch nicht zurück.`,
          other: `Austritt von ${person} erfasst; # Geräte sind noch nicht zurück.`,
        }),
  leaving: (person, day, kept) =>
    kept === 0
      ? `${person} scheidet am ${day} aus.`
      : plural(locale, kept, {
          one: `${person} scheidet am ${day} aus; # Gerät ist noch nicht zurück.`,
          other: `${person} scheidet am ${day} aus; # Geräte sind noch nicht zurück.`,
        }),
  lastDayHint:
    'Ist dieser Tag heute oder schon vorbei, wird die Person inaktiv. Sonst bleibt sie aktiv und wird als bald ausscheidend angezeigt.',
  whatBecomes: 'Was geschieht mit den Geräten?',
  fatesHint: 'Was Sie wählen, geschieht heute, unabhängig vom letzten Tag. „Noch nicht zurück“ ändert nichts.',
  fates: {
    return: 'Zurück ins Lager',
    hand_over: 'Übergeben',
    report_lost: 'Verloren',
    keep: 'Noch nicht zurück',
  },
  recipient: 'Übergeben an',
  recipientHint: 'Für die Geräte mit der Auswahl „Übergeben“.',
  stockBranch: 'Zurück ins Lager von',
  stockBranchHint:
    'Leer lassen für den Standort der Person. Ausgeliehene Geräte kommen in das Lager zurück, aus dem sie stammen.',
  chooseRecipient: 'Wählen Sie, wer die übergebenen Geräte bekommt.',
  tagTaken: (tag) => `${tag} ist inzwischen vergeben. Dies ist die nächste freie Nummer.`,
  equipment: 'Geräte',
  joined: (person, count) =>
    count === 1 ? `${person} angelegt, mit 1 Gerät.` : `${person} angelegt, mit ${count} Geräten.`,
  holdsEquipment: (person) => `${person} hat noch Geräte. Entscheiden Sie, was mit ihnen geschieht.`,
  addAnother: 'Weiteres Gerät dieser Art anlegen',

  repairs: {
    title: 'Reparaturen',
    sent: 'In Reparatur gegeben',
    back: 'Zurück',
    after: { one: 'nach # Tag', other: 'nach # Tagen' },
    since: { one: 'seit # Tag', other: 'seit # Tagen' },
    noteHint:
      'Was defekt ist, wer es repariert und die Ticketnummer. Steht auf der Seite des Geräts unter „Reparaturen“.',
  },

  sentences: {
    added: 'Angelegt',
    addedFor: (person) => `Angelegt und zugewiesen an ${person}`,
    addedToStock: (place) => `Angelegt im Lager: ${place}`,
    addedPlace: 'Lagerort angelegt',
    deleted: 'Gelöscht',
    assigned: (person) => `Zugewiesen an ${person}`,
    handedOver: (from, to) => `Übergeben von ${from} an ${to}`,
    lent: (person, day) => `Ausgeliehen an ${person} bis ${day}`,
    returned: (place) => `Zurück ins Lager: ${place}`,
    moved: (place) => `Verschoben ins Lager: ${place}`,
    found: 'Wiedergefunden und ins Lager gelegt',
    restored: 'Zurück ins Lager',
    sentToRepair: 'In Reparatur gegeben',
    backFromRepair: 'Aus Reparatur zurück',
    lost: 'Als verloren gemeldet',
    lostBy: (person) => `Als verloren gemeldet, zuletzt zugewiesen an ${person}`,
    retired: 'Ausgemustert',
    reserved: 'Reserviert',
    inStock: 'Status auf „Verfügbar“ gesetzt',
    inUse: 'Status auf „In Verwendung“ gesetzt',
    dueBack: (day) => `Neues Rückgabedatum: ${day}`,
    noDueBack: 'Rückgabedatum entfernt',
    changed: (fields) => `${fields} geändert`,
    left: 'Ausgeschieden',
    leaves: (day) => `Scheidet am ${day} aus`,
    activeAgain: 'Wieder aktiv',
    changedBranch: (branch) => `Neuer Standort: ${branch}`,
    closed: 'Geschlossen',
    reopened: 'Wieder geöffnet',
    unchanged: 'Ohne Änderung gespeichert',
  },
  moreFields: (count) => (count === 1 ? '1 weiteres Feld' : `${count} weitere Felder`),
}

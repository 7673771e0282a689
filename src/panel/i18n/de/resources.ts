// Deutsche Texte über die Ressourcen.

import { plural } from '../plural.ts'
import type { ResourceTexts } from '../resource-texts.ts'

const locale = 'de-DE'

const branches: ResourceTexts = {
  one: 'Standort',
  many: 'Standorte',
  new: 'Neuer Standort',
  add: 'Standort anlegen',
  delete: 'Standort löschen',
  search: 'Standorte suchen',
  all: 'Alle Standorte',
  empty: 'Noch keine Standorte',
  emptyHelp: 'Legen Sie die Firmen, Niederlassungen oder Standorte an, die Sie betreuen.',
  noMatch: 'Keine passenden Standorte.',
  import: 'Standorte importieren',
  importColumns: 'Standorte importieren: Spalten zuordnen',
  assignments: '',
  count: (count) => plural(locale, count, { one: '# Standort', other: '# Standorte' }),
}

const people: ResourceTexts = {
  one: 'Person',
  many: 'Personen',
  new: 'Neue Person',
  add: 'Person anlegen',
  delete: 'Person löschen',
  search: 'Personen suchen',
  all: 'Alle Personen',
  empty: 'Noch keine Personen',
  emptyHelp: 'Legen Sie Personen an, um ihnen Geräte zuzuweisen.',
  noMatch: 'Keine passenden Personen.',
  import: 'Personen importieren',
  importColumns: 'Personen importieren: Spalten zuordnen',
  assignments: 'Standortverlauf',
  count: (count) => plural(locale, count, { one: '# Person', other: '# Personen' }),
}

const assets: ResourceTexts = {
  one: 'Gerät',
  many: 'Geräte',
  new: 'Neues Gerät',
  add: 'Gerät anlegen',
  delete: 'Gerät löschen',
  search: 'Geräte suchen',
  all: 'Alle Geräte',
  empty: 'Noch keine Geräte',
  emptyHelp:
    'Legen Sie Ihren ersten Laptop, Ihr erstes Telefon oder Ihren ersten Bildschirm an oder importieren Sie eine Tabelle.',
  noMatch: 'Keine passenden Geräte.',
  import: 'Geräte importieren',
  importColumns: 'Geräte importieren: Spalten zuordnen',
  assignments: 'Zuweisungsverlauf',
  count: (count) => plural(locale, count, { one: '# Gerät', other: '# Geräte' }),
}

export const resourceTexts = { customers: branches, employees: people, hardware: assets }

export const recordTexts: ResourceTexts = {
  one: 'Datensatz',
  many: 'Datensätze',
  new: 'Neuer Datensatz',
  add: 'Datensatz anlegen',
  delete: 'Datensatz löschen',
  search: 'Datensätze suchen',
  all: 'Alle Datensätze',
  empty: 'Noch keine Datensätze',
  emptyHelp: '',
  noMatch: 'Keine passenden Datensätze.',
  import: 'Datensätze importieren',
  importColumns: 'Datensätze importieren: Spalten zuordnen',
  assignments: 'Zuweisungsverlauf',
  count: (count) => plural(locale, count, { one: '# Datensatz', other: '# Datensätze' }),
}

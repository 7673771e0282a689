// Sentences that describe changes in the history, in every language.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '../../../src/domain/declarations/all.ts'
import { changeSentence } from '../../../src/panel/components/activity/change-sentence.ts'
import { languages, type Texts } from '../../../src/panel/i18n/index.ts'
import { presentations } from '../../../src/panel/resources/all.ts'
import {
  createPresentations,
  type DescribedChange,
  type SentenceNames,
} from '../../../src/panel/resources/presentation.ts'

const people: Record<number, string> = { 1: 'Ada Sommer', 2: 'Jonas Weber', 8: 'Berlin', 9: 'Munich' }
const names: SentenceNames = {
  link: (_, id) => people[Number(id)] ?? `#${id}`,
  isStorage: (id) => Number(id) >= 8,
}

const { presentationOf } = createPresentations(presentations)

function sentenceFor(texts: Texts, change: DescribedChange): string {
  const resource = resources.find(({ name }) => name === change.resource)
  return changeSentence(texts, change, names, resource && presentationOf(resource))
}

const changeOf = (
  resource: string,
  before: DescribedChange['before'],
  after: DescribedChange['after'],
): DescribedChange => {
  const action = before === null ? 'create' : after === null ? 'delete' : 'update'
  return { resource, action, before, after }
}
const item = (before: DescribedChange['before'], after: DescribedChange['after']) => changeOf('hardware', before, after)

const changes: [change: DescribedChange, ...sentences: [en: string, de: string, tr: string]][] = [
  [
    item({ employee_id: 8, status: 'spare' }, { employee_id: 1, status: 'in_use' }),
    'Assigned to Ada Sommer',
    'Zugewiesen an Ada Sommer',
    'Ada Sommer adına zimmetlendi',
  ],
  [
    item({ employee_id: 1 }, { employee_id: 2 }),
    'Handed over from Ada Sommer to Jonas Weber',
    'Übergeben von Ada Sommer an Jonas Weber',
    'Devredildi: Ada Sommer → Jonas Weber',
  ],
  [
    item({ employee_id: 1, status: 'in_use' }, { employee_id: 8, status: 'spare' }),
    'Returned to stock in Berlin',
    'Zurück ins Lager: Berlin',
    'Depoya iade alındı: Berlin',
  ],
  [
    item({ employee_id: 8 }, { employee_id: 9 }),
    'Moved to stock in Munich',
    'Verschoben ins Lager: Munich',
    'Depoya taşındı: Munich',
  ],
  [
    item(
      { employee_id: 8, status: 'spare', due_back: null },
      { employee_id: 1, status: 'in_use', due_back: '2026-12-03' },
    ),
    'Lent to Ada Sommer until 3 Dec 2026',
    'Ausgeliehen an Ada Sommer bis 03.12.2026',
    'Ada Sommer adına 3 Ara 2026 tarihine kadar geçici zimmetlendi',
  ],
  [
    item({ status: 'in_use' }, { status: 'in_repair', notes: 'Keyboard' }),
    'Sent to repair',
    'In Reparatur gegeben',
    'Servise gönderildi',
  ],
  [
    item({ status: 'in_repair' }, { status: 'in_use' }),
    'Back from repair',
    'Aus Reparatur zurück',
    'Servisten teslim alındı',
  ],
  [
    item({ employee_id: 1, status: 'in_use' }, { employee_id: 8, status: 'lost' }),
    'Reported lost, last assigned to Ada Sommer',
    'Als verloren gemeldet, zuletzt zugewiesen an Ada Sommer',
    'Kayıp olarak bildirildi, son zimmet sahibi: Ada Sommer',
  ],
  [
    item({ status: 'lost' }, { status: 'spare' }),
    'Found and returned to stock',
    'Wiedergefunden und ins Lager gelegt',
    'Bulundu ve depoya alındı',
  ],
  [item({ status: 'spare' }, { status: 'retired' }), 'Retired', 'Ausgemustert', 'Kullanım dışı bırakıldı'],
  [
    item({ due_back: null }, { due_back: '2026-12-03' }),
    'Due back date changed to 3 Dec 2026',
    'Neues Rückgabedatum: 03.12.2026',
    'Yeni son iade tarihi: 3 Ara 2026',
  ],
  [
    item({ name: 'A', model: 'B' }, { name: 'C', model: 'D' }),
    'Name and Model changed',
    'Name und Modell geändert',
    'Değiştirildi: Ad ve Model',
  ],
  [
    item(null, { employee_id: 8, name: 'A' }),
    'Added to stock in Berlin',
    'Angelegt im Lager: Berlin',
    'Depoya eklendi: Berlin',
  ],
  [
    changeOf('employees', null, { kind: 'storage', name: 'Berlin' }),
    'Storage location added',
    'Lagerort angelegt',
    'Depo yeri eklendi',
  ],
  [
    changeOf('employees', { is_active: true, end_date: null }, { is_active: false, end_date: '2026-11-23' }),
    'Left the company',
    'Ausgeschieden',
    'İşten ayrıldı',
  ],
  [changeOf('customers', { is_active: true }, { is_active: false }), 'Closed', 'Geschlossen', 'Kapatıldı'],
  [changeOf('customers', { name: 'A' }, null), 'Deleted', 'Gelöscht', 'Silindi'],
]

test('each kind of change is described by a sentence in every language', () => {
  for (const [change, ...sentences] of changes)
    for (const [index, texts] of Object.values<Texts>(languages).entries())
      assert.equal(sentenceFor(texts, change), sentences[index])
})

test('a sentence about many fields names the first three and counts the others', () => {
  const fields = { name: 'A', model: 'B', manufacturer: 'C', serial_number: 'D', notes: 'E' }
  const change = item(fields, { ...fields })
  assert.equal(sentenceFor(languages.en, change), 'Name, Model, Manufacturer and 2 more changed')
})

test('a record that no longer exists is referred to by its id', () => {
  assert.equal(sentenceFor(languages.en, item({ employee_id: 8 }, { employee_id: 5 })), 'Assigned to #5')
})

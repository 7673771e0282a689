// How the panel presents hardware, which it calls assets.

import { html } from 'ghtml'
import type { Values } from '../../domain/fields/validate.ts'
import { isIcon } from '../components/icons.ts'
import { formatDate, type Texts } from '../i18n/index.ts'
import type { DeclaredPresentation, DescribedChange, SentenceNames } from './presentation.ts'

export const hardwarePresentation: DeclaredPresentation = {
  name: 'hardware',
  icon: 'asset',
  iconOf: ({ type }) => (typeof type === 'string' && isIcon(type) ? type : 'asset'),
  columns: ['name', 'status', 'employee_name', 'customer_name', 'asset_tag', 'serial_number', 'warranty_end'],
  code: 'asset_tag',
  detail: 'model',
  filters: {
    first: [
      { kind: 'choices', name: 'status' },
      { kind: 'choices', name: 'type' },
      { kind: 'record', name: 'customer_id' },
      { kind: 'record', name: 'employee_id' },
      { kind: 'words', name: 'warranty', words: ['30d', '60d', '90d', 'valid', 'expired', 'none'] },
    ],
    more: [
      { kind: 'text', name: 'manufacturer' },
      { kind: 'text', name: 'model' },
      { kind: 'equal', name: 'employee.department' },
      { kind: 'words', name: 'employee.employment', words: ['current', '30d', 'left'] },
      { kind: 'words', name: 'loan', words: ['out', 'overdue', '7d'] },
      { kind: 'flag', name: 'is_loaner' },
      { kind: 'range', name: 'purchase_cost' },
      { kind: 'range', name: 'purchase_date' },
      { kind: 'recent', name: 'updated_at' },
    ],
  },
  hasFinanceExport: true,
  sections: [
    { name: 'what', fields: ['type', 'name', 'manufacturer', 'model'] },
    { name: 'identification', fields: ['asset_tag', 'serial_number'] },
    { name: 'purchase', fields: ['purchase_date', 'purchase_cost', 'warranty_end'] },
    { name: 'assignment', fields: ['employee_id', 'status', 'is_loaner', 'due_back'] },
    { name: 'notes', fields: ['notes'] },
    { name: 'more', fields: ['external_id', 'last_seen_at'] },
  ],
  firstToType: 'serial_number',
  controls: { type: 'radios' },
  shownElsewhere: ['status', 'employee_id', 'due_back', 'is_loaner'],
  changedElsewhere: ['status', 'employee_id'],
  page: { top: [], left: ['assignments', 'facts', 'repairs', 'related'], right: ['history'] },
  actions: 'asset',
  tasks: 'verbs',
  searchFacts: ['asset_tag', 'serial_number', 'model'],
  identifiers: ['asset_tag', 'serial_number', 'external_id'],
  hasFigure: false,
  describe: (texts, change, names) =>
    change.action === 'create' ? describeAddition(texts, change, names) : describeUpdate(texts, change, names),
}

function describeAddition({ verbs }: Texts, { after }: DescribedChange, names: SentenceNames): string | undefined {
  const holder = after?.employee_id ?? null
  if (holder === null) return undefined
  const link = names.link('employees', holder)
  return names.isStorage(holder) ? verbs.sentences.addedToStock(link) : verbs.sentences.addedFor(link)
}

function describeUpdate(texts: Texts, change: DescribedChange, names: SentenceNames): string | undefined {
  const [before, after] = [change.before ?? {}, change.after ?? {}]
  const { sentences } = texts.verbs
  if (isEnding(after.status)) return describeEnding(sentences, before, after, names)
  if (after.employee_id !== undefined) return describeHolder(texts, before, after, names)
  if (after.status !== undefined) return describeStatus(sentences, before, after)
  if (after.due_back === undefined) return undefined
  if (after.due_back === null) return sentences.noDueBack
  return sentences.dueBack(html`${formatDate(texts, String(after.due_back))}`)
}

type Sentences = Texts['verbs']['sentences']

function isEnding(status: unknown): boolean {
  return status === 'lost' || status === 'retired'
}

function describeEnding(sentences: Sentences, before: Values, after: Values, names: SentenceNames): string {
  if (after.status === 'retired') return sentences.retired
  const former = before.employee_id ?? null
  const wasHeld = former !== null && !names.isStorage(former)
  return wasHeld ? sentences.lostBy(names.link('employees', former)) : sentences.lost
}

function describeHolder(texts: Texts, before: Values, after: Values, names: SentenceNames): string {
  const { sentences } = texts.verbs
  const [from, to] = [names.link('employees', before.employee_id), names.link('employees', after.employee_id)]
  const wasInStock = names.isStorage(before.employee_id)
  if (names.isStorage(after.employee_id))
    return wasInStock && !isEnding(before.status) ? sentences.moved(to) : sentences.returned(to)
  if (typeof after.due_back === 'string') return sentences.lent(to, html`${formatDate(texts, after.due_back)}`)
  return wasInStock ? sentences.assigned(to) : sentences.handedOver(from, to)
}

function describeStatus(sentences: Sentences, before: Values, after: Values): string | undefined {
  if (after.status === 'in_repair') return sentences.sentToRepair
  if (before.status === 'in_repair') return sentences.backFromRepair
  if (before.status === 'lost') return sentences.found
  if (before.status === 'retired') return sentences.restored
  const { reserved, inStock: spare, inUse: in_use } = sentences
  return { reserved, spare, in_use }[String(after.status)]
}

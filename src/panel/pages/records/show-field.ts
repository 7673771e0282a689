// Renders one of a record's fields.

import { html } from 'ghtml'
import { type Field, resourceNamed } from '../../../resources/resource.ts'
import { includedRecord, type PanelRecord, showValue, titleOf } from '../../components/record-fields.ts'
import { recordUrl } from '../../urls.ts'
import type { RecordRequest } from './request.ts'

/** Renders a field's value. A reference is shown as a link with the referenced record's title. */
export function showField(request: RecordRequest, record: PanelRecord, name: string, field: Field): string {
  const other = field.kind === 'reference' ? includedRecord(record, name) : null
  if (field.kind !== 'reference' || !other) return showValue(request.texts, field, record[name])
  const resource = resourceNamed(request.resources, field.to)
  return html`<a href="${recordUrl(request, resource.name, other.id)}">${titleOf(other, resource.title)}</a>`
}

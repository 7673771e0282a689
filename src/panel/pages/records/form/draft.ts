// The content of a record's form: either the stored record, or what the user has entered.

import { emptyValues, isMultiline, type Resource } from '../../../../domain/declarations/resource.ts'
import { withLineFeeds } from '../../../../lib/text.ts'
import { readFields } from '../../../components/forms/record-inputs.ts'
import type { PanelRecord } from '../../../components/record-fields.ts'
import { parseAmount } from '../../../i18n/conventions.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import type { FormRefusal } from '../../desk/desk-page.ts'
import type { FoundRecord } from '../queries.ts'
import { lastType } from './last-asset.ts'

/** `formValues`: the submitted form, if
 *  the values come from one. `suggestedTag`: the tag that the form for a new asset suggests. `emailToConfirm`: an
 *  address that another person has. `etag` and `seen`: the version of the record that the user is editing, and the time
 *  of its last change. */
export type Draft = Partial<FormRefusal> & {
  values: Record<string, unknown>
  formValues?: URLSearchParams
  suggestedTag?: string
  emailToConfirm?: string
  etag?: string
  seen?: string
}

/** Returns the draft for a new record. The query can prefill fields. For example, `?customer_id=3` preselects that
 *  branch. */
export function newDraft(request: RecordRequest): Draft {
  const { query, resource } = request
  const queryValues = Object.fromEntries([...query].filter(([name]) => name in resource.fields))
  return { values: { ...emptyValues(resource), ...lastType(request), ...queryValues } }
}

export function draftOf({ record, etag }: FoundRecord): Draft {
  return { values: record, etag, seen: record.updated_at }
}

export function submittedDraft(request: RecordRequest): Draft {
  return { values: readForm(request), formValues: request.form, ...versionOf(request.form) }
}

function versionOf(form: URLSearchParams): Pick<Draft, 'etag' | 'seen'> {
  const [etag, seen] = [form.get('etag'), form.get('seen')]
  return { ...(etag !== null && { etag }), ...(seen !== null && { seen }) }
}

/** Returns the name of the radio buttons that choose between two versions of a field. */
export function choiceName(field: string): string {
  return `take.${field}`
}

export const theirs = 'theirs'

/** Returns the submitted values. Fields are left out if the form omits them or the user has chosen the stored
 *  version. */
export function readForm({ form, resource }: RecordRequest): Record<string, string> {
  const names = Object.keys(resource.fields).filter((name) => form.get(choiceName(name)) !== theirs)
  return readFields(form, names)
}

/** Returns the submitted values, but keeps the stored text where only its line breaks differ: browsers submit them as
 *  CRLF, and remove them from single-line fields. */
export function keepLineBreaks({ fields }: Resource, record: PanelRecord, values: Record<string, string>) {
  const kept = Object.entries(values).filter(([name, text]) => {
    const [field, own] = [fields[name], record[name]]
    if (field?.kind !== 'text' || typeof own !== 'string') return false
    const shown = withLineFeeds(own)
    return text === (isMultiline(field) ? shown : shown.replaceAll('\n', ''))
  })
  return { ...values, ...Object.fromEntries(kept.map(([name]) => [name, String(record[name])])) }
}

/** Returns the submitted values for validation. Users type amounts in the tenant's currency. The database stores
 *  them in its minor unit, such as cents. */
export function typedValues(request: RecordRequest): Record<string, string> {
  const { resource, texts } = request
  return Object.fromEntries(
    Object.entries(readForm(request)).map(([name, value]) => {
      const field = resource.fields[name]!
      return [name, field.kind === 'integer' && field.isAmount ? parseAmount(texts, value) : value]
    }),
  )
}

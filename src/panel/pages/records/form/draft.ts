// The content of a record's form: the stored record, or a user's input.

import type { Field } from '../../../../resources/resource.ts'
import { parseAmount } from '../../../i18n/conventions.ts'
import { takeKeptForm } from '../../../kept-form.ts'
import type { FoundRecord } from '../queries.ts'
import type { RecordRequest } from '../request.ts'
import { lastType } from './last-type.ts'

/** `links`: the pages of other records that errors are about, by field. `notice`: a message that is not an error.
 *  `formValues`: the submitted form, if the values come from one. `suggestedTag`: the tag that the form of a new asset
 *  suggests. `etag` and `seen` identify the version of the record that the user edits; `seen` is the time of its last
 *  change. */
export type Draft = {
  values: Record<string, unknown>
  errors?: Record<string, string>
  links?: Record<string, string>
  summary?: string
  notice?: string
  formValues?: URLSearchParams
  suggestedTag?: string
  etag?: string
  seen?: string
  status?: number
}

/** The draft of a new record. The query can prefill fields: `?customer_id=3` preselects that customer. */
export function newDraft(request: RecordRequest): Draft {
  const { query, resource } = request
  const given = Object.fromEntries([...query].filter(([name]) => name in resource.fields))
  return keptDraft(request) ?? { values: { ...defaults(resource.fields), ...lastType(request), ...given } }
}

export function draftOf(request: RecordRequest, { record, etag }: FoundRecord): Draft {
  return keptDraft(request) ?? { values: record, etag, seen: record.updated_at }
}

/** The draft of a submitted form. */
export function submittedDraft(request: RecordRequest): Draft {
  return { values: readForm(request), formValues: request.form, ...versionOf(request.form) }
}

/** The draft of a form that was submitted after its session had ended. */
function keptDraft(request: RecordRequest): Draft | undefined {
  const form = takeKeptForm(request)
  return form && { ...submittedDraft({ ...request, form }), notice: request.texts.recordPages.kept.filledIn }
}

function defaults(fields: Record<string, Field>): Record<string, unknown> {
  const entries = Object.entries(fields)
  return Object.fromEntries(entries.map(([name, field]) => [name, 'default' in field ? field.default : null]))
}

function versionOf(form: URLSearchParams): Pick<Draft, 'etag' | 'seen'> {
  const [etag, seen] = [form.get('etag'), form.get('seen')]
  return { ...(etag !== null && { etag }), ...(seen !== null && { seen }) }
}

/** The name of the radio buttons that choose between two versions of a field. */
export function choiceName(field: string): string {
  return `take.${field}`
}

export const theirs = 'theirs'

/** Omitted fields keep their values, and so do those for which the user has chosen the stored version. A hidden input
 *  submits 0 for an unticked checkbox, so the last value counts. Browsers submit CRLF for line breaks. */
export function readForm({ form, resource }: RecordRequest): Record<string, string> {
  return Object.fromEntries(
    Object.keys(resource.fields).flatMap((name) => {
      const given = form.getAll(name).at(-1)
      if (given === undefined || form.get(choiceName(name)) === theirs) return []
      return [[name, given.replaceAll('\r\n', '\n')]]
    }),
  )
}

/** The submitted values for validation. Amounts are typed in the tenant's currency, and stored in its minor units. */
export function typedValues(request: RecordRequest): Record<string, string> {
  const { resource, texts } = request
  return Object.fromEntries(
    Object.entries(readForm(request)).map(([name, value]) => {
      const field = resource.fields[name]!
      return [name, field.kind === 'integer' && field.isAmount ? parseAmount(texts, value) : value]
    }),
  )
}

// Says what a cell must contain (contract §17, Errors). Files may contain more than the bodies of requests.

import { wordsOfChoice } from '../../declarations/labels.ts'
import { isAmount, type Resource } from '../../declarations/resource.ts'
import { acceptedAmounts } from '../file/formats.ts'

const acceptedBooleans = 'Must be yes or no, for example yes/no, ja/nein, evet/hayır, true/false or 1/0.'

/** Returns a sentence for an error in a field. Undefined if the message for requests says what is accepted. */
export function acceptedValues(resource: Resource, name: string, code: string): string | undefined {
  if (code === 'invalid_date') return 'Must be a date such as 2026-01-31 or 31.01.2026.'
  if (code === 'invalid_bool') return acceptedBooleans
  const field = resource.fields[name]
  if (code === 'invalid_int' && isAmount(field)) return acceptedAmounts.major
  if (field?.kind === 'text' && field.holds === 'country')
    return 'Must be a country or its two-letter code: Germany or DE.'
  if (code !== 'not_in_list' || field?.kind !== 'choice') return undefined
  return `Must be one of ${field.of.map((choice) => withLabels(resource, choice)).join(', ')}.`
}

/** A choice has a label in each of the panel's languages. */
const shownWords = 3

/** For example: `monitor (Monitor, Bildschirm, Monitör)`. */
function withLabels(resource: Resource, choice: string): string {
  const labels = [...new Set(wordsOfChoice(resource, choice).slice(0, shownWords))]
  return labels.length > 0 ? `${choice} (${labels.join(', ')})` : choice
}

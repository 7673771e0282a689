// Describes active filters in words for their chips, such as "Status: In repair" or "Warranty: ends within 60 days".

import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { type Filter, filtersOf } from '../../../domain/lists/request/options.ts'
import { titleOf } from '../../components/record-fields.ts'
import { formatAmount, formatDateTime } from '../../i18n/conventions.ts'
import { choiceLabel, fieldLabel, formatDate, ownText, type Texts } from '../../i18n/index.ts'
import { readNumber } from '../../requests/read-number.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { findRecord } from '../records/queries.ts'

/** Returns a filter's label. `parameter` can contain an operator, as in `status[in]`. */
export function filterLabel(texts: Texts, parameter: string): string {
  const name = parameter.replace(/\[.*$/, '')
  return ownText(texts.lists.names, name) ?? fieldLabel(texts, name.replace(/^.*\./, ''))
}

/** Returns the label for a filter value that is a word, or a number of days such as `30d`. */
export function wordLabel({ lists }: Texts, name: string, word: string): string {
  const [, days] = /^(\d{1,4})d$/.exec(word) ?? []
  if (days === undefined) return ownText(lists.words, word) ?? word
  return name === 'loan' ? lists.dueWithin(Number(days)) : lists.within(Number(days))
}

export async function describeFilter(request: RecordRequest, parameter: string, given: string): Promise<string> {
  const { texts, resource, resources } = request
  const [, name = parameter, operator = 'eq'] = /^([^[]*)(?:\[(\w+)\])?$/.exec(parameter) ?? []
  const filter = filtersOf(resource, resources).filters.find((each) => each.name === name)
  const label = filterLabel(texts, name)
  const { compared, empty, notEmpty } = texts.lists
  const describe = ownText<typeof compared.eq>(compared, operator) ?? compared.eq
  if (name === 'q') return compared.contains(label, given)
  if (!filter) return describe(label, given)
  if (operator === 'null') return describe(label, ['true', '1'].includes(given) ? empty : notEmpty)
  if (operator === 'contains') return describe(label, given)
  const pieces = operator === 'in' || filter.field.kind === 'missing' ? given.split(',') : [given]
  const values = await Promise.all(pieces.map((piece) => describeValue(request, filter, piece)))
  if (operator === 'gte' && /^-\d+d$/.test(given))
    return compared.eq(label, texts.lists.lastDays(-Number.parseInt(given, 10)))
  return describe(label, values.join(operator === 'in' || pieces.length > 1 ? texts.lists.or : ''))
}

async function describeValue(request: RecordRequest, { name, field }: Filter, given: string): Promise<string> {
  const { texts, resources } = request
  switch (field.kind) {
    case 'words':
      return wordLabel(texts, name, given)
    case 'missing':
      return fieldLabel(texts, given)
    case 'choice':
      return texts.lists.words[name === 'employee.kind' ? given : ''] ?? choiceLabel(texts, given)
    case 'boolean':
      return ['true', '1'].includes(given) ? texts.yes : texts.no
    case 'integer':
      return field.isAmount && /^\d+$/.test(given) ? formatAmount(texts, Number(given)) : given
    case 'date':
    case 'timestamp':
    case 'since':
      return (
        relativeDay(texts, given) ??
        (/^\d{4}-\d{2}-\d{2}$/.test(given) ? formatDate(texts, given) : formatMoment(texts, given))
      )
    case 'creation':
      return texts.lists.oneChange
    case 'reference': {
      const target = resourceNamed(resources, field.to)
      const id = readNumber(given)
      const found = id === undefined ? undefined : await findRecord(request, target, id)
      return found ? titleOf(found.record, target.title, texts) : `#${given}`
    }
    default:
      return given
  }
}

/** `-14d` → 14 days ago, `14d` → in 14 days, `today` → today; undefined for anything else. */
function relativeDay({ lists }: Texts, given: string): string | undefined {
  if (given === 'today') return lists.today
  const [, sign, days] = /^(-?)(\d{1,4})d$/.exec(given) ?? []
  if (days === undefined) return undefined
  return sign ? lists.daysAgo(Number(days)) : lists.inDays(Number(days))
}

function formatMoment(texts: Texts, given: string): string {
  return Number.isNaN(Date.parse(given)) ? given : formatDateTime(texts, given)
}

// Renders the card with an asset's current and former holders, or with a person's current and former branches.

import { html } from 'ghtml'
import { byId, type Resource, resourceNamed } from '../../../../domain/declarations/resource.ts'
import { assignmentFieldOf } from '../../../../domain/history/assignments.ts'
import { historyOperations } from '../../../../domain/history/operations.ts'
import { icon } from '../../../components/icons.ts'
import { includedRecord, type PanelRecord, separator, showValue, titleOf } from '../../../components/record-fields.ts'
import { card } from '../../../components/sections.ts'
import { dayOf } from '../../../i18n/conventions.ts'
import { fieldLabel, formatDate, resourceTexts, type Texts } from '../../../i18n/index.ts'
import { readRecords } from '../../../read-records.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { linkRecord, pageUrl } from '../../../urls.ts'
import { editLink, type OpenField } from './field-form.ts'
import { recordName } from './wording.ts'

/** The card shows at most this many of the latest assignments, and links to the full history. */
const maxShown = 20

/** A holder, and when the assignment began and ended. `to` is null for the current assignment. */
type Assignment = { holder: number; from: string; to: string | null }

/** Returns an empty string for resources without assignments, and for people who have always been in one branch. */
export async function assignmentCard(
  request: RecordRequest,
  record: PanelRecord,
  editedField?: OpenField,
): Promise<string> {
  const { texts, resource, resources } = request
  const reference = assignmentFieldOf(resource)
  const field = reference === undefined ? undefined : resource.fields[reference]
  if (reference === undefined || field?.kind !== 'reference') return ''
  const assignments = await readAssignments(request, record.id, reference)
  const isAsset = request.presentation.actions === 'asset'
  if (!isAsset && assignments.length < 2) return ''
  const holderResource = resourceNamed(resources, field.to)
  const timeline = await assignmentList(request, holderResource, assignments, record.id)
  const heading = resourceTexts(texts, resource.name).assignments
  if (!isAsset) return card(heading, timeline)
  const earlier = assignments.length > 1 ? html`<details><summary>${heading}</summary>!${timeline}</details>` : ''
  const since = assignments.at(-1)?.from
  return card(
    holderHeading(texts, record),
    html`!${holderNow(request, record, holderResource, { since, editedField })}!${earlier}`,
  )
}

/** Returns the card with the present holder alone; an empty string for records that are not assets. */
export function holderCard(request: RecordRequest, record: PanelRecord): string {
  const { texts, resource, resources } = request
  const field = resource.fields.employee_id
  if (field?.kind !== 'reference') return ''
  const holderResource = resourceNamed(resources, field.to)
  const now = holderNow(request, record, holderResource, { since: undefined, editedField: undefined })
  return card(holderHeading(texts, record), now)
}

/** An asset in stock is assigned to nobody. */
function holderHeading(texts: Texts, record: PanelRecord): string {
  const isInStock = includedRecord(record, 'employee_id')?.kind === 'storage'
  return isInStock ? texts.recordPages.where.legend : fieldLabel(texts, 'employee_id')
}

async function readAssignments({ deps, tenant, resource }: RecordRequest, id: number, reference: string) {
  const input = { resource: resource.name, key: byId(id), timeoutMs: deps.listTimeoutMs }
  const history = await deps.engine.run(tenant, historyOperations.assignments, input)
  const { assignments } = JSON.parse(history?.body ?? '{"assignments":[]}')
  return (assignments as Record<string, string | null>[]).map(
    ({ from, to, [reference]: holder }): Assignment => ({ holder: Number(holder), from: from!, to: to ?? null }),
  )
}

function holderNow(
  request: RecordRequest,
  record: PanelRecord,
  holderResource: Resource,
  { since, editedField }: { since: string | undefined; editedField: OpenField | undefined },
): string {
  const { texts } = request
  const holder = includedRecord(record, 'employee_id')
  if (!holder) return ''
  const branch = includedRecord(holder, 'customer_id')
  const link = linkRecord(request, holderResource.name, holder.id, recordName(request, holderResource, holder))
  const from = since === undefined ? '' : html`<small>${texts.recordPages.since(day(texts, since))}</small>`
  const place = branch && titleOf(branch) !== titleOf(holder) ? html` · <bdi>${titleOf(branch)}</bdi>` : ''
  return html`<p class="holder">!${icon(holder.kind === 'storage' ? 'storage' : 'person')}
!${link}!${place} !${from}</p>
!${contactsOf(request, holderResource, holder)}
!${editedField?.name === 'due_back' ? editedField.form : dueBack(request, record)}`
}

/** What is needed to reach a holder. */
const contactFields = ['title', 'department', 'email', 'phone']

function contactsOf(request: RecordRequest, resource: Resource, holder: PanelRecord): string {
  if (holder.kind === 'storage') return ''
  const facts = contactFields.flatMap((name) => {
    const [field, value] = [resource.fields[name], holder[name]]
    const isShown = field && typeof value === 'string' && value !== titleOf(holder, resource.title, request.texts)
    return isShown ? [showValue(request.texts, field, value)] : []
  })
  return facts.length === 0 ? '' : html`<p class="contacts">!${facts.join(separator)}</p>`
}

function dueBack(request: RecordRequest, { id, due_back: day }: PanelRecord): string {
  const { texts } = request
  if (typeof day !== 'string') return ''
  return html`<p>${fieldLabel(texts, 'due_back')}: <time datetime="${day}">${formatDate(texts, day)}</time>
!${editLink(request, id, 'due_back')}</p>`
}

async function assignmentList(
  request: RecordRequest,
  holderResource: Resource,
  assignments: Assignment[],
  id: number,
): Promise<string> {
  const { texts, resource, baseParams } = request
  const latestAssignments = assignments.slice(-maxShown).toReversed()
  const ids = latestAssignments.map(({ holder }) => holder)
  const holders = await readRecords(request, holderResource.name, ids)
  const items = latestAssignments.map(({ holder, from, to }) => {
    const end = to === null ? texts.records.today : day(texts, to)
    const record = holders.get(holder)
    const name = record && recordName(request, holderResource, record)
    // A deleted record has no title, so its id is shown.
    const link = name === undefined ? html`#${holder}` : linkRecord(request, holderResource.name, holder, name)
    return html`<li>!${link} <small>${day(texts, from)} – ${end}</small></li>`
  })
  const allUrl = pageUrl('activity.php', { tenant: baseParams.tenant, resource: resource.name, id, action: 'update' })
  const more = assignments.length > maxShown ? html`<p><a href="${allUrl}">${texts.records.earlier}</a></p>` : ''
  return html`<ol class="related">!${items}</ol>!${more}`
}

function day(texts: Texts, moment: string): string {
  return formatDate(texts, dayOf(texts, new Date(moment)))
}

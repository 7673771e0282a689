// The step of an import in which the user says what each column of the file contains, and how the import finds existing
// records. Columns that are clear are shown quietly, and those that are not imported are folded.

import { html } from 'ghtml'
import { type Resources, resourceNamed } from '../../../domain/declarations/resource.ts'
import type { AssignmentFault } from '../../../domain/imports/columns/assignment.ts'
import type { ColumnTarget } from '../../../domain/imports/columns/columns.ts'
import { fieldOf, matchColumnsOf, targetsOf } from '../../../domain/imports/columns/targets.ts'
import type { ImportDraft } from '../../../domain/imports/draft-operations.ts'
import { importMappingOperations, type ProposedMapping } from '../../../domain/imports/mappings/operations.ts'
import {
  type Choice,
  choiceOptions,
  defaultButton,
  errorSummary,
  form,
  hiddenField,
  selectField,
  submitButton,
} from '../../components/forms/forms.ts'
import { labelColumns, table } from '../../components/lists/table.ts'
import { buttonRow, section } from '../../components/sections.ts'
import { formatNumber, resourceTexts, type Texts } from '../../i18n/index.ts'
import { exporterName } from '../../i18n/programs.ts'
import type { TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { buttonForm, importUrl, shortenCell, steps, targetLabel } from './page-parts.ts'
import { type Doubt, type Proposal, proposalOf } from './proposal.ts'

/** At most this many columns without a target have a select of their own, which lists every target. The user ticks one
 *  of the others to get its select. */
const maxFolded = 50

/** `mapping`: the mapping that the proposal uses. `fault`: the error message about an invalid assignment. `chosen`: the
 *  columns that the user has ticked. */
type ColumnsPage = { mapping?: ProposedMapping | null; fault?: string; chosen?: readonly number[] }

/** Shows what the user has answered. Before that, proposes the mapping that fits the file, unless the user does not
 *  want it, and otherwise what the titles and cells suggest. */
export async function askColumns(request: TenantRequest, draft: ImportDraft): Promise<PageResponse> {
  const mapping = draft.answers || request.query.has('plain') ? null : await proposedMapping(request, draft)
  return columnsPage(request, draft, proposalOf(request, draft, { mapping }), { mapping })
}

export async function proposedMapping(
  { deps, tenant }: TenantRequest,
  { resource, columns }: ImportDraft,
): Promise<ProposedMapping | null> {
  const titles = columns.map(({ title }) => title)
  return deps.engine.run(tenant, importMappingOperations.proposeMapping, { resource, titles })
}

export function columnsPage(
  request: TenantRequest,
  draft: ImportDraft,
  proposal: Proposal,
  { mapping = null, fault, chosen = [] }: ColumnsPage = {},
): PageResponse {
  const { texts, resources } = request
  const { columnsIntro, match, matchHint, emptyCells, next, discard } = texts.imports
  const matches = matchColumnsOf(resourceNamed(resources, draft.resource))
  const choices = matches.map((name) => [name, targetLabel(texts, { name })] as const)
  const hint = `${matchHint} ${emptyCells}`
  const fields = html`!${defaultButton}!${resourceField(request, draft)}!${hiddenField('step', 'columns')}
!${mapping ? hiddenField('mapping', mapping.name) : ''}
!${columnGroups(request, draft, proposal, chosen)}
!${selectField({ name: 'match', label: match, choices, value: proposal.match, hint })}
!${buttonRow(submitButton(next, { kind: 'main' }), submitButton(discard, { name: 'discard' }))}`
  const body = html`!${steps(request, 1, draft.id)}<p class="lead">${columnsIntro(draft.rows)}</p>
!${mapping ? mappingNotice(request, draft, mapping) : ''}!${errorSummary(fault)}
!${form(request, importUrl(request, draft.id), fields, { className: 'import' })}`
  const title = resourceTexts(texts, draft.resource).importColumns
  return { kind: 'page', title, body, status: fault === undefined ? 200 : 422 }
}

/** Shows what the file contains, as its titles say. The user can change it. */
function resourceField(request: TenantRequest, draft: ImportDraft): string {
  const { texts, resources } = request
  const { resource: label, changeResource } = texts.imports
  const choices = resources.map(({ name }) => [name, resourceTexts(texts, name).many] as const)
  const options = choiceOptions(choices, draft.resource)
  const button = submitButton(changeResource, { name: 'changeResource' })
  return html`<div class="field"><label for="resource">${label}</label>
<div class="find"><select id="resource" name="resource">!${options}</select>!${button}</div></div>`
}

/** Says which mapping the proposal uses. The user can do without it, and forget one of the tenant's own. */
function mappingNotice(request: TenantRequest, { id }: ImportDraft, mapping: ProposedMapping): string {
  const { name, isShipped, isLatest } = mapping
  const { fromProgram, fromSaved, fromLatest, ignoreMapping, ignoreLatest, forgetMapping } = request.texts.imports
  const ignore = isLatest ? ignoreLatest : ignoreMapping
  const text = isLatest ? fromLatest : isShipped ? fromProgram(exporterName(name)) : fromSaved(name)
  const forget =
    isShipped || isLatest
      ? ''
      : buttonForm(request, id, submitButton(forgetMapping, { name: 'forget' }), hiddenField('mapping', name))
  return html`<div class="notice"><p>${text}</p>
<a href="${importUrl(request, id, { step: 'columns', plain: 1 })}">${ignore}</a>!${forget}</div>`
}

/** A column with its title, some of its cells, its proposed target and why the proposal is not certain. */
type ShownColumn = { index: number; title: string; samples: string; name: string; doubt: Doubt | null }

function columnGroups(
  request: TenantRequest,
  draft: ImportDraft,
  { names, doubts }: Proposal,
  chosen: readonly number[],
): string {
  const { texts } = request
  const shown = draft.columns.map(({ title, samples = [] }, index): ShownColumn => {
    const shownTitle = title === '' ? texts.imports.untitled(formatNumber(texts, index + 1)) : shortenCell(title)
    const cells = samples.map((cell) => shortenCell(cell, 40)).join(' · ')
    return { index, title: shownTitle, samples: cells, name: names[index] ?? '', doubt: doubts[index] ?? null }
  })
  const asked = shown.filter(({ doubt, index }) => doubt !== null || chosen.includes(index))
  const clear = shown.filter(({ doubt, index, name }) => doubt === null && name !== '' && !chosen.includes(index))
  const others = shown.filter((each) => !asked.includes(each) && !clear.includes(each))
  const rowsOf = columnRows(request, draft)
  const head = labelColumns(texts.imports.column, texts.imports.samples, texts.imports.target)
  const group = (title: string, columns: ShownColumn[], name: 'answers' | 'asked' = 'answers') =>
    columns.length > 0 ? section(title, table({ head, rows: rowsOf(columns), name })) : ''
  return html`!${group(texts.imports.asked, asked, 'asked')}!${group(texts.imports.recognized, clear)}
!${foldedColumns(texts, others, (columns) => table({ head, rows: rowsOf(columns), name: 'answers' }))}`
}

/** Returns the function that renders the rows of a table. Columns with the same target share the options' HTML, because
 *  a file can have hundreds of columns. */
function columnRows({ texts, resources }: TenantRequest, { resource: name }: ImportDraft) {
  const choices: Choice[] = [
    ['', texts.imports.skip],
    ...offeredTargets(resources, name).map((each) => [each.name, targetLabel(texts, each)] as const),
    ['id', texts.imports.id],
  ]
  const optionsByName = new Map<string, string>()
  const optionsFor = (chosen: string) => {
    const options = optionsByName.get(chosen) ?? choiceOptions(choices, chosen)
    optionsByName.set(chosen, options)
    return options
  }
  return (columns: readonly ShownColumn[]) =>
    columns.map(({ index, title, samples, name, doubt }) => {
      const label = choices.find(([value]) => value === name)?.[1] ?? ''
      const sentence = doubt === null || doubt === 'answered' ? undefined : texts.imports.doubts[doubt](label)
      const reason = sentence && html`<p class="hint" id="doubt.${index}">${sentence}</p>`
      const described = sentence && html` aria-describedby="doubt.${index}"`
      return [
        html`<label for="column.${index}" dir="auto">${title}</label>`,
        html`<bdi>${samples}</bdi>`,
        html`<select id="column.${index}" name="column.${index}"!${described ?? ''}>!${optionsFor(name)}</select>
!${reason ?? ''}`,
      ]
    })
}

/** Of the targets of a reference, the one that is looked up by its contents comes first. */
function offeredTargets(resources: Resources, name: string): ColumnTarget[] {
  const groups = Map.groupBy(targetsOf(resourceNamed(resources, name), resources), fieldOf)
  return [...groups.values()].flatMap((group) =>
    group.toSorted((one, other) => contentOrder(one) - contentOrder(other)),
  )
}

function contentOrder(target: ColumnTarget): number {
  return target.kind === 'reference' && target.readings ? 0 : 1
}

/** Renders the columns that are not imported; those with cells come first. */
function foldedColumns(texts: Texts, columns: ShownColumn[], render: (columns: ShownColumn[]) => string): string {
  if (columns.length === 0) return ''
  const { ignored, moreColumns, chooseFields } = texts.imports
  const ordered = columns.toSorted((one, other) => Number(one.samples === '') - Number(other.samples === ''))
  const more = ordered.slice(maxFolded).map(
    ({ index, title, samples }) => html`<li><label><input type="checkbox" name="choose" value="${index}">
<span dir="auto">${title}</span> <small><bdi>${samples}</bdi></small></label></li>`,
  )
  const list = html`<section><h3>${moreColumns}</h3><ul class="related picks">!${more}</ul>
!${buttonRow(submitButton(chooseFields, { name: 'more' }))}</section>`
  return html`<details><summary>${ignored(columns.length)}</summary>!${render(ordered.slice(0, maxFolded))}
!${more.length > 0 ? list : ''}</details>`
}

/** The error message about an assignment that cannot work. */
export function faultMessage({ texts, resources }: TenantRequest, draft: ImportDraft, given: AssignmentFault): string {
  const { assignment } = texts.imports
  if (!('target' in given)) return assignment[given.fault]
  const targets = targetsOf(resourceNamed(resources, draft.resource), resources)
  const target = targets.find(({ name }) => name === given.target) ?? { name: given.target }
  return assignment[given.fault](targetLabel(texts, target))
}

// The second step of an import: the user assigns the file's columns to fields, and chooses how the import finds
// existing records.

import { html } from 'ghtml'
import { resourceNamed } from '../../../domain/declarations/resource.ts'
import type { AssignmentFault } from '../../../domain/imports/columns/assignment.ts'
import type { ColumnTarget } from '../../../domain/imports/columns/columns.ts'
import { defaultMatch, matchColumnsOf, targetNamesOf, targetsOf } from '../../../domain/imports/columns/targets.ts'
import type { ImportDraft } from '../../../domain/imports/draft-operations.ts'
import { checkDraft } from '../../../domain/imports/start-import.ts'
import {
  type Choice,
  choiceOptions,
  errorSummary,
  form,
  selectField,
  submitButton,
} from '../../components/forms/forms.ts'
import { labelColumns, table } from '../../components/lists/table.ts'
import { buttonRow } from '../../components/sections.ts'
import { formatNumber, resourceTexts, type Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { callerOf } from './commands.ts'
import { importUrl, shortenCell, steps, targetLabel } from './page-parts.ts'

/** The page shows at most this many columns. Each column has a select with every target, so a page with thousands of
 *  columns would be huge. */
const maxColumns = 200

/** `names`: the chosen or proposed target of each column; '' if the column is not imported. `match`: the target that
 *  identifies existing records. */
type ChosenTargets = { names: string[]; match: string }

/** `fault`: the error message about an invalid assignment. */
export function columnsPage(
  request: TenantRequest,
  draft: ImportDraft,
  chosen: ChosenTargets = suggest(request, draft),
  fault?: string,
): PageResponse {
  const { texts, resources } = request
  const resource = resourceNamed(resources, draft.resource)
  const { columnsIntro, match, matchHint, emptyCells, check, discard } = texts.imports
  const matches = matchColumnsOf(resource).map((name) => [name, targetLabel(texts, { name })] as const)
  const fields = html`!${columnTable(request, draft, chosen.names)}
!${selectField({ name: 'match', label: match, choices: matches, value: chosen.match })}
<p class="hint">${matchHint} ${emptyCells}</p>
!${buttonRow(submitButton(check, { kind: 'main' }), submitButton(discard, { name: 'discard' }))}`
  const body = html`!${steps(request, 1)}<p class="lead">${columnsIntro(draft.rows)}</p>
!${errorSummary(fault)}
!${form(request, importUrl(request, draft.id), fields, { className: 'record' })}`
  const title = resourceTexts(texts, draft.resource).importColumns
  return { kind: 'page', title, body, status: fault === undefined ? 200 : 422 }
}

/** Proposes the targets of the draft. If possible, existing records are identified by one of the file's columns. */
function suggest({ resources }: TenantRequest, { resource, columns, match }: ImportDraft): ChosenTargets {
  const names = columns.map(({ target }) => target?.name ?? '')
  const fileColumns = matchColumnsOf(resourceNamed(resources, resource)).filter((name) => names.includes(name))
  return { names, match: fileColumns.includes(match) ? match : (fileColumns[0] ?? match) }
}

function columnTable({ texts, resources }: TenantRequest, draft: ImportDraft, names: readonly string[]): string {
  const { column, samples, target, skip, untitled, moreColumns } = texts.imports
  const resource = resourceNamed(resources, draft.resource)
  const targets: (ColumnTarget | { name: string })[] = [...targetsOf(resource, resources), { name: 'id' }]
  const choices: Choice[] = [['', skip], ...targets.map((each) => [each.name, targetLabel(texts, each)] as const)]
  const rows = draft.columns.slice(0, maxColumns).map(({ title }, index) => {
    const titleText = title === '' ? untitled(formatNumber(texts, index + 1)) : shortenCell(title)
    const values = draft.samples
      .map(({ cells }) => shortenCell((cells[index] ?? '').trim(), 30))
      .filter((each) => each !== '')
    return [
      html`<label for="column.${index}">${titleText}</label>`,
      html`${values.join(' · ')}`,
      html`<select id="column.${index}" name="column.${index}">!${choiceOptions(choices, names[index])}</select>`,
    ]
  })
  const more = draft.columns.length > maxColumns ? moreColumns(formatNumber(texts, maxColumns)) : ''
  const head = labelColumns(column, samples, target)
  return html`!${table({ head, rows, name: 'log' })}!${more && html`<p>${more}</p>`}`
}

/** Starts checking a draft, or shows the page again with the error in the assignment. */
export async function assignColumns(request: TenantRequest, draft: ImportDraft): Promise<PageResponse> {
  const { deps, tenant, form: formValues, resources, texts, baseParams } = request
  const resource = resourceNamed(resources, draft.resource)
  const chosen = {
    names: draft.columns.map((_, index) => formValues.get(`column.${index}`) ?? ''),
    match: formValues.get('match') ?? defaultMatch,
  }
  const targetNames = ['', ...targetNamesOf(resource, resources)]
  const isKnown =
    chosen.names.every((name) => targetNames.includes(name)) && matchColumnsOf(resource).includes(chosen.match)
  if (!isKnown) throw new PageError(400, 'bad_request')
  const assignment = {
    names: chosen.names.map((name) => (name === '' ? null : name)),
    match: chosen.match === defaultMatch ? null : chosen.match,
    set: {},
    value: {},
  }
  const check = () => checkDraft(deps.engine, request, { draft, assignment, caller: callerOf(request) }, deps.now)
  const fault = await deps.jobs.schedule(tenant, check)
  if (fault) return columnsPage(request, draft, chosen, messageOf(texts, fault, targetsOf(resource, resources)))
  return redirectTo('import.php', { ...baseParams, id: draft.id })
}

function messageOf(texts: Texts, given: AssignmentFault, targets: readonly ColumnTarget[]): string {
  const { assignment } = texts.imports
  if (!('target' in given)) return assignment[given.fault]
  const target = targets.find(({ name }) => name === given.target) ?? { name: given.target }
  return assignment[given.fault](targetLabel(texts, target))
}

// Reads what the user answers about a draft, stores it, and goes on: to the next questions, or to the check.

import { resourceNamed } from '../../../domain/declarations/resource.ts'
import { type AssignmentFault, applyAssignment } from '../../../domain/imports/columns/assignment.ts'
import { defaultMatch, matchColumnsOf, targetNamesOf } from '../../../domain/imports/columns/targets.ts'
import { type ImportDraft, importDraftOperations } from '../../../domain/imports/draft-operations.ts'
import { checkDraft, findFileWords } from '../../../domain/imports/drafts.ts'
import type { ImportAnswers } from '../../../domain/imports/import.ts'
import { answersOfMapping } from '../../../domain/imports/mappings/fitting.ts'
import type { ProposedMapping } from '../../../domain/imports/mappings/operations.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import type { Errors } from '../desk/desk-page.ts'
import { readWhere, whereChoosers } from '../desk/where.ts'
import { withChosenRecords } from '../search/choices.ts'
import { askColumns, columnsPage, faultMessage, proposedMapping } from './columns.ts'
import { callerOf } from './commands.ts'
import { readNamedRecords, recordChoosers } from './named-records.ts'
import { proposalOf } from './proposal.ts'
import { isAsked, type Questions, questionsOf } from './questions.ts'
import { chooserOf, emptyAnswer, meaningInput, setInput, valuesPage, wordInput } from './values.ts'

/** Stores which columns the user has assigned, or shows the page again with the error in the assignment. */
export async function answerColumns(request: TenantRequest, draft: ImportDraft): Promise<PageResponse> {
  const { form, deps } = request
  const { names, match } = readColumns(request, draft)
  const mapping = form.has('mapping') ? await proposedMapping(request, draft) : null
  const proposal = proposalOf(request, draft, { given: { names, match }, mapping })
  const refuse = (fault: AssignmentFault) =>
    columnsPage(request, draft, proposal, { mapping, fault: faultMessage(request, draft, fault) })
  if (form.has('more'))
    return columnsPage(request, draft, proposal, { mapping, chosen: form.getAll('choose').map(Number) })
  const { set, value } = draft.answers ?? mappedValues(request, draft, mapping)
  const fault = faultOf(request, draft, { names, match, set, value })
  if (fault) return refuse(fault)
  const words = await findFileWords(deps.engine, request, draft, { names, match })
  const answers: ImportAnswers = { names, match, set, value, ...words }
  const questions = await questionsOf(request, draft, answers)
  if (questions.missing !== undefined) return refuse({ fault: 'required', target: questions.missing })
  if (!isAsked(request, draft, questions)) return startCheck(request, draft, { ...answers, set: {} })
  await saveAnswers(request, draft, answers)
  return redirectTo('import.php', { ...request.baseParams, id: draft.id, step: 'values' })
}

/** The values and words that the proposed mapping gives. */
function mappedValues(
  { resources }: TenantRequest,
  { columns, resource }: ImportDraft,
  mapping: ProposedMapping | null,
): Pick<ImportAnswers, 'set' | 'value'> {
  const titles = columns.map(({ title }) => title)
  return mapping
    ? answersOfMapping(mapping, titles, resourceNamed(resources, resource), resources)
    : { set: {}, value: {} }
}

/** Throws a PageError for a column or match column that the resource does not have. */
function readColumns({ form, resources }: TenantRequest, draft: ImportDraft): Pick<ImportAnswers, 'names' | 'match'> {
  const resource = resourceNamed(resources, draft.resource)
  const names = draft.columns.map((_, index) => form.get(`column.${index}`) ?? '')
  const match = form.get('match') ?? defaultMatch
  const known = ['', ...targetNamesOf(resource, resources)]
  if (!names.every((name) => known.includes(name)) || !matchColumnsOf(resource).includes(match))
    throw new PageError(400, 'bad_request')
  return { names: names.map((name) => (name === '' ? null : name)), match: match === defaultMatch ? null : match }
}

/** Returns the mistake in the assignment. What the file lacks is asked next. */
function faultOf(
  { resources }: TenantRequest,
  draft: ImportDraft,
  answers: ImportAnswers,
): AssignmentFault | undefined {
  const titles = draft.columns.map(({ title }) => title)
  const assigned = applyAssignment(titles, answers, resourceNamed(resources, draft.resource), resources)
  return 'fault' in assigned && assigned.fault !== 'required' ? assigned : undefined
}

/** Stores what the words mean and what all rows get, and starts the check. Or shows the page again with the errors, or
 *  with the records that the user searches for. */
export async function answerValues(submitted: TenantRequest, draft: ImportDraft): Promise<PageResponse> {
  const { answers } = draft
  if (!answers) return redirectTo('import.php', { ...submitted.baseParams, id: draft.id })
  const questions = await questionsOf(submitted, draft, answers)
  if (submitted.form.has('find')) return valuesPage(submitted, { draft, answers, questions, errors: {} })
  const choosers = questions.references.map((asked) => chooserOf(submitted, asked))
  const where = questions.asksWhere ? whereChoosers(submitted.form) : []
  const all = [...choosers, ...recordChoosers(questions.records), ...where]
  const { request, errors: unclear } = await withChosenRecords(submitted, all)
  const { set, errors: missing } = await readSet(request, questions)
  const named = await readNamedRecords(request, draft, questions.records)
  const errors = { ...missing, ...named.errors, ...unclear }
  if (Object.keys(errors).length > 0) return valuesPage(request, { draft, answers, questions, errors })
  const names = answers.names.map((name, index) => named.names[index] ?? name)
  const value = { ...answers.value, ...readMeanings(request, questions), ...named.value }
  return startCheck(request, draft, { ...answers, names, set, value })
}

/** Shows the questions; those about the columns if they have not been answered. */
export async function askValues(request: TenantRequest, draft: ImportDraft): Promise<PageResponse> {
  const { answers } = draft
  if (!answers) return askColumns(request, draft)
  const questions = await questionsOf(request, draft, answers)
  return valuesPage(request, { draft, answers, questions, errors: {} })
}

/** Reads the values for all rows. */
async function readSet(request: TenantRequest, { asksWhere, isOptional, references, choices, tag }: Questions) {
  const { form, texts } = request
  const where = asksWhere ? await readWhere(request, undefined) : { values: {}, errors: {} }
  const errors: Errors = isOptional ? {} : { ...where.errors }
  const given = Object.entries<string>(where.values)
  for (const { name, isRequired } of references) {
    const value = form.getAll(setInput(name)).at(-1) ?? ''
    if (value === '' && isRequired) errors[setInput(name)] = texts.errors.required
    given.push([name, value])
  }
  for (const name of [...choices, ...(tag ? [tag.member] : [])]) given.push([name, form.get(setInput(name)) ?? ''])
  return { set: Object.fromEntries(given.filter(([, value]) => value !== '')), errors }
}

/** Reads what the words of each column mean. A word without an answer stays as it is, so its rows have an error. */
function readMeanings({ form }: TenantRequest, { words }: Questions): ImportAnswers['value'] {
  return Object.fromEntries(
    words.map((asked) => {
      const meanings = asked.words.flatMap((_, at): [string, string][] => {
        const [word, means] = [form.get(wordInput(asked, at)), form.get(meaningInput(asked, at))]
        if (word === null || means === null || means === '') return []
        return [[word, means === emptyAnswer ? '' : means]]
      })
      return [asked.title, Object.fromEntries(meanings)]
    }),
  )
}

/** Returns whether the answers are stored: another request may have started or discarded the import. */
function saveAnswers({ deps, tenant }: TenantRequest, { id }: ImportDraft, answers: ImportAnswers): Promise<boolean> {
  const now = deps.now().toISOString()
  const save = () => deps.engine.run(tenant, importDraftOperations.saveImportDraft, { id, answers, now })
  return deps.jobs.schedule(tenant, save)
}

async function startCheck(request: TenantRequest, draft: ImportDraft, answers: ImportAnswers): Promise<PageResponse> {
  const { deps, tenant, baseParams } = request
  const done = redirectTo('import.php', { ...baseParams, id: draft.id })
  if (!(await saveAnswers(request, draft, answers))) return done
  const input = { draft, assignment: answers, caller: callerOf(request) }
  const fault = await deps.jobs.schedule(tenant, () => checkDraft(deps.engine, request, input, deps.now))
  const answered = { ...draft, answers }
  if (!fault) return done
  return columnsPage(request, answered, proposalOf(request, answered), { fault: faultMessage(request, draft, fault) })
}

// Renders saved views as tabs above a list, and handles the forms that save and delete views.

import { html } from 'ghtml'
import { views } from '../../../domain/declarations/views.ts'
import { isFieldError, readField } from '../../../domain/fields/field-values.ts'
import { checkNewView, checkViewChanges } from '../../../domain/views/check-view.ts'
import { type ViewChange, viewOperations } from '../../../domain/views/operations.ts'
import type { View } from '../../../domain/views/view.ts'
import { Problem } from '../../../problem.ts'
import { form, onceField } from '../../components/forms/forms.ts'
import { icon } from '../../components/icons.ts'
import { menu, menuLinks } from '../../components/menu.ts'
import { tabs } from '../../components/sections.ts'
import type { Texts } from '../../i18n/index.ts'
import { changeInput } from '../../requests/mutation-input.ts'
import type { RecordRequest } from '../../requests/request.ts'
import { PageError, type PageResponse, redirectTo } from '../../responses.ts'
import { pageUrl, withoutEmpty } from '../../urls.ts'
import { columnsOf } from './chosen-columns.ts'
import { addressParams, type ListState, stateUrl } from './state.ts'

/** At most this many views have a tab. Further views are listed only by the API. */
const maxViews = 60

/** Returns the first views of this list that the user can see, including the built-in views. */
export function readViews({ deps, tenant, resource, session }: RecordRequest): Promise<View[]> {
  const actor = { userId: session.user.id }
  return deps.engine.run(tenant, viewOperations.listViews, {
    actor,
    resource: resource.name,
    after: Number.MIN_SAFE_INTEGER,
    limit: maxViews,
  })
}

/** Returns the view whose filters and order match the list. If the view has columns, the columns must also match.
 *  Returns undefined if the list shows a past day. */
function currentView(found: readonly View[], state: ListState): View | undefined {
  const shown = withoutEmpty({ ...state.filters, sort: state.sort })
  return found.find(({ query, columns }) => {
    const params = Object.fromEntries(new URLSearchParams(query))
    const hasSameCount = Object.keys(params).length === Object.keys(shown).length
    const hasColumns = columns === null || columns.join() === state.columns?.join()
    return (
      state.asOf === null &&
      hasSameCount &&
      hasColumns &&
      Object.entries(params).every(([name, value]) => shown[name] === value)
    )
  })
}

export function viewTabs(request: RecordRequest, found: readonly View[], state: ListState): string {
  const { texts, baseParams } = request
  const current = currentView(found, state)
  const isWhole = Object.keys(state.filters).length === 0 && state.asOf === null
  const tab = (label: string, params: Record<string, string>, isCurrent: boolean) => ({
    to: pageUrl('records.php', { ...baseParams, ...params }),
    label,
    isCurrent,
  })
  const allTab = tab(texts.lists.all, {}, isWhole && current === undefined)
  const others = found.map((view) => tab(nameOf(texts, view), paramsOf(view), view === current))
  const { shown, rest } = fittingTabs([allTab, ...others], texts.lists.moreViews)
  const summary = html`<span>${texts.lists.moreViews}</span>!${icon('expand')}`
  const restMenu = rest.length > 0 ? menu({ summary, body: menuLinks(rest), name: 'end' }) : ''
  const saveMenu = request.canWrite ? viewMenu(request, state, current) : ''
  return html`<div class="views">!${tabs(texts.lists.views, shown)}!${restMenu}!${saveMenu}</div>`
}

type Tab = Parameters<typeof tabs>[1][number]

/** The labels of tabs that fit beside the menus on a screen 1280 px wide have at most this many characters, counting
 *  `gapCharacters` for the space around each. */
const maxTabCharacters = 120
const gapCharacters = 4

/** Returns the tabs that fit, and those for the menu. The current view always has a tab. `menuLabel`: the label of the
 *  menu, which takes up room if there is one. */
function fittingTabs(all: Tab[], menuLabel: string): { shown: Tab[]; rest: Tab[] } {
  const widthOf = ({ label }: { label: string }) => [...label].length + gapCharacters
  const fits = all.reduce((sum, tab) => sum + widthOf(tab), 0) <= maxTabCharacters
  if (fits) return { shown: all, rest: [] }
  const current = all.find(({ isCurrent }) => isCurrent)
  let left = maxTabCharacters - widthOf({ label: menuLabel }) - (current ? widthOf(current) : 0)
  const shown = all.filter((tab) => {
    if (tab === current) return true
    left -= widthOf(tab)
    return left >= 0
  })
  return { shown, rest: all.filter((tab) => !shown.includes(tab)) }
}

export function nameOf({ lists }: Texts, { id, name }: View): string {
  return lists.builtIn[String(id)] ?? name
}

function paramsOf({ query, columns }: View): Record<string, string> {
  return { ...Object.fromEntries(new URLSearchParams(query)), ...(columns && { columns: columns.join(',') }) }
}

/** Renders the form that saves the list as a view, and the form that deletes the current view unless it is built in. */
function viewMenu(request: RecordRequest, state: ListState, current: View | undefined): string {
  const { texts } = request
  const { lists } = texts
  const isSaved = current !== undefined && current.id > 0
  const name = isSaved ? current.name : ''
  const isShared = isSaved && current.is_shared
  const remove = isSaved
    ? form(
        request,
        stateUrl(request, state, { delete_view: current.id }),
        onceField() + html`<button class="danger">${lists.deleteView}</button>`,
      )
    : ''
  const fields = html`!${onceField()}
<label>${lists.viewName}
<input name="name" value="${name}" maxlength="100" dir="auto" autocomplete="off" required></label>
<label><input type="checkbox" name="is_shared" value="1"!${isShared ? ' checked' : ''}>${lists.shareView}</label>
<p class="hint">${lists.saveViewHelp}</p>
<p class="actions"><button class="main">${texts.save}</button></p>`
  const save = form(request, stateUrl(request, state, { save_view: 1 }), fields)
  const summary = html`!${icon('view')}<span>${lists.saveView}</span>`
  return menu({ summary, body: save + remove, name: 'end panel' })
}

/** Saves the list as a view. Replaces the user's view with the same name, if there is one. */
export async function saveView(request: RecordRequest, state: ListState): Promise<PageResponse> {
  const { form: formValues, resource, texts, baseParams, session } = request
  const query = new URLSearchParams(withoutEmpty({ ...state.filters, sort: state.sort })).toString()
  const columns = columnsOf(request, state)
  const back = { ...baseParams, ...addressParams({ ...state, columns }) }
  const name = readField(views.fields.name, formValues.get('name') ?? '')
  if (isFieldError(name)) return redirectTo('records.php', back, { text: texts.lists.nameView })
  const body = { name, resource: resource.name, query, columns, is_shared: formValues.has('is_shared') }
  const known = (await readViews(request)).find((view) => view.name === name && view.user_id === session.user.id)
  const change = toChange(request, body, known)
  if (!change) return redirectTo('records.php', back, { text: texts.lists.viewNotSaved })
  await changeViews(request, change)
  return redirectTo('records.php', back, { text: texts.lists.viewSaved(String(name)) })
}

/** Returns undefined if the view is invalid, for example because it has a filter that the list does not support. */
function toChange({ deps, resources }: RecordRequest, body: object, known: View | undefined): ViewChange | undefined {
  const check = known ? checkViewChanges : checkNewView
  const checked = check(resources, body, 'lenient', deps.now())
  if ('errors' in checked) return undefined
  const { values } = checked
  return known ? { action: 'update', id: known.id, values, ifMatch: null } : { action: 'create', values, location: '' }
}

export async function deleteView(request: RecordRequest): Promise<PageResponse> {
  const { query, texts, baseParams } = request
  const id = Number(query.get('delete_view'))
  const known = (await readViews(request)).find((view) => view.id === id && id > 0)
  if (!known) throw new PageError(404, 'not_found')
  await changeViews(request, { action: 'delete', id, ifMatch: null })
  return redirectTo('records.php', baseParams, { text: texts.lists.viewDeleted(known.name) })
}

/** Throws a PageError if the view no longer exists, and a Problem for other refusals. */
async function changeViews(request: RecordRequest, change: ViewChange): Promise<void> {
  const { deps, tenant } = request
  const input = changeInput(request, change, ['views:write'])
  const { status } = await deps.engine.run(tenant, viewOperations.changeView, input)
  if (status >= 400) throw status === 404 ? new PageError(404, 'not_found') : new Problem('invalid_request')
}

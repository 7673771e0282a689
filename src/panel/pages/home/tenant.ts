// A tenant's home page: its first steps, its figures, its to-dos, and the latest changes. Each number links to a list
// of exactly the records that it counts.

import { html } from 'ghtml'
import { hardware } from '../../../domain/declarations/hardware.ts'
import type { Summary } from '../../../domain/summary/summary.ts'
import { currentPeople } from '../../../domain/views/built-in.ts'
import { activityByDay, readActivity } from '../../components/activity/activity.ts'
import { toneOf } from '../../components/badge.ts'
import { type Bar, bars, stackedBar } from '../../components/charts/bars.ts'
import { card, section, stats } from '../../components/sections.ts'
import { formatWholeAmount, noticeDaysOf, timeZoneOf } from '../../i18n/conventions.ts'
import { choiceLabel, formatNumber, resourceTexts } from '../../i18n/index.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { listUrl, pageUrl } from '../../urls.ts'
import { showState } from '../tenants/detail.ts'
import { showInstallation } from './installation.ts'
import { showToDos } from './show-to-dos.ts'
import { countCurrentPeople, summaryRequest } from './to-dos.ts'

/** The page shows this many of the latest change sets. */
const shownSets = 8

async function showTenant(signedIn: SignedInRequest): Promise<PageResponse> {
  const request = await toLocalizedRequest(signedIn)
  const { texts, deps, tenant, canWrite } = request
  const noticeDays = noticeDaysOf(texts)
  const { resources, listTimeoutMs } = deps
  const summaryQuery = summaryRequest({
    resources,
    listTimeoutMs,
    now: deps.now(),
    timeZone: timeZoneOf(texts),
    noticeDays,
  })
  const [{ summary }, activity] = await Promise.all([
    deps.summaries.read(tenant, summaryQuery),
    latestActivity(request),
  ])
  const hasAssets = summary.counts.hardware !== 0
  const toDos = hasAssets ? await showToDos(request, summary, noticeDays) : ''
  const steps = canWrite ? firstSteps(request, summary.counts) : ''
  const state = tenant.state === 'active' ? '' : html`<p>!${showState(texts, tenant)}</p>`
  const body = html`!${state}!${steps}
!${hasAssets ? showFigures(request, summary) : ''}
<div class="columns main-aside">
!${hasAssets ? html`<div>!${toDos}!${showBars(request, summary)}</div>` : ''}
!${activity}
</div>`
  return { kind: 'page', title: tenant.name, body }
}

async function latestActivity(request: TenantRequest): Promise<string> {
  const { texts, baseParams } = request
  const { sets } = await readActivity(request, { limit: shownSets })
  if (sets.length === 0) return ''
  const { list } = await activityByDay(request, sets)
  const allLink = html`<p><a href="${pageUrl('activity.php', baseParams)}">${texts.home.allActivity}</a></p>`
  return section(texts.frame.activity, list + allLink)
}

export async function showHome(request: SignedInRequest): Promise<PageResponse> {
  return isAdministrator(request) && !request.query.has('tenant') ? showInstallation(request) : showTenant(request)
}

const stepNames = ['customers', 'employees', 'hardware'] as const

type StepName = (typeof stepNames)[number]

/** Returns an empty string if the tenant has at least one record of each resource. `counts`: the number of records, by
 *  resource. */
export function firstSteps(request: TenantRequest, counts: Record<string, number>): string {
  const isDone = (name: string) => (counts[name] ?? 0) > 0
  if (stepNames.every(isDone)) return ''
  const { firstSteps: title, firstStepsHelp } = request.texts.home
  const next = stepNames.find((name) => !isDone(name))
  const steps = stepNames.map((name) => step(request, name, { isDone: isDone(name), isNext: name === next }))
  return card(title, html`<p>${firstStepsHelp}</p><ol class="steps">!${steps}</ol>`)
}

/** Only the next step has buttons, because each step requires the one before it: a person needs a branch, and an asset
 *  needs a holder. */
function step(
  request: TenantRequest,
  name: StepName,
  { isDone, isNext }: { isDone: boolean; isNext: boolean },
): string {
  const { texts, baseParams } = request
  const { many, emptyHelp, add, import: importMany } = resourceTexts(texts, name)
  if (isDone) return html`<li data-done><b>${many}</b> <small>✓ ${texts.home.done}</small></li>`
  const about = html`<b>${many}</b> <span class="hint">${emptyHelp}</span>`
  if (!isNext) return html`<li>!${about}</li>`
  const create = listUrl(request, name, { new: 1 })
  const upload = pageUrl('import.php', { ...baseParams, resource: name })
  return html`<li>!${about}
<p class="actions"><a class="button main" href="${create}">${add}</a>
<a class="button" href="${upload}">${importMany}</a></p></li>`
}

/** The statuses that have their own figure. */
const mainStatuses = ['in_use', 'spare', 'in_repair'] as const

function showFigures(request: TenantRequest, summary: Summary): string {
  const { texts, deps, resources } = request
  const counted = deps.inMenuOrder(resources).filter((resource) => deps.presentationOf(resource).hasFigure)
  const { counts, assets } = summary
  const { statuses, cost } = assets
  return stats([
    ...mainStatuses.map((status) => ({
      figure: formatNumber(texts, statuses[status] ?? 0),
      label: choiceLabel(texts, status),
      to: listUrl(request, 'hardware', { status }),
    })),
    {
      figure: formatNumber(texts, countCurrentPeople(summary)),
      label: texts.home.currentPeople,
      to: listUrl(request, 'employees', currentPeople),
    },
    ...counted.map((resource) => ({
      figure: formatNumber(texts, counts[resource.name] ?? 0),
      label: resourceTexts(texts, resource.name).many,
      to: listUrl(request, resource.name, deps.presentationOf(resource).impliedFilters),
    })),
    {
      figure: formatWholeAmount(texts, cost),
      label: texts.home.value,
      to: listUrl(request, 'hardware', { sort: '-purchase_cost' }),
    },
  ])
}

function showBars(request: TenantRequest, { assets, branches }: Summary): string {
  const { texts } = request
  const { byStatus, byType, byBranch } = texts.home
  const branchBars = branches.map(({ id, name, assets }) => ({
    label: name,
    count: assets,
    to: listUrl(request, 'hardware', { customer_id: id }),
  }))
  return [
    section(byStatus, stackedBar(texts, choiceBars(request, 'status', assets.statuses))),
    section(byType, bars(texts, choiceBars(request, 'type', assets.types))),
    section(byBranch(resourceTexts(texts, 'customers').many), bars(texts, branchBars)),
  ].join('')
}

/** Returns the most frequent values first. Values with the same count stay in the order in which they are declared. */
function choiceBars(request: TenantRequest, field: 'status' | 'type', counts: Record<string, number>): Bar[] {
  const usedValues = hardware.fields[field].of.filter((value) => (counts[value] ?? 0) > 0)
  const list = usedValues.map((value) => ({
    label: choiceLabel(request.texts, value),
    tone: toneOf(value),
    count: counts[value]!,
    to: listUrl(request, 'hardware', { [field]: value }),
  }))
  return list.toSorted((one, other) => other.count - one.count)
}

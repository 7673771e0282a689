// A tenant's home page: its figures, its to-dos, and the latest changes.

import { html } from 'ghtml'
import { activityByDay, readActivity } from '../../components/activity/activity.ts'
import { card, section } from '../../components/sections.ts'
import { noticeDaysOf, timeZoneOf } from '../../i18n/conventions.ts'
import { resourceTexts } from '../../i18n/index.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import { isAdministrator, type SignedInRequest, type TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { showState } from '../tenants.ts'
import { showBars, showFigures } from './figures.ts'
import { showInstallation } from './installation.ts'
import { showToDos } from './show-to-dos.ts'
import { summaryRequest } from './to-dos.ts'

/** The page shows this many of the latest change sets. */
const shownSets = 8

async function showTenant(signedIn: SignedInRequest): Promise<PageResponse> {
  const request = await toLocalizedRequest(signedIn)
  const { texts, deps, tenant, canWrite } = request
  const noticeDays = noticeDaysOf(texts)
  const summaryQuery = summaryRequest({ ...deps, now: deps.now(), timeZone: timeZoneOf(texts), noticeDays })
  const [{ summary }, activity] = await Promise.all([
    deps.summaries.read(tenant, summaryQuery),
    latestActivity(request),
  ])
  const steps = canWrite ? firstSteps(request, summary.counts) : ''
  const hasAssets = summary.counts.hardware !== 0
  const state = tenant.state === 'active' ? '' : html`<p>!${showState(texts, tenant)}</p>`
  const body = html`!${state}!${steps}
!${hasAssets ? showFigures(request, summary) : ''}
<div class="columns main-aside">
!${hasAssets ? html`<div>!${showToDos(request, summary, noticeDays)}!${showBars(request, summary)}</div>` : ''}
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
  { texts, baseParams }: TenantRequest,
  name: StepName,
  { isDone, isNext }: { isDone: boolean; isNext: boolean },
): string {
  const { many, emptyHelp, add, import: importMany } = resourceTexts(texts, name)
  if (isDone) return html`<li data-done><b>${many}</b> <small>✓ ${texts.home.done}</small></li>`
  const about = html`<b>${many}</b> <span class="hint">${emptyHelp}</span>`
  if (!isNext) return html`<li>!${about}</li>`
  const create = pageUrl('records.php', { ...baseParams, resource: name, new: 1 })
  const upload = pageUrl('import.php', { ...baseParams, resource: name })
  return html`<li>!${about}
<p class="actions"><a class="button main" href="${create}">${add}</a>
<a class="button" href="${upload}">${importMany}</a></p></li>`
}

// A tenant's home page: its figures, its to-dos, and the latest changes.

import { html } from 'ghtml'
import { activityByDay, readActivity } from '../../components/activity/activity.ts'
import { section } from '../../components/sections.ts'
import { noticeDaysOf, timeZoneOf } from '../../i18n/conventions.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import type { SignedInRequest, TenantRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'
import { pageUrl } from '../../urls.ts'
import { showState } from '../tenants.ts'
import { showBars, showFigures } from './figures.ts'
import { firstSteps } from './first-steps.ts'
import { showToDos } from './show-to-dos.ts'
import { summaryRequest } from './to-dos.ts'

/** The page shows this many of the latest change sets. */
const shownSets = 8

export async function showTenant(signedIn: SignedInRequest): Promise<PageResponse> {
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

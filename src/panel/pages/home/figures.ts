// Renders the home page's figures and bar charts. Each number links to a list of exactly the records that it counts.

import { hardware } from '../../../domain/declarations/hardware.ts'
import type { Summary } from '../../../domain/summary/summary.ts'
import { type Bar, bars } from '../../components/charts/bars.ts'
import { stats } from '../../components/page-parts.ts'
import { section } from '../../components/sections.ts'
import { formatWholeAmount } from '../../i18n/conventions.ts'
import { choiceLabel, formatNumber, resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { pageUrl } from '../../urls.ts'

type Parameters = Record<string, string | number>

/** The statuses that have their own figure. */
const mainStatuses = ['in_use', 'spare', 'in_repair'] as const

export function showFigures(request: TenantRequest, { assets, counts }: Summary): string {
  const { texts, deps, resources } = request
  const counted = deps.inMenuOrder(resources).filter((resource) => deps.presentationOf(resource).hasFigure)
  const { statuses, cost } = assets
  return stats([
    ...mainStatuses.map((status) => ({
      figure: formatNumber(texts, statuses[status] ?? 0),
      label: choiceLabel(texts, status),
      to: listUrl(request, { status }),
    })),
    ...counted.map((resource) => ({
      figure: formatNumber(texts, counts[resource.name] ?? 0),
      label: resourceTexts(texts, resource.name).many,
      to: listUrl(request, { resource: resource.name, ...deps.presentationOf(resource).impliedFilters }),
    })),
    {
      figure: formatWholeAmount(texts, cost),
      label: texts.home.value,
      to: listUrl(request, { sort: '-purchase_cost' }),
    },
  ])
}

export function showBars(request: TenantRequest, { assets, branches }: Summary): string {
  const { texts } = request
  const { byStatus, byType, byBranch } = texts.home
  const branchBars = branches.map(({ id, name, assets }) => ({
    label: name,
    count: assets,
    to: listUrl(request, { customer_id: id }),
  }))
  return [
    section(byStatus, bars(texts, choiceBars(request, 'status', assets.statuses))),
    section(byType, bars(texts, choiceBars(request, 'type', assets.types))),
    section(byBranch(resourceTexts(texts, 'customers').many), bars(texts, branchBars)),
  ].join('')
}

/** Returns the most frequent values first. Values with the same count stay in the order in which they are declared. */
function choiceBars(request: TenantRequest, field: 'status' | 'type', counts: Record<string, number>): Bar[] {
  const usedValues = hardware.fields[field].of.filter((value) => (counts[value] ?? 0) > 0)
  const list = usedValues.map((value) => ({
    label: choiceLabel(request.texts, value),
    count: counts[value]!,
    to: listUrl(request, { [field]: value }),
  }))
  return list.toSorted((one, other) => other.count - one.count)
}

/** Returns the URL of a list of assets, or of another resource if the parameters name one. */
function listUrl({ baseParams }: TenantRequest, params: Parameters): string {
  return pageUrl('records.php', { ...baseParams, resource: 'hardware', ...params })
}

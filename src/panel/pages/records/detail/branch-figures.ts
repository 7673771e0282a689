// Renders a branch's figures. Each figure links to the records that it counts.

import { daysAfter } from '../../../../domain/lists/request/operands.ts'
import { summaryOperations } from '../../../../domain/summary/operations.ts'
import { type Stat, stats } from '../../../components/page-parts.ts'
import type { PanelRecord } from '../../../components/record-fields.ts'
import { dayOf, formatWholeAmount, noticeDaysOf } from '../../../i18n/conventions.ts'
import { choiceLabel, formatNumber, resourceTexts } from '../../../i18n/index.ts'
import { pageUrl } from '../../../urls.ts'
import type { RecordRequest } from '../request.ts'

export async function branchFigures(request: RecordRequest, { id }: PanelRecord): Promise<string> {
  const { deps, tenant, texts, baseParams } = request
  const today = dayOf(texts, deps.now())
  const noticeDays = noticeDaysOf(texts)
  const period = { warrantyFrom: today, warrantyTo: daysAfter(today, noticeDays) }
  const figures = await deps.storage.run(tenant, summaryOperations.branchSummary, {
    id,
    ...period,
    timeoutMs: deps.listTimeoutMs,
  })
  const list = (resource: string, filter: Record<string, string>): string =>
    pageUrl('records.php', { tenant: baseParams.tenant, resource, customer_id: id, ...filter })
  const figure = (count: number, label: string, to: string): Stat => ({ figure: formatNumber(texts, count), label, to })
  const people = { kind: 'person', is_active: 'true' }
  const ending = { warranty: `${noticeDays}d`, 'status[in]': 'in_use,spare,reserved,in_repair' }
  return stats([
    figure(figures.people, resourceTexts(texts, 'employees').many, list('employees', people)),
    figure(figures.assets, resourceTexts(texts, 'hardware').many, list('hardware', {})),
    figure(figures.spare, choiceLabel(texts, 'spare'), list('hardware', { status: 'spare' })),
    figure(figures.warranties, texts.recordPages.warrantiesEnding(noticeDays), list('hardware', ending)),
    {
      figure: formatWholeAmount(texts, figures.cost),
      label: texts.home.value,
      to: list('hardware', { sort: '-purchase_cost' }),
    },
  ])
}

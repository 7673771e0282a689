// Shows the first steps for a new tenant: adding branches, then people, then assets.

import { html } from 'ghtml'
import { card } from '../../components/sections.ts'
import { resourceTexts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { pageUrl } from '../../urls.ts'

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

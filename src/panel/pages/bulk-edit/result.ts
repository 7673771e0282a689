// Shows a job's result: its counts, and a button that undoes the job's changes.

import { randomUUID } from 'node:crypto'
import { html } from 'ghtml'
import type { EditCounts } from '../../../domain/bulk/bulk-edit.ts'
import { form, hiddenField, submitButton } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import { pageUrl } from '../../urls.ts'
import type { RecordRequest } from '../records/request.ts'
import { countList } from './preview.ts'
import type { Task } from './tasks.ts'
import { listLink } from './urls.ts'

/** `changeSet`: the change set to undo; null if nothing was changed, or if the changes have been undone. */
export function resultBody(request: RecordRequest, task: Task, counts: EditCounts, changeSet: string | null): string {
  const { texts } = request
  const back = buttonRow(listLink(request, texts.bulkEdits.back))
  return html`!${countList(texts, counts, 'after', task.kind === 'delete')}
!${changeSet === null ? '' : undoForm(request, changeSet)}!${back}`
}

/** Renders the same undo form as the change set's page, and a link to that page. */
function undoForm(request: RecordRequest, changeSet: string): string {
  const { texts, baseParams } = request
  const url = pageUrl('activity.php', { tenant: baseParams.tenant, change_set: changeSet })
  const changes = html`<a href="${url}">${texts.bulkEdits.changes}</a>`
  return form(request, url, hiddenField('once', randomUUID()) + buttonRow(submitButton(texts.undo.undo), changes))
}

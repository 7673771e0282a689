// The tables of error codes and field codes. Each error code has an anchor, such as /docs#error-validation_failed.

import { html } from 'ghtml'
import { fieldCodes } from '../../domain/fields/field-values.ts'
import { problems } from '../../problem.ts'
import { scrollableTable, spans } from './text.ts'

export function errorSections(): string {
  return html`<section id="errors">
<h2>errors</h2>
<p>!${spans('Every error is `{"error": {"code", "message", "status"}}`. The message may contain more detail than this table. New codes may be added over time.')}</p>
!${scrollableTable('Error codes', ['Code', 'Status', 'With an Idempotency-Key', 'Meaning'], errorRows())}
</section>
<section id="field-codes">
<h2>field codes</h2>
<p>!${spans('The codes of single fields in `errors` of `validation_failed`.')}</p>
!${scrollableTable('Field codes', ['Code', 'Meaning'], fieldCodeRows())}
</section>
`
}

function errorRows(): string[] {
  const sorted = Object.entries(problems).toSorted(([, a], [, b]) => a.status - b.status)
  return sorted.map(
    ([code, { status, message, kept }]) =>
      html`<tr id="error-${code}"><th scope="row"><a href="#error-${code}"><code>${code}</code></a></th><td>${status}</td><td>${kept ? 'a retry gets the same error' : 'a retry is executed'}</td><td>${message}</td></tr>`,
  )
}

function fieldCodeRows(): string[] {
  return Object.entries(fieldCodes).map(
    ([code, meaning]) => html`<tr id="field-${code}"><th scope="row"><code>${code}</code></th><td>${meaning}</td></tr>`,
  )
}

// Converts text from the OpenAPI document to HTML.

import { html } from 'ghtml'
import { problems } from '../../problem.ts'

export function paragraphs(text: string): string {
  return text
    .split('\n\n')
    .map((paragraph) => html`<p>!${spans(paragraph)}</p>`)
    .join('\n')
}

/** Renders text between backticks as code, and links error codes to their explanation. */
export function spans(text: string): string {
  return text
    .split('`')
    .map((piece, index) => (index % 2 === 0 ? html`${piece}` : codeSpan(piece)))
    .join('')
}

export function codeSpan(text: string): string {
  return Object.hasOwn(problems, text)
    ? html`<a href="#error-${text}"><code>${text}</code></a>`
    : html`<code>${text}</code>`
}

/** Returns a table in a scrollable box, so that it does not widen a narrow page. */
export function scrollableTable(label: string, head: string[], rows: string[]): string {
  const cells = head.map((heading) => html`<th scope="col">${heading}</th>`)
  return html`<div class="table" role="region" tabindex="0" aria-label="${label}"><table>
<thead><tr>!${cells.join('')}</tr></thead>
<tbody>!${rows.join('\n')}</tbody>
</table></div>`
}

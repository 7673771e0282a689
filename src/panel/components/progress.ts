// Shows the progress of a background job. panel.js updates it. If scripts are disabled, the browser reloads the page
// every few seconds.

import { html } from 'ghtml'

export const refreshSeconds = 3

/** `url`: the page's URL. `fragmentUrl`: the URL that returns the content alone, or nothing after the job has
 *  finished. `content` is HTML. `reload`: the label of the link that reloads the page. */
export function liveProgress(url: string, fragmentUrl: string, content: string, reload: string): string {
  return html`<div data-progress="${fragmentUrl}">!${content}</div>
<noscript><p><a href="${url}">${reload}</a></p></noscript>`
}

export function progressElement(label: string, processed: number, total: number): string {
  return html`<p><progress max="${Math.max(1, total)}" value="${processed}" aria-label="${label}"></progress>
${label}</p>`
}

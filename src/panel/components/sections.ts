// Renders the parts that several pages share: heads, sections, lists, figures, steps, tabs and links. Titles, labels,
// questions, counts, URLs and `help` are plain text. Bodies, items, controls and `actions` are HTML.

import { html } from 'ghtml'
import type { Texts } from '../i18n/index.ts'
import type { PageRequest } from '../requests/request.ts'
import { form, submitButton } from './forms/forms.ts'
import { type IconName, icon } from './icons.ts'

export function section(title: string, body: string): string {
  return html`<section><h2>${title}</h2>!${body}</section>`
}

/** Renders a section with a frame, for a form. */
export function card(title: string, body: string): string {
  return html`<section class="card"><h2>${title}</h2>!${body}</section>`
}

/** Renders a frame for something that cannot be undone. Its button (`action` …) only opens a form with the question;
 *  that form posts to `url`. `button`, `name`: the label and the name of the form's submit button. `password`: the
 *  field that confirms the action, as HTML. */
export function dangerCard(
  request: PageRequest,
  danger: { action: string; question: string; url: string; button: string; name: string; password: string },
): string {
  const { action, question, url, button, name, password } = danger
  // The form was refused and is shown again.
  const open = request.form.has(name) ? ' open' : ''
  const fields = password + buttonRow(submitButton(button, { name, kind: 'danger' }))
  const details = html`<details class="danger"!${open}><summary class="button danger">${action} …</summary>
<p>${question}</p>!${form(request, url, fields)}</details>`
  return card(action, details)
}

export function buttonRow(...controls: string[]): string {
  return html`<div class="actions">!${controls.join(' ')}</div>`
}

export function relatedList(items: string[]): string {
  return html`<ul class="related">!${items}</ul>`
}

/** A label and its value, or a form that edits the value. Such a form renders its own label. */
export type Fact = readonly [label: string, value: string] | { label: string; form: string }

export function factList(facts: Fact[]): string {
  const items = facts.map((fact) => {
    if ('form' in fact) return html`<div class="open"><dt class="hidden">${fact.label}</dt><dd>!${fact.form}</dd></div>`
    const [label, value] = fact
    return html`<div><dt>${label}</dt><dd>!${value}</dd></div>`
  })
  return html`<dl class="fields">!${items}</dl>`
}

/** Renders what is shown instead of an empty list. `title`: what is missing. `help`: what to do about it. */
export function emptyState(title: string, help = '', action = '', name?: IconName): string {
  const image = name === undefined ? '' : icon(name)
  if (!help && !action) return html`<div class="empty">!${image}<p>${title}</p></div>`
  const helpHtml = help && html`<p>${help}</p>`
  return html`<div class="empty">!${image}<p><b>${title}</b></p>!${helpHtml}!${buttonRow(action)}</div>`
}

/** A list is cut off before it exceeds this size, because names and notes can be long. */
const maxListBytes = 50_000

/** Returns the first items that fit into a list, but at least one. Items are HTML. */
export function fittingItems(items: readonly string[]): string[] {
  let bytes = 0
  const sizes = items.map((item) => {
    bytes += Buffer.byteLength(item)
    return bytes
  })
  return items.filter((_, index) => index === 0 || sizes[index]! <= maxListBytes)
}

export function pageLinks(texts: Texts, to: { first?: string | undefined; next?: string | undefined }): string {
  const first = to.first && html`<a href="${to.first}">${texts.records.first}</a>`
  const next = to.next && html`<a class="button" rel="next" href="${to.next}">${texts.records.next}</a>`
  return first || next ? html`<p class="paging">!${first} !${next}</p>` : ''
}

/** Renders the row above a list: title and count (text), filter controls, and actions. Set `bodyHasHeading` on pages
 *  with a toolbar. */
export function titleBar(options: { title: string; count?: string; controls?: string; actions?: string }): string {
  const { title, count = '', controls = '', actions = '' } = options
  return html`<div class="toolbar"><h1>${title}!${count && html` <small>${count}</small>`}</h1>!${controls}
!${actions && html`<div class="toolbar-end">!${actions}</div>`}</div>`
}

/** Renders the head of a record's page. `edit`: the link that edits the title. `about`: a line about the record.
 *  `actions`: the most likely one first. Breadcrumb labels and the title are text. Set `bodyHasHeading` on pages with
 *  this head. */
export function pageHead(options: {
  crumbs?: (readonly [to: string, label: string])[]
  icon: IconName
  title: string
  badges?: string
  edit?: string
  about?: string
  actions?: string[]
}): string {
  const { crumbs = [], title, badges = '', edit = '', about = '', actions = [] } = options
  const state = badges && ` ${badges}`
  const links = crumbs.map(([to, label]) => html`<a href="${to}"><bdi>${label}</bdi></a>`)
  return html`!${links.length > 0 ? html`<p class="breadcrumbs">!${links}</p>` : ''}
<div class="page-head"><div><h1>!${icon(options.icon)}<span dir="auto">${title}</span>!${state}!${edit}</h1>
!${about && html`<p class="about">!${about}</p>`}</div>
!${actions.length > 0 ? html`<div class="actions">!${actions}</div>` : ''}</div>`
}

/** A figure and its label (text), with a link to the records that it counts. */
export type Stat = { figure: string; label: string; to: string }

export function stats(figures: Stat[]): string {
  const items = figures.map(({ figure, label, to }) => html`<li><a href="${to}"><b>${figure}</b> ${label}</a></li>`)
  return html`<ul class="figures">!${items}</ul>`
}

/** Renders a task's steps. `steps`: their names (text). `current`: the index of the current step. `links`: the URLs of
 *  steps that the user can return to. */
export function stepper(steps: string[], current: number, links: readonly (string | undefined)[] = []): string {
  const items = steps.map((step, index) => {
    const state = index === current ? ' aria-current="step"' : index < current ? ' class="done"' : ''
    const link = index < current ? links[index] : undefined
    return html`<li!${state}>!${link === undefined ? html`${step}` : html`<a href="${link}">${step}</a>`}</li>`
  })
  return html`<ol class="stepper">!${items}</ol>`
}

/** Renders links between views of the same thing. Labels are text. `label`: what screen readers call the row of
 *  tabs. */
export function tabs(label: string, links: { to: string; label: string; isCurrent: boolean }[]): string {
  const items = links.map((each) => {
    const current = each.isCurrent ? ' aria-current="page"' : ''
    return html`<li><a href="${each.to}"!${current}>${each.label}</a></li>`
  })
  return html`<nav class="tabs" aria-label="${label}"><ul>!${items}</ul></nav>`
}

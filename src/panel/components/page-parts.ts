// Renders the large parts of pages: list heads, record heads, figures, steps and tabs. Parameters are HTML
// unless the comment says that they are text.

import { html } from 'ghtml'
import { type IconName, icon } from './icons.ts'

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

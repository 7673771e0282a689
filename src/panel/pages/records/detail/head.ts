// Renders the head of a record's page: the path to the record, its name, its state, identifying values, and actions.

import { html } from 'ghtml'
import { resourceNamed } from '../../../../domain/declarations/resource.ts'
import { badge, stateBadge } from '../../../components/badge.ts'
import { icon } from '../../../components/icons.ts'
import { menu } from '../../../components/menu.ts'
import { includedRecord, type PanelRecord, separator, showValue, titleOf } from '../../../components/record-fields.ts'
import { pageHead } from '../../../components/sections.ts'
import { choiceLabel, fieldLabel, formatDate, resourceTexts } from '../../../i18n/index.ts'
import type { RecordRequest } from '../../../requests/request.ts'
import { listUrl, pageUrl, recordUrl } from '../../../urls.ts'
import { type Actions, itemActions, personActions } from '../../desk/actions.ts'
import { formLinks } from '../../hand-over/links.ts'
import { eraseUrl } from '../erase.ts'
import { editLink } from './field-form.ts'
import { daysUntil, dueBadge, recordName } from './wording.ts'

type Crumb = readonly [to: string, label: string]

export function recordHead(request: RecordRequest, record: PanelRecord): string {
  const { resource, presentation } = request
  return pageHead({
    crumbs: crumbs(request, record),
    icon: presentation.iconOf(record),
    title: recordName(request, resource, record),
    badges: badges(request, record),
    edit: nameLink(request, record),
    about: about(request, record),
    actions: actions(request, record),
  })
}

/** Returns links to the list, the branch and the holder. */
function crumbs(request: RecordRequest, record: PanelRecord): Crumb[] {
  const { texts, resource, resources } = request
  const holder = includedRecord(record, 'employee_id')
  const branch = includedRecord(holder ?? record, 'customer_id')
  const links: Crumb[] = [[listUrl(request, resource.name), resourceTexts(texts, resource.name).many]]
  if (branch) links.push([recordUrl(request, 'customers', branch.id), titleOf(branch)])
  if (!holder) return links
  const name = recordName(request, resourceNamed(resources, 'employees'), holder)
  return [...links, [recordUrl(request, 'employees', holder.id), name]]
}

/** Renders the link that edits the name, if the page shows the name as its title. */
function nameLink(request: RecordRequest, record: PanelRecord): string {
  return record.name === titleOf(record, request.resource.title, request.texts)
    ? editLink(request, record.id, 'name')
    : ''
}

function badges({ texts, deps }: RecordRequest, record: PanelRecord): string {
  const { status, is_active, due_back, end_date, is_loaner } = record
  const { left, leaves, closed } = texts.recordPages.states
  if (typeof status === 'string') {
    const loan = typeof due_back === 'string' ? dueBadge(texts, daysUntil(texts, deps.now(), due_back)) : ''
    const loaner = is_loaner && !loan ? badge(fieldLabel(texts, 'is_loaner'), 'neutral') : ''
    return [stateBadge(status, choiceLabel(texts, status)), loan, loaner].filter(Boolean).join(' ')
  }
  if (is_active === false) return badge('kind' in record ? left : closed, 'neutral')
  if (typeof end_date === 'string' && daysUntil(texts, deps.now(), end_date) >= 0)
    return badge(leaves(formatDate(texts, end_date)), 'warn')
  return ''
}

/** Shows the identifying values, which users read out or copy. */
function about(request: RecordRequest, record: PanelRecord): string {
  const { texts, resource, presentation } = request
  const title = titleOf(record, resource.title, texts)
  const facts = identifyingFields.flatMap((name) => {
    const [field, value] = [resource.fields[name], record[name]]
    if (!field || typeof value !== 'string' || value === title || !presentation.hasField(record, name)) return []
    if (copyableFields.includes(name)) return [copyValue(request, name, value) + editLink(request, record.id, name)]
    return [showValue(texts, field, value)]
  })
  return facts.join(separator)
}

/** The identifying fields of all resources, in the order in which they are shown. */
const identifyingFields = [
  'asset_tag',
  'serial_number',
  'manufacturer',
  'model',
  'code',
  'title',
  'department',
  'email',
  'city',
]
const copyableFields = ['asset_tag', 'serial_number', 'code']

/** Whether the head shows the field's value, with its buttons to copy and edit it. */
export function isInHead({ texts, resource }: RecordRequest, record: PanelRecord, name: string): boolean {
  const value = record[name]
  return copyableFields.includes(name) && typeof value === 'string' && value !== titleOf(record, resource.title, texts)
}

function copyValue({ texts }: RecordRequest, name: string, value: string): string {
  const label = fieldLabel(texts, name)
  return html`<span class="copy-value"><span class="hidden">${label}: </span>
<code id="copy-${name}" dir="auto" title="${label}">${value}</code>
<button type="button" class="quiet" data-copy="copy-${name}" hidden aria-label="${texts.recordPages.copy(label)}">
!${icon('copy')}</button></span>`
}

/** Returns the most likely actions, the edit button, and a menu with all other actions. Viewers only get links to
 *  printable forms, and a page about the past has no actions. */
function actions(request: RecordRequest, record: PanelRecord): string[] {
  const { texts, resource, baseParams, canWrite } = request
  const { id } = record
  if (baseParams.as_of !== undefined) return []
  const print = formLinks(request, resource.name, record).map(
    ({ to, label }) => html`<a href="${to}">!${icon('print')}${label}</a>`,
  )
  if (!canWrite) return moreActions(request, [print])
  const { shown, more: others } = deskActions(request, record)
  const url = (more: Record<string, number>) => pageUrl('records.php', { ...baseParams, id, ...more })
  const edit = html`<a class="button" href="${url({ edit: 1 })}">!${icon('edit')}${texts.records.edit}</a>`
  const erase = eraseUrl(request, id)
  const label = resourceTexts(texts, resource.name).delete
  const last = [
    ...(erase ? [html`<a href="${erase}">!${icon('delete')}${texts.erasure.link}</a>`] : []),
    html`<a class="danger" href="${url({ delete: 1 })}">!${icon('delete')}${label}</a>`,
  ]
  const more = moreActions(request, [others, [...print, ...branchActions(request, record)], last])
  return [...shown, edit, ...more]
}

/** Renders the menu. `lists`: groups of links and forms. Empty groups are left out. */
function moreActions({ texts }: RecordRequest, lists: string[][]): string[] {
  const filledLists = lists.filter((items) => items.length > 0)
  if (filledLists.length === 0) return []
  const body = html`!${filledLists.map((items) => html`<ul>!${items.map((item) => html`<li>!${item}</li>`)}</ul>`)}`
  const label = texts.recordPages.moreActions
  return [menu({ summary: icon('menu'), body, name: 'end', label, summaryName: 'button' })]
}

function deskActions(request: RecordRequest, record: PanelRecord): Actions {
  const { actions } = request.presentation
  if (actions === 'asset') return itemActions(request, record)
  return actions === 'person' ? personActions(request, record) : { shown: [], more: [] }
}

/** Returns the links for adding a person to the branch and, if the branch is open, for closing it. */
function branchActions(request: RecordRequest, { id, is_active }: PanelRecord): string[] {
  const { texts, baseParams, presentation } = request
  if (presentation.actions !== 'branch') return []
  const add = listUrl(request, 'employees', { new: 1, customer_id: id })
  const addLink = html`<a href="${add}">!${icon('join')}${resourceTexts(texts, 'employees').add}</a>`
  if (!is_active) return [addLink]
  const close = pageUrl('close_branch.php', { tenant: baseParams.tenant, id })
  return [addLink, html`<a href="${close}">!${icon('leave')}${texts.closeBranch.link}</a>`]
}

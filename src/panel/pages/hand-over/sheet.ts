// Renders a printed form: who hands over what to whom, what both parties declare, and the signature lines. Some parts
// are left empty to be filled in by hand. Addresses and other data that the form does not need are left out. Costs
// appear only if the tenant has turned them on.

import { html } from 'ghtml'
import { formNumber } from '../../components/activity/change-sentence.ts'
import { type PanelRecord, titleOf } from '../../components/record-fields.ts'
import { formatAmount, formatDateTime, timeZoneOf } from '../../i18n/conventions.ts'
import { choiceLabel, type Texts } from '../../i18n/index.ts'
import type { HandOverForm } from './compose.ts'

/** `texts`: the texts in the form's language. `company`: the tenant's name. `by`: the name of the user who made the
 *  change; empty if the name is unknown or must not be shown. `text` and `showsCost`: the tenant's settings. */
export type SheetOptions = {
  texts: Texts
  company: string
  branch: PanelRecord | null
  by: string
  now: string
  text: string | null
  showsCost: boolean
}

function numberOf({ handOver }: Texts, { kind, number, changeSet, items }: HandOverForm): string {
  return formNumber(handOver.prefixes[kind], { number, change_set: changeSet, items: items.length })
}

export function sheet(form: HandOverForm, options: SheetOptions): string {
  const { texts } = options
  const { handOver } = texts
  const { kind } = form
  const isStatement = kind === 'statement'
  return html`<article class="paper" lang="${texts.locale}">
!${head(form, options)}
<h2>${handOver.titles[kind]}</h2>
!${parties(form, options)}
!${itemTable(form, options)}
!${isStatement ? '' : html`<p class="small">${handOver.conditions}</p>`}
!${blankLines(texts, form)}
<div class="closing"><p class="clause">!${clause(texts, form)}</p>
!${options.text === null ? '' : html`<p class="clause own" dir="auto">${options.text}</p>`}
!${signatures(form, options)}
<p class="small">!${isStatement ? '' : html`${handOver.copies} `}
${handOver.printedOn(formatDateTime(texts, options.now))} · ${numberOf(texts, form)}</p></div>
</article>`
}

function head(form: HandOverForm, { texts, company, branch }: SheetOptions): string {
  const { formNumber: label, date, asOf, site } = texts.handOver
  const facts: [label: string, value: string][] = [
    [label, numberOf(texts, form)],
    [form.kind === 'statement' ? asOf : date, writtenDay(texts, form.at, timeZoneOf(texts))],
  ]
  const place = branch ? html`<p>${site}: <bdi>${titleOf(branch)}</bdi></p>` : ''
  return html`<header><div><p class="firm"><bdi>${company}</bdi></p>!${place}</div>
<dl>!${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></header>`
}

/** Formats a calendar day, which has no time zone, or the day of a moment in a time zone. */
function writtenDay({ locale, handOver }: Texts, moment: string, timeZone = 'UTC'): string {
  return new Intl.DateTimeFormat(locale, { ...handOver.dateFormat, timeZone }).format(new Date(moment))
}

/** The party that gives the equipment is on the left. A statement names only the holder. */
function parties(form: HandOverForm, options: SheetOptions): string {
  const { handOver } = options.texts
  const [person, company] = [personParty(form, options), companyParty(form, options)]
  if (form.kind === 'statement') return html`<div class="parties">!${party(handOver.heldBy, person)}</div>`
  const isReturn = form.kind === 'return'
  const left = isReturn ? party(handOver.returnedBy, person) : party(handOver.issuedBy, company)
  const right = isReturn ? party(handOver.receivedBy, company) : party(handOver.issuedTo, person)
  return html`<div class="parties">!${left}!${right}</div>`
}

function party(label: string, lines: string[]): string {
  return html`<section><h3>${label}</h3>!${lines.map((line) => html`<p>!${line}</p>`)}</section>`
}

function personParty({ person }: HandOverForm, { texts, branch }: SheetOptions): string[] {
  const labels = texts.handOver.person
  const facts = [
    [labels.employee_no, person.employee_no],
    [labels.title, person.title],
    [labels.department, person.department],
    [labels.branch, branch && titleOf(branch)],
  ].filter(([, value]) => typeof value === 'string' && value !== '')
  const name = html`<b><bdi>${titleOf(person, ['name', 'email'])}</bdi></b>`
  return [name, ...facts.map(([label, value]) => html`${String(label)}: <bdi>${String(value)}</bdi>`)]
}

/** Returns the user who acted for the company, and the storage location that the equipment came from or went to. */
function companyParty({ place }: HandOverForm, { texts, company, by }: SheetOptions): string[] {
  const name = by === '' ? html`<b><bdi>${company}</bdi></b>` : html`<b><bdi>${by}</bdi></b>, <bdi>${company}</bdi>`
  return [name, ...(place ? [html`${texts.handOver.stock(titleOf(place))}`] : [])]
}

const printedColumns = ['number', 'tag', 'description', 'model', 'serial', 'quantity'] as const

const handwrittenColumns = {
  hand_over: ['condition', 'accessories'],
  loan: ['condition', 'accessories'],
  return: ['conditionOnReturn', 'missing'],
  statement: [],
} as const

/** The table footer repeats the form's number and the person's name on every printed page. */
function itemTable(form: HandOverForm, { texts, showsCost }: SheetOptions): string {
  const { columns } = texts.handOver
  const { kind, items, person } = form
  const empty = handwrittenColumns[kind]
  const names = [...printedColumns, ...(showsCost ? (['cost'] as const) : []), ...empty]
  const widths = names.map((name) => html`<col class="${name}">`)
  const head = names.map((name) => html`<th scope="col">!${breakable(columns[name])}</th>`)
  const about = html`${numberOf(texts, form)} · <bdi>${titleOf(person, ['name', 'email'])}</bdi>`
  const costOf = ({ purchase_cost: cost }: PanelRecord) =>
    showsCost ? [cost === null ? null : formatAmount(texts, cost)] : []
  const rows = items.map((item, index) => {
    const model = [item.manufacturer, item.model].filter(Boolean).join(' ')
    const cells = [
      String(index + 1),
      item.asset_tag,
      describe(texts, item),
      model,
      item.serial_number,
      '1',
      ...costOf(item),
    ]
    const cellsHtml = cells.map((cell) => html`<td><bdi>${cell ? String(cell) : '–'}</bdi></td>`)
    return html`<tr>!${cellsHtml}!${empty.map(() => '<td></td>')}</tr>`
  })
  const table = showsCost ? `items ${kind} with-cost` : `items ${kind}`
  return html`<table class="${table}"><colgroup>!${widths}</colgroup><thead><tr>!${head}</tr></thead>
<tbody>!${rows}</tbody>
<tfoot aria-hidden="true"><tr><td colspan="${names.length}">!${about}</td></tr></tfoot></table>`
}

/** Allows a line break after a slash in a narrow column's heading. */
function breakable(heading: string): string {
  return html`${heading}`.replaceAll('/', '/<wbr>')
}

/** Returns an asset's type, followed by the asset's name if the name differs from the type. */
function describe(texts: Texts, { type, name }: PanelRecord): string {
  const kind = choiceLabel(texts, String(type))
  return name && name !== kind ? `${kind}: ${String(name)}` : kind
}

/** Renders the lines below the table that are filled in by hand. For a loan, the due date is printed above them. */
function blankLines(texts: Texts, { kind, dueBack }: HandOverForm): string {
  const { purpose, reason, dueBack: label } = texts.handOver
  const line = (name: string) => html`<p class="blank">${name}: <span></span></p>`
  if (kind === 'return') return line(reason)
  if (kind !== 'loan' || dueBack === null) return ''
  return html`<p><b>${label}: ${writtenDay(texts, dueBack)}</b></p>!${line(purpose)}`
}

function clause(texts: Texts, { kind, dueBack }: HandOverForm): string {
  const { clauses, loanClause } = texts.handOver
  if (kind !== 'loan') return html`${clauses[kind]}`
  return html`${clauses.hand_over} ${dueBack === null ? '' : loanClause(writtenDay(texts, dueBack))}`
}

/** Only the holder signs a statement. */
function signatures(form: HandOverForm, { texts }: SheetOptions): string {
  const { handOver } = texts
  const isReturn = form.kind === 'return'
  const bothParties = isReturn ? [handOver.returnedBy, handOver.receivedBy] : [handOver.issuedBy, handOver.issuedTo]
  const signatories = form.kind === 'statement' ? [handOver.heldBy] : bothParties
  const { place, name, date } = handOver.signed
  const lines = [place, handOver.signature, name, date].filter(Boolean)
  const boxes = signatories.map(
    (label) => html`<section><h3>${label}</h3>
!${lines.map((line) => html`<p class="blank"><span></span>${line}</p>`)}</section>`,
  )
  return html`<div class="signatures">!${boxes}</div>`
}

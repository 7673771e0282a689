// Desk pages: pages with a form about equipment, people or branches. A desk page is one declaration: what it reads, its
// form, what the submitted form runs, and what the confirmation says. To add a page, write such a declaration and name
// it in the route table.

import { html } from 'ghtml'
import { type DeskStep, deskOperations, type FailedStep } from '../../../domain/equipment/operations.ts'
import type { StoredResponse } from '../../../engine/responses/stored-response.ts'
import { errorList, errorSummary, form, onceField, submitButton } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import type { Texts } from '../../i18n/index.ts'
import { toLocalizedRequest } from '../../requests/authorize.ts'
import { changeInput } from '../../requests/mutation-input.ts'
import type { SignedInRequest, TenantRequest } from '../../requests/request.ts'
import { continued, type PageResponse } from '../../responses.ts'
import { confirmationLink } from '../hand-over/links.ts'
import { askForRecord, type ChooserField, withChosenRecords } from '../search/choices.ts'

export type Errors = Record<string, string>

/** Why a form is shown again. `summary`: a message about the form as a whole. `links`: for each error that mentions
 *  another record, that record's URL. */
export type FormRefusal = {
  errors: Errors
  links?: Record<string, string> | undefined
  summary?: string | undefined
  status?: number
}

/** A page to show in place of the form. */
type Instead = { instead?: PageResponse | undefined }

/** The change that a submitted form asks for. The form is shown again if there is no change, an error or a summary. */
type FormPlan<Change> = Instead & { change?: Change } & Partial<Omit<FormRefusal, 'status'>>

/** `to`: the URL of the page that shows the text. `task`: determines whether people confirm the change on paper. */
type Confirmation = { to: string; text: string; task?: string }

/** The functions are listed in the order in which they are called. */
export type DeskPage<Request extends TenantRequest, Subject, Change> = {
  /** The record that the URL must name. If it names none, the page asks for one. */
  asksFor?: { field: ChooserField; title: (texts: Texts) => string }
  /** Reads what the page is about. Throws a PageError if there is no such thing. */
  reads: (request: Request) => Promise<Subject & Instead>
  form: (request: Request, subject: Subject, refusal: FormRefusal) => Promise<PageResponse>
  /** Whether the form was submitted only to be continued, for example to add a row. A search always is. */
  continues?: (form: URLSearchParams, subject: Subject) => boolean
  /** The fields in which the user chooses a record. */
  choosers?: (subject: Subject) => readonly ChooserField[]
  /** Reads the submitted form. */
  plans: (request: Request, subject: Subject) => Promise<FormPlan<Change>>
  /** Runs the operation that makes the change. */
  runs: (request: Request, change: Change) => Promise<StoredResponse>
  /** Returns the confirmation. `body`: the body of the operation's response. */
  says: (request: Request, subject: Subject, change: Change, body: string) => Confirmation | Promise<Confirmation>
  /** Explains a refusal by the operation. Without this function, the page says that something has changed. */
  explains?: (request: Request, change: Change, failures: FailedStep[]) => FormRefusal | Promise<FormRefusal>
}

/** Returns the functions for the route table. */
export function deskPage<Subject, Change>(page: DeskPage<TenantRequest, Subject, Change>) {
  return {
    async show(signedInRequest: SignedInRequest): Promise<PageResponse> {
      const request = await toLocalizedRequest(signedInRequest, 'write')
      const { path, texts } = request
      const question = page.asksFor && { page: path, title: page.asksFor.title(texts), field: page.asksFor.field }
      const questionPage = question && (await askForRecord(request, question))
      return questionPage ?? showForm(page, request, { errors: {} })
    },
    async submit(request: SignedInRequest): Promise<PageResponse> {
      return submitDeskForm(page, await toLocalizedRequest(request))
    },
  }
}

async function showForm<Request extends TenantRequest, Subject, Change>(
  page: DeskPage<Request, Subject, Change>,
  request: Request,
  refusal: FormRefusal,
): Promise<PageResponse> {
  const subject = await page.reads(request)
  return subject.instead ?? page.form(request, subject, refusal)
}

/** Makes the change that the form asks for, or shows the form again. If a form is submitted twice, the change is made
 *  only once. */
export async function submitDeskForm<Request extends TenantRequest, Subject, Change>(
  page: DeskPage<Request, Subject, Change>,
  submitted: Request,
): Promise<PageResponse> {
  const subject = await page.reads(submitted)
  if (subject.instead) return subject.instead
  if (submitted.form.has('find') || page.continues?.(submitted.form, subject))
    return continued(await page.form(submitted, subject, { errors: {} }))
  const { request, errors: chooserErrors } = await withChosenRecords(submitted, page.choosers?.(subject) ?? [])
  const { instead, change, errors: planErrors, links, summary } = await page.plans(request, subject)
  if (instead) return instead
  const { invalid, sentBefore } = request.texts.records
  const errors = { ...planErrors, ...chooserErrors }
  if (change === undefined || summary !== undefined || Object.keys(errors).length > 0)
    return page.form(request, subject, { errors, links, summary: summary ?? invalid, status: 422 })
  const { status, body, changeSet } = await page.runs(request, change)
  if (status === 200) {
    const { to, text, task } = await page.says(request, subject, change, body)
    return { kind: 'redirect', to, toast: { text, changeSet, ...confirmationLink(request, task, changeSet) } }
  }
  const { error, failures = [] } = JSON.parse(body)
  if (error.code === 'idempotency_key_reused')
    return showForm(page, request, { errors: {}, summary: sentBefore, status: 422 })
  const stale = { errors: {}, summary: request.texts.verbs.changedMeanwhile, status: 409 }
  return showForm(page, request, (await page.explains?.(request, change, failures)) ?? stale)
}

/** Runs all steps or none. Throws Unavailable. */
export function runSteps(request: TenantRequest, { steps }: { steps: DeskStep[] }): Promise<StoredResponse> {
  return request.deps.engine.run(request.tenant, deskOperations.desk, changeInput(request, { steps }))
}

/** `fields` and `below` are HTML; `below` is shown below the form. `cancel`: the URL of the page to which the user
 *  returns. `attributes`: see draftAttributes. */
type DeskForm = {
  title: string
  action: string
  fields: string
  button: string
  cancel: string
  attributes: string
  below?: string
}

export function deskForm(request: TenantRequest, refusal: FormRefusal, parts: DeskForm): PageResponse {
  const { title, action, fields, button, cancel, attributes, below = '' } = parts
  const cancelLink = html`<a href="${cancel}">${request.texts.cancel}</a>`
  const content = html`!${onceField()}
!${fields}
!${buttonRow(submitButton(button, { kind: 'main' }), cancelLink)}`
  const body =
    errorSummary(refusal.summary, errorList(request.texts, refusal.errors)) +
    form(request, action, content, { className: 'record desk', attributes }) +
    below
  return { kind: 'page', title, body, status: refusal.status ?? 200 }
}

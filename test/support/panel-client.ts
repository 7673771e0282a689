// Users of the panel, and a browser without scripts.

import './cheap-passwords.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { createSetupLink, usePasswordLink } from '../../src/accounts/one-time-links.ts'
import { createUser } from '../../src/accounts/users.ts'
import type { AuditActor } from '../../src/catalog/audit-log.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { TenantRole } from '../../src/catalog/roles.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/resources/declarations/all.ts'
import { openDatabases } from '../../src/tenants/open-databases.ts'
import { type Environment, engine } from './service.ts'

export const password = 'a quiet harbour at dawn'

/** A response. Redirects are not followed. */
export type PageResponse = { status: number; html: string; location: string | null; headers: Headers }

/** A user with a browser that has scripts turned off. It keeps cookies. */
export type Person = {
  get(path: string, headers?: Record<string, string>): Promise<PageResponse>
  /** Opens the page, fills in the form whose action matches `send`, and submits it. Other fields keep their values. */
  submit(
    path: string,
    fields: Record<string, string | string[]>,
    send?: RegExp,
    headers?: Record<string, string>,
  ): Promise<PageResponse>
  /** Submits a form without opening its page first. */
  post(path: string, form: URLSearchParams | string, headers?: Record<string, string>): Promise<PageResponse>
  /** Opens the page and submits its form with a file. A file without a name means that none was chosen. */
  upload(
    path: string,
    fields: Record<string, string>,
    file: string | Buffer<ArrayBuffer>,
    fileName?: string,
  ): Promise<PageResponse>
  /** Opens a one-time link. With `fields`, also submits the form that it leads to. */
  open(token: string, fields?: Record<string, string>): Promise<PageResponse>
  cookies: Map<string, string>
}

/** Runs work on the catalog of a service, as a command does. */
export async function withCatalogOf<T>(environment: Environment, work: (catalog: Catalog) => Promise<T>): Promise<T> {
  const engine = await openDatabases(readConfig({ PORT: '0', ...environment }), resources)
  try {
    return await work(engine.catalog)
  } finally {
    await engine.close()
  }
}

const nobody = (): AuditActor => ({ now: new Date(), by: null, address: null, agent: null })

/** The token of a link that creates the first administrator. */
export function setupToken(environment: Environment, now = new Date()): Promise<string> {
  return withCatalogOf(environment, (catalog) => createSetupLink(catalog, now))
}

/** Creates an account with the password that all tests use. `slugs`: the tenants of a manager or viewer. */
export async function createPanelUser(
  environment: Environment,
  email: string,
  slugs?: string | string[],
  role: TenantRole = 'manager',
): Promise<string> {
  return withCatalogOf(environment, async (catalog) => {
    const input =
      slugs === undefined ? { email, role: 'administrator' as const } : { email, role, slugs: [slugs].flat() }
    const { user, token } = await createUser(catalog, input, nobody())
    await usePasswordLink(catalog, token, password, nobody())
    return user.id
  })
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string | Uint8Array }

/** Behind a balancer, each request uses a connection of its own, and so reaches another node. */
const agent = new Agent({ keepAlive: engine === 'sqlite' })

/** A browser without a session. */
export function openBrowser(origin: string): Person {
  const cookies = new Map<string, string>()

  async function ask(path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<PageResponse> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const sent = request(`${origin}/${path}`, {
      agent,
      method,
      headers: { 'user-agent': 'browser of the tests', ...(cookie && { cookie }), ...headers },
    })
    sent.end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const html = await text(answer)
    const received = new Headers()
    for (const [name, values] of Object.entries(answer.headersDistinct))
      for (const value of values!) received.append(name, value)
    for (const set of received.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!
      if (value) cookies.set(name!, value)
      else cookies.delete(name!)
    }
    return { status: answer.statusCode!, html, location: received.get('location'), headers: received }
  }

  const person: Person = {
    cookies,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, form, headers = {}) =>
      ask(path, {
        method: 'POST',
        body: String(form),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
      }),
    async submit(path, fields, send = /./, headers = {}) {
      const { html: opened, status } = await ask(path)
      // The toast about the previous form may offer to undo it. The top bar has forms too: signing out, and
      // preferences.
      const html = opened.replace(/<div class="toast".*?<\/div>/s, '')
      const [top, main] = [html, html.slice(html.indexOf('<main'))].map(formsIn)
      const form = [...main!, ...top!].find(
        ({ action }) => send.test(action) && (action !== 'logout.php' || send.source !== '.'),
      )
      assert.ok(form, `${path} (${status}) has no form with an action that matches ${send}`)
      const filled = new URLSearchParams(form.fields)
      for (const [name, value] of Object.entries(fields)) {
        filled.delete(name)
        for (const each of [value].flat()) filled.append(name, each)
      }
      return person.post(form.action, filled, headers)
    },
    async upload(path, fields, file, fileName = 'list.csv') {
      const form = formsIn((await ask(path)).html).find(({ action }) => action.startsWith('import.php'))
      assert.ok(form, `${path} has no form for a file`)
      const body = new FormData()
      for (const [name, value] of Object.entries({ ...Object.fromEntries(form.fields), ...fields }))
        if (name !== 'file') body.append(name, value)
      body.append('file', new Blob([file]), fileName)
      const encoded = new Response(body)
      const headers = { 'content-type': encoded.headers.get('content-type')!, 'sec-fetch-site': 'same-origin' }
      return ask(form.action, { method: 'POST', body: await encoded.bytes(), headers })
    },
    async open(token, fields) {
      const opened = await person.submit('setup.php', { token }, /^setup/)
      if (!fields) return opened
      const form = formsIn(opened.html).find(({ action }) => action.startsWith('setup'))
      assert.ok(form, `the link (${opened.status}) opens a page without a form`)
      return person.post(form.action, new URLSearchParams({ ...Object.fromEntries(form.fields), ...fields }))
    },
  }
  return person
}

/** A browser in which the user has signed in. */
export async function signIn(origin: string, email: string): Promise<Person> {
  const person = openBrowser(origin)
  const answer = await person.submit('login.php', { email, password })
  assert.equal(answer.status, 303, answer.html)
  return person
}

/** The POST forms of a page, with the values that a browser would send if the user changed nothing. */
export function formsIn(html: string): { action: string; fields: [string, string][] }[] {
  return [...html.matchAll(/<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action, body]) => ({
    action: decodeHtml(action!),
    fields: [...inputsOf(body!), ...textsOf(body!), ...choicesOf(body!)],
  }))
}

function inputsOf(body: string): [string, string][] {
  return [...body.matchAll(/<input\b[^>]*>/g)].flatMap(([tag]): [string, string][] => {
    const [name, type] = [attribute(tag, 'name'), attribute(tag, 'type')]
    const isOff = ['checkbox', 'radio'].includes(type) && !/ checked\b/.test(tag)
    return name === '' || isOff ? [] : [[name, attribute(tag, 'value')]]
  })
}

function textsOf(body: string): [string, string][] {
  return [...body.matchAll(/<textarea\b([^>]*)>(.*?)<\/textarea>/gs)].map(([, tag, text]) => [
    attribute(tag!, 'name'),
    decodeHtml(text!),
  ])
}

function choicesOf(body: string): [string, string][] {
  return [...body.matchAll(/<select\b([^>]*)>(.*?)<\/select>/gs)].map(([, tag, options]) => {
    const chosen = /<option\b[^>]*selected[^>]*>/.exec(options!) ?? /<option\b[^>]*>/.exec(options!)
    return [attribute(tag!, 'name'), chosen ? attribute(chosen[0], 'value') : '']
  })
}

function attribute(tag: string, name: string): string {
  return decodeHtml(new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
}

/** Decodes HTML entities. */
export function decodeHtml(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
}

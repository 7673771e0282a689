// Users of the panel, and a simple browser that does not run scripts.

import '../cheap-passwords.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { createSetupLink, usePasswordLink } from '../../../src/accounts/one-time-links/one-time-links.ts'
import { createUser } from '../../../src/accounts/users.ts'
import type { AuditActor } from '../../../src/catalog/audit/audit-log.ts'
import type { Catalog } from '../../../src/catalog/catalog.ts'
import type { TenantRole } from '../../../src/catalog/roles.ts'
import { readConfig } from '../../../src/config.ts'
import { resources } from '../../../src/domain/declarations/all.ts'
import { openDatabases } from '../../../src/tenants/databases/open-databases.ts'
import { type Environment, engine } from '../service.ts'

export const password = 'a quiet harbour at dawn'

/** A response. Redirects are not followed. */
export type PageResponse = { status: number; html: string; location: string | null; headers: Headers }

/** A user with a browser that does not run scripts. The browser keeps cookies. */
export type Person = {
  get(path: string, headers?: Record<string, string>): Promise<PageResponse>
  /** Opens the page, fills in the form whose action matches `action`, and submits it. Other fields keep their
   *  values. */
  submit(
    path: string,
    fields: Record<string, string | string[]>,
    action?: RegExp,
    headers?: Record<string, string>,
  ): Promise<PageResponse>
  /** Submits a form without opening its page first. */
  post(path: string, form: URLSearchParams | string, headers?: Record<string, string>): Promise<PageResponse>
  /** Opens the page and submits its form with a file. An empty `fileName` means that no file was chosen. */
  upload(
    path: string,
    fields: Record<string, string>,
    file: string | Buffer<ArrayBuffer>,
    fileName?: string,
  ): Promise<PageResponse>
  /** Opens a one-time link. If `fields` is given, also fills in and submits the form on the page. */
  open(token: string, fields?: Record<string, string>): Promise<PageResponse>
  cookies: Map<string, string>
}

/** Opens a service's catalog, as a command would, and calls `use` with it. */
export async function withCatalogOf<T>(environment: Environment, use: (catalog: Catalog) => Promise<T>): Promise<T> {
  const engine = await openDatabases(readConfig({ PORT: '0', ...environment }), resources)
  try {
    return await use(engine.catalog)
  } finally {
    await engine.close()
  }
}

const unknownActor = (): AuditActor => ({ now: new Date(), by: null, address: null, agent: null })

/** Creates a link for setting up the first administrator, and returns its token. */
export function setupToken(environment: Environment, now = new Date()): Promise<string> {
  return withCatalogOf(environment, (catalog) => createSetupLink(catalog, now))
}

/** Creates an account with the password that all tests use. `slugs`: the tenants of a manager or viewer; omit them for
 *  an administrator. */
export async function createPanelUser(
  environment: Environment,
  email: string,
  slugs?: string | string[],
  role: TenantRole = 'manager',
): Promise<string> {
  return withCatalogOf(environment, async (catalog) => {
    const input =
      slugs === undefined ? { email, role: 'administrator' as const } : { email, role, slugs: [slugs].flat() }
    const { user, token } = await createUser(catalog, input, unknownActor())
    await usePasswordLink(catalog, token, password, unknownActor())
    return user.id
  })
}

type RequestOptions = { method?: string; headers?: Record<string, string>; body?: string | Uint8Array }

/** On PostgreSQL a balancer assigns connections to nodes, so each request opens a new connection. */
const agent = new Agent({ keepAlive: engine === 'sqlite' })

/** Opens a browser without a session. */
export function openBrowser(origin: string): Person {
  const cookies = new Map<string, string>()

  async function send(
    path: string,
    { method = 'GET', headers = {}, body }: RequestOptions = {},
  ): Promise<PageResponse> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const outgoing = request(`${origin}/${path}`, {
      agent,
      method,
      headers: { 'user-agent': 'browser of the tests', ...(cookie && { cookie }), ...headers },
    })
    outgoing.end(body)
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    const html = await text(response)
    const received = new Headers()
    for (const [name, values] of Object.entries(response.headersDistinct))
      for (const value of values!) received.append(name, value)
    for (const header of received.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(header)!
      if (value) cookies.set(name!, value)
      else cookies.delete(name!)
    }
    return { status: response.statusCode!, html, location: received.get('location'), headers: received }
  }

  const person: Person = {
    cookies,
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, form, headers = {}) =>
      send(path, {
        method: 'POST',
        body: String(form),
        headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', ...headers },
      }),
    async submit(path, fields, action = /./, headers = {}) {
      const { html: page, status } = await send(path)
      // The toast about the previous change may have a form to undo it. The top bar has forms to sign out and to change
      // preferences.
      const html = page.replace(/<div class="toast".*?<\/div>/s, '')
      const [top, main] = [html, html.slice(html.indexOf('<main'))].map(formsIn)
      const form = [...main!, ...top!].find(
        (candidate) => action.test(candidate.action) && (candidate.action !== 'logout.php' || action.source !== '.'),
      )
      assert.ok(form, `${path} (${status}) has a form whose action matches ${action}`)
      const filled = new URLSearchParams(form.fields)
      for (const [name, value] of Object.entries(fields)) {
        filled.delete(name)
        for (const item of [value].flat()) filled.append(name, item)
      }
      return person.post(form.action, filled, headers)
    },
    async upload(path, fields, file, fileName = 'list.csv') {
      const form = formsIn((await send(path)).html).find(({ action }) => action.startsWith('import.php'))
      assert.ok(form, `${path} has a form for a file`)
      const body = new FormData()
      for (const [name, value] of Object.entries({ ...Object.fromEntries(form.fields), ...fields }))
        if (name !== 'file') body.append(name, value)
      body.append('file', new Blob([file]), fileName)
      const encoded = new Response(body)
      const headers = { 'content-type': encoded.headers.get('content-type')!, 'sec-fetch-site': 'same-origin' }
      return send(form.action, { method: 'POST', body: await encoded.bytes(), headers })
    },
    async open(token, fields) {
      const page = await person.submit('setup.php', { token }, /^setup/)
      if (!fields) return page
      const form = formsIn(page.html).find(({ action }) => action.startsWith('setup'))
      assert.ok(form, `the linked page (${page.status}) has a form`)
      return person.post(form.action, new URLSearchParams({ ...Object.fromEntries(form.fields), ...fields }))
    },
  }
  return person
}

/** Opens a browser and signs in. */
export async function signIn(origin: string, email: string): Promise<Person> {
  const person = openBrowser(origin)
  const response = await person.submit('login.php', { email, password })
  assert.equal(response.status, 303, response.html)
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

/** Decodes the HTML entities that the panel uses. */
export function decodeHtml(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
}

// Follows links of every kind from the panel's first page, as a user of each role, and checks every page that it opens.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createPanelUser,
  decodeHtml,
  formsIn,
  openBrowser,
  type Person,
  password,
  setupToken,
  signIn,
} from '../support/panel/panel-client.ts'
import { startService } from '../support/service.ts'

const service = await startService({}, { nodes: 1 })
const origin = new URL(await service.listen()).origin
const root = openBrowser(origin)
const email = 'root@example.com'
await root.open(await setupToken(service.environment), { email, password, demo: 'on' })
await createPanelUser(service.environment, 'head@example.com', 'demo')
await createPanelUser(service.environment, 'reader@example.com', 'demo', 'viewer')

/** How many links of the same kind the test follows. Such links differ only in values, for example in ids. */
const followedPerKind = 1

/** Links with more list options than this are not followed, because filters, sort orders, columns and pages can be
 *  combined in too many ways. */
const maxChoices = 2

type Visited = { path: string; status: number; html: string }

/** Opens pages of every kind that can be reached by links, and follows redirects. */
async function crawl(person: Person): Promise<Visited[]> {
  const found = new Map<string, number>()
  const [visited, open] = [[] as Visited[], ['']]
  for (let path = open.shift(); path !== undefined; path = open.shift()) {
    const { status, html, location, headers } = await person.get(path)
    if (status === 303) open.push(location!)
    else visited.push({ path, status, html })
    if (!headers.get('content-type')?.startsWith('text/html')) continue
    for (const link of linksOf(html, path)) {
      if (choicesIn(link) > maxChoices) continue
      const kind = kindOf(link)
      const count = found.get(kind) ?? 0
      if (count >= followedPerKind) continue
      found.set(kind, count + 1)
      open.push(link)
    }
  }
  return visited
}

function linksOf(html: string, path: string): Set<string> {
  const base = new URL(path, `${origin}/`)
  const hrefs = [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href]) => new URL(decodeHtml(href!), base))
  const panelUrls = hrefs.filter((url) => url.origin === origin && !url.pathname.startsWith('/v1'))
  return new Set(panelUrls.map((url) => `${url.pathname.slice(1)}${url.search}`))
}

/** Returns a link's kind: its path, its parameter names, and the parameter values that are words. If the link
 *  combines several list options, these options' values are left out. */
function kindOf(link: string): string {
  const url = new URL(link, `${origin}/`)
  const isCombined = choicesIn(link) > 1
  const words = [...url.searchParams].map(([name, value]) => {
    const isWord = /^[a-z_]+$/.test(value) && !(isCombined && isChoice(name))
    return isWord ? `${name}=${value}` : name
  })
  return [url.pathname, ...words.sort()].join(' ')
}

function choicesIn(link: string): number {
  const names = [...new URL(link, `${origin}/`).searchParams.keys()]
  return names.filter(isChoice).length
}

function isChoice(name: string): boolean {
  return !['tenant', 'resource', 'id', 'format', 'delimiter'].includes(name)
}

/** Describes what is wrong with a page. */
function faultsIn({ path, status, html }: Visited): string[] {
  if (status !== 200) return [`${path} is ${status}`]
  if (!html.startsWith('<!doctype html>')) return []
  const visible = path === 'docs' ? '' : html.replaceAll(/<(script|style)\b.*?<\/\1>/gs, '').replaceAll(/<[^>]*>/g, ' ')
  const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!)
  const references = [...html.matchAll(/\s(?:for|aria-labelledby|aria-describedby|aria-controls|list)="([^"]*)"/g)]
  const targets = references.flatMap(([, names]) => names!.split(' '))
  return [
    ...[...html.matchAll(/<h1\b/g)].slice(1).map(() => 'a second h1'),
    ...(/<h1\b/.test(html) ? [] : ['no h1']),
    ...(/<title>[^<]+<\/title>/.test(html) ? [] : ['no title']),
    ...(/<html lang="[a-z]{2}/.test(html) ? [] : ['no language']),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `the id ${id} twice`),
    ...targets.filter((id) => !ids.includes(id)).map((id) => `a reference to ${id}, which is missing`),
    ...(visible.match(/\bundefined\b|\w(?:false|true)\b|\bNaN\b|\[object|\bnull\b|function ?\(|\$\{/g) ?? []).map(
      (word) => `the word ${word}`,
    ),
    ...formsIn(html)
      .filter(({ fields }) => !fields.some(([name]) => name === 'form_token'))
      .map(({ action }) => `a form to ${action} without a token`),
  ].map((fault) => `${path} has ${fault}`)
}

for (const [role, address] of [
  ['administrators', email],
  ['managers', 'head@example.com'],
  ['viewers', 'reader@example.com'],
] as const) {
  test(`every kind of link that ${role} can follow leads to a complete page`, async () => {
    const visited = await crawl(await signIn(origin, address))
    assert.deepEqual(visited.flatMap(faultsIn), [])
    assert.ok(visited.length > 20, String(visited.length))
  })
}

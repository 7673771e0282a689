// The API reference: one page generated from the OpenAPI document, and its assets. The page is complete without
// JavaScript and loads nothing from other servers.

import { readFileSync } from 'node:fs'
import { html } from 'ghtml'
import { fieldCodes } from '../../domain/fields/field-values.ts'
import { type Asset, asset, lazily } from '../../http/assets.ts'
import { pageHeaders } from '../../http/headers.ts'
import { problems } from '../../problem.ts'
import type { Document, PathItem } from '../openapi/types.ts'
import { operationArticle } from './operation.ts'
import { fieldsTable, type LocatedOperation } from './schema.ts'
import { paragraphs, scrollableTable, spans } from './text.ts'

const files = {
  'style.css': 'text/css; charset=utf-8',
  'try.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml; charset=utf-8',
} as const

/** Returns the assets of `/docs`. `document`: the OpenAPI document as JSON. `base`: the base path of the API. */
export function referenceAssets(document: string, base: string): [path: string, asset: () => Asset][] {
  const html = lazily(() => asset('text/html; charset=utf-8', page(JSON.parse(document), base), pageHeaders(false)))
  const fileAssets = Object.entries(files).map(([name, type]): [string, () => Asset] => [
    `/docs/${name}`,
    lazily(() => asset(type, readFileSync(new URL(name, import.meta.url), 'utf8'))),
  ])
  return [['/docs', html], ...fileAssets]
}

type Section = { name: string; description: string; operations: LocatedOperation[] }

/** Renders the document as an HTML page. `base`: the base path of the API. All URLs in the page are relative, so that
 *  the page also works behind a proxy that adds a path prefix. */
function page(document: Document, base: string): string {
  const { title, version, summary, description } = document.info
  const sections = sectionsOf(document, base)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="docs/icon.svg">
<link rel="stylesheet" href="docs/style.css">
<script type="module" src="docs/try.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="#content"><img src="docs/icon.svg" alt="" width="28" height="28">${title} <small>v${version}</small></a>
<a href="${relative(base, '/openapi.json')}">openapi.json</a>
</header>
<nav aria-label="Contents">!${contents(sections)}</nav>
<main id="content">
<section id="start">
<h1>${title}</h1>
<p class="lead">${summary}</p>
!${paragraphs(description)}
!${keyForm}
</section>
!${sections.map((section) => tagSection(section, document)).join('')}
!${errorSections()}
</main>
</body>
</html>
`
}

function sectionsOf({ tags, paths }: Document, base: string): Section[] {
  const operations = Object.entries(paths).flatMap(([path, item]) => locateOperations(path, item, base))
  return tags.map(({ name, description }) => {
    return { name, description, operations: operations.filter(({ operation }) => operation.tags.includes(name)) }
  })
}

function locateOperations(path: string, methods: PathItem, base: string): LocatedOperation[] {
  const address = relative(base, path)
  return Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    address,
    operation,
  }))
}

function relative(base: string, path: string): string {
  return (base + path).slice(1)
}

function contents(sections: Section[]): string {
  const lists = sections.map(({ name, operations }) => {
    const items = operations.map(
      ({ method, path, operation }) =>
        html`<li><a href="#${operation.operationId}"><b data-method="${method}">${method}</b> ${path}</a></li>`,
    )
    return html`<li><a href="#about-${name}">${name}</a><ul>!${items.join('')}</ul></li>`
  })
  return html`<ul><li><a href="#start">start</a></li>!${lists.join('')}<li><a href="#errors">errors</a></li><li><a href="#field-codes">field codes</a></li></ul>`
}

/** This form is hidden until try.js shows it, because sending requests requires JavaScript. */
const keyForm = html`<form id="key" class="panel" hidden>
<label for="api-key">API key, to try requests from this page</label>
<input id="api-key" type="password" autocomplete="off" spellcheck="false" placeholder="tdk_…">
<p>The key is sent only to this server and is not stored: it is lost when you leave this page.</p>
</form>`

function tagSection({ name, description, operations }: Section, document: Document): string {
  return html`<section id="about-${name}">
<h2>${name}</h2>
!${paragraphs(description)}
!${fieldsTable(operations, document)}
!${operations.map((operation) => operationArticle(operation, document)).join('')}
</section>
`
}

/** Renders the tables of error codes and field codes. Each error code has an anchor, such as
 *  /docs#error-validation_failed. */
function errorSections(): string {
  return html`<section id="errors">
<h2>errors</h2>
<p>!${spans('Every error is `{"error": {"code", "message", "status"}}`. The message may contain more detail than this table. New codes may be added over time.')}</p>
!${scrollableTable('Error codes', ['Code', 'Status', 'With an Idempotency-Key', 'Meaning'], errorRows())}
</section>
<section id="field-codes">
<h2>field codes</h2>
<p>!${spans('The codes of single fields in `errors` of `validation_failed`.')}</p>
!${scrollableTable('Field codes', ['Code', 'Meaning'], fieldCodeRows())}
</section>
`
}

function errorRows(): string[] {
  const sorted = Object.entries(problems).toSorted(([, a], [, b]) => a.status - b.status)
  return sorted.map(
    ([code, { status, message, isStored }]) =>
      html`<tr id="error-${code}"><th scope="row"><a href="#error-${code}"><code>${code}</code></a></th><td>${status}</td><td>${isStored ? 'a retry gets the same error' : 'a retry is executed'}</td><td>${message}</td></tr>`,
  )
}

function fieldCodeRows(): string[] {
  return Object.entries(fieldCodes).map(
    ([code, meaning]) => html`<tr id="field-${code}"><th scope="row"><code>${code}</code></th><td>${meaning}</td></tr>`,
  )
}

// The reference page: head, navigation and sections.

import { html } from 'ghtml'
import type { Document, PathItem } from '../openapi/types.ts'
import { errorSections } from './errors.ts'
import { operationArticle } from './operation.ts'
import { fieldsTable } from './schema.ts'
import { paragraphs } from './text.ts'
import type { LocatedOperation } from './types.ts'

type Section = { name: string; description: string; operations: LocatedOperation[] }

/** Renders the document as an HTML page. `base`: the base path of the API. All URLs in the page are relative, so that
 *  the page also works behind a proxy that adds a path prefix. */
export function page(document: Document, base: string): string {
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

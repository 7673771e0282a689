// The API reference: one page generated from the OpenAPI document, and its assets. The page is complete without
// JavaScript and loads nothing from other servers.

import { readFileSync } from 'node:fs'
import { type Asset, asset, lazily } from '../../http/assets.ts'
import { pageHeaders } from '../../http/headers.ts'
import { page } from './page.ts'

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
    lazily(() => asset(type, readFile(name))),
  ])
  return [['/docs', html], ...fileAssets]
}

function readFile(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

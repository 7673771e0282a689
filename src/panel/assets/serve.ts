// Serves the panel's stylesheet, script and images.

import { readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asset, lazily, sendAsset } from '../../http/assets.ts'
import { iconRules } from '../components/icons.ts'

/** The files that make up the stylesheet, in order. */
const styles = [
  'tokens',
  'frame',
  'controls',
  'tables',
  'content',
  'lists',
  'records',
  'history',
  'home',
  'search',
  'desk',
  'paper',
  'print',
]

/** The files that make up the script. Every page also works if scripts are disabled. */
const scripts = [
  'menus',
  'forms',
  'drafts',
  'drop',
  'combobox',
  'parts',
  'selection',
  'list-search',
  'copy',
  'progress',
  'print',
  'one-time-link',
  'suggestions',
]

const files = {
  'style.css': [
    'text/css; charset=utf-8',
    () => compact(styles.map((name) => read(`style/${name}.css`)).join('')) + iconRules(),
  ],
  'panel.js': [
    'text/javascript; charset=utf-8',
    () => scripts.map((name) => inBlock(read(`scripts/${name}.js`))).join(''),
  ],
  'icon.svg': ['image/svg+xml; charset=utf-8', () => read('icon.svg')],
  'icons.svg': ['image/svg+xml; charset=utf-8', () => read('icons.svg')],
} as const

type Send = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

export const panelAssets: readonly [path: string, send: Send][] = Object.entries(files).map(
  ([name, [type, content]]) => {
    const loaded = lazily(() => asset(type, content()))
    return [`/panel/${name}`, (_request, reply) => sendAsset(loaded(), reply)]
  },
)

function read(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')
}

/** Removes comments and indentation, which make up a fifth of the stylesheet. */
function compact(css: string): string {
  return css.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/\s*\n\s*/g, '\n')
}

/** Encloses a script in a block, so that its names do not clash with other scripts' names. */
function inBlock(script: string): string {
  return `{\n${script}}\n`
}

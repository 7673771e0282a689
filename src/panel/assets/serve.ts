// Serves the stylesheet, the script and the icon of the panel.

import { readFileSync } from 'node:fs'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asset, lazily, sendAsset } from '../../http/assets.ts'

const files = {
  'style.css': 'text/css; charset=utf-8',
  'panel.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml; charset=utf-8',
} as const

type Send = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/** The path and the handler of each file. */
export const panelAssets: readonly [path: string, send: Send][] = Object.entries(files).map(([name, type]) => {
  const made = lazily(() => asset(type, readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')))
  return [`/panel/${name}`, (request, reply) => sendAsset(made(), request, reply)]
})

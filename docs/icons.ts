// Combines the panel's icons, which come from lucide-static, into one SVG file.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { icons } from '../src/panel/components/icons.ts'

const folder = join(dirname(createRequire(import.meta.url).resolve('lucide-static/package.json')), 'icons')

/** The distance from one icon to the next. Icons are 24 units high; the space between them keeps the next icon out of
 *  sight if the browser rounds up the size of a box. */
const pitch = 32

/** Returns the content of src/panel/assets/icons.svg. */
export function generateIcons(): string {
  const names = Object.values(icons)
  const groups = names.map((name, index) => `<g transform="translate(0 ${index * pitch})">${shapesOf(name)}</g>\n`)
  const height = names.length * pitch
  return `<!-- Lucide (https://lucide.dev), ISC License. Written by npm run docs. -->
<svg xmlns="http://www.w3.org/2000/svg" width="24" height="${height}" viewBox="0 0 24 ${height}" fill="none" stroke="#000"
 stroke-width="2" stroke-linecap="round" stroke-linejoin="round">
${groups.join('')}</svg>
`
}

/** Returns the content of an icon's svg element. */
function shapesOf(name: string): string {
  const svg = readFileSync(join(folder, `${name}.svg`), 'utf8')
  return /<svg[^>]*>(.*)<\/svg>/s
    .exec(svg)![1]!
    .replaceAll(/\s*\n\s*/g, '')
    .replaceAll(' />', '/>')
}

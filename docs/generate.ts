// Writes the tables in docs/reference.md, the client's types and endpoints, and the panel's icons: `npm run docs`. A test
// fails when they are out of date.

import { readFileSync, writeFileSync } from 'node:fs'
import { commands } from '../src/cli/commands/all.ts'
import { usageOf } from '../src/cli/usage.ts'
import { serverSettings } from '../src/config.ts'
import { problems } from '../src/problem.ts'
import { generateClientEndpoints } from './client-endpoints.ts'
import { generateClientTypes } from './client-types.ts'
import { generateIcons } from './icons.ts'

const reference = new URL('reference.md', import.meta.url)

/** Functions that generate the text between `<!-- name -->` and `<!-- /name -->`. */
const tables: Record<string, () => string> = {
  commands: () => ['```', ...commands.map((command) => `tenantdesk ${usageOf(command)}`), '```'].join('\n'),
  settings: () =>
    table(
      ['Setting', 'Default', 'Meaning'],
      Object.entries(serverSettings).map(([name, { default: fallback, help }]) => [
        `\`${name}\``,
        fallback === '' ? '' : `\`${fallback}\``,
        help,
      ]),
    ),
  errors: () =>
    table(
      ['Status', 'Code', 'Meaning', 'Stored for an Idempotency-Key'],
      Object.entries(problems)
        .map(([code, { status, message, isStored }]) => [String(status), `\`${code}\``, message, isStored ? 'yes' : ''])
        .sort((a, b) => Number(a[0]) - Number(b[0])),
    ),
}

/** Returns the text of docs/reference.md with up-to-date tables. */
export function generateReference(text: string): string {
  return Object.entries(tables).reduce(
    (result, [name, make]) =>
      result.replace(
        new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`),
        (_, start, end) => `${start}\n${make()}\n\n${end}`,
      ),
    text,
  )
}

function table(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((row) => `| ${row.join(' | ')} |`.replaceAll('<', '&lt;'))
    .join('\n')
}

if (import.meta.main) {
  writeFileSync(reference, generateReference(readFileSync(reference, 'utf8')))
  writeFileSync(new URL('../client/types.ts', import.meta.url), generateClientTypes())
  writeFileSync(new URL('../client/endpoints.ts', import.meta.url), generateClientEndpoints())
  writeFileSync(new URL('../src/panel/assets/icons.svg', import.meta.url), generateIcons())
}

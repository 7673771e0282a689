// Reads the parameters of a file that is to be imported (contract §17).

import type { ParsedUrlQuery } from 'node:querystring'
import { allowedList } from '../../domain/fields/unknown-names.ts'
import type { AmountUnit } from '../../domain/imports/file/amounts.ts'
import type { ImportMode } from '../../domain/imports/import.ts'
import type { RequestedImport } from '../../domain/imports/start-import.ts'
import { cleanText } from '../../lib/text.ts'
import { invalidRequest } from '../../problem.ts'
import { readParameters } from '../parse-request.ts'

const names = ['resource', 'mode', 'match', 'amounts', 'mapping', 'save_as']

const allowed = allowedList([...names, 'map[Column title]', 'set[field]', 'value[Column title][cell]'])

/** `resolveImport` checks the values. Throws `invalid_request` for unknown and repeated parameters. */
export function readImportOptions(query: ParsedUrlQuery, contentType: string | undefined): RequestedImport {
  const bracketed = Object.keys(query).filter((name) => /^(?:map|set|value)\[.*\]$/s.test(name))
  const parameters = readParameters(query, [...names, ...bracketed], allowed)
  const entriesOf = (parameter: string) =>
    bracketed
      .filter((name) => name.startsWith(`${parameter}[`))
      .map((name): NamedText => [name.slice(parameter.length + 1, -1), parameters[name]!.trim()])
  return {
    resource: parameters.resource ?? '',
    mode: (parameters.mode ?? 'dry_run') as ImportMode,
    match: parameters.match ?? null,
    amounts: (parameters.amounts ?? null) as AmountUnit | null,
    map: readTexts('map', entriesOf('map')),
    set: readTexts('set', entriesOf('set')),
    value: readReplacements(entriesOf('value')),
    charset: charsetOf(contentType),
    mappingName: parameters.mapping?.trim() ?? null,
    saveAs: parameters.save_as === undefined ? null : cleanText(parameters.save_as),
  }
}

type NamedText = [name: string, text: string]

/** Reads the texts of `map[Title]` or `set[field]`. Throws `invalid_request` for a name that is given more than once. */
function readTexts(parameter: string, entries: readonly NamedText[]): Record<string, string> {
  const texts = new Map<string, string>()
  for (const [name, text] of entries) {
    const trimmed = cleanText(name)
    if (texts.has(trimmed))
      throw invalidRequest(`${parameter}[${trimmed.slice(0, 40)}] is given more than once; give it once.`)
    texts.set(trimmed, text)
  }
  return Object.fromEntries(texts)
}

/** Reads `value[Title][cell]=text`. Throws `invalid_request`. */
function readReplacements(entries: readonly NamedText[]): Record<string, Record<string, string>> {
  const byTitle = Map.groupBy(entries.map(splitName), ({ title }) => title)
  return Object.fromEntries(
    [...byTitle].map(([title, each]) => {
      const parameter = `value[${title.slice(0, 40)}]`
      return [
        title,
        readTexts(
          parameter,
          each.map(({ cell, text }): NamedText => [cell, text]),
        ),
      ]
    }),
  )
}

/** Titles and cells may contain brackets themselves: `First Name [Required]][x` is the cell x below this title. */
function splitName([name, text]: NamedText): { title: string; cell: string; text: string } {
  const splits = [...name.matchAll(/(?=\]\[)/g)].map(
    ({ index }) => [name.slice(0, index), name.slice(index + 2)] as const,
  )
  const [title, cell] = splits.find((parts) => parts.every(hasClosedBrackets)) ?? splits[0] ?? []
  if (title === undefined || cell === undefined)
    throw invalidRequest(`value[${name.slice(0, 40)}] lacks the cell; give it as value[Column title][cell]=text.`)
  return { title: cleanText(title), cell, text }
}

function hasClosedBrackets(text: string): boolean {
  return text.split('[').length === text.split(']').length
}

function charsetOf(contentType: string | undefined): string | null {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1] ?? null
}

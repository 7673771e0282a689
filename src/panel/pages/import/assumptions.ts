// Lists what an import has assumed about its file, in the user's language.

import { html } from 'ghtml'
import type { ImportView } from '../../../domain/imports/import.ts'
import type { Assumption } from '../../../domain/imports/reading/assumptions.ts'
import { relatedList } from '../../components/sections.ts'
import type { Texts } from '../../i18n/index.ts'
import { shorten, targetLabel } from './page-parts.ts'

/** At most this many unknown columns are named. */
const maxNamed = 50

export function assumptionList(texts: Texts, { assumptions }: ImportView): string {
  if (assumptions.length === 0) return ''
  const items = assumptions.map((each) => html`<li>${sentenceOf(texts, each)}</li>`)
  return html`<details><summary>${texts.imports.assumptions}</summary>!${relatedList(items)}</details>`
}

function sentenceOf(texts: Texts, { code, column = '', columns = [], value = '' }: Assumption): string {
  const sentence = texts.imports.assumed[code]
  switch (code) {
    case 'encoding':
      return sentence(value === 'windows-1252' ? 'Windows-1252' : 'UTF-16')
    case 'delimiter':
      return sentence(texts.imports.delimiters[value === ';' ? 'semicolon' : value === '\t' ? 'tab' : 'comma'])
    case 'no_match_column':
      return sentence(targetLabel(texts, { name: value }))
    case 'ignored_columns': {
      const names = columns.slice(0, maxNamed).map((title) => shorten(title))
      return sentence([...names, ...(columns.length > maxNamed ? ['…'] : [])].join(', '))
    }
    default:
      return sentence(shorten(column))
  }
}

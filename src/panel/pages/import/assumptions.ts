// Lists what an import has assumed about its file, in the user's language.

import { html } from 'ghtml'
import type { Assumption } from '../../../resources/import/columns.ts'
import type { ImportView } from '../../../storage/imports/import.ts'
import { relatedList } from '../../components/sections.ts'
import type { Texts } from '../../i18n/index.ts'
import { shorten, targetLabel } from './page-parts.ts'

/** The list is limited because a file can have thousands of unknown columns. */
const maxShown = 50

export function assumptionList(texts: Texts, { assumptions }: ImportView): string {
  if (assumptions.length === 0) return ''
  const items = assumptions.slice(0, maxShown).map((each) => html`<li>${sentenceOf(texts, each)}</li>`)
  const more = assumptions.length > maxShown ? [html`<li>…</li>`] : []
  return html`<details><summary>${texts.imports.assumptions}</summary>!${relatedList([...items, ...more])}</details>`
}

function sentenceOf(texts: Texts, { code, column = '', value = '' }: Assumption): string {
  const sentence = texts.imports.assumed[code]
  switch (code) {
    case 'encoding':
      return sentence(value === 'windows-1252' ? 'Windows-1252' : 'UTF-16')
    case 'delimiter':
      return sentence(texts.imports.delimiters[value === ';' ? 'semicolon' : value === '\t' ? 'tab' : 'comma'])
    case 'no_match_column':
      return sentence(targetLabel(texts, { name: value }))
    default:
      return sentence(shorten(column))
  }
}

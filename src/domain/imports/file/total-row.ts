// A last row that holds only the totals of the rows above it (contract §17).

import type { PartRow } from '../../jobs/job-parts.ts'
import { fold } from '../../search/fold.ts'
import { isAmountText } from './amounts.ts'
import { textOf } from './cells.ts'

/** Words for a total, folded and without punctuation. */
const totals = new Set(
  [
    'total,totals,total amount,total cost,total value,grand total,sum,subtotal,σ,totale,total general',
    'summe,gesamt,gesamtsumme,gesamtbetrag,gesamtkosten,gesamtwert,insgesamt,zwischensumme,endsumme',
    'toplam,genel toplam,ara toplam,toplam tutar,toplam maliyet,toplam değer',
  ].flatMap((words) => words.split(',').map(fold)),
)

/** `row`: returns the number of the row that is left out, once all rows have been read. */
export type RowsWithoutTotal = { rows: AsyncIterable<PartRow[]>; row: () => number | undefined }

/** Passes the rows on, but not a last row with totals. `mayHoldAmounts`: whether each column may hold totals. */
export function withoutTotal(chunks: AsyncIterable<PartRow[]>, mayHoldAmounts: readonly boolean[]): RowsWithoutTotal {
  let total: number | undefined
  async function* pass(): AsyncGenerator<PartRow[]> {
    let last: PartRow[] = []
    for await (const rows of chunks) {
      if (rows.length === 0) continue
      yield [...last, ...rows.slice(0, -1)]
      last = rows.slice(-1)
    }
    total = last.find(({ cells }) => isTotal(mayHoldAmounts, cells))?.row
    if (total === undefined) yield last
  }
  return { rows: pass(), row: () => total }
}

/** Whether a row holds only a word for the total and amounts, which may name their currency in a cell of its own. */
function isTotal(mayHoldAmounts: readonly boolean[], cells: readonly string[]): boolean {
  let [words, amounts, others] = [0, 0, 0]
  for (const index of cells.keys()) {
    const text = textOf(cells, index)
    if (text === '') continue
    if (isWord(text)) words++
    else if (mayHoldAmounts[index] && isAmountText(text)) amounts++
    else if (!mayHoldAmounts[index] || !/^[A-Z]{3}$/.test(text)) others++
  }
  return words === 1 && amounts > 0 && others === 0
}

/** Whether the text is such a word, perhaps with the currency: `Summe (EUR)`. */
function isWord(text: string): boolean {
  const words = text.replace(/\(.*\)|\s(?:[A-Z]{3}|\p{Sc})$/u, '')
  return totals.has(fold(words.replaceAll(/[\s\p{P}]+/gu, ' ').trim()))
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { type CsvRow, RowParser } from '../../../src/lib/csv/row-parser.ts'

/** Parses a text in chunks of this size. */
function parse(text: string, delimiter = ',', size = 3): CsvRow[] {
  const parser = new RowParser(delimiter)
  const rows: CsvRow[] = []
  for (let at = 0; at < text.length; at += size) rows.push(...parser.parse(text.slice(at, at + size)))
  return [...rows, ...parser.end()]
}

const cellsOf = (text: string, delimiter?: string) => parse(text, delimiter).map(({ cells }) => cells)

test('what a CSV writer has written is read unchanged, wherever the chunks end', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', 'é', '😀', '"', ',', ';', '\t', '\n', '\r', "'"), maxLength: 6 })
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
  const lineBreak = fc.constantFrom('\n', '\r\n', '\r')
  const chunkSize = fc.integer({ min: 1, max: 9 })
  fc.assert(
    fc.property(table, fc.constantFrom(',', ';', '\t'), lineBreak, chunkSize, (rows, delimiter, lineEnd, size) => {
      const text = stringify(rows, { delimiter, record_delimiter: lineEnd, quoted: true })
      assert.deepEqual(
        parse(text, delimiter, size),
        rows.map((cells, index) => ({ row: index + 1, cells })),
      )
    }),
    { numRuns: 500 },
  )
})

test('quotation marks are read as programs write them, not only as RFC 4180 describes', () => {
  const texts: [text: string, cells: string[][]][] = [
    ['24",5\n', [['24"', '5']]],
    ['"a" , "b"\n', [['a', 'b']]],
    ['"say \\"hi\\" then go",x\n', [['say \\"hi\\" then go', 'x']]],
    ['"a""b"\r\n"c\r\nd"', [['a"b'], ['c\r\nd']]],
    [
      'a,\nb,',
      [
        ['a', ''],
        ['b', ''],
      ],
    ],
    ['""', [['']]],
  ]
  for (const [text, cells] of texts) assert.deepEqual(cellsOf(text), cells, text)
  assert.deepEqual(cellsOf('a\t"b"\t\n', '\t'), [['a', 'b', '']])
})

test('empty lines are numbered, but are not rows', () => {
  const rows = parse('a\n\n\r\n\rb\r\n\r\n')
  assert.deepEqual(
    rows.map(({ row, cells }) => `${row} ${cells.join()}`),
    ['1 a', '5 b'],
  )
})

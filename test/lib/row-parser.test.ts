import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { type CsvRow, RowParser } from '../../src/lib/csv.ts'

/** Parses a text in chunks of this size. */
function parse(text: string, delimiter = ',', size = 3): CsvRow[] {
  const parser = new RowParser(delimiter)
  const rows: CsvRow[] = []
  for (let at = 0; at < text.length; at += size) rows.push(...parser.parse(text.slice(at, at + size)))
  return [...rows, ...parser.end()]
}

const cellsOf = (text: string, delimiter?: string) => parse(text, delimiter).map(({ cells }) => cells)

test('what a CSV writer has written is read unchanged, wherever the chunks end', () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'é', '😀', '"', '\\', ',', ';', '\t', '\n', '\r', "'"),
    maxLength: 6,
  })
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 })
  const lineBreak = fc.constantFrom('\n', '\r\n', '\r')
  const chunkSize = fc.integer({ min: 1, max: 9 })
  fc.assert(
    fc.property(table, fc.constantFrom(',', ';', '\t'), lineBreak, chunkSize, (rows, delimiter, lineEnd, size) => {
      const text = stringify(rows, { delimiter, record_delimiter: lineEnd, quoted: true, quoted_empty: true })
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

test('a quotation mark that PHP has not doubled after a backslash neither ends a cell nor joins two', () => {
  const texts: [text: string, cells: string[][]][] = [
    [String.raw`"19\"",27`, [['19\\"', '27']]],
    [String.raw`"19\"","Dell, Inc."`, [['19\\"', 'Dell, Inc.']]],
    [
      'a,"19\\""\n"b c",d',
      [
        ['a', '19\\"'],
        ['b c', 'd'],
      ],
    ],
    [String.raw`"19\"","",x`, [['19\\"', '', 'x']]],
    [String.raw`"19\"""",x`, [['19\\""', 'x']]],
    [String.raw`"19\""`, [['19\\"']]],
    [String.raw`"19\", flat",x`, [['19\\", flat', 'x']]],
    [String.raw`"two \", \" x",y`, [['two \\", \\" x', 'y']]],
    ['"two\\"\nlines",x', [['two\\"\nlines', 'x']]],
    // As RFC 4180 says
    [String.raw`"C:\temp\","next"`, [['C:\\temp\\', 'next']]],
    [
      '"C:\\temp\\",next\n"b",c',
      [
        ['C:\\temp\\', 'next'],
        ['b', 'c'],
      ],
    ],
    [String.raw`"C:\temp\",19" flat`, [['C:\\temp\\', '19" flat']]],
    [String.raw`"see ""C:\temp\"", then",x`, [['see "C:\\temp\\", then', 'x']]],
    [String.raw`"see ""C:\""",x`, [['see "C:\\"', 'x']]],
    [String.raw`"a\"",",x`, [['a\\",', 'x']]],
  ]
  for (const [text, cells] of texts)
    for (const size of [1, 2, 3, 100])
      assert.deepEqual(
        parse(text, ',', size).map((row) => row.cells),
        cells,
        `${text} in chunks of ${size}`,
      )
  const rows = parse(`a,b\n"19\\"",${'x'.repeat(20_000)}\n${'x'.repeat(30_000)},`, ',', 2048)
  assert.deepEqual(
    rows.map(({ cells }) => cells.map(({ length }) => length)),
    [
      [1, 1],
      [4, 20_000],
      [30_000, 0],
    ],
  )
})

test('empty lines and lines of blank cells are numbered, but are not rows', () => {
  const texts = ['a\n\n\r\n\rb\r\n\r\n', 'a\n,,\r\n , \t,\r,\u00a0\nb\n,\n', `a\n\n\n${','.repeat(499)}\nb`]
  for (const text of texts)
    assert.deepEqual(
      parse(text).map(({ row, cells }) => `${row} ${cells.join()}`),
      ['1 a', '5 b'],
    )
  assert.throws(() => parse(`a\n${','.repeat(500)}\n`), /Row 2 has more than 500 cells/)
  assert.deepEqual(cellsOf(',\n,b\n""\n'), [['', 'b'], ['']])
})

test('the same rows are read wherever the chunks end', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ',', ' ', '\t', '\n', '\r', '"', '\\'), maxLength: 20 })
  const outcome = (each: string, delimiter: string, size: number) => {
    try {
      return parse(each, delimiter, size)
    } catch (error) {
      return String(error)
    }
  }
  fc.assert(
    fc.property(text, fc.constantFrom(',', '\t'), fc.integer({ min: 1, max: 9 }), (each, delimiter, size) =>
      assert.deepEqual(outcome(each, delimiter, size), outcome(each, delimiter, each.length + 1)),
    ),
    { numRuns: 2000 },
  )
})

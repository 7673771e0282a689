// Decides how the text of a file is encoded, and what separates its cells (contract §17): the reading counts in which
// the most titles are known.

import {
  type CsvRow,
  candidateDelimiters,
  type Delimiter,
  detectDelimiter,
  InvalidCsv,
  RowParser,
} from '../../../lib/csv.ts'
import { invalidRequest } from '../../../problem.ts'

/** `encoding`: a label of the WHATWG Encoding Standard. `hasLeadingLine`: the file begins with a line that is
 *  not counted as a row: `sep=;`, or a type's name, as PowerShell writes it. */
export type Syntax = { encoding: string; delimiter: Delimiter; hasLeadingLine: boolean }

/** Whether a column title is known. */
export type KnowsTitle = (title: string) => boolean

type Source = () => AsyncIterable<Buffer>

/** Throws `invalid_request` for an unknown charset. */
export function requireCharset(charset: string | null): void {
  if (charset !== null && !isEncoding(charset))
    throw invalidRequest(`The charset ${JSON.stringify(charset.slice(0, 40))} in Content-Type is unknown.`)
}

/** `charset`: what the sender says; null decides by the bytes. Throws NotText. */
export async function detectSyntax(source: Source, charset: string | null, knows: KnowsTitle): Promise<Syntax> {
  const sample = await readSample(source)
  if (charset !== null) requireNoSignature(sample)
  const encodings: string[] = charset === null ? await detectEncodings(source()) : [charset]
  const readings = encodings.map((encoding) => readingOf(sample, encoding, knows))
  const best = readings.reduce((first, other) => (other.known > first.known ? other : first))
  const { encoding, separator, hasLeadingLine } = best
  const delimiter = separator ?? best.delimiter ?? (await detectDelimiter(openText(source, best)))
  return { encoding, delimiter, hasLeadingLine }
}

/** Yields the text of a file, without its leading line. */
export async function* openText(
  source: Source,
  { encoding, hasLeadingLine }: Pick<Syntax, 'encoding' | 'hasLeadingLine'>,
): AsyncGenerator<string> {
  let [start, isStart] = ['', hasLeadingLine]
  for await (const chunk of decodeText(source(), encoding)) {
    if (!isStart) {
      yield chunk
      continue
    }
    start += chunk
    if (start.length < longestLeadingLine) continue
    yield start.replace(leadingLine, '')
    isStart = false
  }
  if (isStart) yield start.replace(leadingLine, '')
}

const leadingLine = /^(?:"?sep=(.)"?|#TYPE \S{1,500})[^\S\r\n]*(?:\r\n|\r|\n|$)/i

const longestLeadingLine = 1000

const sampleBytes = 2 ** 18

async function readSample(source: Source): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of source()) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= sampleBytes) break
  }
  return Buffer.concat(chunks).subarray(0, sampleBytes)
}

/** `known`: the number of titles that are known. `delimiter`: undefined if no title is known with any delimiter. */
type Reading = Pick<Syntax, 'encoding' | 'hasLeadingLine'> & {
  known: number
  delimiter: Delimiter | undefined
  separator: Delimiter | undefined
}

function readingOf(sample: Buffer, encoding: string, knows: KnowsTitle): Reading {
  const decoded = new TextDecoder(encoding).decode(sample, { stream: true })
  const line = leadingLine.exec(decoded)
  const separator = candidateDelimiters.find((delimiter) => delimiter === line?.[1])
  const text = decoded.slice(line?.[0].length ?? 0)
  const candidates = (separator === undefined ? candidateDelimiters : [separator]).map((delimiter) => ({
    delimiter,
    ...tableFitOf(firstRows(text, delimiter), knows),
  }))
  const best = candidates.reduce((first, other) =>
    other.known > first.known || (other.known === first.known && other.equal > first.equal) ? other : first,
  )
  const delimiter = best.known > 0 ? best.delimiter : undefined
  return { encoding, hasLeadingLine: line !== null, known: best.known, delimiter, separator }
}

/** The header and the rows that decide on the delimiter, and how many lines are searched for them. */
const [maxRows, maxLines] = [101, 2000]

/** Returns the rows before the first error in the file's syntax. */
function firstRows(text: string, delimiter: Delimiter): CsvRow[] {
  const parser = new RowParser(delimiter)
  const rows: CsvRow[] = []
  const lines = text.matchAll(/[^\r\n]*[\r\n]+|[^\r\n]+$/g).take(maxLines)
  try {
    for (const [line] of lines) {
      rows.push(...parser.parse(line))
      if (rows.length >= maxRows) return rows.slice(0, maxRows)
    }
    return [...rows, ...parser.end()]
  } catch (error) {
    if (error instanceof InvalidCsv) return rows
    throw error
  }
}

/** `equal`: how many rows have as many cells as the header, if it has several. */
function tableFitOf([header, ...rows]: readonly CsvRow[], knows: KnowsTitle): { known: number; equal: number } {
  const titles = header?.cells ?? []
  const equal = titles.length > 1 ? rows.filter(({ cells }) => cells.length === titles.length).length : 0
  return { known: titles.filter(knows).length, equal }
}

const unicode = ['utf-8', 'utf-16le', 'utf-16be'] as const

/** Encodings in which every byte is a character. Excel writes them on Windows: in western Europe, in Turkey and in
 *  central Europe. */
const singleByte = ['windows-1252', 'windows-1254', 'windows-1250'] as const

type SingleByteEncoding = (typeof singleByte)[number]

export type TextEncoding = (typeof unicode)[number] | SingleByteEncoding

/** The file is not text. The message completes the sentence "The file …". */
export class NotText extends Error {
  readonly reason: 'workbook' | 'not_text' | 'invalid_utf8'

  constructor(message: string, reason: NotText['reason'] = 'not_text') {
    super(message)
    this.reason = reason
  }
}

/** The first bytes of formats that users mistake for CSV. */
const signatures: readonly [bytes: string, name: string][] = [
  ['PK\x03\x04', 'an Excel workbook (.xlsx) or another zip archive'],
  ['\xd0\xcf\x11\xe0', 'an Excel workbook (.xls)'],
  ['%PDF-', 'a PDF document'],
  ['\x1f\x8b', 'a gzip archive'],
]

/** Reads the whole file, and returns its encodings, the most likely one first: several for a file that is neither UTF-8
 *  nor UTF-16, which requires a byte order mark. Throws NotText. */
export async function detectEncodings(chunks: AsyncIterable<Buffer>): Promise<TextEncoding[]> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const counts = new Uint32Array(256) // of the bytes since the first one that is not UTF-8
  let start = Buffer.alloc(0)
  let isUtf8 = true
  let hasNull = false
  for await (const chunk of chunks) {
    if (start.length < longestSignature) start = Buffer.concat([start, chunk.subarray(0, longestSignature)])
    hasNull ||= chunk.includes(0)
    isUtf8 &&= decodes(() => utf8.decode(chunk, { stream: true }))
    if (!isUtf8 && !hasNull) for (const byte of chunk) counts[byte]!++
  }
  requireNoSignature(start)
  const mark = byteOrderMark(start)
  if (mark?.startsWith('utf-16')) return [mark]
  if (hasNull) throw new NotText('is not text: it contains bytes that are zero. UTF-16 needs a byte order mark.')
  if (isUtf8 && decodes(() => utf8.decode())) return ['utf-8']
  if (mark === 'utf-8')
    throw new NotText('begins with the byte order mark of UTF-8, but is not valid UTF-8.', 'invalid_utf8')
  const fits = new Map(singleByte.map((encoding) => [encoding, fitOf(encoding, counts)]))
  return singleByte.toSorted((a, b) => fits.get(b)! - fits.get(a)!)
}

/** Comes after Turkish, which has the same bytes for three of these letters and is more frequent. */
const icelandic = 'áðéíóúýþæö'

/** The letters of languages beyond a to z. If several encodings fit equally well, the first one counts: a file with
 *  only German letters is the same in all of them. */
const letters: Record<SingleByteEncoding, readonly string[]> = {
  'windows-1252': [
    'äöüß',
    'àâæçéèêëîïôœùûüÿ',
    'áéíñóúü¿¡',
    'àèéìíîòóù',
    'ãáàâçéêíóôõúü',
    'åäöæøé',
    icelandic,
    'äëïéèöü',
  ],
  'windows-1254': ['çğıöşüâîûİ'],
  'windows-1250': ['ąćęłńóśźż', 'áčďéěíňóřšťúůýž', 'áäčďéíĺľňóôŕšťúýž', 'áéíóöőúüű', 'ăâîşţ', 'čćđšž'],
}

/** Signs that texts in every language may contain, such as typographic quotation marks. */
const signs = '€‚„…‰‹‘’“”•–—™›\u00a0§©«®°±·»µ´²³'

/** Returns how many of the characters beyond ASCII belong to the language of the encoding to which they fit best. */
function fitOf(encoding: SingleByteEncoding, counts: Uint32Array): number {
  const decoder = new TextDecoder(encoding)
  const characters = Array.from({ length: 128 }, (_, index) => ({
    character: decoder.decode(Uint8Array.of(index + 128)),
    count: counts[index + 128]!,
  })).filter(({ character, count }) => count > 0 && !signs.includes(character))
  const coverage = letters[encoding].map((alphabet) => {
    const known = alphabet + alphabet.toUpperCase()
    const start = alphabet === icelandic ? -0.5 : 0
    return characters.reduce((sum, { character, count }) => sum + (known.includes(character) ? count : 0), start)
  })
  return Math.max(...coverage)
}

const longestSignature = Math.max(...signatures.map(([bytes]) => bytes.length))

function decodes(decode: () => string): boolean {
  try {
    decode()
    return true
  } catch {
    return false
  }
}

/** Throws NotText if the first bytes of a file are those of another format. */
export function requireNoSignature(start: Buffer): void {
  const text = start.toString('latin1')
  const signature = signatures.find(([bytes]) => text.startsWith(bytes))
  if (!signature) return
  const reason = signature[1].includes('workbook') ? 'workbook' : 'not_text'
  throw new NotText(`is not text but ${signature[1]}: save it as CSV, and upload that.`, reason)
}

function byteOrderMark(start: Buffer): (typeof unicode)[number] | undefined {
  const text = start.toString('latin1')
  if (text.startsWith('\xff\xfe')) return 'utf-16le'
  if (text.startsWith('\xfe\xff')) return 'utf-16be'
  return text.startsWith('\xef\xbb\xbf') ? 'utf-8' : undefined
}

/** Yields a file's text without its byte order mark. `encoding`: any label of the WHATWG Encoding Standard. Throws
 *  NotText if the bytes contradict it. */
export async function* decodeText(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new NotText(`is not valid ${encoding}.`)
  }
}

/** Whether there is an encoding with this label. */
export function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== 'replacement'
  } catch {
    return false
  }
}

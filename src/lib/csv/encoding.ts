// Detects the encoding of a text file from its bytes, and decodes its text as a stream.

const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const

export type TextEncoding = (typeof encodings)[number]

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

/** Reads the whole file. UTF-16 requires a byte order mark. A file that is not valid UTF-8 is assumed to be
 *  Windows-1252, in which every byte is a character. Throws NotText. */
export async function detectEncoding(chunks: AsyncIterable<Buffer>): Promise<TextEncoding> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let start = Buffer.alloc(0)
  let isUtf8 = true
  let hasNull = false
  for await (const chunk of chunks) {
    if (start.length < longestSignature) start = Buffer.concat([start, chunk.subarray(0, longestSignature)])
    hasNull ||= chunk.includes(0)
    isUtf8 &&= decodes(() => utf8.decode(chunk, { stream: true }))
  }
  requireNoSignature(start)
  const mark = byteOrderMark(start)
  if (mark?.startsWith('utf-16')) return mark
  if (hasNull) throw new NotText('is not text: it contains bytes that are zero. UTF-16 needs a byte order mark.')
  if (isUtf8 && decodes(() => utf8.decode())) return 'utf-8'
  if (mark === 'utf-8')
    throw new NotText('begins with the byte order mark of UTF-8, but is not valid UTF-8.', 'invalid_utf8')
  return 'windows-1252'
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

function requireNoSignature(start: Buffer): void {
  const text = start.toString('latin1')
  const signature = signatures.find(([bytes]) => text.startsWith(bytes))
  if (!signature) return
  const reason = signature[1].includes('workbook') ? 'workbook' : 'not_text'
  throw new NotText(`is not text but ${signature[1]}: save it as CSV, and upload that.`, reason)
}

function byteOrderMark(start: Buffer): TextEncoding | undefined {
  const text = start.toString('latin1')
  if (text.startsWith('\xff\xfe')) return 'utf-16le'
  if (text.startsWith('\xfe\xff')) return 'utf-16be'
  return text.startsWith('\xef\xbb\xbf') ? 'utf-8' : undefined
}

/** Yields a file's text without its byte order mark. */
export async function* decodeText(chunks: AsyncIterable<Buffer>, encoding: TextEncoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

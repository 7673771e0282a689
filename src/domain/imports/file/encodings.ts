// Detects how the text of a file is encoded, and decodes it.

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

/** Returns the encoding of a file whose sender has declared it. `start`: its first bytes, which may not contradict the
 *  declaration. Throws NotText. */
export function declaredEncoding(label: string, start: Buffer): string {
  requireNoSignature(start)
  const { encoding } = new TextDecoder(label)
  const mark = byteOrderMark(start)
  if (mark?.startsWith('utf-16') && /^utf-?16$/i.test(label)) return mark // the label leaves the order of the bytes open
  if (mark && mark !== encoding)
    throw new NotText(`begins with the byte order mark of ${mark}, but is declared as ${label}.`)
  if (start.includes(0) && !encoding.startsWith('utf-16'))
    throw new NotText(`is not valid ${label}: it contains bytes that are zero.`)
  if (/ascii/i.test(label) && start.some((byte) => byte > 127)) throw new NotText(`is not valid ${label}.`)
  return label
}

/** Reads the whole file, and returns its encodings, the most likely one first: several for a file that is neither UTF-8
 *  nor UTF-16, which requires a byte order mark. `sample`: its first bytes. Throws NotText. */
export async function detectEncodings(chunks: AsyncIterable<Buffer>, sample: Buffer): Promise<TextEncoding[]> {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const counts = new Uint32Array(256) // of the bytes since the first one that is not UTF-8
  let isUtf8 = true
  let hasNull = false
  for await (const chunk of chunks) {
    hasNull ||= chunk.includes(0)
    isUtf8 &&= decodes(() => utf8.decode(chunk, { stream: true }))
    if (!isUtf8 && !hasNull) for (const byte of chunk) counts[byte]!++
  }
  requireNoSignature(sample)
  const mark = byteOrderMark(sample)
  if (mark?.startsWith('utf-16')) return [mark]
  if (hasNull) throw new NotText('is not text: it contains bytes that are zero. UTF-16 needs a byte order mark.')
  if (isUtf8 && decodes(() => utf8.decode())) return ['utf-8']
  if (mark === 'utf-8')
    throw new NotText('begins with the byte order mark of UTF-8, but is not valid UTF-8.', 'invalid_utf8')
  const fits = new Map(singleByte.map((encoding) => [encoding, fitOf(encoding, counts)]))
  const best = Math.max(...fits.values())
  const isMisread = fits.get('windows-1252') === best && fits.get('windows-1250') === best && !isWestern(sample)
  return singleByte.toSorted(
    (a, b) =>
      fits.get(b)! - fits.get(a)! || Number(isMisread) * (Number(a === 'windows-1252') - Number(b === 'windows-1252')),
  )
}

/** Letters of western Europe in places where its languages do not have them: for example, a Spanish ñ comes before a vowel,
 *  but `Toruñ` is the Polish Toruń. An õ is Portuguese before an e (`João Simões`), and Estonian in `sõõr`. Elsewhere it is
 *  rather the Hungarian ő (`Gyõr`, `Ernõ`), because ten times as many people write Hungarian as Estonian, and Estonian
 *  texts usually contain an ä, too, which Hungarian does not have. */
const oddPlaces = /ñ(?![aeiouáéíóúü])|õ(?![eõ])|è[aeiouyáéíóúù]|[ìòù]\p{L}|[æê](?!\p{L})|ã[^oe\P{L}]|\p{L}¿/iu

/** Whether the letters of western Europe are where its languages have them. */
function isWestern(sample: Buffer): boolean {
  return !oddPlaces.test(new TextDecoder('windows-1252').decode(sample))
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
    'äõöüšž',
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

function decodes(decode: () => string): boolean {
  try {
    decode()
    return true
  } catch {
    return false
  }
}

/** Throws NotText if the first bytes of a file are those of another format. */
function requireNoSignature(start: Buffer): void {
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

export function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== 'replacement'
  } catch {
    return false
  }
}

// Finds the first syntax error of a text that JSON.parse has rejected, because the messages of JSON.parse do not always
// name the place. Works without recursion: a body can be nested thousands of levels deep.

/** `position`: in UTF-16 units. `reason`: completes the sentence “The body is not valid JSON at …: ”. */
export type JsonError = { position: number; reason: string }

type Expectation = 'value' | 'first value' | 'key' | 'first key' | 'colon' | 'comma' | 'end'

/** The number of tokens between two pauses of the search. Reading them takes about 1 ms. */
const tokensPerStep = 5000

/** A step in the search for the error, so that the caller can pause. Ends with null if the text is valid. */
export function* findSyntaxError(text: string): Generator<undefined, JsonError | null> {
  const open: ('{' | '[')[] = []
  let expected: Expectation = 'value'
  let [position, previous] = [0, '']
  for (let tokens = 1; ; tokens++) {
    if (tokens % tokensPerStep === 0) yield
    position = endOf(blank, text, position)
    const character = text[position] ?? ''
    if (character === '') return expected === 'end' ? null : { position, reason: reasonAtEnd(text, expected, open) }
    const end = endOfToken(text, position, expected)
    if (typeof end !== 'number') return end
    if (end === position) return { position, reason: reasonFor(text, position, { expected, previous, open }) }
    if (character === '{' || character === '[') open.push(character)
    else if (character === '}' || character === ']') {
      if (open.pop() !== opener[character]) return { position, reason: mismatch(character) }
    }
    expected = next(character, expected, open)
    previous = character
    position = end
  }
}

const opener = { '}': '{', ']': '[' } as const

const blank = /[ \t\n\r]*/y
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const literal = /(?:true|false|null)(?![\w$])/y
const plainText = /[^"\\\p{Cc}]*/uy
const escapeSequence = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y

/** Returns the end of the match at the position, which is the position itself if there is none. */
function endOf(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position
  return pattern.test(text) ? pattern.lastIndex : position
}

/** Returns the end of the token, or the position itself if another token is expected. */
function endOfToken(text: string, position: number, expected: Expectation): number | JsonError {
  const character = text[position]!
  const isKey = expected === 'key' || expected === 'first key'
  const isValue = expected === 'value' || expected === 'first value'
  if (character === '"' && (isKey || isValue)) return endOfText(text, position)
  if (isValue && (character === '{' || character === '[')) return position + 1
  if (isValue && character !== ']') return Math.max(endOf(number, text, position), endOf(literal, text, position))
  const allowed: Partial<Record<Expectation, string>> = {
    colon: ':',
    comma: ',}]',
    'first key': '}',
    'first value': ']',
  }
  return allowed[expected]?.includes(character) ? position + 1 : position
}

function endOfText(text: string, start: number): number | JsonError {
  for (let position = start + 1; ; ) {
    position = endOf(plainText, text, position)
    if (text[position] === '"') return position + 1
    if (position >= text.length)
      return { position: start, reason: 'the text that starts here has no closing quotation mark' }
    const end = endOf(escapeSequence, text, position)
    if (end > position) position = end
    else if (text[position] === '\\')
      return { position, reason: 'a backslash starts an unknown escape; write \\\\ for a backslash' }
    else if (/[\x7f-\x9f]/.test(text[position]!)) position++
    else
      return { position, reason: 'a line break, tab or other control character in a text must be escaped, such as \\n' }
  }
}

function next(character: string, expected: Expectation, open: readonly string[]): Expectation {
  if (character === '{') return 'first key'
  if (character === '[') return 'first value'
  if (character === ':') return 'value'
  if (character === ',') return open.at(-1) === '{' ? 'key' : 'value'
  if (expected === 'key' || (expected === 'first key' && character === '"')) return 'colon'
  return open.length === 0 ? 'end' : 'comma'
}

const names: Record<Expectation, string> = {
  value: 'a value is expected',
  'first value': 'a value or ] is expected',
  key: 'a name in double quotation marks is expected',
  'first key': 'a name in double quotation marks or } is expected',
  colon: 'a colon is expected',
  comma: 'a comma or a closing bracket is expected',
  end: 'nothing may follow the value',
}

function reasonAtEnd(text: string, expected: Expectation, open: readonly string[]): string {
  if (text.trim() === '') return 'it is empty'
  const closing = open.toReversed().map((bracket) => (bracket === '{' ? '}' : ']'))
  const isComplete = expected === 'comma' || expected === 'first value' || expected === 'first key'
  return isComplete && closing.length <= 10 ? `it ends without ${closing.join('')}` : `it ends where ${names[expected]}`
}

function mismatch(character: '}' | ']'): string {
  return `${character} does not close the bracket that was opened last`
}

type Situation = { expected: Expectation; previous: string; open: readonly string[] }

function reasonFor(text: string, position: number, { expected, previous, open }: Situation): string {
  const character = text[position]!
  if (previous === ',' && (character === '}' || character === ']')) return `remove the comma before ${character}`
  if (character === "'" || /[“”„‘’«»]/.test(character)) return `texts and names are enclosed in ", not in ${character}`
  if (text.startsWith('//', position) || text.startsWith('/*', position)) return 'JSON has no comments'
  if (open.length === 0 && expected === 'value' && /^[\w.%+[\]-]+=/.test(text.slice(position, position + 200)))
    return 'it is a form; send a JSON object such as {"name": "value"}'
  const [word = ''] = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(text.slice(position, position + 40)) ?? []
  const isValue = expected === 'value' || expected === 'first value'
  if (isValue && wordAdvice.has(word.toLowerCase()))
    return `write ${wordAdvice.get(word.toLowerCase())} instead of ${word}`
  const actual = JSON.stringify(word || String.fromCodePoint(text.codePointAt(position)!))
  return expected === 'end' ? `${names.end}, but ${actual} does` : `${names[expected]}, not ${actual}`
}

/** JSON's words for those of programming languages. */
const wordAdvice = new Map([
  ...['true', 'false', 'null'].map((word) => [word, word] as const),
  ...['none', 'nil', 'undefined', 'nan'].map((word) => [word, 'null'] as const),
])

/** Returns the place in the form `line 2, column 5`. Columns count characters (code points). */
export function lineAndColumn(text: string, position: number): string {
  let [line, lineStart] = [1, 0]
  for (let end = text.indexOf('\n'); end !== -1 && end < position; end = text.indexOf('\n', lineStart)) {
    line++
    lineStart = end + 1
  }
  let column = 1
  for (let index = lineStart; index < position; index++) if (!isLowSurrogate(text.charCodeAt(index))) column++
  return `line ${line}, column ${column}`
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

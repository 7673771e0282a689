// Text that others have chosen, such as a tenant's name or the id of a request: checks it, and makes it harmless. It must
// not control a terminal, look like further lines of output, or carry an API key into a log.

/** Control characters of C0 and C1, line separators, and the marks that change the direction of the text around them. */
const unsafe = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/u
const unsafeCharacters = new RegExp(unsafe, 'gu')

/** Whether the text is one line without control characters. */
export function isOneLine(text: string): boolean {
  return !unsafe.test(text)
}

/** Replaces each unsafe character with its escape sequence, such as `\u001b`. */
export function visible(text: string): string {
  return text.replaceAll(unsafeCharacters, escapeOf)
}

/** Like `visible`, but keeps line breaks: for a message of several lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/** Returns the value as JSON in which unsafe characters are escaped. When parsed, the value is the same. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(unsafeCharacters, escapeOf)
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Keeps API keys out of logs and databases: shortens each one in a caller's text to `tdk_` and the first four characters
 *  of the key's id. */
export function hideKeys(text: string): string {
  return text.includes('tdk_') ? text.replaceAll(/(tdk_[0-9A-Za-z]{4})(?:(?!tdk_)[0-9A-Za-z])+/g, '$1…') : text
}

/** Returns a UUID of any version in lower case; undefined if the text is not a UUID. */
export function readUuid(text: string): string | undefined {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined
}

/** Blanks, and marks that have no width or set the direction of text. */
const invisible = String.raw`[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]`

const ends = new RegExp(`^${invisible}+|${invisible}+$`, 'g')

export function trimInvisible(text: string): string {
  return isVisible(text.charCodeAt(0)) && isVisible(text.charCodeAt(text.length - 1)) ? text : text.replaceAll(ends, '')
}

/** Whether a character is visible ASCII, as at the ends of most texts. */
function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f
}

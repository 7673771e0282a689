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

/** Returns the form in which text is stored (contract §17): in NFC, and without blanks and invisible marks at its ends. */
export function cleanText(text: string): string {
  const trimmed = trimInvisible(text)
  return combining.test(trimmed) ? trimmed.normalize('NFC') : trimmed
}

/** Text without such characters is in NFC. The test takes much less time than `normalize`. */
const combining = /[\u0300-\uffff]/

/** Returns the forms in which a clean text may be stored. Before version 1.1, text was stored as it arrived, and some
 *  programs decompose letters: é is then an e and an accent. */
export function storedForms(text: string): string[] {
  const decomposed = beyondAscii.test(text) ? text.normalize('NFD') : text
  return decomposed === text ? [text] : [text, decomposed]
}

const beyondAscii = /[\u0080-\uffff]/

/** Removes blanks, and marks that have no width or set the direction of text, at the ends of a text. */
export function trimInvisible(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && isInvisible(text.charCodeAt(start))) start++
  while (end > start && isInvisible(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

function isInvisible(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d)
  return invisible.test(String.fromCharCode(code))
}

const invisible = /[\s\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/

/** Returns the text with a line feed for each line break, however it was written. */
export function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

// Text that others chose, such as the name of a tenant, must not act on a terminal or forge lines.

/** Control characters of C0 and C1, line separators, and the marks that change the direction of the text around them. */
const unsafe = /[\p{Cc}\u2028\u2029\p{Bidi_Control}]/u
const unsafeCharacters = new RegExp(unsafe, 'gu')

/** Whether the text is one line without control characters. */
export function isOneLine(text: string): boolean {
  return !unsafe.test(text)
}

/** Replaces each such character with its escape sequence, such as `\u001b`. */
export function visible(text: string): string {
  return text.replaceAll(unsafeCharacters, escapeOf)
}

/** Like `visible`, but keeps line breaks: for a message of several lines. */
export function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n')
}

/** JSON in which these characters are escaped, so that it can be shown on a terminal. Its value is the same. */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(unsafeCharacters, escapeOf)
}

function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

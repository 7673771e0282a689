// Keeps API keys out of what is logged and stored.

/** Shortens each API key in a caller's own text to the first characters of its id. */
export function hideKeys(text: string): string {
  return text.includes('tdk_') ? text.replaceAll(/(tdk_[0-9A-Za-z]{4})(?:(?!tdk_)[0-9A-Za-z])+/g, '$1…') : text
}

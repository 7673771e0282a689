// Keeps API keys out of logs and databases.

/** Shortens each API key in a caller's text to `tdk_` and the first four characters of the key's id. */
export function hideKeys(text: string): string {
  return text.includes('tdk_') ? text.replaceAll(/(tdk_[0-9A-Za-z]{4})(?:(?!tdk_)[0-9A-Za-z])+/g, '$1…') : text
}

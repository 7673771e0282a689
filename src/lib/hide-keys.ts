// Keeps API keys out of logs and databases.

/** Shortens each API key in a text from a caller to the first characters of its id. */
export function hideKeys(text: string): string {
  return text.includes('tdk_') ? text.replaceAll(/(tdk_[0-9A-Za-z]{4})(?:(?!tdk_)[0-9A-Za-z])+/g, '$1…') : text
}

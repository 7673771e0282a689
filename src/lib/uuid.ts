// UUIDs in text that users send: any version, any letter case.

/** The UUID in lower case; undefined if the text is none. */
export function readUuid(text: string): string | undefined {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined
}

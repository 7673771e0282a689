// UUIDs sent by clients: of any version, in upper or lower case.

/** Returns the UUID in lower case; undefined if the text is not a UUID. */
export function readUuid(text: string): string | undefined {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text.toLowerCase() : undefined
}

import fc from 'fast-check'

/** Any code point but a surrogate, for the `unit` of strings. fast-check's own `binary` builds a table of all of them,
 *  which takes a second in every process. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800))

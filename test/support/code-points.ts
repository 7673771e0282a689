import fc from 'fast-check'

/** Any code point except surrogates, for the `unit` option of fast-check's strings. fast-check's own unit `binary`
 *  builds a table of all code points, which takes a second in every process. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - 0x800 })
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800))

// Reads ids and other whole numbers from URLs and forms.

import { PageError } from '../responses.ts'

/** Returns undefined unless the text is a whole number of at most 15 digits. JavaScript represents all such numbers
 *  exactly. */
export function readNumber(text: string | null | undefined): number | undefined {
  return /^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined
}

/** Like readNumber. Throws a PageError with 400 if the text is not such a number. */
export function requireNumber(text: string | null | undefined): number {
  const number = readNumber(text)
  if (number === undefined) throw new PageError(400, 'bad_request')
  return number
}

/** Returns the id of the record or import that a URL names; null if it names none. Throws a PageError with 404 if the
 *  parameter is not an id. */
export function readIdParameter(query: URLSearchParams, name = 'id'): number | null {
  const text = query.get(name)
  if (text === null) return null
  const id = readNumber(text)
  if (id === undefined) throw new PageError(404, 'not_found')
  return id
}

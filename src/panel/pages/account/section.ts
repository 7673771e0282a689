// What the cards of the page have in common.

import type { Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../request.ts'
import type { PageResponse } from '../../responses.ts'

/** The request was refused: the page is shown again, with this message in the card. */
export type Refused = { kind: 'refused'; error: string }

export type Submit = (request: SignedInRequest) => Promise<PageResponse | Refused>

/** A card of the page. `submits`: the handler of each of its buttons, by the button's name. */
export type Section = {
  title(texts: Texts): string
  show(request: SignedInRequest, error?: string): Promise<string> | string
  submits: Record<string, Submit>
}

export function refused(error: string): Refused {
  return { kind: 'refused', error }
}

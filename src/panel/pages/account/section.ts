// The type for the cards on the account page.

import type { Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../request.ts'
import type { PageResponse } from '../../responses.ts'

/** A refused form. The page is shown again with this message in the form's card. */
export type Refused = { kind: 'refused'; error: string }

export type Submit = (request: SignedInRequest) => Promise<PageResponse | Refused>

/** `submits`: the handlers of the card's buttons, by button name. */
export type Section = {
  title(texts: Texts): string
  show(request: SignedInRequest, error?: string): Promise<string> | string
  submits: Record<string, Submit>
}

export function toRefusal(error: string): Refused {
  return { kind: 'refused', error }
}

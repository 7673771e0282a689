// The type of the cards on the account page.

import type { Texts } from '../../i18n/index.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import type { FormErrors } from '../../requests/submit.ts'
import type { PageResponse } from '../../responses.ts'

/** `actions`: the actions of the card's buttons, by button name. If an action refuses the form, the page shows the card
 *  again, with the errors. */
export type Section = {
  title(texts: Texts): string
  show(request: SignedInRequest, errors: FormErrors): Promise<string> | string
  actions: Record<string, (request: SignedInRequest) => Promise<PageResponse>>
}

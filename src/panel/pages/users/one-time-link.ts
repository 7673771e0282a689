// The page that shows a one-time link for choosing a password.

import { html } from 'ghtml'
import { linkAddress } from '../../../accounts/one-time-links/one-time-links.ts'
import { copyable } from '../../components/forms/forms.ts'
import { buttonRow } from '../../components/sections.ts'
import type { SignedInRequest } from '../../requests/request.ts'
import type { PageResponse } from '../../responses.ts'

/** Shows a one-time link, which appears only in this response. `back`: the user list's URL. */
export function linkPage(
  { texts, rootUrl }: SignedInRequest,
  email: string,
  token: string,
  back: string,
): PageResponse {
  const body = html`<p>${texts.users.linkHelp(email)}</p>
!${copyable(texts, 'link', linkAddress(rootUrl, token))}
!${buttonRow(html`<a href="${back}">${texts.frame.users}</a>`)}`
  return { kind: 'page', title: texts.users.linkTitle, body }
}

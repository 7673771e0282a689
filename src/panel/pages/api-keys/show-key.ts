// Renders an API key's values for the list and for the key's own page.

import { html } from 'ghtml'
import type { ApiKeyCreator } from '../../../access/api-key-creators.ts'
import type { ApiKey } from '../../../access/api-keys.ts'
import type { LastUse } from '../../../access/request-counts.ts'
import { displayName } from '../../../accounts/users.ts'
import { badge, stateBadge } from '../../components/badge.ts'
import { showTime } from '../../components/days.ts'
import { formatDateTime } from '../../i18n/conventions.ts'
import { formatDate, formatNumber, type Texts } from '../../i18n/index.ts'
import { isAdministrator, type TenantRequest } from '../../requests/request.ts'

export function showKeyState(texts: Texts, { state, expires_at }: ApiKey): string {
  const until = state === 'valid' && expires_at ? texts.recordPages.until(formatExpiry(texts, expires_at)) : ''
  return html`!${stateBadge(state, texts.apiKeys.states[state])} <small>${until}</small>`
}

/** Most keys expire at the end of a day. A key that has been rotated can expire at any time of day. */
function formatExpiry(texts: Texts, expiresAt: string): string {
  const isEndOfDay = expiresAt.endsWith('T23:59:59.999Z')
  return isEndOfDay ? formatDate(texts, expiresAt.slice(0, 10)) : formatDateTime(texts, expiresAt)
}

export function showRateLimit({ texts, deps }: TenantRequest, { rate_limit }: ApiKey): string {
  const { perMinute, unlimited, standard } = texts.apiKeys
  const limit = rate_limit ?? deps.config.RATE_LIMIT_PER_MINUTE
  const words = limit === 0 ? unlimited : perMinute(formatNumber(texts, limit))
  return html`${words} <small>${rate_limit === null ? standard : ''}</small>`
}

export function showLastUse(texts: Texts, use: LastUse | undefined): string {
  if (!use) return html`<span class="none">${texts.never}</span>`
  return html`!${showTime(texts, use.last_used_at)} <small>${use.last_used_from}</small>`
}

/** Only administrators see which administrator created a key. */
export function showCreator(request: TenantRequest, creator: ApiKeyCreator | undefined): string {
  const { texts } = request
  if (!creator) return html`${texts.events.commandLine}`
  const isHidden = creator.isAdministrator && !isAdministrator(request)
  const name = isHidden ? texts.roles.administrator : displayName(creator)
  if (creator.state === 'active') return html`${name}`
  return html`${name} !${badge(texts.apiKeys.creatorStates[creator.state], 'bad')}`
}

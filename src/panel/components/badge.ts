// Badges show a state as a word. The colour only makes the word easier to find.

import { html } from 'ghtml'

export type Tone = 'ok' | 'info' | 'held' | 'warn' | 'bad' | 'neutral'

export function badge(label: string, tone: Tone): string {
  return html`<span class="badge" data-tone="${tone}">${label}</span>`
}

/** The tones for record choices, and for the states of tenants, users, API keys and imports. All others are neutral. */
const tones: Record<string, Tone> = {
  in_use: 'ok',
  active: 'ok',
  valid: 'ok',
  created: 'ok',
  done: 'ok',
  spare: 'info',
  reserved: 'held',
  checked: 'info',
  running: 'info',
  in_repair: 'warn',
  trial: 'warn',
  invited: 'warn',
  updated: 'warn',
  cancelled: 'warn',
  lost: 'bad',
  suspended: 'bad',
  revoked: 'bad',
  expired: 'bad',
  invalid: 'bad',
  failed: 'bad',
}

export function toneOf(state: string): Tone {
  return tones[state] ?? 'neutral'
}

export function stateBadge(state: string, label: string): string {
  return badge(label, toneOf(state))
}

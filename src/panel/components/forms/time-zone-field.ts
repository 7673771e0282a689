// The field that asks for a time zone: for the demo tenant, and for new tenants.

import { html } from 'ghtml'
import { textFormats } from '../../../domain/fields/text-formats.ts'
import { fieldLabel } from '../../i18n/index.ts'
import type { PageRequest } from '../../requests/request.ts'
import { timeZoneSelect } from './record-inputs.ts'

/** Suggests the time zone that the user last chose. If there is none, a script suggests the browser's time zone
 *  (suggestions.js). */
export function timeZoneField(request: PageRequest, hint: string): string {
  const attributes = html`id="time_zone" name="time_zone" aria-describedby="time_zone-hint"!${suggests(request)}`
  return html`<div class="field"><label for="time_zone">${fieldLabel(request.texts, 'time_zone')}</label>
!${timeZoneSelect(attributes, chosenTimeZone(request))}
<p class="hint" id="time_zone-hint">${hint}</p></div>`
}

/** Sends the browser's time zone, which only scripts know (suggestions.js). Without scripts, it is empty. */
export const browserZoneInput = '<input type="hidden" name="time_zone" data-suggests-zone>'

/** Suggests the same time zone without asking. */
export function hiddenTimeZone(request: PageRequest): string {
  return html`<input type="hidden" name="time_zone" value="${chosenTimeZone(request)}"!${suggests(request)}>`
}

function suggests({ form, cookie }: PageRequest): string {
  return form.has('time_zone') || cookie('time-zone') !== undefined ? '' : ' data-suggests-zone'
}

/** Returns the time zone from the submitted form, from an earlier form of this browser, or else a usual one for the
 *  language. */
export function chosenTimeZone({ form, texts, cookie }: PageRequest): string {
  const candidates = [form.get('time_zone'), cookie('time-zone')]
  return candidates.find((each) => typeof each === 'string' && textFormats.time_zone.matches(each)) ?? texts.timeZone
}

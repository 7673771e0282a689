// Lists the assets that a form is about, with the details that distinguish them.

import { html } from 'ghtml'
import { titleOf } from '../../components/record-fields.ts'
import type { Texts } from '../../i18n/index.ts'
import type { TenantRequest } from '../../requests/request.ts'
import { recordUrl } from '../../urls.ts'
import type { Item } from './items.ts'

/** `more`: returns a remark about an asset. */
export function itemList(request: TenantRequest, items: readonly Item[], more?: (item: Item) => string): string {
  const rows = items.map((item) => {
    const remark = more ? [more(item)] : []
    const link = html`<a href="${recordUrl(request, 'hardware', item.id)}"><bdi>${item.name}</bdi></a>`
    const details = [...detailsOf(request.texts, item), ...remark].join(' · ')
    return html`<li>!${link} <small><bdi>${details}</bdi></small></li>`
  })
  return html`<ul class="picks">!${rows}</ul>`
}

/** Returns the details that distinguish an asset: its tag, serial number and model. `all` adds its holder and
 *  branch. */
export function detailsOf(texts: Texts, item: Item, which: 'all' | 'without holder' = 'all'): string[] {
  const { name, record, holder, state, branch } = item
  const { asset_tag, serial_number, model } = record
  const known = [asset_tag, serial_number, model].filter((each) => typeof each === 'string' && each !== name)
  if (which === 'without holder') return known as string[]
  const place = state.holder === 'storage' ? texts.verbs.inStock(titleOf(holder)) : titleOf(holder, ['name', 'email'])
  const where = titleOf(holder) === titleOf(branch) ? [] : [titleOf(branch)]
  return [...(known as string[]), place, ...where]
}

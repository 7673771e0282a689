// Icons from Lucide. Screen readers skip them, because each icon stands next to a text or inside a labelled element.
//
// `npm run docs` writes all icons to assets/icons.svg, one below another. The stylesheet uses parts of this file as
// masks. `<use href="icons.svg#…">` would be simpler, but Firefox blocks it if the page's policy is `default-src
// 'none'`.

import { html } from 'ghtml'

/** The panel's name for each icon, and the icon's name in Lucide. */
export const icons = {
  home: 'house',
  asset: 'laptop',
  person: 'user-round',
  people: 'users-round',
  branch: 'building-2',
  storage: 'warehouse',
  activity: 'history',
  settings: 'settings',
  overview: 'layout-dashboard',
  tenant: 'building',
  security: 'shield-check',
  key: 'key-round',
  search: 'search',
  add: 'plus',
  menu: 'ellipsis',
  more: 'menu',
  expand: 'chevron-down',
  next: 'chevron-right',
  previous: 'chevron-left',
  close: 'x',
  check: 'check',
  copy: 'copy',
  edit: 'pencil',
  delete: 'trash-2',
  undo: 'undo-2',
  import: 'upload',
  export: 'download',
  filter: 'list-filter',
  columns: 'columns-3',
  sort: 'arrow-up-down',
  view: 'bookmark',
  calendar: 'calendar',
  print: 'printer',
  assign: 'user-round-check',
  return: 'package-check',
  move: 'arrow-left-right',
  repair: 'wrench',
  loan: 'calendar-clock',
  lost: 'circle-help',
  retire: 'archive',
  leave: 'user-round-minus',
  join: 'user-round-plus',
  ok: 'circle-check',
  info: 'info',
  warning: 'triangle-alert',
  problem: 'circle-alert',
  language: 'languages',
  theme: 'sun-moon',
  keyboard: 'keyboard',
  docs: 'book-open',
  sign_out: 'log-out',
  document: 'file-text',
  tag: 'tag',
  laptop: 'laptop',
  desktop: 'pc-case',
  monitor: 'monitor',
  phone: 'smartphone',
  tablet: 'tablet',
  printer: 'printer',
  server: 'server',
  network: 'router',
  peripheral: 'mouse',
  tool: 'hammer',
  vehicle: 'car',
  other: 'box',
} as const

export type IconName = keyof typeof icons

export function icon(name: IconName): string {
  return html`<span class="icon icon-${name}" aria-hidden="true"></span>`
}

/** Whether there is an icon with this name. Each asset type has an icon with the type's name. */
export function isIcon(name: string): name is IconName {
  return Object.hasOwn(icons, name)
}

/** Returns the CSS rules with each icon's position in the file. */
export function iconRules(): string {
  return Object.keys(icons)
    .map((name, index) => `.icon-${name}{--at:${index}}\n`)
    .join('')
}

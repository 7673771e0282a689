// The bar at the top of pages for signed-in users: tenant, search, new records, and the user's account.

import { html } from 'ghtml'
import { displayName } from '../../accounts/users.ts'
import { hiddenField, hiddenFields } from '../components/forms/forms.ts'
import { icon } from '../components/icons.ts'
import { menu, menuLinks } from '../components/menu.ts'
import { languages, resourceTexts } from '../i18n/index.ts'
import { lacksSecondFactor } from '../requests/authorize.ts'
import { rowSizes, type SignedInRequest } from '../requests/request.ts'
import { pageUrl } from '../urls.ts'
import type { Place } from './place.ts'

/** `switcher` is HTML. */
export function topBar(request: SignedInRequest, place: Place | null, switcher: string): string {
  return html`<header class="top">
<a class="brand" href="./"><img src="panel/icon.svg" alt="" width="24" height="24"><span>Tenantdesk</span></a>
!${switcher}
!${globalSearch(request, place)}
!${place?.canWrite ? newMenu(request, place) : ''}
!${accountMenu(request, place)}
</header>`
}

/** Renders the search field, which searches the page's tenant. On pages without a tenant, it searches all tenants that
 *  the user can open. If scripts are enabled, `/` and Ctrl-K focus the field (scripts/combobox.js). */
function globalSearch(request: SignedInRequest, place: Place | null): string {
  if (lacksSecondFactor(request)) return '<span class="spring"></span>'
  const tenant = place?.params.tenant
  const { fieldLabel } = request.texts.search
  return html`<form action="search.php" role="search" class="global-search">
!${hiddenFields({ tenant })}!${icon('search')}
<input type="search" name="q" id="global-search" aria-label="${fieldLabel}" placeholder="${fieldLabel}" dir="auto"
 autocomplete="off" spellcheck="false" maxlength="200"><kbd aria-hidden="true">/</kbd></form>`
}

function newMenu(request: SignedInRequest, place: Place): string {
  const { records, imports } = newLinks(request, place)
  const summary = html`!${icon('add')}<span>${request.texts.layout.add}</span>`
  return menu({ summary, body: menuLinks(records) + menuLinks([imports]), name: 'end', summaryName: 'button' })
}

/** Links to the forms that add a record, one for each resource, and to the import. On a resource's list, the import
 *  link selects that resource. */
export function newLinks({ texts, deps, query }: SignedInRequest, { params }: Place) {
  const records = deps.inMenuOrder(deps.resources).map(({ name }) => ({
    to: pageUrl('records.php', { ...params, resource: name, new: 1 }),
    label: resourceTexts(texts, name).add,
  }))
  const listedName = query.get('resource')
  const resource = deps.resources.find(({ name }) => name === listedName)?.name
  return { records, imports: { to: pageUrl('import.php', { ...params, resource }), label: texts.imports.link } }
}

function accountMenu(request: SignedInRequest, place: Place | null): string {
  const { texts, session, csrfToken } = request
  const name = displayName(session.user)
  const tenant = place?.params.tenant
  const links = menuLinks([
    { to: pageUrl('profile.php', { tenant }), label: texts.layout.profile, icon: 'person' },
    { to: 'docs', label: texts.frame.reference, icon: 'docs' },
    { to: pageUrl('search.php', { tenant, shortcuts: 1 }), label: texts.search.shortcuts.title, icon: 'keyboard' },
  ])
  const menuBody = lacksSecondFactor(request) ? '' : links + preferences(request)
  const body = html`<p><b>${name}</b><br><small>${session.user.email}</small></p>
!${menuBody}
<ul><li><form method="post" action="logout.php">!${hiddenField('form_token', csrfToken)}
<button>!${icon('sign_out')}${texts.frame.signOut}</button></form></li></ul>`
  const summary = html`<span class="avatar" data-initials="${initialsOf(name)}"></span>`
  return menu({ summary, body, name: 'end', label: texts.layout.accountMenu(name) })
}

/** Renders the form that changes theme, language and row height, and then returns to the current page. */
function preferences({ texts, theme, rowSize, csrfToken, path, query, isForm }: SignedInRequest): string {
  const { layout, themes } = texts
  const back = isForm ? '' : pageUrl(path, Object.fromEntries(query))
  const choice = (name: string, value: string, label: string, isChosen: boolean) =>
    html`<button name="${name}" value="${value}" aria-pressed="${isChosen}">${label}</button>`
  const themeButtons = Object.entries(themes).map(([value, label]) => choice('theme', value, label, value === theme))
  const languageButtons = Object.entries(languages).map(([value, { language, locale }]) =>
    choice('language', value, language, locale === texts.locale),
  )
  const rowButtons = rowSizes.map((value) => choice('rows', value, layout.rowSizes[value], value === rowSize))
  return html`<form method="post" action="profile.php" class="preferences">
!${hiddenField('form_token', csrfToken)}!${hiddenField('do_preferences', '1')}!${hiddenField('back', back)}
<fieldset><legend>${layout.theme}</legend><div class="segments">!${themeButtons}</div></fieldset>
<fieldset><legend>${texts.profile.language}</legend><div class="segments">!${languageButtons}</div></fieldset>
<fieldset><legend>${layout.rowHeight}</legend><div class="segments">!${rowButtons}</div></fieldset>
</form>`
}

/** Returns the first letters of the first and last words. */
function initialsOf(name: string): string {
  const words = name
    .split('@')[0]!
    .split(/[\s._-]+/)
    .filter(Boolean)
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => [...(word ?? '')][0] ?? '')
  return letters.join('').toLocaleUpperCase()
}

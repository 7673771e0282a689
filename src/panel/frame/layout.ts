// Renders the layout of every page: head, bars, banner, the toast about the last form, and the page itself.

import { html } from 'ghtml'
import { isActive } from '../../catalog/catalog.ts'
import { hiddenField, onceField } from '../components/forms/forms.ts'
import { icon } from '../components/icons.ts'
import { languages } from '../i18n/index.ts'
import { lacksSecondFactor } from '../requests/authorize.ts'
import { isAdministrator, type PageRequest, type SignedInRequest } from '../requests/request.ts'
import type { PageResponse } from '../responses.ts'
import { pageUrl } from '../urls.ts'
import { bottomBar, settingsTabs, sideBar } from './navigation.ts'
import { currentPlace, type Place } from './place.ts'
import { readTenantChoices, tenantSwitcher } from './tenant-switcher.ts'
import { topBar } from './top-bar.ts'

type ShownPage = PageResponse & { kind: 'page' }

export async function renderLayout(request: PageRequest | SignedInRequest, page: ShownPage): Promise<string> {
  const { texts, theme, rowSize } = request
  const body = 'session' in request ? await signedInBody(request, page) : signedOutBody(request, page)
  const rows = rowSize === 'comfortable' ? '' : html` data-rows="${rowSize}"`
  return html`<!doctype html>
<html lang="${texts.locale}" data-theme="${theme}"!${rows}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${titleOf(request, page)} · Tenantdesk</title>
<link rel="icon" href="panel/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="panel/style.css">
<script src="panel/panel.js" type="module"></script>
!${refresh(page)}
</head>
!${body}
</html>
`
}

/** The title begins with the outcome of the last form, because screen readers announce a new page's title, but not the
 *  messages that it already contains. */
function titleOf(request: PageRequest, page: ShownPage): string {
  return [toastText(request), page.title].filter(Boolean).join(' · ')
}

function toastText({ toast, texts }: PageRequest): string {
  if (!toast) return ''
  return toast.notice === undefined ? (toast.text ?? '') : texts.notices[toast.notice]
}

/** Reloads the page if scripts are off; otherwise panel.js updates it. */
function refresh({ refreshSeconds }: ShownPage): string {
  if (refreshSeconds === undefined) return ''
  return html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`
}

async function signedInBody(request: SignedInRequest, page: ShownPage): Promise<string> {
  const { texts } = request
  const isLimited = lacksSecondFactor(request)
  const place = isLimited ? null : currentPlace(request)
  const switcher = isLimited ? '' : tenantSwitcher(request, place, await readTenantChoices(request).catch(() => []))
  return html`<body>
<a class="skip" href="#content">${texts.frame.skip}</a>
!${topBar(request, place, switcher)}
!${isLimited ? '<div></div>' : sideBar(request, place)}
<main id="content" tabindex="-1"!${(page.status ?? 200) < 400 ? '' : ' data-unsaved'}>
!${inactiveBanner(request)}!${toastOf(request, place)}
!${settingsTabs(request, place)}
!${heading(page)}
!${page.body}
</main>
!${isLimited ? '' : bottomBar(request, place)}
</body>`
}

/** The heading, unless the body contains it. */
function heading({ title, bodyHasHeading }: ShownPage): string {
  return bodyHasHeading ? '' : html`<h1>${title}</h1>`
}

/** The single-column layout for visitors who are not signed in. */
function signedOutBody(request: PageRequest, page: ShownPage): string {
  return html`<body class="plain">
<main id="content" data-unsaved>
<p class="brand"><img src="panel/icon.svg" alt="" width="28" height="28"> Tenantdesk</p>
!${toastOf(request, null)}
!${heading(page)}
!${page.body}
</main>
<footer>!${choices(request)}</footer>
</body>`
}

/** Links that choose this browser's language and theme, on the sign-in and setup pages. The response to a form omits
 *  these links, because following a link would discard the input. */
function choices({ texts, theme, isForm, path, query }: PageRequest): string {
  if (isForm || !['login.php', 'setup.php'].includes(path)) return ''
  const to = (choice: Record<string, string>) => pageUrl(path, { next: query.get('next'), ...choice })
  const inLanguages = Object.entries(languages).map(([language, { language: name, locale }]) =>
    locale === texts.locale
      ? html`<b lang="${locale}">${name}</b>`
      : html`<a href="${to({ language })}" lang="${locale}" hreflang="${locale}">${name}</a>`,
  )
  const inThemes = Object.entries(texts.themes).map(([value, name]) =>
    value === theme ? html`<b>${name}</b>` : html`<a href="${to({ theme: value })}">${name}</a>`,
  )
  return html`<span>!${inLanguages.join(' ')}</span><span>!${inThemes.join(' ')}</span>`
}

/** Tells an administrator that the page's tenant is suspended, or that the tenant's trial is over. Other users cannot
 *  open the tenant's pages. */
function inactiveBanner(request: SignedInRequest): string {
  const { frame, texts, deps, path } = request
  const { tenant } = frame
  if (!tenant || isActive(tenant, deps.now()) || !isAdministrator(request) || path === 'tenants.php') return ''
  const { suspended, trialOver, manage } = texts.recordPages.inactive
  const reason = tenant.state === 'suspended' ? tenant.suspended_because : null
  const reasonText = reason ? html` <bdi>${reason}</bdi>` : ''
  const sentence = tenant.state === 'suspended' ? suspended : trialOver
  return html`<p class="banner">!${icon('warning')}<span>${sentence}!${reasonText}</span>
<a href="${pageUrl('tenants.php', { tenant: tenant.slug })}">${manage}</a></p>`
}

/** Renders the message that confirms the last form submitted, with an optional link and Undo button. */
function toastOf(request: PageRequest, place: Place | null): string {
  const { toast, texts } = request
  if (!toast) return ''
  const link = toast.link ? html`<a href="${toast.link.to}">${toast.link.label}</a>` : ''
  return html`<div class="toast" role="status">!${icon('ok')}<p>${toastText(request)}</p>!${link}
!${undoForm(request, place)}
<button type="button" data-dismiss hidden aria-label="${texts.layout.dismiss}">!${icon('close')}</button></div>`
}

/** From a list or a record, the undo returns to it. */
function undoForm({ toast, texts, csrfToken, path, query }: PageRequest, place: Place | null): string {
  if (!toast?.changeSet || !place?.canWrite) return ''
  const back = path === 'records.php' ? hiddenField('back', pageUrl(path, Object.fromEntries(query))) : ''
  const label = toast.isUndo ? texts.undo.redo : texts.layout.undo
  const action = pageUrl('activity.php', { ...place.params, change_set: toast.changeSet })
  return html`<form method="post" action="${action}">!${hiddenField('form_token', csrfToken)}
!${onceField()}!${back}<button class="link">${label}</button></form>`
}

// The layout of every page: head, navigation, and the notice about the last form.

import { html } from 'ghtml'
import type { Membership } from '../../accounts/memberships.ts'
import { displayName } from '../../accounts/users.ts'
import { lacksSecondFactor } from '../authorize.ts'
import { resourceTexts } from '../i18n/index.ts'
import { isAdministrator, type PageRequest, type SignedInRequest } from '../request.ts'
import type { PageResponse } from '../responses.ts'
import { pageUrl } from '../urls.ts'

export function layout(request: PageRequest | SignedInRequest, page: PageResponse & { kind: 'page' }): string {
  const { texts } = request
  const theme = 'session' in request ? (request.session.user.theme ?? 'system') : 'system'
  return html`<!doctype html>
<html lang="${texts.locale}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page.title} · Tenantdesk</title>
<link rel="icon" href="panel/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="panel/style.css">
<script src="panel/panel.js" type="module"></script>
!${refresh(page)}
</head>
!${'session' in request ? signedInBody(request, page) : signedOutBody(request, page)}
</html>
`
}

/** With scripts, panel.js updates the page instead. */
function refresh({ refreshSeconds }: PageResponse & { kind: 'page' }): string {
  if (refreshSeconds === undefined) return ''
  return html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`
}

/** The single-column layout for visitors who are not signed in. */
function signedOutBody(request: PageRequest, page: PageResponse & { kind: 'page' }): string {
  const { texts } = request
  return html`<body class="plain">
<main id="content">
<p class="brand"><img src="panel/icon.svg" alt="" width="32" height="32"> Tenantdesk</p>
!${noticeOf(request)}
<h1>!${page.heading ?? html`${page.title}`}</h1>
!${page.body}
</main>
<footer><a href="docs">${texts.frame.reference}</a></footer>
</body>`
}

function signedInBody(request: SignedInRequest, page: PageResponse & { kind: 'page' }): string {
  const { texts } = request
  return html`<body>
<a class="skip" href="#content">${texts.frame.skip}</a>
<header class="bar">
<a class="brand" href="./"><img src="panel/icon.svg" alt="" width="28" height="28"> Tenantdesk</a>
<details class="menu"><summary>${texts.frame.menu}</summary>!${navigation(request)}</details>
</header>
<div class="side">!${navigation(request)}</div>
<main id="content" tabindex="-1">
!${noticeOf(request)}
<h1>!${page.heading ?? html`${page.title}`}</h1>
!${page.body}
</main>
</body>`
}

/** Confirms the form that redirected here, as named by `?notice=`. */
function noticeOf({ query, texts }: PageRequest): string {
  const name = query.get('notice') ?? ''
  if (!Object.hasOwn(texts.notices, name)) return ''
  return html`<p class="notice" role="status">${(texts.notices as Record<string, string>)[name]}</p>`
}

type Entry = { to: string; label: string; isCurrent: boolean }

function navigation(request: SignedInRequest): string {
  const { texts, session } = request
  if (lacksSecondFactor(request))
    return html`<nav aria-label="${texts.frame.navigation}"><ul class="own">!${signOut(request)}</ul></nav>`
  const slug = tenantInPlace(request)
  const isMember = !isAdministrator(request)
  const entries = slug ? list(texts.frame.tenant, tenantEntries(request, slug), isMember ? '' : 'of-tenant') : ''
  return html`<nav aria-label="${texts.frame.navigation}">
!${isMember ? '' : list(texts.frame.installation, installationEntries(request))}
!${slug ? place(request, slug) + entries : ''}
<ul class="own">
!${entry({ to: 'profile.php', label: displayName(session.user), isCurrent: request.path === 'profile.php' })}
<li><a href="docs">${texts.frame.reference}</a></li>
!${signOut(request)}
</ul>
</nav>`
}

/** The short name of the tenant whose pages the navigation lists. */
function tenantInPlace(request: SignedInRequest): string | null {
  const { query, session } = request
  const named = query.get('tenant')
  if (isAdministrator(request)) return named
  return session.user.roles.find(({ tenant_slug }) => tenant_slug === named)?.tenant_slug ?? session.user.tenant_slug
}

/** Names the tenant, and leads to others. For the user's only tenant, there is nothing to say. */
function place(request: SignedInRequest, slug: string): string {
  const { texts, session } = request
  if (isAdministrator(request))
    return html`<p class="place"><small>${texts.frame.tenant}</small>
<a href="tenants.php">${texts.frame.changeTenant}</a> <b>${slug}</b></p>`
  const { roles } = session.user
  if (roles.length < 2) return ''
  const present = roles.find(({ tenant_slug }) => tenant_slug === slug)!
  const others = roles.filter((each) => each !== present)
  const items = others.map((each) => html`<li><a href="${samePageOf(request, each)}">${each.tenant_name}</a></li>`)
  return html`<div class="place"><small>${texts.frame.tenant}</small> <b>${present.tenant_name}</b>
<details class="switch"><summary>${texts.frame.changeTenant}</summary><ul>!${items}</ul></details></div>`
}

const managerPages = ['api_keys.php', 'users.php', 'import.php', 'tenant_settings.php']

/** The same page of another tenant: the list if this page is about a record, the dashboard if there is no such page. */
function samePageOf({ path, query }: SignedInRequest, { tenant_slug: tenant, role }: Membership): string {
  const isForBoth = ['records.php', 'activity.php'].includes(path)
  const isForManagers = managerPages.includes(path) && role === 'manager'
  return pageUrl(isForBoth || isForManagers ? path : '', {
    tenant,
    resource: path === 'records.php' ? query.get('resource') : null,
  })
}

function signOut({ texts, csrfToken }: SignedInRequest): string {
  return html`<li><form method="post" action="logout.php">
<input type="hidden" name="form_token" value="${csrfToken}">
<button class="link">${texts.frame.signOut}</button></form></li>`
}

function installationEntries(request: SignedInRequest): Entry[] {
  const { frame } = request.texts
  const isCurrent = (path: string) => request.path === path && !request.query.has('tenant')
  return [
    { to: './', label: frame.dashboard, isCurrent: isCurrent('') },
    { to: 'tenants.php', label: frame.tenants, isCurrent: isCurrent('tenants.php') },
    { to: 'users.php', label: frame.users, isCurrent: isCurrent('users.php') },
    { to: 'events.php', label: frame.events, isCurrent: isCurrent('events.php') },
  ]
}

/** URLs name the tenant unless it is the user's only one. */
function tenantEntries(request: SignedInRequest, slug: string): Entry[] {
  const { texts, session, query, path, deps } = request
  const tenant = session.user.tenant_slug === null ? slug : undefined
  const isViewer = session.user.roles.some((each) => each.tenant_slug === slug && each.role === 'viewer')
  const records = deps.resources.map(({ name }) => ({
    to: pageUrl('records.php', { tenant, resource: name }),
    label: resourceTexts(texts, name).many,
    isCurrent: path === 'records.php' && (query.get('resource') ?? deps.resources[0]!.name) === name,
  }))
  const others = {
    '': texts.frame.dashboard,
    ...(!isViewer && { 'api_keys.php': texts.frame.apiKeys, 'users.php': texts.frame.users }),
    'activity.php': texts.frame.activity,
    ...(!isViewer && { 'tenant_settings.php': texts.subjects.settings }),
  }
  const [dashboard, ...rest] = Object.entries(others).map(([to, label]) => {
    return {
      to: pageUrl(to, { tenant }),
      label,
      isCurrent: path === to && (query.get('tenant') ?? undefined) === tenant,
    }
  })
  return [dashboard!, ...records, ...rest]
}

function list(label: string, entries: Entry[], name = ''): string {
  return html`<ul aria-label="${label}"!${name && html` class="${name}"`}>!${entries.map(entry).join('')}</ul>`
}

function entry({ to, label, isCurrent }: Entry): string {
  return html`<li><a href="${to}"!${isCurrent ? ' aria-current="page"' : ''}>${label}</a></li>`
}

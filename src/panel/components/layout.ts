// The frame of every page: head, navigation, what was said of the last form.

import { html } from 'ghtml'
import { resourceLabel } from '../i18n/index.ts'
import { lacksSecondFactor, type PageRequest, type PageResponse, pageUrl, type SignedInRequest } from '../request.ts'

/** A page as HTML. */
export function layout(visit: PageRequest | SignedInRequest, page: PageResponse & { kind: 'page' }): string {
  const { texts } = visit
  const theme = 'session' in visit ? (visit.session.user.theme ?? 'system') : 'system'
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
</head>
!${'session' in visit ? framed(visit, page) : plain(visit, page)}
</html>
`
}

/** For people who have not signed in: one column. */
function plain(visit: PageRequest, page: PageResponse & { kind: 'page' }): string {
  const { texts } = visit
  return html`<body class="plain">
<main id="content">
<p class="brand"><img src="panel/icon.svg" alt="" width="32" height="32"> Tenantdesk</p>
!${said(visit)}
<h1>!${page.heading ?? html`${page.title}`}</h1>
!${page.body}
</main>
<footer><a href="docs">${texts.frame.reference}</a></footer>
</body>`
}

function framed(visit: SignedInRequest, page: PageResponse & { kind: 'page' }): string {
  const { texts } = visit
  return html`<body>
<a class="skip" href="#content">${texts.frame.skip}</a>
<header class="bar">
<a class="brand" href="./"><img src="panel/icon.svg" alt="" width="28" height="28"> Tenantdesk</a>
<details class="menu"><summary>${texts.frame.menu}</summary>!${navigation(visit)}</details>
</header>
<div class="side">!${navigation(visit)}</div>
<main id="content" tabindex="-1">
!${said(visit)}
<h1>!${page.heading ?? html`${page.title}`}</h1>
!${page.body}
</main>
</body>`
}

/** The sentence about a form that was carried out. */
function said({ query, texts }: PageRequest): string {
  const name = query.get('said') ?? ''
  if (!Object.hasOwn(texts.said, name)) return ''
  return html`<p class="said" role="status">${(texts.said as Record<string, string>)[name]}</p>`
}

type Entry = { to: string; label: string; isHere: boolean }

function navigation(visit: SignedInRequest): string {
  const { texts, session } = visit
  if (lacksSecondFactor(visit))
    return html`<nav aria-label="${texts.frame.navigation}"><ul class="own">!${signOut(visit)}</ul></nav>`
  const slug = visit.query.get('tenant') ?? session.user.tenant_slug
  const isManager = session.user.role === 'manager'
  const head =
    isManager || !slug
      ? ''
      : html`<p class="place"><small>${texts.frame.tenant}</small> <a href="tenants.php">${texts.frame.changeTenant}</a> <b>${slug}</b></p>`
  return html`<nav aria-label="${texts.frame.navigation}">
!${isManager ? '' : list(texts.frame.installation, installationEntries(visit))}
!${slug ? head + list(texts.frame.tenant, tenantEntries(visit, slug), isManager ? '' : 'of-tenant') : ''}
<ul class="own">
!${entry({ to: 'profile.php', label: session.user.email, isHere: visit.path === 'profile.php' })}
<li><a href="docs">${texts.frame.reference}</a></li>
!${signOut(visit)}
</ul>
</nav>`
}

function signOut({ texts, formToken }: SignedInRequest): string {
  return html`<li><form method="post" action="logout.php"><input type="hidden" name="form_token" value="${formToken}"><button class="link">${texts.frame.signOut}</button></form></li>`
}

function installationEntries(visit: SignedInRequest): Entry[] {
  const { frame } = visit.texts
  const isHere = (path: string) => visit.path === path && !visit.query.has('tenant')
  return [
    { to: './', label: frame.dashboard, isHere: isHere('') },
    { to: 'tenants.php', label: frame.tenants, isHere: isHere('tenants.php') },
    { to: 'users.php', label: frame.users, isHere: isHere('users.php') },
    { to: 'events.php', label: frame.events, isHere: isHere('events.php') },
  ]
}

/** An administrator's addresses name the tenant; a manager has but one. */
function tenantEntries(visit: SignedInRequest, slug: string): Entry[] {
  const { texts, session, query, path, parts } = visit
  const tenant = session.user.role === 'manager' ? undefined : slug
  const records = parts.resources.map(({ name }) => ({
    to: pageUrl('records.php', { tenant, resource: name }),
    label: resourceLabel(texts, name).many,
    isHere: path === 'records.php' && (query.get('resource') ?? parts.resources[0]!.name) === name,
  }))
  const others = {
    '': texts.frame.dashboard,
    'api_keys.php': texts.frame.apiKeys,
    'activity.php': texts.frame.activity,
  }
  const [dashboard, ...rest] = Object.entries(others).map(([to, label]) => {
    return { to: pageUrl(to, { tenant }), label, isHere: path === to && (query.get('tenant') ?? undefined) === tenant }
  })
  return [dashboard!, ...records, ...rest]
}

function list(label: string, entries: Entry[], name = ''): string {
  return html`<ul aria-label="${label}"!${name && html` class="${name}"`}>!${entries.map(entry).join('')}</ul>`
}

function entry({ to, label, isHere }: Entry): string {
  return html`<li><a href="${to}"!${isHere ? ' aria-current="page"' : ''}>${label}</a></li>`
}

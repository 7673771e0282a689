// /setup.php: what a one-time link leads to. The first administrator's account, or a password for an account that was made.

import { html } from 'ghtml'
import { findLink, type Link, recordRefusedLink, usePasswordLink, useSetupLink } from '../tenancy/links.ts'
import { startSession } from '../tenancy/sign-in.ts'
import type { User } from '../tenancy/users.ts'
import { makeDemo } from './demo.ts'
import { complaint, form, sentenceOf, textField } from './forms.ts'
import { type Answer, address, leadTo, type Visit } from './visit.ts'

export async function showSetup(visit: Visit): Promise<Answer> {
  const link = await linkOf(visit)
  return link ? setupPage(visit, link) : refuseLink(visit)
}

export async function submitSetup(visit: Visit): Promise<Answer> {
  const link = await linkOf(visit)
  if (!link) return refuseLink(visit)
  try {
    const user = await useLink(visit, link)
    if (user.has_second_factor) return leadTo('login.php')
    const session = await startSession(visit.parts.catalog, user.id, visit.origin)
    const wantsDemo = link.purpose === 'setup' && visit.form.has('demo')
    const to = wantsDemo ? address('', { tenant: await makeDemo(visit.parts, user) }) : './'
    return { kind: 'redirect', to, session }
  } catch (error) {
    return setupPage(visit, link, sentenceOf(visit.texts, error))
  }
}

function linkOf({ parts, query }: Visit): Promise<Link | undefined> {
  return findLink(parts.catalog, query.get('token') ?? '', parts.now())
}

function useLink({ parts, query, form, origin }: Visit, link: Link): Promise<User> {
  const [token, password] = [query.get('token') ?? '', form.get('password') ?? '']
  if (link.purpose === 'password') return usePasswordLink(parts.catalog, token, password, origin)
  return useSetupLink(parts.catalog, token, { email: form.get('email') ?? '', password }, origin)
}

function setupPage(visit: Visit, link: Link, sentence?: string): Answer {
  const { texts, query, form: sent } = visit
  const isFirst = link.purpose === 'setup'
  const email = isFirst
    ? textField({
        name: 'email',
        label: texts.email,
        type: 'email',
        value: sent.get('email') ?? '',
        autocomplete: 'username',
      })
    : html`<input type="hidden" name="username" value="${link.user.email}" autocomplete="username">`
  const demo = isFirst
    ? html`<div class="field check"><input type="checkbox" id="demo" name="demo" value="1"><label for="demo">${texts.setup.demo}</label></div>`
    : ''
  const fields = html`!${email}!${textField({ name: 'password', label: texts.newPassword, type: 'password', hint: texts.passwordHint, autocomplete: 'new-password' })}!${demo}
<p class="actions"><button class="main">${isFirst ? texts.setup.submit : texts.setup.passwordSubmit}</button></p>`
  const intro = isFirst ? texts.setup.intro : texts.setup.passwordIntro(link.user.email)
  const action = address('setup.php', { token: query.get('token') })
  return {
    kind: 'page',
    title: isFirst ? texts.setup.title : texts.setup.passwordTitle,
    body: html`<p>${intro}</p>!${complaint(sentence)}!${form(visit, action, fields)}`,
    status: sentence === undefined ? 200 : 422,
  }
}

async function refuseLink({ texts, parts, origin }: Visit): Promise<Answer> {
  await recordRefusedLink(parts.catalog, origin)
  const body = html`<p class="lead">${texts.setup.expired}</p><p>${texts.setup.expiredHelp}</p><p><a href="./">${texts.frame.home}</a></p>`
  return { kind: 'page', title: texts.refusalTitles.refused, body, status: 410 }
}

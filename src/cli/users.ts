import { type Config, publicOrigin } from '../config.ts'
import { listKeysMadeBy } from '../tenancy/key-makers.ts'
import { createPasswordLink, linkAddress } from '../tenancy/links.ts'
import { turnOffSecondFactor } from '../tenancy/second-factor.ts'
import { createUser, deleteUser, listUsers, type Role, requireUserAt } from '../tenancy/users.ts'
import type { Run } from './commands.ts'
import { commandLine, table, withCatalog } from './rooms.ts'

export const createPerson: Run = async ({ values, options }, config, terminal) => {
  const wish = { email: values[0]!, role: options.role as Role, slug: options.tenant as string | undefined }
  const { user, token } = await withCatalog(config, (catalog) => createUser(catalog, wish, commandLine()))
  const where = user.tenant_slug ? ` of tenant ${user.tenant_slug}` : ''
  terminal.out(linkOf(config, token))
  terminal.say(`User ${user.email} is ${user.role}${where} once they choose a password at this link. ${linkRules}`)
}

export const listPeople: Run = async ({ options }, config, terminal) => {
  const users = await withCatalog(config, listUsers)
  if (options.json) return terminal.out(JSON.stringify(users))
  if (users.length === 0)
    return terminal.say('There is no user yet: npx tenantdesk user create <email> --role administrator')
  const lines = users.map((each) => [
    ...[each.email, each.role, each.tenant_slug ?? '', each.state],
    ...[each.has_second_factor ? 'second factor' : '', each.last_signed_in_at ?? ''],
  ])
  terminal.out(table(lines))
}

/** For someone who cannot sign in any more. The password they have stays until they choose another. */
export const resetPerson: Run = async ({ values, options }, config, terminal) => {
  const { user, token } = await withCatalog(config, async (catalog) => {
    const user = await requireUserAt(catalog, values[0]!)
    if (options['second-factor']) await turnOffSecondFactor(catalog, user.id, commandLine())
    return { user, token: await createPasswordLink(catalog, user.id, commandLine()) }
  })
  const off = options['second-factor'] ? ' Their second factor is off.' : ''
  terminal.out(linkOf(config, token))
  terminal.say(
    `User ${user.email} can choose a new password at this link. Their sessions have ended.${off} ${linkRules}`,
  )
}

export const deletePerson: Run = async ({ values }, config, terminal) => {
  const { user, keys } = await withCatalog(config, async (catalog) => {
    const user = await requireUserAt(catalog, values[0]!)
    await deleteUser(catalog, user.id, commandLine())
    return { user, keys: await listKeysMadeBy(catalog, user.id, new Date()) }
  })
  terminal.say(`User ${user.email} is deleted; whoever was signed in with it is signed out.`)
  for (const { id, name, tenant_slug } of keys) {
    terminal.say(`Their key ${id} (${name}) of tenant ${tenant_slug} still works: npx tenantdesk key revoke ${id}`)
  }
}

const linkRules = 'It works once, within 24 hours; whoever has it gets in, so send it with care.'

function linkOf(config: Config, token: string): string {
  return linkAddress(publicOrigin(config), token)
}

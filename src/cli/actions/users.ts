import { listApiKeysCreatedBy } from '../../access/api-key-creators.ts'
import { makeAdministrator, removeFromTenant, renameUser, setTenantRole } from '../../accounts/edit-user.ts'
import { readTenantRole } from '../../accounts/memberships.ts'
import { createPasswordLink, linkAddress } from '../../accounts/one-time-links/one-time-links.ts'
import { turnOffSecondFactor } from '../../accounts/sign-in/two-factor.ts'
import { createUser, deleteUser, listUsers, requireUserAt, type User } from '../../accounts/users.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Role } from '../../catalog/roles.ts'
import { findServiceAddress } from '../../catalog/tables/service-address.ts'
import { type Config, publicOrigin } from '../../config.ts'
import { programName } from '../../lib/program-name.ts'
import { UserError } from '../../lib/user-error.ts'
import { requireTenant } from '../../tenants/tenants.ts'
import type { CommandHandler } from '../command.ts'
import { cliActor, withCatalog } from '../context.ts'
import { type Columns, printList, printResult } from '../output.ts'

export const createUserCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const input = {
    email: values[0]!,
    name: options.name as string | undefined,
    role: options.role as Role,
    slugs: (options.tenant ?? []) as string[],
  }
  const { user, token, address } = await withCatalog(config, async (catalog) => {
    const address = await serviceAddress(catalog, config)
    return { ...(await createUser(catalog, input, cliActor())), address }
  })
  const link = linkAddress(address.origin, token)
  printResult(terminal, { json: options.json, result: { ...user, link }, value: link })
  terminal.stderr(
    `Invitation for ${user.email} (${describeRoles(user)}): they set their password with this link. ${linkRules}${address.warning}`,
  )
}

export const listUsersCommand: CommandHandler = async ({ options }, config, terminal) => {
  const users = await withCatalog(config, listUsers)
  if (!options.json && users.length === 0)
    return terminal.stderr(`No users yet. To create one: ${programName} user create <email> --role administrator`)
  printList(terminal, { json: options.json, rows: users, columns: userColumns })
}

/** Returns text such as `administrator`, or `manager of tenant acme, viewer of tenant beta`. */
function describeRoles({ role, roles }: User): string {
  return roles.map(({ role, tenant_slug }) => `${role} of tenant ${tenant_slug}`).join(', ') || role
}

/** For a user with several tenants, the ROLE column shows only the highest role; `user list --json` prints all
 *  roles. */
const userColumns: Columns<User> = {
  EMAIL: ({ email }) => email,
  ROLE: ({ role }) => role,
  TENANT: ({ roles }) => roles.map(({ tenant_slug }) => tenant_slug).join(', ') || null,
  STATE: ({ state }) => state,
  'SECOND FACTOR': ({ has_second_factor }) => (has_second_factor ? 'second factor' : ''),
  'LAST SIGNED IN': ({ last_signed_in_at }) => last_signed_in_at,
  NAME: ({ name }) => name,
}

/** Before changing anything, checks that the options can be combined and that the tenants exist. */
export const setUserCommand: CommandHandler = async ({ values, options, settings }, config, terminal, application) => {
  const [name, given] = [options.name as string | undefined, options.role as string | undefined]
  const [added, removed] = [options.tenant ?? [], options['remove-tenant'] ?? []] as [string[], string[]]
  if (given === 'administrator') return promoteUser({ values, options, settings }, config, terminal, application)
  if ((given === undefined) !== (added.length === 0))
    throw new UserError('--role and --tenant must be used together: they set the role of the user in each tenant.')
  if (name === undefined && added.length === 0 && removed.length === 0)
    throw new UserError('Specify what to change: --name, --role with --tenant, or --remove-tenant.')
  const role = given === undefined ? undefined : readTenantRole(given)
  let token: string | null = null
  const { user, address } = await withCatalog(config, async (catalog) => {
    const { id } = await requireUserAt(catalog, values[0]!)
    for (const slug of [...added, ...removed]) await requireTenant(catalog, slug)
    if (name !== undefined) await renameUser(catalog, id, name, cliActor())
    for (const slug of added) token = (await setTenantRole(catalog, id, { slug, role: role! }, cliActor())) ?? token
    for (const slug of removed) await removeFromTenant(catalog, id, { slug, onLast: 'refuse' }, cliActor())
    const address = await serviceAddress(catalog, config)
    return { user: await requireUserAt(catalog, values[0]!), address }
  })
  const link = token === null ? undefined : linkAddress(address.origin, token)
  printResult(terminal, { json: options.json, result: { ...user, ...(link && { link }) }, value: link })
  terminal.stderr(`User ${user.email}${user.name ? ` (${user.name})` : ''} is ${describeRoles(user)}.`)
  if (link) terminal.stderr(`${newPasswordNotice} ${linkRules}${address.warning}`)
}

/** Creates a password link for a user who cannot sign in. The current password works until the user sets a new one. */
export const resetUserCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const { user, token, address } = await withCatalog(config, async (catalog) => {
    const address = await serviceAddress(catalog, config)
    const user = await requireUserAt(catalog, values[0]!)
    if (options['second-factor']) await turnOffSecondFactor(catalog, user.id, cliActor())
    return { user, token: await createPasswordLink(catalog, user.id, cliActor()), address }
  })
  const secondFactorText = options['second-factor'] ? ' Their second factor is off.' : ''
  const link = linkAddress(address.origin, token)
  printResult(terminal, { json: options.json, result: { ...user, link }, value: link })
  terminal.stderr(
    `User ${user.email} can choose a new password at this link. Their sessions have ended.${secondFactorText} ${linkRules}${address.warning}`,
  )
}

export const deleteUserCommand: CommandHandler = async ({ values, options }, config, terminal) => {
  const { user, keys } = await withCatalog(config, async (catalog) => {
    const user = await requireUserAt(catalog, values[0]!)
    await deleteUser(catalog, user.id, cliActor())
    return { user, keys: await listApiKeysCreatedBy(catalog, user.id, new Date()) }
  })
  const { id, email } = user
  printResult(terminal, { json: options.json, result: { id, email, deleted: true, keys: keys.map((key) => key.id) } })
  terminal.stderr(`User ${user.email} is deleted, and all their sessions have ended.`)
  for (const { id, name, tenant_slug } of keys) {
    terminal.stderr(`Their key ${id} (${name}) of tenant ${tenant_slug} still works: ${programName} key revoke ${id}`)
  }
}

const promoteUser: CommandHandler = async ({ values, options }, config, terminal) => {
  if (options.tenant || options['remove-tenant'])
    throw new UserError('An administrator has access to every tenant: leave out --tenant and --remove-tenant.')
  const name = options.name as string | undefined
  const { user, token, address } = await withCatalog(config, async (catalog) => {
    const { id } = await requireUserAt(catalog, values[0]!)
    const address = await serviceAddress(catalog, config)
    if (name !== undefined) await renameUser(catalog, id, name, cliActor())
    const token = await makeAdministrator(catalog, id, cliActor())
    return { token, address, user: await requireUserAt(catalog, values[0]!) }
  })
  const link = token === null ? undefined : linkAddress(address.origin, token)
  printResult(terminal, { json: options.json, result: { ...user, ...(link && { link }) }, value: link })
  terminal.stderr(`User ${user.email} is an administrator.`)
  if (link) terminal.stderr(`${newPasswordNotice} ${linkRules}${address.warning}`)
}

const newPasswordNotice =
  'Because a tenant’s manager may have set the password of this account, it no longer works: they choose a new one with this link.'

const linkRules = 'It works once, within 24 hours, for anyone who has it: send it securely.'

/** Returns PUBLIC_URL, or else the origin that the most recently started server stored. If neither exists, uses HOST
 *  and PORT and adds a warning, because the server's settings may differ from those of this command. */
async function serviceAddress(catalog: Catalog, config: Config): Promise<{ origin: string; warning: string }> {
  const origin = config.PUBLIC_URL || (await findServiceAddress(catalog))
  if (origin) return { origin: origin, warning: '' }
  const warning = ' No server has started here yet: the link is based on HOST and PORT.'
  return { origin: publicOrigin(config), warning }
}

// Commands for users of the panel.

import { listApiKeysCreatedBy } from '../../access/api-key-creators.ts'
import { makeAdministrator, removeFromTenant, renameUser, setTenantRole } from '../../accounts/edit-user.ts'
import { readTenantRole } from '../../accounts/memberships.ts'
import { createPasswordLink, linkAddress } from '../../accounts/one-time-links/one-time-links.ts'
import { endAllSessions, listSessions, type Session } from '../../accounts/sign-in/sessions.ts'
import { turnOffSecondFactor } from '../../accounts/sign-in/two-factor.ts'
import { createUser, deleteUser, listUsers, requireUserByEmail, type User } from '../../accounts/users.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { findServiceAddress } from '../../catalog/tables/service-address.ts'
import { type Config, publicOrigin } from '../../config.ts'
import { programName } from '../../lib/program-name.ts'
import { browserName } from '../../lib/user-agent.ts'
import { UserError } from '../../lib/user-error.ts'
import { requireTenant } from '../../tenants/tenants.ts'
import { type Command, command, json, jsonArray } from '../command.ts'
import { cliActor, withCatalog } from '../context.ts'
import { printList, type TableColumns } from '../output.ts'

const email = { email: 'email address of the user' } as const

export const userCommands: readonly Command[] = [
  command({
    words: 'user create',
    help: 'Invites a user to the panel and prints a link for choosing a password.',
    arguments: email,
    options: {
      role: {
        value: 'administrator|manager|viewer',
        isRequired: true,
        help: 'administrator of the whole installation, or manager or viewer of tenants: a viewer cannot change anything or see API keys',
      },
      tenant: { value: '<slug>', isRepeatable: true, help: 'tenant of a manager or viewer; repeat it for several' },
      name: { value: 'TEXT', help: 'display name' },
      json,
    },
    examples: [
      'user create ada@example.com --role administrator',
      'user create grace@example.com --role manager --tenant acme',
      "user create alan@example.com --name 'Alan Turing' --role viewer --tenant acme --tenant beta",
    ],
    async run({ email, name, role, tenant: slugs = [] }, { config }) {
      const { user, token, address } = await withCatalog(config, async (catalog) => {
        const address = await serviceAddress(catalog, config)
        return { ...(await createUser(catalog, { email, name, role, slugs }, cliActor())), address }
      })
      const link = linkAddress(address.origin, token)
      const message = `Invitation for ${user.email} (${describeRoles(user)}): they set their password with this link. ${linkRules}${address.warning}`
      return { result: { ...user, link }, value: link, message }
    },
  }),
  /** Before changing anything, checks that the options can be combined and that the tenants exist. */
  command({
    words: 'user set',
    help: "Changes a user's name, and their roles in tenants.",
    arguments: email,
    options: {
      name: { value: 'TEXT', help: 'display name; an empty name removes it' },
      role: {
        value: 'administrator|manager|viewer',
        help: 'administrator of the whole installation; or the role in each --tenant, which replaces an earlier role',
      },
      tenant: { value: '<slug>', isRepeatable: true, help: 'tenant in which the user has the role' },
      'remove-tenant': { value: '<slug>', isRepeatable: true, help: 'tenant that the user loses access to' },
      json,
    },
    examples: [
      "user set alan@example.com --name 'Alan Turing'",
      'user set alan@example.com --role manager --tenant acme --remove-tenant beta',
      'user set grace@example.com --role administrator',
    ],
    async run({ email, name, role, tenant: added = [], 'remove-tenant': removed = [] }, { config }) {
      const isPromotion = role === 'administrator'
      if (isPromotion && added.length + removed.length > 0)
        throw new UserError('An administrator has access to every tenant: leave out --tenant and --remove-tenant.')
      if (!isPromotion && (role === undefined) !== (added.length === 0))
        throw new UserError('--role and --tenant must be used together: they set the role of the user in each tenant.')
      if (name === undefined && role === undefined && removed.length === 0)
        throw new UserError('Specify what to change: --name, --role with --tenant, or --remove-tenant.')
      const tenantRole = isPromotion || role === undefined ? undefined : readTenantRole(role)
      const { user, token, address } = await withCatalog(config, async (catalog) => {
        const { id } = await requireUserByEmail(catalog, email)
        for (const slug of [...added, ...removed]) await requireTenant(catalog, slug)
        const address = await serviceAddress(catalog, config)
        if (name !== undefined) await renameUser(catalog, id, name, cliActor())
        let token = isPromotion ? await makeAdministrator(catalog, id, cliActor()) : null
        if (tenantRole)
          for (const slug of added)
            token = (await setTenantRole(catalog, id, { slug, role: tenantRole }, cliActor())) ?? token
        for (const slug of removed) await removeFromTenant(catalog, id, { slug, onLast: 'refuse' }, cliActor())
        return { user: await requireUserByEmail(catalog, email), token, address }
      })
      const link = token === null ? undefined : linkAddress(address.origin, token)
      const nameText = user.name ? ` (${user.name})` : ''
      const messages = [
        isPromotion
          ? `User ${user.email} is an administrator.`
          : `User ${user.email}${nameText} is ${describeRoles(user)}.`,
        ...(link ? [`${newPasswordNotice} ${linkRules}${address.warning}`] : []),
      ]
      return { result: { ...user, ...(link && { link }) }, value: link, message: messages.join('\n') }
    },
  }),
  command({
    words: 'user list',
    help: 'Lists all users.',
    options: { json: jsonArray },
    examples: ['user list'],
    async run({ json }, { config, terminal }) {
      const users = await withCatalog(config, listUsers)
      const advice = `No users yet. To create one: ${programName} user create <email> --role administrator`
      printList(terminal, { json, rows: users, columns: userColumns, advice })
    },
  }),
  command({
    words: 'user sessions',
    help: "Ends all of a user's sessions. Their password does not change.",
    arguments: email,
    options: { end: { isRequired: true, help: 'ends the sessions' }, json },
    onlyWith: '--end',
    examples: ['user sessions ada@example.com --end'],
    async run({ email }, { config }) {
      const user = await withCatalog(config, async (catalog) => {
        const user = await requireUserByEmail(catalog, email)
        await endAllSessions(catalog, user.id, cliActor())
        return user
      })
      const result = { id: user.id, email: user.email, sessions_ended: true }
      const message = `All sessions of user ${user.email} have ended. To replace their password too: ${programName} user reset ${user.email}`
      return { result, message }
    },
  }),
  command({
    words: 'user sessions',
    help: "Lists a user's sessions, most recently used first.",
    arguments: email,
    options: { json: jsonArray },
    examples: ['user sessions ada@example.com'],
    async run({ email, json }, { config, terminal }) {
      const { user, sessions } = await withCatalog(config, async (catalog) => {
        const user = await requireUserByEmail(catalog, email)
        return { user, sessions: await listSessions(catalog, user.id, new Date()) }
      })
      const rows = sessions.map(({ user: _user, ...session }) => session)
      printList(terminal, { json, rows, columns: sessionColumns, advice: `User ${user.email} has no sessions.` })
    },
  }),
  /** Creates a password link for a user who cannot sign in. The current password works until the user sets a new one. */
  command({
    words: 'user reset',
    help: "Ends a user's sessions and prints a link for choosing a new password.",
    arguments: email,
    options: { 'second-factor': { help: 'also turn off two-factor authentication' }, json },
    examples: ['user reset ada@example.com', 'user reset ada@example.com --second-factor'],
    async run({ email, 'second-factor': secondFactor }, { config }) {
      const { user, token, address } = await withCatalog(config, async (catalog) => {
        const address = await serviceAddress(catalog, config)
        const user = await requireUserByEmail(catalog, email)
        if (secondFactor) await turnOffSecondFactor(catalog, user.id, cliActor())
        return { user, token: await createPasswordLink(catalog, user.id, cliActor()), address }
      })
      const secondFactorText = secondFactor ? ' Their second factor is off.' : ''
      const link = linkAddress(address.origin, token)
      const message = `User ${user.email} can choose a new password at this link. Their sessions have ended.${secondFactorText} ${linkRules}${address.warning}`
      return { result: { ...user, link }, value: link, message }
    },
  }),
  command({
    words: 'user delete',
    help: 'Deletes a user and ends their sessions. The API keys that they created keep working.',
    arguments: email,
    options: { json },
    examples: ['user delete ada@example.com'],
    async run({ email }, { config }) {
      const { user, keys } = await withCatalog(config, async (catalog) => {
        const user = await requireUserByEmail(catalog, email)
        await deleteUser(catalog, user.id, cliActor())
        return { user, keys: await listApiKeysCreatedBy(catalog, user.id, new Date()) }
      })
      const messages = [
        `User ${user.email} is deleted, and all their sessions have ended.`,
        ...keys.map(
          ({ id, name, tenant_slug }) =>
            `Their key ${id} (${name}) of tenant ${tenant_slug} still works: ${programName} key revoke ${id}`,
        ),
      ]
      const result = { id: user.id, email: user.email, deleted: true, keys: keys.map(({ id }) => id) }
      return { result, message: messages.join('\n') }
    },
  }),
]

/** Returns text such as `administrator`, or `manager of tenant acme, viewer of tenant beta`. */
function describeRoles({ role, roles }: User): string {
  return roles.map(({ role, tenant_slug }) => `${role} of tenant ${tenant_slug}`).join(', ') || role
}

/** For a user with several tenants, the ROLE column shows only the highest role; `user list --json` prints all
 *  roles. */
const userColumns: TableColumns<User> = {
  EMAIL: ({ email }) => email,
  ROLE: ({ role }) => role,
  TENANT: ({ roles }) => roles.map(({ tenant_slug }) => tenant_slug).join(', ') || null,
  STATE: ({ state }) => state,
  'SECOND FACTOR': ({ has_second_factor }) => (has_second_factor ? 'second factor' : ''),
  'LAST SIGNED IN': ({ last_signed_in_at }) => last_signed_in_at,
  NAME: ({ name }) => name,
}

const sessionColumns: TableColumns<Omit<Session, 'user'>> = {
  'SIGNED IN': ({ created_at }) => created_at,
  'LAST USED': ({ last_seen_at }) => last_seen_at,
  ADDRESS: ({ address }) => address,
  BROWSER: ({ agent }) => browserName(agent ?? ''),
}

const newPasswordNotice =
  'Because a tenant’s manager may have set the password of this account, it no longer works: they choose a new one with this link.'

const linkRules = 'It works once, within 24 hours, for anyone who has it: send it securely.'

/** Returns PUBLIC_URL, or else the origin that the most recently started server stored. If neither exists, uses HOST
 *  and PORT and adds a warning, because the server's settings may differ from those of this command. */
async function serviceAddress(catalog: Catalog, config: Config): Promise<{ origin: string; warning: string }> {
  const origin = config.PUBLIC_URL || (await findServiceAddress(catalog))
  if (origin) return { origin, warning: '' }
  const warning = ' No server has started here yet: the link is based on HOST and PORT.'
  return { origin: publicOrigin(config), warning }
}

// Users: administrators of the whole installation, and members of one or more tenants, with a role in each.

import { type AuditActor, sanitizeText, writeEvent } from '../catalog/audit/audit-log.ts'
import { type Catalog, keepsCachedKeys } from '../catalog/catalog.ts'
import { isId, newId } from '../catalog/ids.ts'
import type { Role, TenantRole } from '../catalog/roles.ts'
import { emailPattern } from '../domain/fields/field-values.ts'
import type { Database } from '../engine/database/database.ts'
import { cleanText, isOneLine } from '../lib/text.ts'
import { UserError } from '../lib/user-error.ts'
import { type Membership, putMembership, readMemberships, readTenantRole, requireTenantId } from './memberships.ts'
import { insertPasswordLink } from './one-time-links/one-time-link-table.ts'

export type User = {
  id: string
  email: string
  name: string | null
  /** For a user with several tenants, the role with the most permissions. */
  role: Role
  /** Null for administrators, and for users with several tenants. */
  tenant_id: string | null
  tenant_slug: string | null
  /** Empty for administrators. */
  roles: Membership[]
  /** `invited`: the user has not chosen a password yet. */
  state: 'invited' | 'active'
  has_second_factor: boolean
  language: string | null
  theme: string | null
  created_at: string
  last_signed_in_at: string | null
}

export type UserRow = Omit<User, 'role' | 'tenant_id' | 'tenant_slug' | 'roles' | 'has_second_factor'> & {
  role: 'administrator' | 'member'
  has_second_factor: number | boolean
}

/** The columns that `toUsers` needs, for queries that select from `users u`. */
export const userColumns = `u.id, u.email, u.name, u.role, u.state,
  u.encrypted_totp_secret is not null as has_second_factor, u.language, u.theme, u.created_at, u.last_signed_in_at`

/** `slugs`: the tenants in which the user has the role; none for an administrator. */
export type NewUser = { email: string; name?: string | undefined; role: string; slugs?: readonly string[] }

/** Creates an invited user. `token`: the token in the link for choosing a password. Throws UserError. */
export async function createUser(
  catalog: Catalog,
  input: NewUser,
  actor: AuditActor,
): Promise<{ user: User; token: string }> {
  const email = readEmail(input.email)
  const name = readUserName(input.name ?? '')
  const slugs = [...new Set(input.slugs ?? [])]
  const role = input.role === 'administrator' ? null : readTenantRole(input.role)
  if (role !== null && slugs.length === 0) throw new UserError(`A ${role} needs a tenant: pass --tenant.`)
  if (role === null && slugs.length > 0)
    throw new UserError('An administrator has access to every tenant: omit --tenant.')
  const id = newId()
  const token = await catalog.transaction(async (database) => {
    const memberships: NewMembership[] = []
    if (role !== null)
      for (const slug of slugs) memberships.push({ tenantId: await requireTenantId(database, slug), role })
    await insertUser(database, { id, email, name, memberships, password: null }, actor)
    return insertPasswordLink(database, id, actor)
  }, keepsCachedKeys)
  return { user: await requireUser(catalog, id), token }
}

export async function listUsers(catalog: Catalog): Promise<User[]> {
  return selectUsers(catalog, '', [])
}

/** Lists the users who have a role in a tenant. Also lists all administrators if `includesAdministrators` is true. */
export async function listUsersOfTenant(
  catalog: Catalog,
  { tenantId, includesAdministrators }: { tenantId: string; includesAdministrators: boolean },
): Promise<User[]> {
  const orAdministrator = includesAdministrators ? `or u.role = 'administrator'` : ''
  const members = 'select user_id from memberships where tenant_id = ?'
  return selectUsers(catalog, `where u.id in (${members}) ${orAdministrator}`, [tenantId])
}

export async function hasUsers(catalog: Catalog): Promise<boolean> {
  return (await catalog.database.get('select 1 as found from users limit 1')) !== undefined
}

export async function listAdministratorIds(catalog: Catalog): Promise<string[]> {
  const rows = await catalog.database.all<{ id: string }>(`select id from users where role = 'administrator'`)
  return rows.map(({ id }) => id)
}

/** Returns the users with these ids. Deleted users are omitted. */
export async function findUsers(catalog: Catalog, ids: string[]): Promise<User[]> {
  if (ids.length === 0) return []
  return selectUsers(catalog, `where u.id in (${ids.map(() => '?').join(', ')})`, ids)
}

export async function findUser(catalog: Catalog, id: string): Promise<User | undefined> {
  if (!isId(id)) return undefined
  const [user] = await selectUsers(catalog, 'where u.id = ?', [id])
  return user
}

async function selectUsers(catalog: Catalog, where: string, values: string[]): Promise<User[]> {
  const sql = `select ${userColumns} from users u ${where} order by u.email`
  return toUsers(catalog.database, await catalog.database.all<UserRow>(sql, values))
}

/** Throws UserError. */
export async function requireUser(catalog: Catalog, id: string): Promise<User> {
  const user = await findUser(catalog, id)
  if (!user) throw new UserError(unknownUser, 'user_missing')
  return user
}

/** Finds a user by an email address that someone typed. Throws UserError. */
export async function requireUserByEmail(catalog: Catalog, email: string): Promise<User> {
  const row = await catalog.database.get<{ id: string }>('select id from users where email = ?', [
    normalizeEmail(email),
  ])
  if (!row) throw new UserError(`There is no user ${JSON.stringify(email)}.`)
  return requireUser(catalog, row.id)
}

/** Deletes a user and all of the user's sessions and links. The last active administrator cannot be deleted. Throws
 *  UserError. */
export async function deleteUser(catalog: Catalog, id: string, actor: AuditActor): Promise<void> {
  if (!isId(id)) throw new UserError(unknownUser, 'user_missing')
  await catalog.transaction(async (database) => {
    const user = await database.get('select role, state from users where id = ?', [id])
    if (!user) throw new UserError(unknownUser, 'user_missing')
    const otherAdministrators = `select 1 as found from users where role = 'administrator' and state = 'active' and id <> ?`
    const isLastAdministrator =
      user.role === 'administrator' && user.state === 'active' && !(await database.get(otherAdministrators, [id]))
    if (isLastAdministrator) throw new UserError('The last administrator cannot be deleted.', 'last_administrator')
    await writeEvent(database, 'user_deleted', actor, { userId: id, detail: { role: user.role } })
    await database.run('delete from users where id = ?', [id])
  }, keepsCachedKeys)
}

/** Omitted preferences stay unchanged; null restores the browser's default. */
export async function setPreferences(
  catalog: Catalog,
  id: string,
  input: { language?: string | null; theme?: string | null },
): Promise<void> {
  await catalog.transaction(async (database) => {
    if (input.language !== undefined)
      await database.run('update users set language = ? where id = ?', [input.language, id])
    if (input.theme !== undefined) await database.run('update users set theme = ? where id = ?', [input.theme, id])
  }, keepsCachedKeys)
}

/** Whether there is an active administrator; an invited one cannot sign in yet. */
export async function hasAdministrator(database: Pick<Database, 'get'>): Promise<boolean> {
  const sql = `select 1 as found from users where role = 'administrator' and state = 'active' limit 1`
  return (await database.get(sql)) !== undefined
}

type NewMembership = { tenantId: string; role: TenantRole }

/** Inserts a user. A user without a password is invited, and a user without memberships is an administrator. Throws
 *  UserError. */
export async function insertUser(
  database: Database,
  input: { id: string; email: string; name?: string | null; memberships: NewMembership[]; password: string | null },
  actor: AuditActor,
): Promise<void> {
  const { id, email, name = null, memberships, password } = input
  if (await database.get('select 1 as found from users where email = ?', [email])) {
    throw new UserError(`There is already a user ${email}.`, 'email_taken')
  }
  const storedRole = memberships.length === 0 ? 'administrator' : 'member'
  await database.run(
    'insert into users (id, email, name, role, state, password, created_at) values (?, ?, ?, ?, ?, ?, ?)',
    [id, email, name, storedRole, password === null ? 'invited' : 'active', password, actor.now.toISOString()],
  )
  for (const membership of memberships) await putMembership(database, { userId: id, ...membership })
  await writeEvent(database, 'user_created', actor, {
    userId: id,
    detail: { role: memberships[0]?.role ?? storedRole },
  })
}

/** Converts rows with `userColumns` to users, and reads their roles. */
export async function toUsers(database: Pick<Database, 'all'>, rows: readonly UserRow[]): Promise<User[]> {
  const members = rows.filter(({ role }) => role !== 'administrator').map(({ id }) => id)
  const memberships = await readMemberships(database, members)
  return rows.map((row) => toUser(row, memberships.get(row.id) ?? []))
}

function toUser(row: UserRow, roles: Membership[]): User {
  const onlyRole = roles.length === 1 ? roles[0] : undefined
  return {
    ...row,
    role: row.role === 'administrator' ? 'administrator' : highestRole(roles),
    tenant_id: onlyRole?.tenant_id ?? null,
    tenant_slug: onlyRole?.tenant_slug ?? null,
    roles,
    has_second_factor: Boolean(row.has_second_factor),
  }
}

function highestRole(roles: Membership[]): TenantRole {
  return roles.some(({ role }) => role === 'manager') ? 'manager' : 'viewer'
}

/** Validates a display name: one line of at most 100 characters; null if it is empty. Throws UserError. */
export function readUserName(text: string): string | null {
  const name = cleanText(text)
  if ([...name].length > 100 || !isOneLine(name) || !name.isWellFormed())
    throw new UserError('A name is one line of at most 100 characters.', 'name_wrong')
  return name || null
}

/** Returns the name that others see: the email address if the user has no name. */
export function displayName({ name, email }: Pick<User, 'name' | 'email'>): string {
  return name ?? email
}

export const unknownUser = 'There is no such user.'

/** Validates an email address and returns its stored form. Throws UserError. */
export function readEmail(text: string): string {
  const email = normalizeEmail(text)
  if (email.length > 190 || !emailPattern.test(email))
    throw new UserError(`${JSON.stringify(text)} is not an email address.`, 'email_invalid')
  return email
}

/** Returns the lower-case form used in queries. Truncates the input and replaces characters that a query cannot
 *  contain. */
export function normalizeEmail(text: string): string {
  return sanitizeText(text, 1000)!.trim().toLowerCase()
}

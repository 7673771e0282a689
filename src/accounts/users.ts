// Users: administrators of the whole installation, and managers of one tenant.

import { type AuditActor, writeEvent } from '../catalog/audit-log.ts'
import { type Catalog, keepsKeys, transitionalStates } from '../catalog/catalog.ts'
import { isId, isSlug, newId } from '../catalog/ids.ts'
import type { Role } from '../catalog/roles.ts'
import type { Database, Row } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import { normalizeEmail, readEmail } from './email-address.ts'
import { insertPasswordLink } from './one-time-link-table.ts'

export type User = {
  id: string
  email: string
  role: Role
  tenant_id: string | null
  tenant_slug: string | null
  /** Invited: the user has not chosen a password yet. */
  state: 'invited' | 'active'
  has_second_factor: boolean
  language: string | null
  theme: string | null
  created_at: string
  last_signed_in_at: string | null
}

/** The columns of a user; requires `users u left join tenants t`. */
export const userColumns = `u.id, u.email, u.role, u.tenant_id, t.slug as tenant_slug, u.state,
  u.encrypted_totp_secret is not null as has_second_factor, u.language, u.theme, u.created_at, u.last_signed_in_at`

/** Creates an invited user. Returns the token of the link at which the user chooses a password. Throws UserError. */
export async function createUser(
  catalog: Catalog,
  input: { email: string; role: Role; slug?: string },
  actor: AuditActor,
): Promise<{ user: User; token: string }> {
  const email = readEmail(input.email)
  if (input.role !== 'administrator' && input.role !== 'manager') {
    throw new UserError(`There is no role ${JSON.stringify(input.role)}; roles are administrator, manager.`)
  }
  if (input.role === 'manager' && !input.slug) throw new UserError('A manager needs a tenant: pass --tenant.')
  if (input.role === 'administrator' && input.slug)
    throw new UserError('An administrator has access to every tenant: omit --tenant.')
  const id = newId()
  const token = await catalog.transaction(async (database) => {
    const tenantId = input.slug ? await requireTenantId(database, input.slug) : null
    await insertUser(database, { id, email, role: input.role, tenantId, password: null }, actor)
    return insertPasswordLink(database, id, actor)
  }, keepsKeys)
  return { user: await requireUser(catalog, id), token }
}

export async function listUsers(catalog: Catalog): Promise<User[]> {
  return selectUsers(catalog, '', [])
}

/** Lists the managers of a tenant. With `withAdministrators`, also all administrators. */
export async function listUsersOfTenant(
  catalog: Catalog,
  { tenantId, withAdministrators }: { tenantId: string; withAdministrators: boolean },
): Promise<User[]> {
  const orAdministrator = withAdministrators ? `or u.role = 'administrator'` : ''
  return selectUsers(catalog, `where u.tenant_id = ? ${orAdministrator}`, [tenantId])
}

export async function listAdministratorIds(catalog: Catalog): Promise<string[]> {
  const rows = await catalog.database.all(`select id from users where role = 'administrator'`)
  return rows.map(({ id }) => id as string)
}

/** Returns those of the users that still exist. */
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
  const rows = await catalog.database.all(
    `select ${userColumns} from users u left join tenants t on t.id = u.tenant_id ${where} order by u.email`,
    values,
  )
  return rows.map(toUser)
}

export async function requireUser(catalog: Catalog, id: string): Promise<User> {
  const user = await findUser(catalog, id)
  if (!user) throw new UserError(unknownUser, 'user_missing')
  return user
}

/** Finds a user by an email address as typed. Throws UserError. */
export async function requireUserAt(catalog: Catalog, email: string): Promise<User> {
  const row = await catalog.database.get('select id from users where email = ?', [normalizeEmail(email)])
  if (!row) throw new UserError(`There is no user ${JSON.stringify(email)}.`)
  return requireUser(catalog, row.id as string)
}

/** Deletes a user with all sessions and links. The last administrator cannot be deleted. Throws UserError. */
export async function deleteUser(catalog: Catalog, id: string, actor: AuditActor): Promise<void> {
  if (!isId(id)) throw new UserError(unknownUser, 'user_missing')
  await catalog.transaction(async (database) => {
    const user = await database.get('select role, state from users where id = ?', [id])
    if (!user) throw new UserError(unknownUser)
    const others = `select 1 as found from users where role = 'administrator' and state = 'active' and id <> ?`
    const isNeeded = user.role === 'administrator' && user.state === 'active' && !(await database.get(others, [id]))
    if (isNeeded) throw new UserError('The last administrator cannot be deleted.', 'last_administrator')
    await writeEvent(database, 'user_deleted', actor, { userId: id, detail: { role: user.role } })
    await database.run('delete from users where id = ?', [id])
  }, keepsKeys)
}

/** Omitted preferences stay unchanged; null restores the default of the browser. */
export async function setPreferences(
  catalog: Catalog,
  id: string,
  input: { language?: string | null; theme?: string | null },
): Promise<void> {
  await catalog.transaction(async (database) => {
    if (input.language !== undefined)
      await database.run('update users set language = ? where id = ?', [input.language, id])
    if (input.theme !== undefined) await database.run('update users set theme = ? where id = ?', [input.theme, id])
  }, keepsKeys)
}

/** Whether there is an active administrator; an invited one cannot sign in yet. */
export async function hasAdministrator(catalog: Catalog): Promise<boolean> {
  return isAdministrated(catalog.database)
}

export async function isAdministrated(database: Pick<Database, 'get'>): Promise<boolean> {
  const sql = `select 1 as found from users where role = 'administrator' and state = 'active' limit 1`
  return (await database.get(sql)) !== undefined
}

/** Inserts a user, who is active if there is a password. Throws UserError. */
export async function insertUser(
  database: Database,
  input: { id: string; email: string; role: Role; tenantId: string | null; password: string | null },
  actor: AuditActor,
): Promise<void> {
  const { id, email, role, tenantId, password } = input
  if (await database.get('select 1 as found from users where email = ?', [email])) {
    throw new UserError(`There is a user ${email} already.`, 'email_taken')
  }
  await database.run(
    'insert into users (id, email, role, tenant_id, state, password, created_at) values (?, ?, ?, ?, ?, ?, ?)',
    [id, email, role, tenantId, password === null ? 'invited' : 'active', password, actor.now.toISOString()],
  )
  await writeEvent(database, 'user_created', actor, { userId: id, detail: { role } })
}

export function toUser(row: Row): User {
  return { ...row, has_second_factor: Boolean(row.has_second_factor) } as unknown as User
}

/** Does not repeat the given text. */
export const unknownUser = 'There is no such user.'

async function requireTenantId(database: Database, slug: string): Promise<string> {
  const sql = `select id from tenants where slug = ? and state not in ${transitionalStates}`
  const row = isSlug(slug) && (await database.get(sql, [slug]))
  if (!row) throw new UserError(`There is no tenant ${slug}.`, 'tenant_missing')
  return row.id as string
}

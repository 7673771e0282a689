// Helpers for tests with users. The installation's catalog is opened twice, as if in two processes.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import { createSetupLink, usePasswordLink, useSetupLink } from '../../src/accounts/one-time-links/one-time-links.ts'
import { createUser, type User } from '../../src/accounts/users.ts'
import type { AuditActor } from '../../src/catalog/audit/audit-log.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { Role } from '../../src/catalog/roles.ts'
import { readConfig } from '../../src/config.ts'
import { resources } from '../../src/domain/declarations/all.ts'
import { UserError } from '../../src/lib/user-error.ts'
import { openDatabases } from '../../src/tenants/databases/open-databases.ts'
import { command, type Environment, engine, temporaryDirectory, withEngineUrl } from './service.ts'

export const pepper = { current: 1, secrets: new Map([[1, 'p'.repeat(32)]]) }
export const password = 'violet harbour nine lanterns'

/** A fixed time, plus `seconds`. */
export function testTime(seconds = 0): Date {
  return new Date(Date.parse('2030-05-05T08:00:00.000Z') + seconds * 1000)
}

export function actorAt(seconds = 0, address: string | null = null, by: string | null = null): AuditActor {
  return { now: testTime(seconds), by, address, agent: 'test' }
}

/** An installation with a tenant acme, opened twice. `nodes`: two catalogs that can be used at the same time. On
 *  SQLite, both are the same catalog, because one connection could block the thread that a second connection in the
 *  same process needs. */
export async function createInstallation() {
  const environment = await withEngineUrl({ DATA_DIR: temporaryDirectory() })
  await command(environment, 'tenant', 'create', 'acme')
  const [catalog, otherCatalog] = [await open(environment), await open(environment)]
  return { environment, catalog, otherCatalog, nodes: [catalog, engine === 'sqlite' ? catalog : otherCatalog] as const }
}

async function open(environment: Environment): Promise<Catalog> {
  const databases = await openDatabases(readConfig(environment), resources)
  after(() => databases.close())
  return databases.catalog
}

/** Creates a user who has set the password that these tests use. */
export async function createActiveUser(catalog: Catalog, email: string, role: Role = 'manager'): Promise<User> {
  const { token } = await createUser(
    catalog,
    { email, role, slugs: role === 'administrator' ? [] : ['acme'] },
    actorAt(),
  )
  return usePasswordLink(catalog, token, password, actorAt())
}

export async function createFirstAdministrator(catalog: Catalog): Promise<User> {
  return useSetupLink(
    catalog,
    await createSetupLink(catalog, testTime()),
    { email: 'root@example.com', password },
    actorAt(),
  )
}

/** Asserts that the call is refused with a UserError whose message is a sentence. */
export async function assertUserError(call: Promise<unknown>, message?: string): Promise<void> {
  await assert.rejects(call, (error) => error instanceof UserError && /^[A-Z"].*\.$/.test(error.message), message)
}

/** Returns the number of calls that succeed, and asserts that every other call is refused with a UserError. */
export async function countSuccesses(calls: Promise<unknown>[]): Promise<number> {
  const outcomes = await Promise.allSettled(calls)
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof UserError, `${outcome.reason}`)
  return outcomes.filter(({ status }) => status === 'fulfilled').length
}

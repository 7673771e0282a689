// Moves a tenant to another database server. The source serves requests during the copy; requests are rejected (503)
// only while the last changes are copied. During that time the source database is marked as `leaving`, so that no node
// can write to it.

import { randomUUID } from 'node:crypto'
import { type AuditActor, writeEvent } from '../../catalog/audit/audit-log.ts'
import { type Catalog, keepsCachedKeys, runStatement } from '../../catalog/catalog.ts'
import { type CopyEndpoint, catchUp, copyAll, type Progress, requireSameCounts } from '../../domain/schema/copy.ts'
import type { Database } from '../../engine/database/database.ts'
import type { TenantDatabases, TenantLocation } from '../../engine/tenant-databases.ts'
import { UserError } from '../../lib/user-error.ts'
import { isServer, requireServer, unknownServer } from '../databases/database-servers.ts'
import { claimLeftover, failureOf, type Report, removeOrDefer } from '../databases/leftover-databases.ts'
import type { Tenant, TenantDependencies } from '../tenants.ts'

/** A row of `tenant_moves`, with the tenant's slug. Before the `arrived` phase, the tenant's row names the source and the move can be undone.
 *  From then on, the tenant's row names the target and the move can only be completed. The process that knows the token
 *  owns the move until the lease ends. */
type Move = {
  tenant_id: string
  slug: string
  source: string
  target: string
  /** In `copying` the source is unchanged. An undo changes `copying` to `undoing copy`, and `leaving` to `undoing`. */
  phase: 'copying' | 'leaving' | 'arrived' | 'undoing copy' | 'undoing'
  token: string
}

/** A move whose owner has not renewed its lease for this long is finished by another process. */
const leaseTtlMs = 30_000
const renewIntervalMs = 5000

/** Before requests are blocked, the copy catches up in rounds, until a round copies at most this many changes, or at
 *  least as many as the round before. */
const maxFinalChanges = 200

/** Moves a tenant with all records, ids and history. If it throws (UserError, Unavailable, CopyError), the tenant is
 *  still on its server, unless the catalog became unreachable during the switch. In that case, the tenant may have
 *  moved. */
export async function moveTenant(
  deps: TenantDependencies,
  tenant: Tenant,
  target: string,
  actor: AuditActor,
): Promise<void> {
  const { catalog, databases } = deps
  await finishMoves(catalog, databases)
  await requireServer(catalog, target)
  await databases.probe({ id: tenant.id, server: target }) // before any write, so that nothing needs to be undone
  const move = await beginMove(catalog, tenant, target)
  const renewing = setInterval(() => renew(catalog, move).catch(() => {}), renewIntervalMs)
  const [failure] = await Promise.allSettled([copy(deps, move).then(() => arrive(catalog, move, tenant, actor))])
  clearInterval(renewing)
  // Read the phase again: the connection may have been lost during the commit that marks the arrival.
  // If this fails, another process finishes the move once the lease has ended.
  const end = await finish(catalog, databases, move).catch(() => undefined)
  if (failure.status === 'rejected' && end !== 'arrived') throw failure.reason
}

/** Finishes abandoned moves: undoes moves that have not arrived and completes the others. If that fails, another
 *  attempt follows once the lease has ended. */
export async function finishMoves(
  catalog: Catalog,
  databases: TenantDatabases,
  report: Report = () => {},
): Promise<void> {
  const sql = 'select m.*, t.slug from tenant_moves m join tenants t on t.id = m.tenant_id where m.lease_expires_at < ?'
  for (const row of await catalog.database.all<Move>(sql, [new Date().toISOString()])) {
    const move = await takeOver(catalog, row)
    if (move) await finish(catalog, databases, move).catch((error: Error) => report(failureOf(move.slug, error)))
  }
}

/** Inserts the move's row. Throws UserError if the tenant cannot be moved now. */
async function beginMove(catalog: Catalog, { id, slug }: Tenant, target: string): Promise<Move> {
  return catalog.transaction(async (database) => {
    const tenant = await database.get<{ state: string; server: string }>(
      'select state, server from tenants where id = ?',
      [id],
    )
    if (!tenant || tenant.state === 'deleting') throw new UserError(`There is no tenant ${slug}.`, 'tenant_missing')
    if (tenant.server === target) throw new UserError(`Tenant ${slug} is on ${target} already.`, 'already_there')
    if (!(await isServer(database, catalog, target))) throw new UserError(unknownServer(target))
    await claimLeftover(database, id, target)
    const { server: source } = tenant
    const move: Move = { tenant_id: id, slug, source, target, phase: 'copying', token: randomUUID() }
    const sql = `insert into tenant_moves (tenant_id, source, target, phase, token, lease_expires_at) values (?, ?, ?, ?, ?, ?)
      on conflict (tenant_id) do nothing`
    const inserted = await database.run(sql, [id, source, target, move.phase, move.token, leaseEnd()])
    if (inserted === 0) throw new UserError(`Tenant ${slug} is being moved already.`, 'move_running')
    return move
  }, keepsCachedKeys)
}

async function copy({ catalog, databases, resources }: TenantDependencies, move: Move): Promise<void> {
  const [source, target] = locationsOf(move)
  const from: CopyEndpoint = (work) => databases.read(source, work)
  const to: CopyEndpoint = (work) => databases.write(target, work)
  await databases.remove(target, 'arriving') // the remains of an earlier attempt
  await databases.create(target, 'arriving')
  let progress: Progress = await copyAll(from, to, resources)
  let changesBefore: number
  let changes = Number.POSITIVE_INFINITY
  do {
    changesBefore = changes
    progress = await catchUp(from, to, resources, progress)
    changes = progress.changes
  } while (changes > maxFinalChanges && changes < changesBefore)
  await enterPhase(catalog, move, 'leaving')
  if (!(await databases.transition(source, 'open', 'leaving')))
    throw new UserError('Another move of this tenant is already in its last phase.')
  await catchUp(from, to, resources, progress)
  await requireSameCounts(from, to, resources)
}

/** Switches the tenant to the target: from this commit on, requests go there. */
async function arrive(catalog: Catalog, move: Move, { id, slug }: Tenant, actor: AuditActor): Promise<void> {
  await catalog.transaction(async (database) => {
    const sql = `update tenant_moves set phase = 'arrived' where tenant_id = ? and token = ? and phase = 'leaving'`
    requireOwner(await database.run(sql, [move.tenant_id, move.token]))
    await database.run('update tenants set server = ? where id = ?', [move.target, move.tenant_id])
    await writeEvent(database, 'tenant_moved', actor, { tenantId: id, detail: { slug, server: move.target } })
  })
}

/** Completes the move if it has arrived; otherwise undoes it, so that it cannot arrive. If the target is unreachable,
 *  the copy there is removed later, so that the tenant does not have to wait for that server. */
async function finish(catalog: Catalog, databases: TenantDatabases, move: Move): Promise<'undone' | 'arrived'> {
  const [source, target] = locationsOf(move)
  const phase = await undo(catalog, move)
  if (phase === 'arrived') {
    await databases.transition(target, 'arriving', 'open')
    await databases.remove(source, 'leaving')
    await catalog.transaction((database) => deleteMove(database, move), keepsCachedKeys)
    return 'arrived'
  }
  if (phase === 'undoing') await databases.transition(source, 'leaving', 'open')
  const leftover = { tenant_id: move.tenant_id, slug: move.slug, server: move.target, state: 'arriving' as const }
  const remove = () => databases.remove(target, 'arriving')
  await removeOrDefer(catalog, remove, leftover, (database) => deleteMove(database, move))
  return 'undone'
}

/** Marks a move that has not arrived as being undone, so that it can no longer arrive. Returns the phase. Throws if
 *  another process owns the move. */
async function undo(catalog: Catalog, move: Move): Promise<'arrived' | 'undoing copy' | 'undoing'> {
  return catalog.transaction(async (database) => {
    const ownMove = 'where tenant_id = ? and token = ?'
    const values = [move.tenant_id, move.token]
    const row = await database.get<Pick<Move, 'phase'>>(`select phase from tenant_moves ${ownMove}`, values)
    requireOwner(row ? 1 : 0)
    const { phase } = row!
    if (phase === 'arrived') return phase
    const undoing = phase === 'copying' || phase === 'undoing copy' ? 'undoing copy' : 'undoing'
    await database.run(`update tenant_moves set phase = ?, lease_expires_at = ? ${ownMove}`, [
      undoing,
      leaseEnd(),
      ...values,
    ])
    return undoing
  }, keepsCachedKeys)
}

async function takeOver(catalog: Catalog, move: Move): Promise<Move | undefined> {
  const token = randomUUID()
  const sql = 'update tenant_moves set token = ?, lease_expires_at = ? where tenant_id = ? and token = ?'
  const values = [token, leaseEnd(), move.tenant_id, move.token]
  const updatedRows = await runStatement(catalog, sql, values)
  return updatedRows === 1 ? { ...move, token } : undefined
}

/** Throws if another process owns the move. */
async function renew(catalog: Catalog, move: Move): Promise<void> {
  const sql = 'update tenant_moves set lease_expires_at = ? where tenant_id = ? and token = ?'
  const values = [leaseEnd(), move.tenant_id, move.token]
  requireOwner(await runStatement(catalog, sql, values))
}

/** Throws if another process owns the move. */
async function enterPhase(catalog: Catalog, move: Move, phase: Move['phase']): Promise<void> {
  const sql = `update tenant_moves set phase = ?, lease_expires_at = ? where tenant_id = ? and token = ? and phase = 'copying'`
  const values = [phase, leaseEnd(), move.tenant_id, move.token]
  requireOwner(await runStatement(catalog, sql, values))
}

async function deleteMove(database: Database, move: Move): Promise<void> {
  const sql = 'delete from tenant_moves where tenant_id = ? and token = ?'
  requireOwner(await database.run(sql, [move.tenant_id, move.token]))
}

function requireOwner(changed: number): void {
  if (changed === 0) throw new UserError('The move timed out and was taken over by another process.')
}

function leaseEnd(): string {
  return new Date(Date.now() + leaseTtlMs).toISOString()
}

function locationsOf({ tenant_id, source, target }: Move): [source: TenantLocation, target: TenantLocation] {
  return [
    { id: tenant_id, server: source },
    { id: tenant_id, server: target },
  ]
}

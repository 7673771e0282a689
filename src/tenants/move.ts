// Moving a tenant to another server or engine. It is served where it was while it is copied; only while the last changes are
// copied are its requests refused (503). The database itself says that it is being left: no node can write there any more.

import { randomUUID } from 'node:crypto'
import { type Catalog, keepsKeys } from '../catalog/catalog.ts'
import type { Database, Row } from '../database/database.ts'
import { UserError } from '../lib/user-error.ts'
import type { Resources } from '../resources/resource.ts'
import { type CopyEndpoint, catchUp, copyAll, type Progress, requireSameCounts } from '../storage/copy.ts'
import type { TenantDatabases, TenantLocation } from '../storage/storage.ts'
import { isServer, requireServer, unknownServer } from './database-servers.ts'
import { claimLeftover, failureOf, type Report, removeOrDefer } from './leftover-databases.ts'
import { requireTenant } from './tenants.ts'

/** A row of `moves`. Until it has arrived, the tenant's row names the source, and the move can be undone; from then on it
 *  names the target, and the move can only be completed. Whoever has the token works on it, until its lease ends. */
type Move = {
  tenant_id: string
  source: string
  target: string
  /** Up to `copying` nothing was done to the source; an undone move that had not come further says `undoing copy`. */
  phase: 'copying' | 'leaving' | 'arrived' | 'undoing copy' | 'undoing'
  token: string
}

/** A move whose worker has not been heard of for so long is ended by others. Milliseconds. */
const lease = 30_000
const renewEvery = 5000

/** While more changes than this come between two steps, and fewer each time, another step is made before the tenant is held
 *  up. */
const fewChanges = 200

/** Moves a tenant with everything it has, ids and history included. Throws UserError, Unavailable, CopyError: then it is where
 *  it was. */
export async function moveTenant(
  catalog: Catalog,
  databases: TenantDatabases,
  resources: Resources,
  input: { slug: string; to: string },
): Promise<void> {
  await finishMoves(catalog, databases)
  const { id } = await requireTenant(catalog, input.slug)
  await requireServer(catalog, input.to)
  await databases.probe({ id, server: input.to }) // before anything is written that would have to be undone
  const move = await beginMove(catalog, input)
  const renewing = setInterval(() => renew(catalog, move).catch(() => {}), renewEvery)
  const [failure] = await Promise.allSettled([
    copy(catalog, databases, resources, move).then(() => arrive(catalog, move)),
  ])
  clearInterval(renewing)
  // Whether it has arrived is asked again: a connection may have been lost in the middle of that commit.
  const end = await finish(catalog, databases, move).catch(() => undefined) // others will, when the lease has ended
  if (failure.status === 'rejected' && end !== 'arrived') throw failure.reason
}

/** Ends moves whose worker is gone. Those that had not arrived are undone, the others completed. One that cannot be ended is
 *  tried again when its lease has ended. */
export async function finishMoves(
  catalog: Catalog,
  databases: TenantDatabases,
  report: Report = () => {},
): Promise<void> {
  const sql = 'select m.*, t.slug from moves m join tenants t on t.id = m.tenant_id where m.until < ?'
  const rows = await catalog.database.all(sql, [new Date().toISOString()])
  for (const { slug, ...row } of rows as Row[] as (Move & { slug: string })[]) {
    const move = await takeOver(catalog, row)
    if (move) await finish(catalog, databases, move).catch((error: Error) => report(failureOf(slug, error)))
  }
}

async function beginMove(catalog: Catalog, input: { slug: string; to: string }): Promise<Move> {
  const { id, server } = await requireTenant(catalog, input.slug)
  const move: Move = {
    tenant_id: id,
    source: server,
    target: input.to,
    phase: 'copying',
    token: randomUUID(),
  }
  const refusal = await catalog.transaction(async (database) => {
    const tenant = await database.get('select state, server from tenants where id = ?', [id])
    if (!tenant || tenant.state === 'deleting') return `There is no tenant ${input.slug}.`
    if (tenant.server === input.to) return `Tenant ${input.slug} is on ${input.to} already.`
    if (!(await isServer(database, catalog, input.to))) return unknownServer(input.to)
    await claimLeftover(database, id, input.to)
    const sql = `insert into moves (tenant_id, source, target, phase, token, until) values (?, ?, ?, ?, ?, ?)
      on conflict (tenant_id) do nothing`
    const begun = await database.run(sql, [...Object.values(move), leaseEnd()])
    return begun === 0 ? `Tenant ${input.slug} is being moved already.` : null
  }, keepsKeys)
  if (refusal !== null) throw new UserError(refusal)
  return move
}

async function copy(catalog: Catalog, databases: TenantDatabases, resources: Resources, move: Move): Promise<void> {
  const [source, target] = placesOf(move)
  const from: CopyEndpoint = (work) => databases.read(source, work)
  const to: CopyEndpoint = (work) => databases.write(target, work)
  await databases.remove(target, 'arriving') // what an earlier attempt has left
  await databases.create(target, 'arriving')
  let progress: Progress = await copyAll(from, to, resources)
  for (let [before, isNearer] = [Number.POSITIVE_INFINITY, true]; isNearer; before = progress.changes) {
    progress = await catchUp(from, to, resources, progress)
    isNearer = progress.changes > fewChanges && progress.changes < before
  }
  await enterPhase(catalog, move, 'leaving')
  if (!(await databases.transition(source, 'open', 'leaving')))
    throw new UserError('The tenant is being left by another move.')
  await catchUp(from, to, resources, progress)
  await requireSameCounts(from, to, resources)
}

/** The moment of the move: whoever reads the tenant's row from now on goes to the target. */
async function arrive(catalog: Catalog, move: Move): Promise<void> {
  await catalog.transaction(async (database) => {
    const sql = `update moves set phase = 'arrived' where tenant_id = ? and token = ? and phase = 'leaving'`
    requireOwn(await database.run(sql, [move.tenant_id, move.token]))
    await database.run('update tenants set server = ? where id = ?', [move.target, move.tenant_id])
  })
}

/** Undoes a move that has not arrived, and sees to it that it cannot any more; completes one that has. A copy that cannot be
 *  removed from the target now is removed later: the tenant need not wait for a server that it is not on. */
async function finish(catalog: Catalog, databases: TenantDatabases, move: Move): Promise<'undone' | 'arrived'> {
  const [source, target] = placesOf(move)
  const phase = await undo(catalog, move)
  if (phase === 'arrived') {
    await databases.transition(target, 'arriving', 'open')
    await databases.remove(source, 'leaving')
    await catalog.transaction((database) => forget(database, move), keepsKeys)
    return 'arrived'
  }
  if (phase === 'undoing') await databases.transition(source, 'leaving', 'open')
  const leftover = { ...(await leftoverOf(catalog, move)), standing: 'arriving' as const }
  const remove = () => databases.remove(target, 'arriving')
  await removeOrDefer(catalog, remove, leftover, (database) => forget(database, move))
  return 'undone'
}

/** From now on a move that has not arrived cannot any more; its phase. Throws when others have taken the move over. */
async function undo(catalog: Catalog, move: Move): Promise<'arrived' | 'undoing copy' | 'undoing'> {
  return catalog.transaction(async (database) => {
    const own = 'where tenant_id = ? and token = ?'
    const values = [move.tenant_id, move.token]
    const row = await database.get(`select phase from moves ${own}`, values)
    requireOwn(row ? 1 : 0)
    const phase = row!.phase as Move['phase']
    if (phase === 'arrived') return phase
    const undoing = phase === 'copying' || phase === 'undoing copy' ? 'undoing copy' : 'undoing'
    await database.run(`update moves set phase = ?, until = ? ${own}`, [undoing, leaseEnd(), ...values])
    return undoing
  }, keepsKeys)
}

async function leftoverOf(catalog: Catalog, { tenant_id, target }: Move) {
  const row = await catalog.database.get('select slug from tenants where id = ?', [tenant_id])
  return { tenant_id, slug: row!.slug as string, server: target }
}

async function takeOver(catalog: Catalog, move: Move): Promise<Move | undefined> {
  const token = randomUUID()
  const sql = 'update moves set token = ?, until = ? where tenant_id = ? and token = ?'
  const values = [token, leaseEnd(), move.tenant_id, move.token]
  const taken = await catalog.transaction(async (database) => database.run(sql, values), keepsKeys)
  return taken === 1 ? { ...move, token } : undefined
}

/** Throws when others have taken the move over. */
async function renew(catalog: Catalog, move: Move): Promise<void> {
  const sql = 'update moves set until = ? where tenant_id = ? and token = ?'
  const values = [leaseEnd(), move.tenant_id, move.token]
  requireOwn(await catalog.transaction(async (database) => database.run(sql, values), keepsKeys))
}

/** Throws when others have taken the move over. */
async function enterPhase(catalog: Catalog, move: Move, phase: Move['phase']): Promise<void> {
  const sql = `update moves set phase = ?, until = ? where tenant_id = ? and token = ? and phase = 'copying'`
  const values = [phase, leaseEnd(), move.tenant_id, move.token]
  requireOwn(await catalog.transaction(async (database) => database.run(sql, values), keepsKeys))
}

async function forget(database: Database, move: Move): Promise<void> {
  const sql = 'delete from moves where tenant_id = ? and token = ?'
  requireOwn(await database.run(sql, [move.tenant_id, move.token]))
}

function requireOwn(changed: number): void {
  if (changed === 0) throw new UserError('The move was not heard of for too long, and was ended by others.')
}

function leaseEnd(): string {
  return new Date(Date.now() + lease).toISOString()
}

function placesOf({ tenant_id, source, target }: Move): [source: TenantLocation, target: TenantLocation] {
  return [
    { id: tenant_id, server: source },
    { id: tenant_id, server: target },
  ]
}

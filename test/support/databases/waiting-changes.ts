// Changes of a tenant on PostgreSQL that wait for each other, however slow the machine is.

import pg from 'pg'
import type { Service } from '../../../src/app/service.ts'
import { eventually } from '../eventually.ts'

/** Sends changes while the tenant is locked, the first before the others, and unlocks it once all of them are in
 *  flight. The first change then runs in a transaction of its own, and the others share the next ones. `url`: the
 *  tenant's database server; `id`: the tenant. `onWaiting` is called just before the tenant is unlocked. */
export async function sendTogether<T>(
  { server }: Pick<Service, 'server'>,
  { url, id }: { url: string | undefined; id: string },
  [first, ...others]: readonly (() => Promise<T>)[],
  onWaiting = () => {},
): Promise<T[]> {
  const session = new pg.Client(url)
  await session.connect()
  await session.query(`begin; select id from t_${id}.tenant for update`)
  const untilInFlight = (count: number) =>
    eventually(`${count} changes are in flight`, async () => {
      const metrics = await server.inject('/metrics')
      return metrics.payload.includes(`\ntenantdesk_operations_in_flight ${count}\n`)
    })
  const changes = [first!()]
  await untilInFlight(1)
  changes.push(...others.map((send) => send()))
  await untilInFlight(changes.length)
  onWaiting()
  await session.end()
  return Promise.all(changes)
}

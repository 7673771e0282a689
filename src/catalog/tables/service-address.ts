// The public origin of the service. Each server stores it when it starts, so that commands can print links.

import { type Catalog, runStatement } from '../catalog.ts'

const name = 'service'

export async function recordServiceAddress(catalog: Catalog, origin: string): Promise<void> {
  if ((await findServiceAddress(catalog)) === origin) return
  const sql =
    'insert into service_addresses (name, origin) values (?, ?) on conflict (name) do update set origin = excluded.origin'
  await runStatement(catalog, sql, [name, origin])
}

/** Returns the origin stored by the most recently started server; undefined if no server has started yet. */
export async function findServiceAddress(catalog: Catalog): Promise<string | undefined> {
  const row = await catalog.database.get<{ origin: string }>('select origin from service_addresses where name = ?', [
    name,
  ])
  return row?.origin
}

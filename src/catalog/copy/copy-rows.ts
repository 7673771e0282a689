// Copies rows between a catalog in a SQLite file and another catalog, which can be on either engine.

import type { Database, Row, Value } from '../../engine/database/database.ts'

/** `key`: the primary key's columns; all columns if there is no primary key. */
export type CatalogTable = { name: string; columns: string[]; key: string[] }

/** Where rows are read from. */
export type RowSource = Pick<Database, 'get' | 'all'>

const pageSize = 500

/** Returns the tables of a catalog in a SQLite file, except those in `excluded`. Each table comes after the tables that
 *  its foreign keys reference. */
export async function tablesOf(file: RowSource, excluded: readonly string[]): Promise<CatalogTable[]> {
  const names = await file.all<{ name: string }>(
    `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`,
  )
  const tables = new Map<string, CatalogTable>()

  async function add(name: string): Promise<void> {
    if (excluded.includes(name) || tables.has(name)) return
    const parents = await file.all<{ name: string }>(
      `select distinct "table" as name from pragma_foreign_key_list('${name}')`,
    )
    for (const parent of parents) if (parent.name !== name) await add(parent.name)
    const columns = await file.all<{ name: string; pk: number }>(`select name, pk from pragma_table_info('${name}')`)
    const key = columns.filter(({ pk }) => pk !== 0)
    tables.set(name, {
      name,
      columns: columns.map(({ name }) => name),
      key: (key.length > 0 ? key : columns).map(({ name }) => name),
    })
  }

  for (const { name } of names) await add(name)
  return [...tables.values()]
}

/** Copies all rows of a table, and returns their number. `change` can replace values in a row. */
export async function copyTable(
  source: RowSource,
  target: Database,
  table: CatalogTable,
  change: (row: Row) => Row = (row) => row,
): Promise<number> {
  const { name, columns, key } = table
  const placeholders = `(${columns.map(() => '?').join(', ')})`
  const isAbove = `(${key.join(', ')}) > (${key.map(() => '?').join(', ')})`
  const select = `select ${columns.join(', ')} from ${name}`
  const order = `order by ${key.join(', ')} limit ${pageSize}`
  for (let [copied, last]: [number, Row | undefined] = [0, undefined]; ; ) {
    const above: Value[] = last ? key.map((column) => last![column]!) : []
    const rows: Row[] = await source.all(`${select}${last ? ` where ${isAbove}` : ''} ${order}`, above)
    if (rows.length === 0) return copied
    const values = rows.map(change).flatMap((row) => columns.map((column) => row[column]!))
    await target.run(
      `insert into ${name} (${columns.join(', ')}) values ${rows.map(() => placeholders).join(', ')}`,
      values,
    )
    copied += rows.length
    last = rows.at(-1)
  }
}

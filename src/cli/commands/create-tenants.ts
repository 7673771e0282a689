// Creates many tenants from a CSV file.

import { readFile } from 'node:fs/promises'
import { detectDelimiter, InvalidCsv, readRows } from '../../lib/csv.ts'
import { visibleJson } from '../../lib/text.ts'
import { UserError } from '../../lib/user-error.ts'
import { createTenants, type NewTenant } from '../../tenants/lifecycle.ts'
import { command, jsonArray } from '../command.ts'
import { cliActor, withCatalog } from '../context.ts'

export const createTenantsCommand = command({
  words: 'tenant create',
  help: 'Creates the tenants that a CSV file lists, all or none of them. Its columns are slug, name and trial_ends; only slug is required.',
  options: {
    from: { value: 'FILE.csv', isRequired: true, help: 'file with a line of titles and a line for each tenant' },
    server: { value: '<name>', help: 'database server for the tenants' },
    json: jsonArray,
  },
  onlyWith: '--from',
  examples: ['tenant create --from customers.csv'],
  async run({ from, server, json }, { config, terminal }) {
    const newTenants = await readTenants(from)
    const tenants = await withCatalog(config, (catalog, databases) =>
      createTenants(
        catalog,
        databases,
        newTenants.map((tenant) => ({ ...tenant, server })),
        cliActor(),
      ),
    )
    terminal.stdout(json ? visibleJson(tenants) : tenants.map(({ slug }) => slug).join('\n'))
    terminal.stderr(`${tenants.length === 1 ? '1 tenant is' : `${tenants.length} tenants are`} ready.`)
  },
})

const columnNames = ['slug', 'name', 'trial_ends'] as const

/** Throws UserError if the file cannot be read, or lists no tenant, an unknown column or a slug twice. */
async function readTenants(path: string): Promise<NewTenant[]> {
  const [titles, ...rows] = await readCells(path)
  const names = (titles ?? []).map((title) => title.trim().toLowerCase())
  const hasUnknownName = names.some((name) => !columnNames.some((columnName) => columnName === name))
  if (!names.includes('slug') || hasUnknownName)
    throw new UserError(
      `The first line of ${path} must have the titles slug, name and trial_ends; only slug is required.`,
    )
  if (rows.length === 0) throw new UserError(`${path} lists no tenants.`)
  const cellOf = (row: string[], name: (typeof columnNames)[number]) => row[names.indexOf(name)]?.trim() || undefined
  const tenants = rows.map((row) => ({
    slug: cellOf(row, 'slug') ?? '',
    name: cellOf(row, 'name'),
    trialEnds: cellOf(row, 'trial_ends'),
  }))
  const slugs = new Set<string>()
  for (const { slug } of tenants) {
    if (slugs.has(slug)) throw new UserError(`${path} lists the slug ${JSON.stringify(slug)} twice.`)
    slugs.add(slug)
  }
  return tenants
}

async function readCells(path: string): Promise<string[][]> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
    const rows: string[][] = []
    for await (const batch of readRows(piecesOf(text), await detectDelimiter(piecesOf(text))))
      rows.push(...batch.map(({ cells }) => cells))
    return rows
  } catch (error) {
    if (error instanceof InvalidCsv || error instanceof TypeError || (error instanceof Error && 'syscall' in error))
      throw new UserError(`${path} cannot be read as CSV in UTF-8: ${error.message.replace(/\.$/, '')}.`)
    throw error
  }
}

async function* piecesOf(text: string): AsyncGenerator<string> {
  yield text
}

// Creates many tenants from a CSV file, or the demo tenant.

import { readFile } from 'node:fs/promises'
import { resources } from '../../domain/declarations/all.ts'
import { textFormats } from '../../domain/fields/text-formats.ts'
import { productOf } from '../../domain/product.ts'
import { directEngine } from '../../engine/direct-engine.ts'
import { detectDelimiter, InvalidCsv, readRows } from '../../lib/csv.ts'
import { programName } from '../../lib/program-name.ts'
import { UserError } from '../../lib/user-error.ts'
import { createDemoTenant, demoSlug } from '../../tenants/demo/create-demo-tenant.ts'
import { demoLanguages } from '../../tenants/demo/words/translate.ts'
import { createTenants, type NewTenant } from '../../tenants/lifecycle.ts'
import { command, json, jsonArray } from '../command.ts'
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
  async run({ from, server }, { config }) {
    const newTenants = await readTenants(from)
    const tenants = await withCatalog(config, (catalog, databases) =>
      createTenants(
        catalog,
        databases,
        newTenants.map((tenant) => ({ ...tenant, server })),
        cliActor(),
      ),
    )
    const message = `${tenants.length === 1 ? '1 tenant is' : `${tenants.length} tenants are`} ready.`
    return { result: tenants, value: tenants.map(({ slug }) => slug).join('\n'), message }
  },
})

export const createDemoCommand = command({
  words: 'tenant create',
  help: `Creates the tenant ${demoSlug}: a made-up company with two years of history, to try things out.`,
  options: {
    demo: { isShownAsRequired: true, help: 'create the demo tenant' },
    language: { value: 'en|de|tr', help: 'language of its data; en by default' },
    'time-zone': { value: 'ZONE', help: 'its time zone, such as Europe/Berlin; UTC by default' },
    currency: { value: 'CODE', help: 'its currency, such as TRY; EUR by default' },
    json,
  },
  onlyWith: '--demo',
  examples: ['tenant create --demo', 'tenant create --demo --language de --time-zone Europe/Zurich --currency CHF'],
  async run({ language = 'en', 'time-zone': timeZone = 'UTC', currency = 'EUR' }, { config }) {
    requireFormats({ language, timeZone, currency })
    const options = { language, timeZone, currency, actor: { command: true as const } }
    const tenant = await withCatalog(config, (catalog, databases) => {
      const engine = directEngine(databases, productOf(resources))
      return createDemoTenant({ catalog, databases, engine }, options, cliActor())
    })
    const message = `Tenant ${tenant.slug} is ready. To remove it: ${programName} tenant delete ${tenant.slug} --yes`
    return { result: tenant, value: tenant.slug, message }
  },
})

/** Throws UserError. */
function requireFormats({ language, timeZone, currency }: Record<'language' | 'timeZone' | 'currency', string>): void {
  const refuse = (option: string, value: string, wanted: string) => {
    throw new UserError(`--${option} takes ${wanted}, not ${JSON.stringify(value)}.`)
  }
  if (!demoLanguages.includes(language)) refuse('language', language, demoLanguages.join(', '))
  if (!textFormats.time_zone.matches(timeZone)) refuse('time-zone', timeZone, 'an IANA name, such as Europe/Berlin')
  if (!textFormats.currency.matches(currency)) refuse('currency', currency, 'an ISO 4217 code, such as EUR')
}

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

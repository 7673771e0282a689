import { resources } from '../../domain/declarations/all.ts'
import { UserError } from '../../lib/user-error.ts'
import { visibleJson } from '../../lib/visible-text.ts'
import { moveAllTenants } from '../../tenants/move/move-all.ts'
import type { CommandArguments, CommandHandler } from '../command.ts'
import { cliActor, withCatalog } from '../context.ts'
import { progressBar } from '../output.ts'

/** At the end, lists the tenants whose move failed. Repeating the command moves these tenants and the tenants whose
 *  move was not started. */
export const moveAllTenantsCommand: CommandHandler = async ({ options }, config, terminal) => {
  const target = options.to as string
  const request = { target, source: options.from as string | undefined, atOnce: readAtOnce(options['at-once']) }
  const startedAt = performance.now()
  const progress = progressBar(terminal, `to ${target}`, 'tenants')
  const { outcomes, left } = await withCatalog(config, (catalog, databases) =>
    moveAllTenants(catalog, databases, resources, request, cliActor, progress.update).finally(progress.end),
  )
  if (options.json) terminal.stdout(visibleJson(outcomes))
  const failures = outcomes.filter(({ error }) => error !== null)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const count = outcomes.length - failures.length
  const moved = `${count} ${count === 1 ? 'tenant was' : 'tenants were'} moved to ${target} in ${seconds} s`
  if (failures.length + left.length === 0) return terminal.stderr(`${moved}.`)
  for (const { slug, error } of failures) terminal.stderr(`Tenant ${slug} was not moved: ${error}`)
  const rest = left.length > 0 ? `, and ${left.length} were not started because ${target} cannot be reached` : ''
  throw new UserError(`${moved}; ${failures.length} failed${rest}. To move the rest, repeat the command.`)
}

const maxAtOnce = 50

function readAtOnce(given: CommandArguments['options'][string]): number {
  const text = given ?? '2'
  if (/^[1-9]\d?$/.test(String(text)) && Number(text) <= maxAtOnce) return Number(text)
  throw new UserError(`--at-once must be a whole number from 1 to ${maxAtOnce}.`)
}

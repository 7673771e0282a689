// Commands that move tenants between database servers.

import { resources } from '../../domain/declarations/all.ts'
import { UserError } from '../../lib/user-error.ts'
import { moveTenant } from '../../tenants/move/move.ts'
import { moveAllTenants } from '../../tenants/move/move-all.ts'
import { type Command, command, json, slug } from '../command.ts'
import { changeTenant, cliActor, withCatalog } from '../context.ts'
import { createProgressBar, printResult } from '../output.ts'

export const moveCommands: readonly Command[] = [
  /** At the end, lists the tenants whose move failed. Repeating the command moves these tenants and the tenants whose
   *  move was not started. */
  command({
    words: 'tenant move',
    help: 'Moves all tenants to a database server, a few at a time. If it is interrupted, repeat the command.',
    options: {
      all: { isRequired: true, help: 'every tenant that is not on the server yet' },
      to: { value: '<server>', isRequired: true, help: 'name of the database server' },
      from: { value: '<server>', help: 'only tenants on this server' },
      'at-once': { value: 'N', help: 'how many tenants are moved at the same time; by default 2' },
      json: { help: 'print an array with the outcome of each tenant' },
    },
    onlyWith: '--all',
    examples: ['tenant move --all --to main', 'tenant move --all --from sqlite --to main --at-once 4'],
    async run({ to: target, from: source, 'at-once': atOnce, json }, { config, terminal }) {
      const request = { target, source, atOnce: readAtOnce(atOnce) }
      const startedAt = performance.now()
      const progress = createProgressBar(terminal, `to ${target}`, 'tenants')
      const { outcomes, notStarted } = await withCatalog(config, (catalog, databases) =>
        moveAllTenants(
          { catalog, databases, resources, actor: cliActor, onProgress: progress.update },
          request,
        ).finally(progress.end),
      )
      const failures = outcomes.filter(({ error }) => error !== null)
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      const count = outcomes.length - failures.length
      const moved = `${count} ${count === 1 ? 'tenant was' : 'tenants were'} moved to ${target} in ${seconds} s`
      if (failures.length + notStarted.length === 0) return { result: outcomes, message: `${moved}.` }
      printResult(terminal, { json, result: outcomes })
      for (const { slug, error } of failures) terminal.stderr(`Tenant ${slug} was not moved: ${error}`)
      const rest =
        notStarted.length > 0 ? `, and ${notStarted.length} were not started because ${target} cannot be reached` : ''
      throw new UserError(`${moved}; ${failures.length} failed${rest}. To move the rest, repeat the command.`)
    },
  }),
  /** The tenant stays available during the move, except for a moment at the end. */
  command({
    words: 'tenant move',
    help: 'Moves a tenant to another database server. The tenant stays available, except for a moment at the end.',
    arguments: slug,
    options: { to: { value: '<server>', isRequired: true, help: 'name of the database server' }, json },
    examples: ['tenant move acme --to big'],
    async run({ slug, to: target }, { config }) {
      const tenant = await changeTenant(config, slug, (catalog, current, databases) =>
        moveTenant({ catalog, databases, resources }, current, target, cliActor()),
      )
      const message = `Tenant ${slug} is now on ${target}, with its ids, history and stored responses.`
      return { result: tenant, message }
    },
  }),
]

const maxAtOnce = 50

function readAtOnce(text = '2'): number {
  if (/^[1-9]\d?$/.test(text) && Number(text) <= maxAtOnce) return Number(text)
  throw new UserError(`--at-once must be a whole number from 1 to ${maxAtOnce}.`)
}

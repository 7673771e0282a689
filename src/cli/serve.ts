import { type Config, commandPrefix } from '../config.ts'
import { StartError } from '../engine.ts'
import { openService } from '../server.ts'
import { Refusal } from '../tenancy/refusal.ts'
import type { Run } from './commands.ts'

/** Serves until SIGINT or SIGTERM, then ends after the requests in hand. */
export const serve: Run = async (_words, config, terminal) => {
  const told = endSignal()
  try {
    await using service = await openService(config)
    const url = await service.listen()
    const { origin } = new URL(url)
    terminal.say(`Tenantdesk is ready. The API is at ${url}`)
    terminal.say(`The panel is at ${origin}/, the reference of the API at ${origin}/docs`)
    const link = await service.setupLink()
    if (link) terminal.say(`There is no administrator yet. To become the first, open within 30 minutes: ${link}`)
    if (!(await service.hasTenants())) terminal.say(firstSteps(url, config))
    await told
  } catch (error) {
    throw error instanceof StartError ? new Refusal(error.message) : error
  }
}

/** Settles at the first SIGINT or SIGTERM; a second one ends the process at once, as usual. */
function endSignal(): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM'] as const
  return new Promise((resolve) => {
    const end = () => {
      for (const signal of signals) process.off(signal, end)
      resolve()
    }
    for (const signal of signals) process.on(signal, end)
  })
}

function firstSteps(url: string, config: Config): string {
  const sameSettings = config.DATABASE_URL ? ', with the same DATABASE_URL and API_KEY_PEPPER' : ''
  const tenantdesk = `${commandPrefix(config)}npx tenantdesk`
  return `
There is no tenant yet. In a second terminal, in this directory${sameSettings}:

  ${tenantdesk} tenant create acme
  KEY=$(${tenantdesk} key create acme --scope '*:read' --scope '*:write')

and the first request:

  curl -i ${url}/customers.php -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' -d '{"name": "Head office"}'
`
}

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pepperPath } from '../catalog/pepper-file.ts'
import type { CommandHandler } from '../cli/command.ts'
import { type Config, commandPrefix, misspelledSettings } from '../config.ts'
import { UserError } from '../lib/user-error.ts'
import { StartError } from '../tenants/open-databases.ts'
import { openService } from './service.ts'

/** How long the end may take: container engines kill after ten seconds. Requests in hand have five. Milliseconds. */
const endWithinMs = 8000

/** How long a process whose service has ended waits for the readers of its output. Milliseconds. */
const outputWithinMs = 500

/** Serves until SIGINT or SIGTERM, then ends after the requests in hand. */
export const serve: CommandHandler = async (_words, config, terminal) => {
  const signal = endSignal()
  try {
    await using service = await openService(config)
    for (const warning of service.warnings) terminal.stderr(warning)
    const url = await service.listen()
    const { origin } = new URL(url)
    for (const [given, setting] of misspelledSettings())
      terminal.stderr(`The variable ${given} has no effect; the setting is called ${setting}.`)
    for (const sentence of openToOthers(config)) terminal.stderr(sentence)
    terminal.stderr(`Tenantdesk is ready. The API is at ${url}`)
    terminal.stderr(`The panel is at ${origin}/, the reference of the API at ${origin}/docs`)
    const link = await service.setupLink()
    if (link) terminal.stderr(`There is no administrator yet. To become the first, open within 30 minutes: ${link}`)
    if (!(await service.hasTenants())) terminal.stderr(firstSteps(url, config))
    await signal.received
  } catch (error) {
    throw error instanceof StartError ? new UserError(error.message) : error
  } finally {
    signal.release()
  }
  // What waits for a reader who does not read would keep the process.
  setTimeout(() => process.exit(), outputWithinMs).unref()
}

/** `received` settles at the first SIGINT or SIGTERM. A second one ends the process at once, as usual. */
function endSignal(): { received: Promise<void>; release(): void } {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const { promise, resolve } = Promise.withResolvers<void>()
  const release = () => signals.forEach((signal) => void process.off(signal, end))
  const end = () => {
    release()
    // Whatever was answered is on the disk: a part that does not end can be left.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), endWithinMs).unref()
    resolve()
  }
  for (const signal of signals) process.on(signal, end)
  return { received: promise, release }
}

/** What other users of this machine could read; they need not be able to. */
function openToOthers(config: Config): string[] {
  const directory = resolve(config.DATA_DIR)
  const places: [path: string, mode: string][] = [
    [directory, '700'],
    [pepperPath(directory), '600'],
  ]
  return places.flatMap(([path, mode]) => {
    const found = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
    if (process.platform === 'win32' || (found & 0o077) === 0) return []
    const present = (found & 0o777).toString(8)
    return `Other users of this machine can reach ${path} (mode ${present}): chmod ${mode} ${path} keeps them out.`
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

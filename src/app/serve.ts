import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findExposedFiles } from '../catalog/data-owner.ts'
import type { CommandContext, Terminal } from '../cli/command.ts'
import { type Config, commandPrefix } from '../config.ts'
import { Unavailable } from '../engine/database/database.ts'
import { createLogger } from '../lib/log.ts'
import { programName } from '../lib/program-name.ts'
import { UserError } from '../lib/user-error.ts'
import { userName } from '../lib/user-name.ts'
import { StartError } from '../tenants/databases/open-databases.ts'
import type { ServiceOverrides } from './context.ts'
import { openService, type Service } from './service.ts'

/** The longest time that a shutdown may take after SHUTDOWN_DELAY; the process then kills itself. Running requests may
 *  take 5 s, and container engines kill a process after 10 s. */
const shutdownTimeoutMs = 8000

/** How long the process waits for its output to be read once it has shut down. */
const outputTimeoutMs = 500

/** Serves until SIGINT or SIGTERM, then waits for running requests and shuts down. */
export async function serve(
  { config, settings, terminal }: CommandContext,
  overrides: ServiceOverrides = {},
): Promise<void> {
  const isOnTerminal = terminal.progress !== undefined
  const signal = listenForShutdown(config.SHUTDOWN_DELAY * 1000, isOnTerminal)
  const messages = startMessages(terminal)
  const { say, warn } = messages
  try {
    await using service = await openService(config, overrides, signal.aborted)
    for (const warning of service.warnings) warn(warning)
    const url = await service.listen()
    const hasTenants = await service.hasTenants()
    const isFirstStart = !hasTenants && !(await service.hasAdministrator())
    for (const warning of settings.warnings) warn(warning)
    if (isOnTerminal && isFirstStart) await welcome(service, url, messages)
    else {
      for (const warning of fileModeWarnings(config)) warn(warning)
      say(`Tenantdesk is ready. The API is at ${url}`)
      say(`The panel is at ${originOf(url)}/, and the API reference is at ${originOf(url)}/docs`)
      await announceSetup(service, hasTenants, messages)
      if (!hasTenants) say(firstSteps(url, config, isOnTerminal))
    }
    await signal.received
    service.beginShutdown()
    await wait(config.SHUTDOWN_DELAY * 1000)
  } catch (error) {
    if (signal.aborted.aborted && error instanceof Unavailable) return // the server was still waiting for PostgreSQL
    throw error instanceof StartError ? new UserError(error.message) : error
  } finally {
    signal.release()
  }
  // Unread output would keep the process alive.
  setTimeout(() => process.exit(), outputTimeoutMs).unref()
}

/** What somebody reads who has just started an empty installation on a terminal: the link first. There is nothing to
 *  protect yet, so warnings about other users of the machine can wait for the next start. */
async function welcome(service: Service, url: string, { print }: StartMessages): Promise<void> {
  print(`Tenantdesk is ready. Open this link within 30 minutes to set it up:

  ${await service.setupLink()}

For programs, the API is at ${url}
Its reference is at ${originOf(url)}/docs, and README.md shows the first request.`)
}

function originOf(url: string): string {
  return new URL(url).origin
}

/** Says how to create the first administrator. A new installation prints a link, but never in a log line, because logs
 *  are stored and forwarded. */
async function announceSetup(service: Service, hasTenants: boolean, { print, say }: StartMessages): Promise<void> {
  if (await service.hasAdministrator()) return
  if (hasTenants)
    return say(`No administrator yet. To create one: ${programName} user create <email> --role administrator`)
  print(`No administrator yet. Open this link within 30 minutes to create one: ${await service.setupLink()}`)
}

/** At the first SIGINT or SIGTERM, `received` resolves and `aborted` aborts. A second signal terminates the process
 *  immediately, which is Node's default. SIGHUP is ignored, unless the terminal that the server was started in sends it
 *  when it is closed: a service manager or logrotate may send it to ask for something that the server does not need. */
function listenForShutdown(
  delayMs: number,
  isOnTerminal: boolean,
): { received: Promise<void>; aborted: AbortSignal; release(): void } {
  const abort = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', ...(isOnTerminal ? ['SIGHUP'] : [])]
  const { promise, resolve } = Promise.withResolvers<void>()
  const release = () => signals.forEach((signal) => void process.off(signal, shutDown))
  const shutDown = () => {
    release()
    // Acknowledged changes are on disk, so a process that does not shut down in time can be killed.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), delayMs + shutdownTimeoutMs).unref()
    abort.abort()
    resolve()
  }
  for (const signal of signals) process.on(signal, shutDown)
  if (!isOnTerminal) process.on('SIGHUP', () => {})
  return { received: promise, aborted: abort.signal, release }
}

/** Returns a warning for each file that other users of this machine can access. */
function fileModeWarnings(config: Config): string[] {
  return findExposedFiles(resolve(config.DATA_DIR)).map(
    ({ path, mode, expectedMode }) =>
      `Other users of this machine can access ${path} (mode ${mode}). To prevent this: chmod ${expectedMode} ${path}`,
  )
}

/** A service usually runs as a user of its own, whose name only the service itself can tell. */
function firstSteps(url: string, config: Config, isOnTerminal: boolean): string {
  const userId = isOnTerminal ? undefined : process.getuid?.()
  const sameUser = userId === undefined ? '' : `, as user ${userName(userId)}`
  const sameSettings = config.DATABASE_URL ? ', with the same DATABASE_URL and API_KEY_PEPPER' : ''
  const tenantdesk = `${commandPrefix(config)}${programName}`
  return `
No tenants yet. In a second terminal${sameUser}, from this directory${sameSettings}, run:

  ${tenantdesk} tenant create acme
  KEY=$(${tenantdesk} key create acme --scope '*:read' --scope '*:write')

and the first request:

  curl -i ${url}/customers.php -H "Authorization: Bearer $KEY" \\
    -H 'Content-Type: application/json' -d '{"name": "Head office"}'
`
}

/** `print`: for a person, never as a log line. */
export type StartMessages = { say(text: string): void; warn(text: string): void; print(text: string): void }

/** Prints plain messages to a terminal. Otherwise, `say` and `warn` print each message as a JSON log line, so that
 *  standard output and standard error can go to the same log file. */
function startMessages({ stderr, progress }: Terminal): StartMessages {
  if (progress) return { say: stderr, warn: stderr, print: stderr }
  const log = createLogger('info', { write: (line) => stderr(line.trimEnd()) })
  return { say: (text) => log.info(text.trim()), warn: (text) => log.warn(text), print: stderr }
}

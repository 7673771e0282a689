// Runs `tenantdesk serve` with parts of the service replaced, for tests and benchmarks in which the server is another
// process: `node test/support/servers/serve-with.ts '{"pagesPerMinute":0}'`.

import type { ServiceOverrides } from '../../../src/app/context.ts'
import { serve } from '../../../src/app/serve.ts'
import type { CommandContext } from '../../../src/cli/command.ts'
import { runCommand } from '../../../src/cli/run-command.ts'

/** Returns the arguments with which Node.js starts the server. */
export function serveArguments(overrides: ServiceOverrides): string[] {
  return [import.meta.filename, JSON.stringify(overrides)]
}

if (import.meta.main) {
  const terminal = { stdout: console.log, stderr: console.error, readLine: async () => '' }
  const overrides: ServiceOverrides = JSON.parse(process.argv[2]!)
  const application = { serve: (context: CommandContext) => serve(context, overrides), scopes: async () => [] }
  process.exitCode = await runCommand(['serve'], terminal, application)
}

// The table of commands.

import { completionScript, shells } from '../completion/completion.ts'
import type { Command } from '../usage.ts'
import { apiKeyCommands } from './api-keys.ts'
import { backupCommands } from './backups.ts'
import { dataCommands } from './data.ts'
import { serverCommands } from './servers.ts'
import { serviceCommands } from './service.ts'
import { tenantCommands } from './tenants.ts'
import { userCommands } from './users.ts'

/** All commands, in usage order. */
export const commands: readonly Command[] = [
  ...serviceCommands,
  ...tenantCommands,
  ...apiKeyCommands,
  ...userCommands,
  ...dataCommands,
  ...backupCommands,
  ...serverCommands,
  {
    words: 'completion',
    help: 'Prints a shell script that completes commands and options.',
    arguments: { shell: { help: shells.join(', '), choices: shells } },
    examples: [
      'completion bash > /etc/bash_completion.d/tenantdesk',
      'completion zsh > /usr/local/share/zsh/site-functions/_tenantdesk',
      'completion fish > ~/.config/fish/completions/tenantdesk.fish',
    ],
    print: ({ values }) => completionScript(commands, values[0]!),
  },
]

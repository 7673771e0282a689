// The table of commands.

import { type Command, command } from '../command.ts'
import { completionScript, shells } from '../completion.ts'
import { apiKeyCommands } from './api-keys.ts'
import { backupCommands } from './backups/backups.ts'
import { restoreCommands } from './backups/restore.ts'
import { catalogCommands } from './catalog.ts'
import { dataCommands } from './data.ts'
import { importCommands } from './import.ts'
import { securityLogCommands } from './security-log.ts'
import { serverCommands } from './servers.ts'
import { serviceCommands } from './service.ts'
import { spaceCommands } from './space.ts'
import { tenantCommands } from './tenants.ts'
import { userCommands } from './users.ts'

/** All commands, in usage order. */
export const commands: readonly Command[] = [
  ...serviceCommands,
  ...tenantCommands,
  ...spaceCommands,
  ...apiKeyCommands,
  ...userCommands,
  ...securityLogCommands,
  ...dataCommands,
  ...importCommands,
  ...backupCommands,
  ...restoreCommands,
  ...catalogCommands,
  ...serverCommands,
  command({
    words: 'completion',
    help: 'Prints a shell script that completes commands and options.',
    arguments: { shell: { help: shells.join(', '), choices: shells } },
    examples: [
      'completion bash > /etc/bash_completion.d/tenantdesk',
      'completion zsh > /usr/local/share/zsh/site-functions/_tenantdesk',
    ],
    print: ({ shell }) => completionScript(commands, shell),
  }),
]

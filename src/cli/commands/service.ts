// Commands that run and examine the service.

import { configCommand } from '../actions/config.ts'
import { doctorCommand } from '../doctor/doctor.ts'
import type { Command } from '../usage.ts'
import { jsonArray } from './shared.ts'

export const serviceCommands: readonly Command[] = [
  {
    words: 'serve',
    help: 'Starts the server. Settings are environment variables, or lines of a .env file in DATA_DIR or the working directory.',
    examples: ['serve'],
  },
  {
    words: 'config',
    help: 'Prints every setting with its value and where the value comes from. Secrets are masked.',
    options: { json: jsonArray },
    examples: ['config', 'config --json'],
    run: configCommand,
  },
  {
    words: 'doctor',
    help: 'Examines the installation and the running server, and suggests what to do. Does not change anything.',
    options: { json: { help: 'print the findings as a JSON array' } },
    examples: ['doctor', 'doctor --json'],
    run: doctorCommand,
  },
]

// What `serve` says at its start.

import type { Terminal } from '../cli/command.ts'
import { createLogger } from '../lib/log.ts'

export type StartMessages = { say(text: string): void; warn(text: string): void }

/** On a terminal people read the messages as they are. Anything else gets each as a line of the log, so that standard output and
 *  standard error can go to the same place, of which every line is JSON. */
export function startMessages({ stderr, progress }: Terminal): StartMessages {
  if (progress) return { say: stderr, warn: stderr }
  const log = createLogger('info', { write: (line) => stderr(line.trimEnd()) })
  return { say: (text) => log.info(text.trim()), warn: (text) => log.warn(text) }
}

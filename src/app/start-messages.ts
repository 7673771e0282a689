// The messages that `serve` prints when it starts.

import type { Terminal } from '../cli/command.ts'
import { createLogger } from '../lib/log.ts'

export type StartMessages = { say(text: string): void; warn(text: string): void }

/** Prints plain messages to a terminal. Otherwise prints each message as a JSON log line, so that a log file that
 *  receives both standard output and standard error contains only JSON. */
export function startMessages({ stderr, progress }: Terminal): StartMessages {
  if (progress) return { say: stderr, warn: stderr }
  const log = createLogger('info', { write: (line) => stderr(line.trimEnd()) })
  return { say: (text) => log.info(text.trim()), warn: (text) => log.warn(text) }
}

// The messages that `serve` prints at its start.

import type { Terminal } from '../cli/command.ts'
import { createLogger } from '../lib/log.ts'

export type StartMessages = { say(text: string): void; warn(text: string): void }

/** Prints plain messages to a terminal. Otherwise each message is a log line, so that standard output and standard
 *  error can be written to the same file, in which every line is JSON. */
export function startMessages({ stderr, progress }: Terminal): StartMessages {
  if (progress) return { say: stderr, warn: stderr }
  const log = createLogger('info', { write: (line) => stderr(line.trimEnd()) })
  return { say: (text) => log.info(text.trim()), warn: (text) => log.warn(text) }
}

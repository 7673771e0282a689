// The messages that `serve` prints when it starts.

import type { Terminal } from '../cli/command.ts'
import { createLogger } from '../lib/log.ts'

/** `print`: for a person, never as a log line. */
export type StartMessages = { say(text: string): void; warn(text: string): void; print(text: string): void }

/** Prints plain messages to a terminal. Otherwise, `say` and `warn` print each message as a JSON log line, so that
 *  standard output and standard error can go to the same log file. */
export function startMessages({ stderr, progress }: Terminal): StartMessages {
  if (progress) return { say: stderr, warn: stderr, print: stderr }
  const log = createLogger('info', { write: (line) => stderr(line.trimEnd()) })
  return { say: (text) => log.info(text.trim()), warn: (text) => log.warn(text), print: stderr }
}

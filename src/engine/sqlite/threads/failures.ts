// The errors that threads pass to the main thread. A message cannot contain an error's class, so it names the kind.

import { Problem } from '../../../problem.ts'
import { Damaged, TooSlow, Unavailable } from '../../database/database.ts'
import { MigrationFailed } from '../../migration-queue.ts'

export type Failure = { kind: keyof typeof decoders; message: string; stack: string | undefined }

/** `invalid`: a read that is invalid for the current data. `bug`: any other error; its stack comes from the thread in
 *  which it occurred. */
const decoders = {
  damaged: ({ message }) => new Damaged(message),
  migrationFailed: ({ message }) => new MigrationFailed(message),
  unavailable: ({ message }) => new Unavailable(message),
  tooSlow: ({ message }) => new TooSlow(message),
  invalid: ({ message }) => new Problem('invalid_request', { message }),
  bug: ({ message, stack }) => Object.assign(new Error(message), { stack }),
} as const satisfies Record<string, (failure: Omit<Failure, 'kind'>) => Error>

export function encodeFailure(error: unknown): Failure {
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: kindOf(error), message, stack }
}

export function decodeFailure(failure: Failure): Error {
  return decoders[failure.kind](failure)
}

function kindOf(error: unknown): Failure['kind'] {
  if (error instanceof Damaged) return 'damaged'
  if (error instanceof MigrationFailed) return 'migrationFailed'
  if (error instanceof Unavailable) return 'unavailable'
  if (error instanceof TooSlow) return 'tooSlow'
  return error instanceof Problem && error.code === 'invalid_request' ? 'invalid' : 'bug'
}

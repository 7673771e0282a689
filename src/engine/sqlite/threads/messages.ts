// The messages between the main thread and the threads that have tenant files open, with the errors in them, and the
// claims in shared memory.

import { Problem } from '../../../problem.ts'
import { Damaged, TooSlow, Unavailable } from '../../database/database.ts'
import { MigrationFailed } from '../../migration-queue.ts'
import type { ProductSource } from '../../product.ts'

/** A queued operation, or work on a tenant's whole file. `taskId`: increases with each task. `slot`: the task's place
 *  among its thread's pending tasks, which is also the index of its claim; `noSlot` until the task is sent. `name`: the
 *  name of an operation, or a FileWork. `fileVersion`: the version that a reader thread must read. `isForWriter`: no
 *  reader thread could run the task, so the writer runs it, however long it takes. `mayBeCorrupt`: the file must be
 *  checked for damage first. */
export type Task = {
  taskId: number
  slot: number
  fileVersion?: FileVersion | undefined
  tenant: string
  name: string
  input: unknown
  isForWriter?: boolean
  mayBeCorrupt?: boolean
}

export const noSlot = -1

/** A reader thread runs `migrate` and `compact`. The writer runs `reopen` after `compact`: the file was changed by a
 *  thread of this process, so it need not be checked for damage. */
export type FileWork = 'migrate' | 'compact' | 'reopen'

/** A file's version after its writer's last change. `stamp` identifies the content; `generation` identifies the
 *  writer's connection. */
export type FileVersion = { stamp: string; generation: string }

export type Outcome =
  | { output: unknown }
  | { failure: Failure }
  /** The main thread rejected the task while it was queued. */
  | { refused: true }
  /** From a writer: the file must be migrated first. */
  | { needsMigration: true }
  /** From a writer: a reader thread may run this. */
  | { forReader: true }
  /** From a reader: the writer must run this, and check the file if it may be damaged. */
  | { forWriter: { mayBeCorrupt: boolean } }

/** `milliseconds`: how long the task ran. */
export type Reply = { slot: number; milliseconds?: number } & Outcome

/** A message to a thread. `unanswered`: how many of the thread's tasks are pending, including these. */
export type ThreadRequest = { tasks: Task[]; unanswered: number } | 'close'

/** A message is sent as JSON, because cloning its many small objects would take twice as long on both sides. Replies
 *  are cloned: they consist of long texts. */
export type EncodedRequest = string & { encodes: ThreadRequest }

export function encodeRequest(request: ThreadRequest): EncodedRequest {
  return JSON.stringify(request) as EncodedRequest
}

export function decodeRequest(request: EncodedRequest): ThreadRequest {
  return JSON.parse(request)
}

/** A message from a thread. `isTurnOver`: a reader has ended its turn, and will not start the tasks that have no reply.
 *  `fileVersions`: the versions of files that may have changed; null for a closed file. `files`: how many files are
 *  open now, and how many were evicted since the last message. */
export type ThreadMessage = {
  replies: Reply[]
  isTurnOver?: true
  fileVersions?: [tenant: string, FileVersion | null][]
  files?: { open: number; evicted: number }
  commit?: { operations: number; milliseconds: number } | undefined
}

export type WorkerSettings = { directory: string; product: ProductSource; openFiles: number }

/** The settings, with the memory that the thread shares with the main thread. */
export type ThreadSettings = WorkerSettings & { claims: Claims }

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

/** One number per queued task: 1 if the task is claimed. */
export type Claims = Int32Array<SharedArrayBuffer>

/** The maximum number of tasks queued for one thread, which is above the process's in-flight limit (5,000 by
 *  default). */
const taskLimit = 8192

export function openClaims(): Claims {
  return new Int32Array(new SharedArrayBuffer(taskLimit * Int32Array.BYTES_PER_ELEMENT))
}

/** Claims a task. Returns false if it has already been claimed. */
export function claim(claims: Claims, index: number): boolean {
  return Atomics.compareExchange(claims, index, 0, 1) === 0
}

/** Releases the claim on a task that has not started, or that has ended. */
export function release(claims: Claims, index: number): void {
  Atomics.store(claims, index, 0)
}

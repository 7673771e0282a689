// The messages between the main thread and the threads that have tenant files open.

import type { Resources } from '../../../resources/resource.ts'
import type { OperationName } from '../../operations.ts'
import type { SlowStatement } from '../../slow-operations.ts'
import type { Claims } from './claims.ts'

/** A queued operation, or work on a tenant's file as a whole. `claimIndex`: its entry in the claims shared with the main
 *  thread. `fileVersion`: for a reader thread. `isForWriter`: no reader thread could run it, so the writer does, however
 *  long it takes. `mayBeCorrupt`: the file has to be checked for damage first. */
export type Task = {
  taskId: number
  claimIndex?: number
  fileVersion?: FileVersion | undefined
  tenant: string
  name: OperationName | FileWork
  input: unknown
  isForWriter?: boolean
  mayBeCorrupt?: boolean
  /** Report the statements if it takes longer. */
  slowAfterMs?: number | undefined
}

/** `migrate` and `compact` are for a reader thread. `reopen` is for the writer: a reader thread of this process has changed the file,
 *  so there is no need to check it for damage. */
export const fileWorks = ['migrate', 'compact', 'reopen'] as const

export type FileWork = (typeof fileWorks)[number]

/** The version of a file as its writer left it. `stamp` identifies its content, `generation` tells apart the times the
 *  writer opened it. */
export type FileVersion = { stamp: string; generation: string }

export type Outcome =
  | { output: unknown }
  | { unavailable: string; isDamaged?: boolean }
  | { tooSlow: string }
  /** A read that its data refuses: the hint of `invalid_request`. */
  | { invalid: string }
  | { migrationFailed: string }
  | { bug: string }
  /** The main thread has rejected it while it was queued. */
  | { refused: true }
  /** From a writer: the file must be migrated first. */
  | { needsMigration: true }
  /** From a writer: a reader thread may run this. */
  | { forReader: true }
  /** From a reader: the writer must run this, and check the file if it may be damaged. */
  | { forWriter: { mayBeCorrupt: boolean } }

/** `milliseconds`: how long it ran. `statements`: of a slow one. */
export type Reply = { taskId: number; milliseconds?: number; statements?: SlowStatement[] } & Outcome

/** A message to a thread. `unanswered`: how many of its tasks are pending, including these. */
export type ThreadRequest = { tasks: Task[]; unanswered: number } | 'close'

/** A message from a thread. `isTurnOver`: from a reader, which starts none of the tasks that have no reply. `fileVersions`:
 *  of tenants whose files may have changed; null for a closed file. `files`: files open now, and files evicted since the
 *  last message. */
export type ThreadMessage = {
  replies: Reply[]
  isTurnOver?: true
  fileVersions?: [tenant: string, FileVersion | null][]
  files?: { open: number; evicted: number }
  commit?: { operations: number; milliseconds: number }
}

export type WorkerSettings = { directory: string; resources: Resources; openFiles: number }

/** The settings, with the memory that the thread shares with the main thread. */
export type ThreadSettings = WorkerSettings & { claims: Claims }

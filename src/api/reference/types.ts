import type { Operation } from '../openapi/types.ts'

/** An operation and its URL relative to the page. */
export type LocatedOperation = { path: string; method: string; address: string; operation: Operation }

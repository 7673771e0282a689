import type { Operation } from '../openapi/types.ts'

/** An operation, and its URL relative to the page. HEAD is documented with GET. */
export type Placed = { path: string; method: string; address: string; operation: Operation }

import type { Operation } from '../openapi/types.ts'

/** An operation, and its address relative to the page. HEAD is told with GET. */
export type Placed = { path: string; method: string; address: string; operation: Operation }

// What the engine must be told about the product whose operations it runs.

import type { Database, Dialect } from './database/database.ts'
import { type AnyOperation, ping } from './operation.ts'

/** From this, any thread makes the product: `module` is the URL of the module that exports `productOf(resources)`.
 *  `resources`: plain data, which every operation is given. */
export type ProductSource = { module: string; resources: object }

/** The product: its operations by name, and the schema of a tenant's database. */
export type Product = ProductSource & {
  operations: ReadonlyMap<string, AnyOperation>
  schema: ProductSchema
  searchIndex: SearchIndex
}

export type ProductSchema = {
  /** The version that `create` creates and `migrate` leads to. */
  version: number
  create(database: Database, dialect: Dialect): Promise<void>
  /** Runs the steps that a database at version `from` has not run. */
  migrate(database: Database, from: number, dialect: Dialect): Promise<void>
  /** A query for the latest time among the newest changes, as `at`. */
  latestChangeTime: string
}

/** The index for text search in a SQLite file. It is filled after the commits, in steps between other operations. */
export type SearchIndex = {
  /** Counts the changes that are not in the index yet. Large numbers need not be exact. */
  countPending(database: Database): Promise<number>
  /** Indexes a batch of changes. Returns whether segments of the index may remain to be merged. */
  indexPending(database: Database, size: StepSize): Promise<boolean>
  /** Merges part of the index. Returns whether there may be more to merge. */
  merge(database: Database, size: StepSize): Promise<boolean>
  /** Indexes all changes and merges the whole index, so that it no longer contains any former text. */
  optimize(database: Database): Promise<void>
}

/** The limits of one step that updates the search index. `bytes`: the size of the records' text, but a step always
 *  indexes at least one record. `pages`: how many pages of the index the step merges. */
export type StepSize = { records: number; bytes: number; pages: number }

/** A small step takes about 1 ms. A large step takes 3 to 12 ms, but only half as long per record
 *  (docs/decisions/0058). Requests wait until a step ends. */
export const smallStep: StepSize = { records: 100, bytes: 50_000, pages: 16 }
export const largeStep: StepSize = { records: 500, bytes: 100_000, pages: 80 }

/** Makes the product in this thread. */
export async function loadProduct({ module, resources }: ProductSource): Promise<Product> {
  const { productOf } = await import(module)
  return productOf(resources)
}

/** Returns these groups of operations, and the engine's own, by name. Throws if two have the same name. */
export function operationsByName(groups: readonly Record<string, AnyOperation>[]): Product['operations'] {
  const operations = [ping, ...groups.flatMap((group) => Object.values(group))]
  const byName = new Map(operations.map((operation) => [operation.name, operation]))
  if (byName.size < operations.length) throw new Error('two operations have the same name')
  return byName
}

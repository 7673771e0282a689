// Caches the values that are derived from declarations (docs/decisions/0030).

import type { Database } from '../../engine/database/database.ts'

type Engine = Database['engine']

/** Calls `derive` once for each declaration, which is a resource or the list of all resources. A copy of a declaration
 *  has its own result. A result is freed together with its declaration. */
export function deriveOnce<Declaration extends object, Derived extends object>(
  derive: (declaration: Declaration) => Derived,
): (declaration: Declaration) => Derived {
  const results = new WeakMap<Declaration, Derived>()
  return (declaration) => {
    const cachedResult = results.get(declaration)
    if (cachedResult) return cachedResult
    const result = derive(declaration)
    results.set(declaration, result)
    return result
  }
}

/** Like deriveOnce, for results that also depend on the engine, such as SQL. */
export function deriveOncePerEngine<Declaration extends object, Derived extends object>(
  derive: (engine: Engine, declaration: Declaration) => Derived,
): (engine: Engine, declaration: Declaration) => Derived {
  const byEngine = {
    sqlite: deriveOnce((declaration: Declaration) => derive('sqlite', declaration)),
    postgres: deriveOnce((declaration: Declaration) => derive('postgres', declaration)),
  }
  return (engine, declaration) => byEngine[engine](declaration)
}

// All declared resources. Tests that use these lists also cover new declarations.

import { resources } from '../../src/domain/declarations/all.ts'

export const resourceNames: string[] = resources.map(({ name }) => name)
export const resourcePaths: string[] = resourceNames.map((name) => `/${name}.php`)

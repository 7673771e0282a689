// All declared resources, for tests that cover each of them: a new declaration is covered without a change here.

import { resources } from '../../src/resources/declarations/all.ts'

export const resourceNames: string[] = resources.map(({ name }) => name)
export const resourcePaths: string[] = resourceNames.map((name) => `/${name}.php`)

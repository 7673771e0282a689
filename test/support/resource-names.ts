// Every declared resource, for tests about all of them: a new declaration is covered without a change here.

import { resources } from '../../src/resources/declarations/all.ts'

export const resourceNames: string[] = resources.map(({ name }) => name)
export const resourcePaths: string[] = resourceNames.map((name) => `/${name}.php`)

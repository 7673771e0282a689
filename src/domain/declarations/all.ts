import { customers } from './customers.ts'
import { employees } from './employees.ts'
import { hardware } from './hardware.ts'
import type { Resources } from './resource.ts'

const declarations = [customers, employees, hardware] as const

export type DeclaredResource = (typeof declarations)[number]

/** The service's resources, in the order in which their tables are created. */
export const resources: Resources = declarations

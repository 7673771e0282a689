import type { Resources } from '../resource.ts'
import { customers } from './customers.ts'
import { employees } from './employees.ts'
import { hardware } from './hardware.ts'

/** The service's resources, in the order in which their tables are created. */
export const resources: Resources = [customers, employees, hardware]

import { customersPresentation } from './customers.ts'
import { employeesPresentation } from './employees.ts'
import { hardwarePresentation } from './hardware.ts'
import type { DeclaredPresentation } from './presentation.ts'

/** The presentations of the resources, in the order of menus and search results. */
export const presentations: readonly DeclaredPresentation[] = [
  hardwarePresentation,
  employeesPresentation,
  customersPresentation,
]

// Written from the OpenAPI document by `npm run docs`; not by hand.

import { exportsOf } from './exports.ts'
import { assignmentsOf, bulkOf, historyOf, readingOf, recordsOf, undoOf } from './operations.ts'
import type { Settings } from './send.ts'
import type {
  Change,
  ChangePage,
  ChangesQuery,
  Customer,
  CustomerChanges,
  CustomersExport,
  CustomersQuery,
  Employee,
  EmployeeAssignments,
  EmployeeChanges,
  EmployeesExport,
  EmployeesQuery,
  HardwareExport,
  HardwareQuery,
  HardwareRecord,
  HardwareRecordAssignments,
  HardwareRecordChanges,
  Me,
  MeQuery,
  NewCustomer,
  NewEmployee,
  NewHardwareRecord,
} from './types.ts'

/** One member per path of the API. */
export function endpointsOf(settings: Settings) {
  return {
    customers: { ...recordsOf<Customer, NewCustomer, CustomerChanges, CustomersQuery>(settings, '/customers.php'), ...exportsOf<Customer, CustomersExport>(settings, '/customers.php') },
    employees: { ...recordsOf<Employee, NewEmployee, EmployeeChanges, EmployeesQuery>(settings, '/employees.php'), ...exportsOf<Employee, EmployeesExport>(settings, '/employees.php'), assignments: assignmentsOf<EmployeeAssignments>(settings, '/employees.php') },
    hardware: { ...recordsOf<HardwareRecord, NewHardwareRecord, HardwareRecordChanges, HardwareQuery>(settings, '/hardware.php'), ...exportsOf<HardwareRecord, HardwareExport>(settings, '/hardware.php'), assignments: assignmentsOf<HardwareRecordAssignments>(settings, '/hardware.php') },
    bulk: bulkOf(settings, '/bulk.php'),
    changes: historyOf<Change, ChangePage, ChangesQuery>(settings, '/changes.php'),
    undo: undoOf(settings, '/undo.php'),
    me: readingOf<MeQuery, Me>(settings, '/me.php'),
  }
}

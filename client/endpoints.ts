// Generated from the OpenAPI document by `npm run docs`. Do not edit by hand.

import { exportsOf } from './exports.ts'
import { importsOf } from './imports.ts'
import { actionOf, assignmentsOf, bulkOf, historyOf, readerOf, recordsOf, singleOf, undoOf } from './operations.ts'
import type { Settings } from './send.ts'
import type {
  Change,
  ChangePage,
  ChangesQuery,
  Customer,
  CustomerChanges,
  CustomersExport,
  CustomersQuery,
  DeletedImportMapping,
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
  ImportMappingPage,
  ImportSummary,
  Import_mappingsQuery,
  ImportsQuery,
  Me,
  MeQuery,
  NewCustomer,
  NewEmployee,
  NewHardwareRecord,
  NewView,
  TenantSettings,
  TenantSettingsChanges,
  View,
  ViewChanges,
  ViewsQuery,
} from './types.ts'

/** One member for each resource, one for the history, and one for every other endpoint. */
export function endpointsOf(settings: Settings) {
  return {
    customers: { ...recordsOf<Customer, NewCustomer, CustomerChanges, CustomersQuery>(settings, '/customers.php'), ...exportsOf<Customer, CustomersExport>(settings, '/customers.php') },
    employees: { ...recordsOf<Employee, NewEmployee, EmployeeChanges, EmployeesQuery>(settings, '/employees.php'), ...exportsOf<Employee, EmployeesExport>(settings, '/employees.php'), assignments: assignmentsOf<EmployeeAssignments>(settings, '/employees.php') },
    hardware: { ...recordsOf<HardwareRecord, NewHardwareRecord, HardwareRecordChanges, HardwareQuery>(settings, '/hardware.php'), ...exportsOf<HardwareRecord, HardwareExport>(settings, '/hardware.php'), assignments: assignmentsOf<HardwareRecordAssignments>(settings, '/hardware.php') },
    bulk: bulkOf(settings, '/bulk.php'),
    imports: importsOf<{ resource?: 'customers' | 'employees' | 'hardware'; mode?: 'dry_run' | 'all_or_nothing' | 'valid_rows'; match?: 'external_id' | 'id' | 'email' | 'code' | 'employee_no' | 'asset_tag' | 'serial_number'; amounts?: 'major' | 'minor'; map?: Record<string, string>; set?: Record<string, string>; value?: Record<string, Record<string, string>>; mapping?: string; save_as?: string; id?: number }, ImportSummary, ImportsQuery>(settings, '/imports.php'),
    getImportMappings: readerOf<Import_mappingsQuery, ImportMappingPage>(settings, '/import_mappings.php'),
    deleteImportMappings: actionOf<{ resource: 'customers' | 'employees' | 'hardware'; name: string }, undefined, DeletedImportMapping>(settings, 'DELETE', '/import_mappings.php'),
    changes: historyOf<Change, ChangePage, ChangesQuery>(settings, '/changes.php'),
    undo: undoOf(settings, '/undo.php'),
    settings: singleOf<TenantSettings, TenantSettingsChanges>(settings, '/settings.php'),
    views: recordsOf<View, NewView, ViewChanges, ViewsQuery>(settings, '/views.php'),
    me: readerOf<MeQuery, Me>(settings, '/me.php'),
  }
}

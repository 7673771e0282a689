// Generated from the OpenAPI document by `npm run docs`. Do not edit by hand.

/** A company or one of its branches. A customer must exist before employees can refer to it. */
export type Customer = {
  /** Assigned in ascending order per tenant and resource; never reused. */
  id: number
  name: string
  /** A short name for lists and labels. */
  code: string | null
  email: string | null
  phone: string | null
  address: string | null
  city: string | null
  /** A two-letter code, such as DE. */
  country: string | null
  tax_id: string | null
  type: 'headquarters' | 'branch' | 'warehouse' | 'client' | 'other'
  is_active: boolean
  /** The last day of the contract. */
  contract_end: string | null
  notes: string | null
  /** The record's id in your own system. Unique within the tenant. */
  external_id: string | null
  /** When it was created; set by the service. */
  created_at: string
  /** When it was last changed; set by the service. */
  updated_at: string
}

/** Unknown members are ignored, or rejected with `Prefer: handling=strict`. */
export type NewCustomer = {
  name: string
  /** A short name for lists and labels. */
  code?: string | null
  email?: string | null
  phone?: string | null
  address?: string | null
  city?: string | null
  /** A two-letter code, such as DE. */
  country?: string | null
  tax_id?: string | null
  /** Default: `branch`. */
  type?: 'headquarters' | 'branch' | 'warehouse' | 'client' | 'other' | null
  /** Default: `true`. */
  is_active?: true | false | 1 | 0 | null
  /** The last day of the contract. */
  contract_end?: string | null
  notes?: string | null
  /** The record's id in your own system. Unique within the tenant. */
  external_id?: string | null
}

/** The fields to change; other fields do not change. */
export type CustomerChanges = {
  name?: string
  /** A short name for lists and labels. */
  code?: string | null
  email?: string | null
  phone?: string | null
  address?: string | null
  city?: string | null
  /** A two-letter code, such as DE. */
  country?: string | null
  tax_id?: string | null
  type?: 'headquarters' | 'branch' | 'warehouse' | 'client' | 'other' | null
  is_active?: true | false | 1 | 0 | null
  /** The last day of the contract. */
  contract_end?: string | null
  notes?: string | null
  /** The record's id in your own system. Unique within the tenant. */
  external_id?: string | null
}

export type CustomerPage = {
  /** The customers on this page. */
  data: (Customer)[]
  page: {
    /** The maximum number of records on a page. */
    limit: number
    /** Whether there is a next page. */
    has_more: boolean
    /** Pass this as `cursor` to get the next page; null on the last one. */
    next_cursor: string | null
    /** The number of matching records, if the request asked for `total`. */
    total?: number
  }
}

/** With `id`: the customer, which has `id` and `created_at`. Without `id`: a page of customers, which has `data` and `page`. */
export type CustomerResult = Customer | CustomerPage

/** A person who works for a customer. An employee must exist before hardware can refer to it. */
export type Employee = {
  /** Assigned in ascending order per tenant and resource; never reused. */
  id: number
  /** The id of an existing customer. */
  customer_id: number
  email: string
  name: string | null
  department: string | null
  title: string | null
  /** The customer's own number for this person. */
  employee_no: string | null
  phone: string | null
  /** The first day of work. */
  start_date: string | null
  /** The last day of work. */
  end_date: string | null
  is_active: boolean
  is_remote: boolean
  notes: string | null
  /** The record's id in your own system. Unique within the tenant. */
  external_id: string | null
  /** `storage` is a place, such as a room or a shelf, for equipment that is not in use. */
  kind: 'person' | 'storage'
  /** When it was created; set by the service. */
  created_at: string
  /** When it was last changed; set by the service. */
  updated_at: string
  customer?: Customer
}

/** Unknown members are ignored, or rejected with `Prefer: handling=strict`. */
export type NewEmployee = {
  /** The id of an existing customer. */
  customer_id?: number
  email: string
  name?: string | null
  department?: string | null
  title?: string | null
  /** The customer's own number for this person. */
  employee_no?: string | null
  phone?: string | null
  /** The first day of work. */
  start_date?: string | null
  /** The last day of work. */
  end_date?: string | null
  /** Default: `true`. */
  is_active?: true | false | 1 | 0 | null
  /** Default: `false`. */
  is_remote?: true | false | 1 | 0 | null
  notes?: string | null
  /** The record's id in your own system. Unique within the tenant. */
  external_id?: string | null
  /** `storage` is a place, such as a room or a shelf, for equipment that is not in use. Default: `person`. */
  kind?: 'person' | 'storage' | null
  /** The external id of an existing customer, instead of `customer_id`. */
  customer_external_id?: string | null
}

/** The fields to change; other fields do not change. */
export type EmployeeChanges = {
  /** The id of an existing customer. */
  customer_id?: number
  email?: string
  name?: string | null
  department?: string | null
  title?: string | null
  /** The customer's own number for this person. */
  employee_no?: string | null
  phone?: string | null
  /** The first day of work. */
  start_date?: string | null
  /** The last day of work. */
  end_date?: string | null
  is_active?: true | false | 1 | 0 | null
  is_remote?: true | false | 1 | 0 | null
  notes?: string | null
  /** The record's id in your own system. Unique within the tenant. */
  external_id?: string | null
  /** `storage` is a place, such as a room or a shelf, for equipment that is not in use. */
  kind?: 'person' | 'storage' | null
  /** The external id of an existing customer, instead of `customer_id`. */
  customer_external_id?: string | null
}

export type EmployeePage = {
  /** The employees on this page. */
  data: (Employee)[]
  page: {
    /** The maximum number of records on a page. */
    limit: number
    /** Whether there is a next page. */
    has_more: boolean
    /** Pass this as `cursor` to get the next page; null on the last one. */
    next_cursor: string | null
    /** The number of matching records, if the request asked for `total`. */
    total?: number
  }
}

export type EmployeeAssignments = {
  /** The id of the employee. */
  id: number
  /** Oldest first. */
  assignments: ({
    /** The id of an existing customer. */
    customer_id: number
    /** Start of the assignment. */
    from: string
    /** End of the assignment; null if it is current. */
    to: string | null
  })[]
}

/** With `id`: the employee, which has `id` and `created_at`. With `id` and `history=assignments`: an object with `id` and `assignments`. Without `id`: a page of employees, which has `data` and `page`. */
export type EmployeeResult = Employee | EmployeeAssignments | EmployeePage

/** A piece of equipment, assigned to an employee. */
export type HardwareRecord = {
  /** Assigned in ascending order per tenant and resource; never reused. */
  id: number
  /** The id of an existing employee. */
  employee_id: number
  name: string | null
  type: 'laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other'
  status: 'in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired'
  /** The text on the asset's inventory label. Unique within the tenant. */
  asset_tag: string | null
  serial_number: string | null
  manufacturer: string | null
  model: string | null
  purchase_date: string | null
  /** The last day of the warranty. */
  warranty_end: string | null
  /** In minor units: 149900 is 1,499.00. */
  purchase_cost: number | null
  /** Whether the asset is lent out temporarily. */
  is_loaner: boolean
  notes: string | null
  /** The record's id in your own system. Unique within the tenant. */
  external_id: string | null
  /** The date by which a loan must be returned. */
  due_back: string | null
  /** When the asset was last seen in a stock-take. */
  last_seen_at: string | null
  /** When it was created; set by the service. */
  created_at: string
  /** When it was last changed; set by the service. */
  updated_at: string
  employee?: Employee
}

/** Unknown members are ignored, or rejected with `Prefer: handling=strict`. */
export type NewHardwareRecord = {
  /** The id of an existing employee. */
  employee_id?: number
  name?: string | null
  /** Default: `other`. */
  type?: 'laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other' | null
  /** Default: `in_use`. */
  status?: 'in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired' | null
  /** The text on the asset's inventory label. Unique within the tenant. */
  asset_tag?: string | null
  serial_number?: string | null
  manufacturer?: string | null
  model?: string | null
  purchase_date?: string | null
  /** The last day of the warranty. */
  warranty_end?: string | null
  /** In minor units: 149900 is 1,499.00. */
  purchase_cost?: number | null
  /** Whether the asset is lent out temporarily. Default: `false`. */
  is_loaner?: true | false | 1 | 0 | null
  notes?: string | null
  /** The record's id in your own system. Unique within the tenant. */
  external_id?: string | null
  /** The date by which a loan must be returned. */
  due_back?: string | null
  /** The external id of an existing employee, instead of `employee_id`. */
  employee_external_id?: string | null
  /** The id of the customer whose stock the record goes to, instead of `employee_id`. The stock is the oldest active storage location; if there is none, one is created, for which the key needs `employees:create`. `status` becomes `spare`, unless the request gives another. */
  stock_customer_id?: number | null
  /** The external id of the customer whose stock the record goes to, instead of `employee_id`. The stock is the oldest active storage location; if there is none, one is created, for which the key needs `employees:create`. `status` becomes `spare`, unless the request gives another. */
  stock_customer_external_id?: string | null
  /** `true`: a new record gets the next free `asset_tag` of the setting `tag_format`. Numbers that were assigned are not assigned again. Cannot be combined with `asset_tag`; ignored where no record is created. */
  assign_tag?: boolean | null
}

/** The fields to change; other fields do not change. */
export type HardwareRecordChanges = {
  /** The id of an existing employee. */
  employee_id?: number
  name?: string | null
  type?: 'laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other' | null
  status?: 'in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired' | null
  /** The text on the asset's inventory label. Unique within the tenant. */
  asset_tag?: string | null
  serial_number?: string | null
  manufacturer?: string | null
  model?: string | null
  purchase_date?: string | null
  /** The last day of the warranty. */
  warranty_end?: string | null
  /** In minor units: 149900 is 1,499.00. */
  purchase_cost?: number | null
  /** Whether the asset is lent out temporarily. */
  is_loaner?: true | false | 1 | 0 | null
  notes?: string | null
  /** The record's id in your own system. Unique within the tenant. */
  external_id?: string | null
  /** The date by which a loan must be returned. */
  due_back?: string | null
  /** The external id of an existing employee, instead of `employee_id`. */
  employee_external_id?: string | null
  /** The id of the customer whose stock the record goes to, instead of `employee_id`. The stock is the oldest active storage location; if there is none, one is created, for which the key needs `employees:create`. `status` becomes `spare`, unless the request gives another. */
  stock_customer_id?: number | null
  /** The external id of the customer whose stock the record goes to, instead of `employee_id`. The stock is the oldest active storage location; if there is none, one is created, for which the key needs `employees:create`. `status` becomes `spare`, unless the request gives another. */
  stock_customer_external_id?: string | null
  /** `true`: a new record gets the next free `asset_tag` of the setting `tag_format`. Numbers that were assigned are not assigned again. Cannot be combined with `asset_tag`; ignored where no record is created. */
  assign_tag?: boolean | null
}

export type HardwareRecordPage = {
  /** The hardware on this page. */
  data: (HardwareRecord)[]
  page: {
    /** The maximum number of records on a page. */
    limit: number
    /** Whether there is a next page. */
    has_more: boolean
    /** Pass this as `cursor` to get the next page; null on the last one. */
    next_cursor: string | null
    /** The number of matching records, if the request asked for `total`. */
    total?: number
  }
}

export type HardwareRecordAssignments = {
  /** The id of the hardware record. */
  id: number
  /** Oldest first. */
  assignments: ({
    /** The id of an existing employee. */
    employee_id: number
    /** Start of the assignment. */
    from: string
    /** End of the assignment; null if it is current. */
    to: string | null
  })[]
}

/** With `id`: the hardware record, which has `id` and `created_at`. With `id` and `history=assignments`: an object with `id` and `assignments`. Without `id`: a page of hardware, which has `data` and `page`. */
export type HardwareRecordResult = HardwareRecord | HardwareRecordAssignments | HardwareRecordPage

export type BulkRequest = {
  /** What happens to the other operations if one fails. */
  mode?: 'all_or_nothing' | 'each'
  /** In the order in which they run. */
  operations: (BulkOperation)[]
}

export type BulkOperation = {
  method: 'POST'
  resource: 'customers'
  body: NewCustomer
} | {
  method: 'PUT'
  resource: 'customers'
  body: CustomerChanges
  /** The id of the customer. */
  id?: number
  /** The id in your own system, instead of `id`. */
  external_id?: string
  /** ETags, as in `If-Match`. */
  if_match?: string
  /** As in `If-None-Match`: with `*`, an operation with an `external_id` only creates a record. */
  if_none_match?: string
} | {
  method: 'DELETE'
  resource: 'customers'
  /** The id of the customer. */
  id?: number
  /** The id in your own system, instead of `id`. */
  external_id?: string
  /** ETags, as in `If-Match`. */
  if_match?: string
} | {
  method: 'POST'
  resource: 'employees'
  body: NewEmployee
} | {
  method: 'PUT'
  resource: 'employees'
  body: EmployeeChanges
  /** The id of the employee. */
  id?: number
  /** The id in your own system, instead of `id`. */
  external_id?: string
  /** ETags, as in `If-Match`. */
  if_match?: string
  /** As in `If-None-Match`: with `*`, an operation with an `external_id` only creates a record. */
  if_none_match?: string
} | {
  method: 'DELETE'
  resource: 'employees'
  /** The id of the employee. */
  id?: number
  /** The id in your own system, instead of `id`. */
  external_id?: string
  /** ETags, as in `If-Match`. */
  if_match?: string
} | {
  method: 'POST'
  resource: 'hardware'
  body: NewHardwareRecord
} | {
  method: 'PUT'
  resource: 'hardware'
  body: HardwareRecordChanges
  /** The id of the hardware record. */
  id?: number
  /** The id in your own system, instead of `id`. */
  external_id?: string
  /** ETags, as in `If-Match`. */
  if_match?: string
  /** As in `If-None-Match`: with `*`, an operation with an `external_id` only creates a record. */
  if_none_match?: string
} | {
  method: 'DELETE'
  resource: 'hardware'
  /** The id of the hardware record. */
  id?: number
  /** The id in your own system, instead of `id`. */
  external_id?: string
  /** ETags, as in `If-Match`. */
  if_match?: string
}

export type BulkResponse = {
  mode: 'all_or_nothing' | 'each'
  /** The number of operations that were applied. */
  succeeded: number
  /** The number of operations that failed and were not applied. */
  failed: number
  /** The change set; null if nothing changed. */
  change_set: string | null
  /** One result for each operation, in the same order. */
  results: (BulkResult)[]
}

export type BulkResult = BulkSuccess | BulkFailure

export type BulkSuccess = {
  status: number
  body: Customer | Employee | HardwareRecord | Deleted
  location?: string
  etag?: string
}

export type BulkFailure = {
  status: number
  error: {
    code: ErrorCode
    /** For people. The wording may change. */
    message: string
    status: number
  }
  errors?: Record<string, FieldError>
  fields?: (string)[]
  details?: string
  dependents?: ({
    resource: string
    count: number
  })[]
}

export type ImportSummary = {
  id: number
  /** The resource whose records the file contains. */
  resource: string
  mode: 'dry_run' | 'all_or_nothing' | 'valid_rows'
  /** The column that identifies existing records. */
  match: string
  /** The import is in progress while it is `checking` or `running`; all other states are final. */
  state: 'checking' | 'checked' | 'running' | 'done' | 'failed' | 'cancelled' | 'undone'
  /** The number of rows in the file, without the header and empty rows. */
  rows: number
  /** The number of rows checked or applied so far. */
  processed: number
  /** Records created; for a check, records that would be created. */
  created: number
  /** Records updated; for a check, records that would be updated. */
  updated: number
  /** Rows whose records already have these values. */
  unchanged: number
  /** Rows that failed. */
  invalid: number
  /** How ambiguous parts of the file were interpreted. */
  assumptions: (string)[]
  /** The change set of the import; null if it changed nothing. */
  change_set: string | null
  created_at: string
  /** When the check or the import ended. */
  finished_at: string | null
}

export type Import = {
  id: number
  /** The resource whose records the file contains. */
  resource: string
  mode: 'dry_run' | 'all_or_nothing' | 'valid_rows'
  /** The column that identifies existing records. */
  match: string
  /** The import is in progress while it is `checking` or `running`; all other states are final. */
  state: 'checking' | 'checked' | 'running' | 'done' | 'failed' | 'cancelled' | 'undone'
  /** The number of rows in the file, without the header and empty rows. */
  rows: number
  /** The number of rows checked or applied so far. */
  processed: number
  /** Records created; for a check, records that would be created. */
  created: number
  /** Records updated; for a check, records that would be updated. */
  updated: number
  /** Rows whose records already have these values. */
  unchanged: number
  /** Rows that failed. */
  invalid: number
  /** How ambiguous parts of the file were interpreted. */
  assumptions: (string)[]
  /** The change set of the import; null if it changed nothing. */
  change_set: string | null
  /** How each column of the file was read. */
  columns: (ImportColumn)[]
  /** Equal errors of all failed rows, the most frequent ones first. */
  summary: (ErrorGroup)[]
  /** The first 100 errors. */
  errors: (RowError)[]
  created_at: string
  /** When the check or the import ended. */
  finished_at: string | null
}

export type ImportPage = {
  data: (ImportSummary)[]
  page: {
    limit: number
    has_more: boolean
    next_cursor: string | null
  }
}

export type ImportResult = Import | ImportPage

export type ImportColumn = {
  /** The title in the file. */
  title: string
  /** The field that the column sets; null if the column is ignored. */
  field: string | null
  /** The field by which a reference was looked up. */
  by: string | null
  /** Up to three different cells, shortened to 100 characters, for 30 days. */
  samples: (string)[]
}

export type ErrorGroup = {
  /** As in the errors. */
  code: string
  /** The column title; null if the errors are not about a column of the file. */
  column: string | null
  /** The field that the errors are about; null if they are about the whole row. */
  field: string | null
  count: number
  /** The first row with the error. */
  first_row: number
}

export type RowError = {
  /** Numbered as in a spreadsheet: the header is row 1. */
  row: number
  /** The column title; null if the error is not about a column of the file. */
  column: string | null
  /** A field code, `ambiguous` or `too_many_cells`. */
  code: string
  /** For people. The wording may change. */
  message: string
}

export type ImportMapping = {
  /** The name, for the parameter `mapping` of an upload. */
  name: string
  /** The resource of the records in the file; null for a shipped mapping. */
  resource: string | null
  is_shipped: boolean
  /** The target of each column title; an empty string skips the column. */
  map: Record<string, string>
  /** A value for each target that has no column. */
  set: Record<string, string>
  /** For a column title, the value that replaces a cell. */
  value: Record<string, Record<string, string>>
  amounts: 'major' | 'minor' | null
  /** The column that identifies existing records. */
  match: string | null
}

export type ImportMappingPage = {
  /** The mappings. */
  data: (ImportMapping)[]
  page: {
    limit: number
    has_more: boolean
    next_cursor: string | null
  }
}

export type DeletedImportMapping = {
  /** The resource of the mapping. */
  resource: string
  /** The name of the mapping. */
  name: string
  deleted: unknown
}

export type Change = {
  /** The sequence number of the change. Numbers have no gaps, except where somebody else's view changed while it was private. */
  seq: number
  /** When the change was made. */
  at: string
  /** The resource of the changed record. */
  resource: 'customers' | 'employees' | 'hardware' | 'settings' | 'views' | 'hand_over_forms' | 'import_mappings'
  /** The id of the record. */
  id: number
  /** What was done. */
  action: 'create' | 'update' | 'delete'
  /** The changed fields before the change; null if the record was created. */
  before: Record<string, string | number | boolean | null> | null
  /** The changed fields after the change; null if the record was deleted. */
  after: Record<string, string | number | boolean | null> | null
  /** The id of the API key that made the change. */
  api_key_id: string | null
  /** The panel user who made the change. */
  user_id: string | null
  /** The `X-Request-Id` of the request. */
  request_id: string
  /** The change set, shared by all changes of one request. Null for changes made before change sets were introduced. */
  change_set: string | null
}

export type ChangePage = {
  /** The changes, in order. */
  data: (Change)[]
  page: {
    /** The maximum number of changes on a page. */
    limit: number
    /** Whether there are more changes in this direction. */
    has_more: boolean
    /** Pass this as `since` to continue from here, now or later. */
    since: number
    /** The sequence number of the tenant's newest change, regardless of filters. */
    latest: number
  }
}

export type UndoRequest = {
  /** The change set to undo: from the response header `Change-Set` or from the history. */
  change_set: string
  /** Only check whether it can be undone. */
  dry_run?: boolean
}

export type Undone = {
  /** The change set of the undo; null if it changed nothing. */
  change_set: string | null
  /** The number of records that were reverted, or would be. */
  undone: number
}

export type UndoConflict = {
  resource: 'customers' | 'employees' | 'hardware' | 'settings' | 'views' | 'hand_over_forms' | 'import_mappings'
  /** The id of the record. */
  id: number
  /** `changed_since`: it was changed again later; `has_dependents`: other records refer to it; `reference_gone`: it would refer to a record that no longer exists; `duplicate`: another record has its unique value. */
  reason: 'changed_since' | 'has_dependents' | 'reference_gone' | 'duplicate'
}

export type TenantSettings = {
  /** The name of the tenant. */
  name: string
  /** The ISO 4217 code of the currency for all amounts, such as EUR. */
  currency: string
  /** The IANA name of the time zone in which the panel shows times, such as Europe/Berlin. */
  time_zone: string
  /** The word that the panel uses for customers. */
  customers_called: 'branches' | 'clients'
  /** How many days before its end a warranty is first shown as ending soon. */
  warranty_notice_days: number
  /** The format of asset tags: `TD-{0000}` means TD- followed by four digits. Null: no common format. */
  tag_format: string | null
  /** The lowest number for suggested asset tags. Forms suggest the first unused number from here on. */
  next_tag_number: number
  /** The company's own text on forms that people sign, after the standard clause. Null: no such text. */
  form_text: string | null
  /** Whether hand-over forms show the purchase cost of each asset. */
  form_shows_cost: boolean
}

/** The fields to change; other fields do not change. */
export type TenantSettingsChanges = {
  /** The name of the tenant. */
  name?: string
  /** The ISO 4217 code of the currency for all amounts, such as EUR. */
  currency?: string | null
  /** The IANA name of the time zone in which the panel shows times, such as Europe/Berlin. */
  time_zone?: string | null
  /** The word that the panel uses for customers. */
  customers_called?: 'branches' | 'clients' | null
  /** How many days before its end a warranty is first shown as ending soon. */
  warranty_notice_days?: number | null
  /** The format of asset tags: `TD-{0000}` means TD- followed by four digits. Null: no common format. */
  tag_format?: string | null
  /** The lowest number for suggested asset tags. Forms suggest the first unused number from here on. */
  next_tag_number?: number | null
  /** The company's own text on forms that people sign, after the standard clause. Null: no such text. */
  form_text?: string | null
  /** Whether hand-over forms show the purchase cost of each asset. */
  form_shows_cost?: true | false | 1 | 0 | null
}

/** A list saved under a name, with its filters, sort order and columns. */
export type View = {
  /** Negative for built-in views. */
  id: number
  name: string
  /** The resource of the list. */
  resource: 'customers' | 'employees' | 'hardware'
  /** The query string of the list, without `?` and `cursor`, such as `status=spare&sort=name`. Empty: all records. Only the panel can sort by `customer_name` or `employee_name`. */
  query: string
  /** The columns, named as in `fields` of an export. Null: the default columns. */
  columns: (string)[] | null
  /** Whether everyone can see the view, or only the API key or the user that created it. */
  is_shared: boolean
  /** The API key that created the view. */
  api_key_id: string | null
  /** The user who created the view in the panel. */
  user_id: string | null
  /** When it was created; set by the service. */
  created_at: string | null
  /** When it was last changed; set by the service. */
  updated_at: string | null
}

/** Unknown members are ignored, or rejected with `Prefer: handling=strict`. */
export type NewView = {
  name: string
  /** The resource of the list. */
  resource: 'customers' | 'employees' | 'hardware'
  /** The query string of the list, without `?` and `cursor`, such as `status=spare&sort=name`. Empty: all records. Only the panel can sort by `customer_name` or `employee_name`. Default: ``. */
  query?: string | null
  /** The columns, named as in `fields` of an export. Null: the default columns. */
  columns?: (string)[] | null
  /** Whether everyone can see the view, or only the API key or the user that created it. Default: `false`. */
  is_shared?: true | false | 1 | 0 | null
}

/** The fields to change; other fields do not change. */
export type ViewChanges = {
  name?: string
  /** The resource of the list. */
  resource?: 'customers' | 'employees' | 'hardware'
  /** The query string of the list, without `?` and `cursor`, such as `status=spare&sort=name`. Empty: all records. Only the panel can sort by `customer_name` or `employee_name`. */
  query?: string | null
  /** The columns, named as in `fields` of an export. Null: the default columns. */
  columns?: (string)[] | null
  /** Whether everyone can see the view, or only the API key or the user that created it. */
  is_shared?: true | false | 1 | 0 | null
}

export type ViewPage = {
  /** The views on this page. */
  data: (View)[]
  page: {
    /** The maximum number of records on a page. */
    limit: number
    /** Whether there is a next page. */
    has_more: boolean
    /** Pass this as `cursor` to get the next page; null on the last one. */
    next_cursor: string | null
    /** The number of matching records, if the request asked for `total`. */
    total?: number
  }
}

/** With `id`: the view, which has `id` and `created_at`. Without `id`: a page of views, which has `data` and `page`. */
export type ViewResult = View | ViewPage

export type Me = {
  /** The short name of the tenant. */
  tenant: string
  key: {
    /** The id of the key, as in the history and in `tenantdesk key list`. */
    id: string
    /** The name of the key. */
    name: string
    /** The scopes of the key. */
    scopes: (string)[]
    /** When the key expires; null if it does not. */
    expires_at: string | null
  }
  /** The rate limit after this request; null if there is no limit. */
  rate_limit: {
    /** Requests allowed per window, as in `X-RateLimit-Limit`. */
    limit: number
    /** Requests left in the current window, as in `X-RateLimit-Remaining`. */
    remaining: number
    /** Epoch second at which the window ends, as in `X-RateLimit-Reset`. */
    reset: number
  } | null
  /** The server's current time. */
  server_time: string
  /** The version of Tenantdesk. */
  version: string
}

export type Deleted = {
  /** The id of the deleted record. */
  id: number
  deleted: unknown
}

export type Error = {
  error: {
    code: ErrorCode
    /** For people. The wording may change. */
    message: string
    /** The HTTP status of the response. */
    status: number
  }
}

/** A stable code for programs. An open list: new codes may be added, so treat an unknown code according to its status. */
export type ErrorCode = 'unauthorized' | 'invalid_key_format' | 'invalid_key' | 'key_revoked' | 'tenant_suspended' | 'tenant_unavailable' | 'forbidden' | 'rate_limited' | 'method_not_allowed' | 'invalid_json' | 'payload_too_large' | 'headers_too_large' | 'query_too_slow' | 'server_busy' | 'service_unavailable' | 'internal_error' | 'not_found' | 'missing_id' | 'no_fields' | 'invalid_request' | 'validation_failed' | 'invalid_customer' | 'invalid_employee' | 'bulk_failed' | 'not_applied' | 'conflict' | 'precondition_failed' | 'idempotency_key_reused'

export type FieldError = {
  code: FieldCode
  /** For people. The wording may change. */
  message: string
}

/** A stable code for programs. An open list: new codes may be added, so treat an unknown code according to its status. */
export type FieldCode = 'required' | 'invalid_email' | 'invalid_int' | 'invalid_date' | 'invalid_bool' | 'invalid_text' | 'too_long' | 'too_short' | 'not_in_list' | 'duplicate' | 'unknown_field'

export type CustomersQuery = {
  /** The maximum number of records on a page. */
  limit?: number
  /** The `page.next_cursor` of the previous page; filters and sort must be the same. The `Link` header contains it too. */
  cursor?: string
  /** Whether to return the number of all matching records, in `page.total`. */
  total?: boolean
  /** A time in the past: returns records as they were then. Also works with `id`, but not with `q` or `[contains]`. A time before the oldest retained change is rejected with `invalid_request`. */
  as_of?: string
  /** The field to sort by; `-` in front of it reverses the order. Empty values come first; equal values are sorted by `id`. Names are sorted without case and accents, other text by its UTF-8 bytes. */
  sort?: 'id' | '-id' | 'name' | '-name' | 'code' | '-code' | 'email' | '-email' | 'phone' | '-phone' | 'address' | '-address' | 'city' | '-city' | 'country' | '-country' | 'tax_id' | '-tax_id' | 'type' | '-type' | 'is_active' | '-is_active' | 'contract_end' | '-contract_end' | 'notes' | '-notes' | 'external_id' | '-external_id' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'
  /** Up to 20 words. Each must occur in a text field; case and accents are ignored. Codes such as asset tags are also found without their punctuation, umlauts also by two letters (`mueller`), and typographic apostrophes and hyphens by plain ones. */
  q?: string
  /** Not equal to this value. Records without a value do not match. */
  'id[ne]'?: number
  /** Equal to one of up to 200 values, separated by commas. */
  'id[in]'?: readonly (number)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'id[null]'?: boolean
  /** Greater than or equal to this value. */
  'id[gte]'?: number
  /** Greater than this value. */
  'id[gt]'?: number
  /** Less than or equal to this value. */
  'id[lte]'?: number
  /** Less than this value. */
  'id[lt]'?: number
  /** Equal to this value. */
  name?: string
  /** Not equal to this value. Records without a value do not match. */
  'name[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'name[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'name[null]'?: boolean
  /** Greater than or equal to this value. */
  'name[gte]'?: string
  /** Greater than this value. */
  'name[gt]'?: string
  /** Less than or equal to this value. */
  'name[lte]'?: string
  /** Less than this value. */
  'name[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'name[contains]'?: string
  /** Equal to this value. */
  code?: string
  /** Not equal to this value. Records without a value do not match. */
  'code[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'code[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'code[null]'?: boolean
  /** Greater than or equal to this value. */
  'code[gte]'?: string
  /** Greater than this value. */
  'code[gt]'?: string
  /** Less than or equal to this value. */
  'code[lte]'?: string
  /** Less than this value. */
  'code[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'code[contains]'?: string
  /** Equal to this value. */
  email?: string
  /** Not equal to this value. Records without a value do not match. */
  'email[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'email[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'email[null]'?: boolean
  /** Contains this text; case and accents are ignored. */
  'email[contains]'?: string
  /** Equal to this value. */
  phone?: string
  /** Not equal to this value. Records without a value do not match. */
  'phone[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'phone[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'phone[null]'?: boolean
  /** Greater than or equal to this value. */
  'phone[gte]'?: string
  /** Greater than this value. */
  'phone[gt]'?: string
  /** Less than or equal to this value. */
  'phone[lte]'?: string
  /** Less than this value. */
  'phone[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'phone[contains]'?: string
  /** Equal to this value. */
  address?: string
  /** Not equal to this value. Records without a value do not match. */
  'address[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'address[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'address[null]'?: boolean
  /** Greater than or equal to this value. */
  'address[gte]'?: string
  /** Greater than this value. */
  'address[gt]'?: string
  /** Less than or equal to this value. */
  'address[lte]'?: string
  /** Less than this value. */
  'address[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'address[contains]'?: string
  /** Equal to this value. */
  city?: string
  /** Not equal to this value. Records without a value do not match. */
  'city[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'city[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'city[null]'?: boolean
  /** Greater than or equal to this value. */
  'city[gte]'?: string
  /** Greater than this value. */
  'city[gt]'?: string
  /** Less than or equal to this value. */
  'city[lte]'?: string
  /** Less than this value. */
  'city[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'city[contains]'?: string
  /** Equal to this value. */
  country?: string
  /** Not equal to this value. Records without a value do not match. */
  'country[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'country[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'country[null]'?: boolean
  /** Greater than or equal to this value. */
  'country[gte]'?: string
  /** Greater than this value. */
  'country[gt]'?: string
  /** Less than or equal to this value. */
  'country[lte]'?: string
  /** Less than this value. */
  'country[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'country[contains]'?: string
  /** Equal to this value. */
  tax_id?: string
  /** Not equal to this value. Records without a value do not match. */
  'tax_id[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'tax_id[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'tax_id[null]'?: boolean
  /** Greater than or equal to this value. */
  'tax_id[gte]'?: string
  /** Greater than this value. */
  'tax_id[gt]'?: string
  /** Less than or equal to this value. */
  'tax_id[lte]'?: string
  /** Less than this value. */
  'tax_id[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'tax_id[contains]'?: string
  /** Equal to this value. */
  type?: 'headquarters' | 'branch' | 'warehouse' | 'client' | 'other'
  /** Not equal to this value. Records without a value do not match. */
  'type[ne]'?: 'headquarters' | 'branch' | 'warehouse' | 'client' | 'other'
  /** Equal to one of up to 200 values, separated by commas. */
  'type[in]'?: readonly ('headquarters' | 'branch' | 'warehouse' | 'client' | 'other')[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'type[null]'?: boolean
  /** Equal to this value. */
  is_active?: boolean
  /** Not equal to this value. Records without a value do not match. */
  'is_active[ne]'?: boolean
  /** Equal to one of up to 200 values, separated by commas. */
  'is_active[in]'?: readonly (boolean)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'is_active[null]'?: boolean
  /** Equal to this value. */
  contract_end?: string
  /** Not equal to this value. Records without a value do not match. */
  'contract_end[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'contract_end[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'contract_end[null]'?: boolean
  /** Greater than or equal to this value. */
  'contract_end[gte]'?: string
  /** Greater than this value. */
  'contract_end[gt]'?: string
  /** Less than or equal to this value. */
  'contract_end[lte]'?: string
  /** Less than this value. */
  'contract_end[lt]'?: string
  /** Equal to this value. */
  notes?: string
  /** Not equal to this value. Records without a value do not match. */
  'notes[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'notes[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'notes[null]'?: boolean
  /** Greater than or equal to this value. */
  'notes[gte]'?: string
  /** Greater than this value. */
  'notes[gt]'?: string
  /** Less than or equal to this value. */
  'notes[lte]'?: string
  /** Less than this value. */
  'notes[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'notes[contains]'?: string
  /** Not equal to this value. Records without a value do not match. */
  'external_id[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'external_id[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'external_id[null]'?: boolean
  /** Greater than or equal to this value. */
  'external_id[gte]'?: string
  /** Greater than this value. */
  'external_id[gt]'?: string
  /** Less than or equal to this value. */
  'external_id[lte]'?: string
  /** Less than this value. */
  'external_id[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'external_id[contains]'?: string
  /** Equal to this value. */
  created_at?: string
  /** Not equal to this value. Records without a value do not match. */
  'created_at[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'created_at[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'created_at[null]'?: boolean
  /** Greater than or equal to this value. */
  'created_at[gte]'?: string
  /** Greater than this value. */
  'created_at[gt]'?: string
  /** Less than or equal to this value. */
  'created_at[lte]'?: string
  /** Less than this value. */
  'created_at[lt]'?: string
  /** Equal to this value. */
  updated_at?: string
  /** Not equal to this value. Records without a value do not match. */
  'updated_at[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'updated_at[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'updated_at[null]'?: boolean
  /** Greater than or equal to this value. */
  'updated_at[gte]'?: string
  /** Greater than this value. */
  'updated_at[gt]'?: string
  /** Less than or equal to this value. */
  'updated_at[lte]'?: string
  /** Less than this value. */
  'updated_at[lt]'?: string
  /** Fields, separated by commas: matches records in which at least one of them is empty. */
  missing?: readonly ('code' | 'email' | 'phone' | 'address' | 'city' | 'country' | 'tax_id' | 'contract_end' | 'notes' | 'external_id')[]
  /** The UUID of a change set: matches the records that it created. Cannot be combined with `as_of`. */
  created_in?: string
}

export type CustomersExport = Omit<CustomersQuery, 'limit' | 'cursor' | 'total'> & {
  /** Only with `format`: the columns in order, separated by commas. */
  fields?: readonly ('id' | 'name' | 'code' | 'email' | 'phone' | 'address' | 'city' | 'country' | 'tax_id' | 'type' | 'is_active' | 'contract_end' | 'notes' | 'external_id' | 'created_at' | 'updated_at')[]
  /** Only with `format=csv`: the column separator. */
  delimiter?: 'comma' | 'semicolon' | 'tab'
  /** Only with `format=csv`: `spreadsheet` also puts `'` before text that a spreadsheet would turn into a number, a date or a truth value, such as `00123`, `1E5`, `123456789012`, `3/4` or `TRUE`. Imports remove the `'`. */
  for?: 'spreadsheet'
}

export type EmployeesQuery = {
  /** The maximum number of records on a page. */
  limit?: number
  /** The `page.next_cursor` of the previous page; filters and sort must be the same. The `Link` header contains it too. */
  cursor?: string
  /** Whether to return the number of all matching records, in `page.total`. */
  total?: boolean
  /** A time in the past: returns records as they were then. Also works with `id`, but not with `q` or `[contains]`. A time before the oldest retained change is rejected with `invalid_request`. */
  as_of?: string
  /** The field to sort by; `-` in front of it reverses the order. Empty values come first; equal values are sorted by `id`. Names are sorted without case and accents, other text by its UTF-8 bytes. */
  sort?: 'id' | '-id' | 'customer_id' | '-customer_id' | 'email' | '-email' | 'name' | '-name' | 'department' | '-department' | 'title' | '-title' | 'employee_no' | '-employee_no' | 'phone' | '-phone' | 'start_date' | '-start_date' | 'end_date' | '-end_date' | 'is_active' | '-is_active' | 'is_remote' | '-is_remote' | 'notes' | '-notes' | 'external_id' | '-external_id' | 'kind' | '-kind' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'
  /** Up to 20 words. Each must occur in a text field; case and accents are ignored. Codes such as asset tags are also found without their punctuation, umlauts also by two letters (`mueller`), and typographic apostrophes and hyphens by plain ones. */
  q?: string
  /** Related records to embed in each record, separated by commas. With `id`, the ETag also covers the embedded records; `If-Match` compares only the record itself. The key also needs the read scope of every resource on the path (`customer`: `customers:read`), or `*:read`. */
  include?: readonly ('customer')[]
  /** Not equal to this value. Records without a value do not match. */
  'id[ne]'?: number
  /** Equal to one of up to 200 values, separated by commas. */
  'id[in]'?: readonly (number)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'id[null]'?: boolean
  /** Greater than or equal to this value. */
  'id[gte]'?: number
  /** Greater than this value. */
  'id[gt]'?: number
  /** Less than or equal to this value. */
  'id[lte]'?: number
  /** Less than this value. */
  'id[lt]'?: number
  /** Equal to this value. */
  customer_id?: number
  /** Not equal to this value. Records without a value do not match. */
  'customer_id[ne]'?: number
  /** Equal to one of up to 200 values, separated by commas. */
  'customer_id[in]'?: readonly (number)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'customer_id[null]'?: boolean
  /** Equal to this value. */
  email?: string
  /** Not equal to this value. Records without a value do not match. */
  'email[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'email[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'email[null]'?: boolean
  /** Contains this text; case and accents are ignored. */
  'email[contains]'?: string
  /** Equal to this value. */
  name?: string
  /** Not equal to this value. Records without a value do not match. */
  'name[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'name[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'name[null]'?: boolean
  /** Greater than or equal to this value. */
  'name[gte]'?: string
  /** Greater than this value. */
  'name[gt]'?: string
  /** Less than or equal to this value. */
  'name[lte]'?: string
  /** Less than this value. */
  'name[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'name[contains]'?: string
  /** Equal to this value. */
  department?: string
  /** Not equal to this value. Records without a value do not match. */
  'department[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'department[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'department[null]'?: boolean
  /** Greater than or equal to this value. */
  'department[gte]'?: string
  /** Greater than this value. */
  'department[gt]'?: string
  /** Less than or equal to this value. */
  'department[lte]'?: string
  /** Less than this value. */
  'department[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'department[contains]'?: string
  /** Equal to this value. */
  title?: string
  /** Not equal to this value. Records without a value do not match. */
  'title[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'title[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'title[null]'?: boolean
  /** Greater than or equal to this value. */
  'title[gte]'?: string
  /** Greater than this value. */
  'title[gt]'?: string
  /** Less than or equal to this value. */
  'title[lte]'?: string
  /** Less than this value. */
  'title[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'title[contains]'?: string
  /** Equal to this value. */
  employee_no?: string
  /** Not equal to this value. Records without a value do not match. */
  'employee_no[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'employee_no[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'employee_no[null]'?: boolean
  /** Greater than or equal to this value. */
  'employee_no[gte]'?: string
  /** Greater than this value. */
  'employee_no[gt]'?: string
  /** Less than or equal to this value. */
  'employee_no[lte]'?: string
  /** Less than this value. */
  'employee_no[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'employee_no[contains]'?: string
  /** Equal to this value. */
  phone?: string
  /** Not equal to this value. Records without a value do not match. */
  'phone[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'phone[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'phone[null]'?: boolean
  /** Greater than or equal to this value. */
  'phone[gte]'?: string
  /** Greater than this value. */
  'phone[gt]'?: string
  /** Less than or equal to this value. */
  'phone[lte]'?: string
  /** Less than this value. */
  'phone[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'phone[contains]'?: string
  /** Equal to this value. */
  start_date?: string
  /** Not equal to this value. Records without a value do not match. */
  'start_date[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'start_date[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'start_date[null]'?: boolean
  /** Greater than or equal to this value. */
  'start_date[gte]'?: string
  /** Greater than this value. */
  'start_date[gt]'?: string
  /** Less than or equal to this value. */
  'start_date[lte]'?: string
  /** Less than this value. */
  'start_date[lt]'?: string
  /** Equal to this value. */
  end_date?: string
  /** Not equal to this value. Records without a value do not match. */
  'end_date[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'end_date[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'end_date[null]'?: boolean
  /** Greater than or equal to this value. */
  'end_date[gte]'?: string
  /** Greater than this value. */
  'end_date[gt]'?: string
  /** Less than or equal to this value. */
  'end_date[lte]'?: string
  /** Less than this value. */
  'end_date[lt]'?: string
  /** Equal to this value. */
  is_active?: boolean
  /** Not equal to this value. Records without a value do not match. */
  'is_active[ne]'?: boolean
  /** Equal to one of up to 200 values, separated by commas. */
  'is_active[in]'?: readonly (boolean)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'is_active[null]'?: boolean
  /** Equal to this value. */
  is_remote?: boolean
  /** Not equal to this value. Records without a value do not match. */
  'is_remote[ne]'?: boolean
  /** Equal to one of up to 200 values, separated by commas. */
  'is_remote[in]'?: readonly (boolean)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'is_remote[null]'?: boolean
  /** Equal to this value. */
  notes?: string
  /** Not equal to this value. Records without a value do not match. */
  'notes[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'notes[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'notes[null]'?: boolean
  /** Greater than or equal to this value. */
  'notes[gte]'?: string
  /** Greater than this value. */
  'notes[gt]'?: string
  /** Less than or equal to this value. */
  'notes[lte]'?: string
  /** Less than this value. */
  'notes[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'notes[contains]'?: string
  /** Not equal to this value. Records without a value do not match. */
  'external_id[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'external_id[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'external_id[null]'?: boolean
  /** Greater than or equal to this value. */
  'external_id[gte]'?: string
  /** Greater than this value. */
  'external_id[gt]'?: string
  /** Less than or equal to this value. */
  'external_id[lte]'?: string
  /** Less than this value. */
  'external_id[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'external_id[contains]'?: string
  /** Equal to this value. */
  kind?: 'person' | 'storage'
  /** Not equal to this value. Records without a value do not match. */
  'kind[ne]'?: 'person' | 'storage'
  /** Equal to one of up to 200 values, separated by commas. */
  'kind[in]'?: readonly ('person' | 'storage')[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'kind[null]'?: boolean
  /** Equal to this value. */
  created_at?: string
  /** Not equal to this value. Records without a value do not match. */
  'created_at[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'created_at[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'created_at[null]'?: boolean
  /** Greater than or equal to this value. */
  'created_at[gte]'?: string
  /** Greater than this value. */
  'created_at[gt]'?: string
  /** Less than or equal to this value. */
  'created_at[lte]'?: string
  /** Less than this value. */
  'created_at[lt]'?: string
  /** Equal to this value. */
  updated_at?: string
  /** Not equal to this value. Records without a value do not match. */
  'updated_at[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'updated_at[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'updated_at[null]'?: boolean
  /** Greater than or equal to this value. */
  'updated_at[gte]'?: string
  /** Greater than this value. */
  'updated_at[gt]'?: string
  /** Less than or equal to this value. */
  'updated_at[lte]'?: string
  /** Less than this value. */
  'updated_at[lt]'?: string
  /** Employment: `current`, `left` (inactive, or past the last day), or `30d` for people who leave within 30 days. */
  employment?: string
  /** Fields, separated by commas: matches records in which at least one of them is empty. */
  missing?: readonly ('name' | 'department' | 'title' | 'employee_no' | 'phone' | 'start_date' | 'end_date' | 'notes' | 'external_id')[]
  /** The UUID of a change set: matches the records that it created. Cannot be combined with `as_of`. */
  created_in?: string
}

export type EmployeesExport = Omit<EmployeesQuery, 'limit' | 'cursor' | 'total'> & {
  /** Only with `format`: the columns in order, separated by commas. Besides the fields, CSV files contain `customer_name` (requires `customers:read`). */
  fields?: readonly ('id' | 'customer_id' | 'email' | 'name' | 'department' | 'title' | 'employee_no' | 'phone' | 'start_date' | 'end_date' | 'is_active' | 'is_remote' | 'notes' | 'external_id' | 'kind' | 'created_at' | 'updated_at' | 'customer_name')[]
  /** Only with `format=csv`: the column separator. */
  delimiter?: 'comma' | 'semicolon' | 'tab'
  /** Only with `format=csv`: `spreadsheet` also puts `'` before text that a spreadsheet would turn into a number, a date or a truth value, such as `00123`, `1E5`, `123456789012`, `3/4` or `TRUE`. Imports remove the `'`. */
  for?: 'spreadsheet'
}

export type HardwareQuery = {
  /** The maximum number of records on a page. */
  limit?: number
  /** The `page.next_cursor` of the previous page; filters and sort must be the same. The `Link` header contains it too. */
  cursor?: string
  /** Whether to return the number of all matching records, in `page.total`. */
  total?: boolean
  /** A time in the past: returns records as they were then. Also works with `id`, but not with `q` or `[contains]`. A time before the oldest retained change is rejected with `invalid_request`. */
  as_of?: string
  /** The field to sort by; `-` in front of it reverses the order. Empty values come first; equal values are sorted by `id`. Names are sorted without case and accents, other text by its UTF-8 bytes. */
  sort?: 'id' | '-id' | 'employee_id' | '-employee_id' | 'name' | '-name' | 'type' | '-type' | 'status' | '-status' | 'asset_tag' | '-asset_tag' | 'serial_number' | '-serial_number' | 'manufacturer' | '-manufacturer' | 'model' | '-model' | 'purchase_date' | '-purchase_date' | 'warranty_end' | '-warranty_end' | 'purchase_cost' | '-purchase_cost' | 'is_loaner' | '-is_loaner' | 'notes' | '-notes' | 'external_id' | '-external_id' | 'due_back' | '-due_back' | 'last_seen_at' | '-last_seen_at' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'
  /** Up to 20 words. Each must occur in a text field; case and accents are ignored. Codes such as asset tags are also found without their punctuation, umlauts also by two letters (`mueller`), and typographic apostrophes and hyphens by plain ones. */
  q?: string
  /** Related records to embed in each record, separated by commas. With `id`, the ETag also covers the embedded records; `If-Match` compares only the record itself. The key also needs the read scope of every resource on the path (`employee`: `employees:read`; `employee.customer`: `employees:read` and `customers:read`), or `*:read`. */
  include?: readonly ('employee' | 'employee.customer')[]
  /** Not equal to this value. Records without a value do not match. */
  'id[ne]'?: number
  /** Equal to one of up to 200 values, separated by commas. */
  'id[in]'?: readonly (number)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'id[null]'?: boolean
  /** Greater than or equal to this value. */
  'id[gte]'?: number
  /** Greater than this value. */
  'id[gt]'?: number
  /** Less than or equal to this value. */
  'id[lte]'?: number
  /** Less than this value. */
  'id[lt]'?: number
  /** Equal to this value. */
  employee_id?: number
  /** Not equal to this value. Records without a value do not match. */
  'employee_id[ne]'?: number
  /** Equal to one of up to 200 values, separated by commas. */
  'employee_id[in]'?: readonly (number)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'employee_id[null]'?: boolean
  /** Equal to this value. */
  name?: string
  /** Not equal to this value. Records without a value do not match. */
  'name[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'name[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'name[null]'?: boolean
  /** Greater than or equal to this value. */
  'name[gte]'?: string
  /** Greater than this value. */
  'name[gt]'?: string
  /** Less than or equal to this value. */
  'name[lte]'?: string
  /** Less than this value. */
  'name[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'name[contains]'?: string
  /** Equal to this value. */
  type?: 'laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other'
  /** Not equal to this value. Records without a value do not match. */
  'type[ne]'?: 'laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other'
  /** Equal to one of up to 200 values, separated by commas. */
  'type[in]'?: readonly ('laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other')[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'type[null]'?: boolean
  /** Equal to this value. */
  status?: 'in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired'
  /** Not equal to this value. Records without a value do not match. */
  'status[ne]'?: 'in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired'
  /** Equal to one of up to 200 values, separated by commas. */
  'status[in]'?: readonly ('in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired')[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'status[null]'?: boolean
  /** Equal to this value. */
  asset_tag?: string
  /** Not equal to this value. Records without a value do not match. */
  'asset_tag[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'asset_tag[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'asset_tag[null]'?: boolean
  /** Greater than or equal to this value. */
  'asset_tag[gte]'?: string
  /** Greater than this value. */
  'asset_tag[gt]'?: string
  /** Less than or equal to this value. */
  'asset_tag[lte]'?: string
  /** Less than this value. */
  'asset_tag[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'asset_tag[contains]'?: string
  /** Equal to this value. */
  serial_number?: string
  /** Not equal to this value. Records without a value do not match. */
  'serial_number[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'serial_number[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'serial_number[null]'?: boolean
  /** Greater than or equal to this value. */
  'serial_number[gte]'?: string
  /** Greater than this value. */
  'serial_number[gt]'?: string
  /** Less than or equal to this value. */
  'serial_number[lte]'?: string
  /** Less than this value. */
  'serial_number[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'serial_number[contains]'?: string
  /** Equal to this value. */
  manufacturer?: string
  /** Not equal to this value. Records without a value do not match. */
  'manufacturer[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'manufacturer[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'manufacturer[null]'?: boolean
  /** Greater than or equal to this value. */
  'manufacturer[gte]'?: string
  /** Greater than this value. */
  'manufacturer[gt]'?: string
  /** Less than or equal to this value. */
  'manufacturer[lte]'?: string
  /** Less than this value. */
  'manufacturer[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'manufacturer[contains]'?: string
  /** Equal to this value. */
  model?: string
  /** Not equal to this value. Records without a value do not match. */
  'model[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'model[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'model[null]'?: boolean
  /** Greater than or equal to this value. */
  'model[gte]'?: string
  /** Greater than this value. */
  'model[gt]'?: string
  /** Less than or equal to this value. */
  'model[lte]'?: string
  /** Less than this value. */
  'model[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'model[contains]'?: string
  /** Equal to this value. */
  purchase_date?: string
  /** Not equal to this value. Records without a value do not match. */
  'purchase_date[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'purchase_date[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'purchase_date[null]'?: boolean
  /** Greater than or equal to this value. */
  'purchase_date[gte]'?: string
  /** Greater than this value. */
  'purchase_date[gt]'?: string
  /** Less than or equal to this value. */
  'purchase_date[lte]'?: string
  /** Less than this value. */
  'purchase_date[lt]'?: string
  /** Equal to this value. */
  warranty_end?: string
  /** Not equal to this value. Records without a value do not match. */
  'warranty_end[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'warranty_end[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'warranty_end[null]'?: boolean
  /** Greater than or equal to this value. */
  'warranty_end[gte]'?: string
  /** Greater than this value. */
  'warranty_end[gt]'?: string
  /** Less than or equal to this value. */
  'warranty_end[lte]'?: string
  /** Less than this value. */
  'warranty_end[lt]'?: string
  /** Equal to this value. */
  purchase_cost?: number
  /** Not equal to this value. Records without a value do not match. */
  'purchase_cost[ne]'?: number
  /** Equal to one of up to 200 values, separated by commas. */
  'purchase_cost[in]'?: readonly (number)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'purchase_cost[null]'?: boolean
  /** Greater than or equal to this value. */
  'purchase_cost[gte]'?: number
  /** Greater than this value. */
  'purchase_cost[gt]'?: number
  /** Less than or equal to this value. */
  'purchase_cost[lte]'?: number
  /** Less than this value. */
  'purchase_cost[lt]'?: number
  /** Equal to this value. */
  is_loaner?: boolean
  /** Not equal to this value. Records without a value do not match. */
  'is_loaner[ne]'?: boolean
  /** Equal to one of up to 200 values, separated by commas. */
  'is_loaner[in]'?: readonly (boolean)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'is_loaner[null]'?: boolean
  /** Equal to this value. */
  notes?: string
  /** Not equal to this value. Records without a value do not match. */
  'notes[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'notes[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'notes[null]'?: boolean
  /** Greater than or equal to this value. */
  'notes[gte]'?: string
  /** Greater than this value. */
  'notes[gt]'?: string
  /** Less than or equal to this value. */
  'notes[lte]'?: string
  /** Less than this value. */
  'notes[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'notes[contains]'?: string
  /** Not equal to this value. Records without a value do not match. */
  'external_id[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'external_id[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'external_id[null]'?: boolean
  /** Greater than or equal to this value. */
  'external_id[gte]'?: string
  /** Greater than this value. */
  'external_id[gt]'?: string
  /** Less than or equal to this value. */
  'external_id[lte]'?: string
  /** Less than this value. */
  'external_id[lt]'?: string
  /** Contains this text; case and accents are ignored. */
  'external_id[contains]'?: string
  /** Equal to this value. */
  due_back?: string
  /** Not equal to this value. Records without a value do not match. */
  'due_back[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'due_back[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'due_back[null]'?: boolean
  /** Greater than or equal to this value. */
  'due_back[gte]'?: string
  /** Greater than this value. */
  'due_back[gt]'?: string
  /** Less than or equal to this value. */
  'due_back[lte]'?: string
  /** Less than this value. */
  'due_back[lt]'?: string
  /** Equal to this value. */
  last_seen_at?: string
  /** Not equal to this value. Records without a value do not match. */
  'last_seen_at[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'last_seen_at[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'last_seen_at[null]'?: boolean
  /** Greater than or equal to this value. */
  'last_seen_at[gte]'?: string
  /** Greater than this value. */
  'last_seen_at[gt]'?: string
  /** Less than or equal to this value. */
  'last_seen_at[lte]'?: string
  /** Less than this value. */
  'last_seen_at[lt]'?: string
  /** Equal to this value. */
  created_at?: string
  /** Not equal to this value. Records without a value do not match. */
  'created_at[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'created_at[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'created_at[null]'?: boolean
  /** Greater than or equal to this value. */
  'created_at[gte]'?: string
  /** Greater than this value. */
  'created_at[gt]'?: string
  /** Less than or equal to this value. */
  'created_at[lte]'?: string
  /** Less than this value. */
  'created_at[lt]'?: string
  /** Equal to this value. */
  updated_at?: string
  /** Not equal to this value. Records without a value do not match. */
  'updated_at[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. */
  'updated_at[in]'?: readonly (string)[]
  /** `true`: only records without a value; `false`: only records with a value. */
  'updated_at[null]'?: boolean
  /** Greater than or equal to this value. */
  'updated_at[gte]'?: string
  /** Greater than this value. */
  'updated_at[gt]'?: string
  /** Less than or equal to this value. */
  'updated_at[lte]'?: string
  /** Less than this value. */
  'updated_at[lt]'?: string
  /** Warranties: `60d` matches those that end within 60 days, `valid` those that have not ended, `expired` those that have ended, and `none` matches assets whose warranty has no known end. */
  warranty?: string
  /** Loans with a return date: `out` matches all of them, `overdue` those past the date, `7d` those due within 7 days. */
  loan?: string
  /** Greater than or equal to this value. Compared with the time at which `status` last changed. Cannot be combined with `as_of`. */
  'status_since[gte]'?: string
  /** Greater than this value. Compared with the time at which `status` last changed. Cannot be combined with `as_of`. */
  'status_since[gt]'?: string
  /** Less than or equal to this value. Compared with the time at which `status` last changed. Cannot be combined with `as_of`. */
  'status_since[lte]'?: string
  /** Less than this value. Compared with the time at which `status` last changed. Cannot be combined with `as_of`. */
  'status_since[lt]'?: string
  /** Fields, separated by commas: matches records in which at least one of them is empty. */
  missing?: readonly ('name' | 'asset_tag' | 'serial_number' | 'manufacturer' | 'model' | 'purchase_date' | 'warranty_end' | 'purchase_cost' | 'notes' | 'external_id' | 'due_back' | 'last_seen_at')[]
  /** The UUID of a change set: matches the records that it created. Cannot be combined with `as_of`. */
  created_in?: string
  /** Equal to this value. A field of the record that `employee_id` refers to. */
  customer_id?: number
  /** Not equal to this value. Records without a value do not match. A field of the record that `employee_id` refers to. */
  'customer_id[ne]'?: number
  /** Equal to one of up to 200 values, separated by commas. A field of the record that `employee_id` refers to. */
  'customer_id[in]'?: readonly (number)[]
  /** Equal to this value. A field of the record that `employee_id` refers to. The key also needs `employees:read`. */
  'employee.department'?: string
  /** Not equal to this value. Records without a value do not match. A field of the record that `employee_id` refers to. The key also needs `employees:read`. */
  'employee.department[ne]'?: string
  /** Equal to one of up to 200 values, separated by commas. A field of the record that `employee_id` refers to. The key also needs `employees:read`. */
  'employee.department[in]'?: readonly (string)[]
  /** Equal to this value. A field of the record that `employee_id` refers to. The key also needs `employees:read`. */
  'employee.kind'?: 'person' | 'storage'
  /** Not equal to this value. Records without a value do not match. A field of the record that `employee_id` refers to. The key also needs `employees:read`. */
  'employee.kind[ne]'?: 'person' | 'storage'
  /** Equal to one of up to 200 values, separated by commas. A field of the record that `employee_id` refers to. The key also needs `employees:read`. */
  'employee.kind[in]'?: readonly ('person' | 'storage')[]
  /** Employment: `current`, `left` (inactive, or past the last day), or `30d` for people who leave within 30 days. A field of the record that `employee_id` refers to. The key also needs `employees:read`. */
  'employee.employment'?: string
}

export type HardwareExport = Omit<HardwareQuery, 'limit' | 'cursor' | 'total'> & {
  /** Only with `format`: the columns in order, separated by commas. Besides the fields, CSV files contain `employee_name` (requires `employees:read`). Use `fields` to add `customer_name` (requires `employees:read` and `customers:read`). */
  fields?: readonly ('id' | 'employee_id' | 'name' | 'type' | 'status' | 'asset_tag' | 'serial_number' | 'manufacturer' | 'model' | 'purchase_date' | 'warranty_end' | 'purchase_cost' | 'is_loaner' | 'notes' | 'external_id' | 'due_back' | 'last_seen_at' | 'created_at' | 'updated_at' | 'employee_name' | 'customer_name')[]
  /** Only with `format=csv`: the column separator. */
  delimiter?: 'comma' | 'semicolon' | 'tab'
  /** Only with `format=csv`: `spreadsheet` also puts `'` before text that a spreadsheet would turn into a number, a date or a truth value, such as `00123`, `1E5`, `123456789012`, `3/4` or `TRUE`. Imports remove the `'`. */
  for?: 'spreadsheet'
}

export type ImportsQuery = {
  /** The maximum number of imports on a page. */
  limit?: number
  /** The `page.next_cursor` of the previous page. */
  cursor?: string
}

export type ImportsExport = Omit<ImportsQuery, 'limit' | 'cursor' | 'total'> & {
}

export type Import_mappingsQuery = {
  /** The maximum number of mappings on a page. */
  limit?: number
  /** The `page.next_cursor` of the previous page. The `Link` header contains it too. */
  cursor?: string
}

export type ChangesQuery = {
  /** Only changes of these kinds of records, separated by commas. */
  resource?: 'customers' | 'employees' | 'hardware' | 'settings' | 'views' | 'hand_over_forms' | 'import_mappings' | readonly ('customers' | 'employees' | 'hardware' | 'settings' | 'views' | 'hand_over_forms' | 'import_mappings')[]
  /** Only changes of records with this id. */
  id?: number
  /** Only changes with one of these actions, separated by commas. */
  action?: 'create' | 'update' | 'delete' | readonly ('create' | 'update' | 'delete')[]
  /** Only changes of this change set. */
  change_set?: string
  /** Oldest first (`asc`) or newest first (`desc`). */
  order?: 'asc' | 'desc'
  /** Only changes with a higher number, or with a lower one if `order=desc`. Default: from the start. */
  since?: number
  /** The maximum number of changes on a page. */
  limit?: number
}

export type SettingsQuery = {
}

export type ViewsQuery = {
  /** Only views of this resource's lists. */
  resource?: 'customers' | 'employees' | 'hardware'
  /** The maximum number of views on a page. */
  limit?: number
  /** The `page.next_cursor` of the previous page. The `Link` header contains it too. */
  cursor?: string
}

export type MeQuery = {
}

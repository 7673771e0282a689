// Written from the OpenAPI document by `npm run docs`; not by hand.

/** A company or one of its branches. It must exist before employees can refer to it. */
export type Customer = {
  /** Counts up per tenant and resource; never reused. */
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
  /** The record's id in your own system. No two records of a tenant have the same. */
  external_id: string | null
  /** When it was created; set by the service. */
  created_at: string
  /** When it was last changed; set by the service. */
  updated_at: string
}

/** Members that are no fields are ignored, or refused with `Prefer: handling=strict`. */
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
  /** Where it is not given: `branch`. */
  type?: 'headquarters' | 'branch' | 'warehouse' | 'client' | 'other' | null
  /** Where it is not given: `true`. */
  is_active?: true | false | 1 | 0 | null
  /** The last day of the contract. */
  contract_end?: string | null
  notes?: string | null
  /** The record's id in your own system. No two records of a tenant have the same. */
  external_id?: string | null
}

/** The fields to change; all others stay as they are. */
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
  /** The record's id in your own system. No two records of a tenant have the same. */
  external_id?: string | null
}

export type CustomerPage = {
  /** The customers of this page. */
  data: (Customer)[]
  page: {
    /** How many records a page holds at most. */
    limit: number
    /** Whether there is a next page. */
    has_more: boolean
    /** Leads to the next page; null on the last one. */
    next_cursor: string | null
    /** How many records match, where `total` asks for it. */
    total?: number
  }
}

/** With `id`: the customer, which has `id` and `created_at`. Without `id`: a page of customers, which has `data` and `page`. */
export type CustomerResult = Customer | CustomerPage

/** A person who works for a customer. It must exist before hardware can refer to it. */
export type Employee = {
  /** Counts up per tenant and resource; never reused. */
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
  /** The record's id in your own system. No two records of a tenant have the same. */
  external_id: string | null
  /** A storage location, such as a room or a shelf, holds equipment that nobody uses. */
  kind: 'person' | 'storage'
  /** When it was created; set by the service. */
  created_at: string
  /** When it was last changed; set by the service. */
  updated_at: string
  customer?: Customer
}

/** Members that are no fields are ignored, or refused with `Prefer: handling=strict`. */
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
  /** Where it is not given: `true`. */
  is_active?: true | false | 1 | 0 | null
  /** Where it is not given: `false`. */
  is_remote?: true | false | 1 | 0 | null
  notes?: string | null
  /** The record's id in your own system. No two records of a tenant have the same. */
  external_id?: string | null
  /** A storage location, such as a room or a shelf, holds equipment that nobody uses. Where it is not given: `person`. */
  kind?: 'person' | 'storage' | null
  /** The external id of an existing customer, in place of `customer_id`. */
  customer_external_id?: string | null
}

/** The fields to change; all others stay as they are. */
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
  /** The record's id in your own system. No two records of a tenant have the same. */
  external_id?: string | null
  /** A storage location, such as a room or a shelf, holds equipment that nobody uses. */
  kind?: 'person' | 'storage' | null
  /** The external id of an existing customer, in place of `customer_id`. */
  customer_external_id?: string | null
}

export type EmployeePage = {
  /** The employees of this page. */
  data: (Employee)[]
  page: {
    /** How many records a page holds at most. */
    limit: number
    /** Whether there is a next page. */
    has_more: boolean
    /** Leads to the next page; null on the last one. */
    next_cursor: string | null
    /** How many records match, where `total` asks for it. */
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
    /** Since when. */
    from: string
    /** Until when; null while it lasts. */
    to: string | null
  })[]
}

/** With `id`: the employee, which has `id` and `created_at`. With `id` and `history=assignments`: an object with `id` and `assignments`. Without `id`: a page of employees, which has `data` and `page`. */
export type EmployeeResult = Employee | EmployeeAssignments | EmployeePage

/** A piece of equipment, assigned to an employee. */
export type HardwareRecord = {
  /** Counts up per tenant and resource; never reused. */
  id: number
  /** The id of an existing employee. */
  employee_id: number
  name: string | null
  type: 'laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other'
  status: 'in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired'
  /** The text on its inventory label. No two records of a tenant have the same. */
  asset_tag: string | null
  serial_number: string | null
  manufacturer: string | null
  model: string | null
  purchase_date: string | null
  /** The last day of the warranty. */
  warranty_end: string | null
  /** In minor units: 149900 is 1,499.00. */
  purchase_cost: number | null
  /** Whether it is lent out temporarily. */
  is_loaner: boolean
  notes: string | null
  /** The record's id in your own system. No two records of a tenant have the same. */
  external_id: string | null
  /** The end of a loan. */
  due_back: string | null
  /** When it was last found in a stock-take. */
  last_seen_at: string | null
  /** When it was created; set by the service. */
  created_at: string
  /** When it was last changed; set by the service. */
  updated_at: string
  employee?: Employee
}

/** Members that are no fields are ignored, or refused with `Prefer: handling=strict`. */
export type NewHardwareRecord = {
  /** The id of an existing employee. */
  employee_id?: number
  name?: string | null
  /** Where it is not given: `other`. */
  type?: 'laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other' | null
  /** Where it is not given: `in_use`. */
  status?: 'in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired' | null
  /** The text on its inventory label. No two records of a tenant have the same. */
  asset_tag?: string | null
  serial_number?: string | null
  manufacturer?: string | null
  model?: string | null
  purchase_date?: string | null
  /** The last day of the warranty. */
  warranty_end?: string | null
  /** In minor units: 149900 is 1,499.00. */
  purchase_cost?: number | null
  /** Whether it is lent out temporarily. Where it is not given: `false`. */
  is_loaner?: true | false | 1 | 0 | null
  notes?: string | null
  /** The record's id in your own system. No two records of a tenant have the same. */
  external_id?: string | null
  /** The end of a loan. */
  due_back?: string | null
  /** The external id of an existing employee, in place of `employee_id`. */
  employee_external_id?: string | null
}

/** The fields to change; all others stay as they are. */
export type HardwareRecordChanges = {
  /** The id of an existing employee. */
  employee_id?: number
  name?: string | null
  type?: 'laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other' | null
  status?: 'in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired' | null
  /** The text on its inventory label. No two records of a tenant have the same. */
  asset_tag?: string | null
  serial_number?: string | null
  manufacturer?: string | null
  model?: string | null
  purchase_date?: string | null
  /** The last day of the warranty. */
  warranty_end?: string | null
  /** In minor units: 149900 is 1,499.00. */
  purchase_cost?: number | null
  /** Whether it is lent out temporarily. */
  is_loaner?: true | false | 1 | 0 | null
  notes?: string | null
  /** The record's id in your own system. No two records of a tenant have the same. */
  external_id?: string | null
  /** The end of a loan. */
  due_back?: string | null
  /** The external id of an existing employee, in place of `employee_id`. */
  employee_external_id?: string | null
}

export type HardwareRecordPage = {
  /** The hardware of this page. */
  data: (HardwareRecord)[]
  page: {
    /** How many records a page holds at most. */
    limit: number
    /** Whether there is a next page. */
    has_more: boolean
    /** Leads to the next page; null on the last one. */
    next_cursor: string | null
    /** How many records match, where `total` asks for it. */
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
    /** Since when. */
    from: string
    /** Until when; null while it lasts. */
    to: string | null
  })[]
}

/** With `id`: the hardware record, which has `id` and `created_at`. With `id` and `history=assignments`: an object with `id` and `assignments`. Without `id`: a page of hardware, which has `data` and `page`. */
export type HardwareRecordResult = HardwareRecord | HardwareRecordAssignments | HardwareRecordPage

export type BulkRequest = {
  /** What a failure of one operation means for the others. */
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
  /** In place of `id`: the id in your own system. */
  external_id?: string
  /** ETags, as in `If-Match`. */
  if_match?: string
} | {
  method: 'DELETE'
  resource: 'customers'
  /** The id of the customer. */
  id?: number
  /** In place of `id`: the id in your own system. */
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
  /** In place of `id`: the id in your own system. */
  external_id?: string
  /** ETags, as in `If-Match`. */
  if_match?: string
} | {
  method: 'DELETE'
  resource: 'employees'
  /** The id of the employee. */
  id?: number
  /** In place of `id`: the id in your own system. */
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
  /** In place of `id`: the id in your own system. */
  external_id?: string
  /** ETags, as in `If-Match`. */
  if_match?: string
} | {
  method: 'DELETE'
  resource: 'hardware'
  /** The id of the hardware record. */
  id?: number
  /** In place of `id`: the id in your own system. */
  external_id?: string
  /** ETags, as in `If-Match`. */
  if_match?: string
}

export type BulkResponse = {
  mode: 'all_or_nothing' | 'each'
  /** How many operations were applied. */
  succeeded: number
  /** How many operations failed and changed nothing. */
  failed: number
  /** The change set; null if nothing changed. */
  change_set: string | null
  /** The result of each operation, in the order of the operations. */
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
    /** For people; it may change. */
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
  /** What the rows are. */
  resource: string
  mode: 'dry_run' | 'all_or_nothing' | 'valid_rows'
  /** The column that identifies existing records. */
  match: string
  /** It is being checked or applied in the states `checking` and `running`, and has ended in the others. */
  state: 'checking' | 'checked' | 'running' | 'done' | 'failed' | 'cancelled' | 'undone'
  /** The rows of the file, without the header and empty ones. */
  rows: number
  /** How many of them have been checked or applied so far. */
  processed: number
  /** Records that were created; while it is checked, those that would be. */
  created: number
  /** Records that were changed; while it is checked, those that would be. */
  updated: number
  /** Rows whose records have these values already. */
  unchanged: number
  /** Rows that failed. */
  invalid: number
  /** How the file was read where it leaves a choice. */
  assumptions: (string)[]
  /** The change set of all its changes; null if there are none. */
  change_set: string | null
  created_at: string
  /** When it was checked or has ended. */
  finished_at: string | null
}

export type Import = {
  id: number
  /** What the rows are. */
  resource: string
  mode: 'dry_run' | 'all_or_nothing' | 'valid_rows'
  /** The column that identifies existing records. */
  match: string
  /** It is being checked or applied in the states `checking` and `running`, and has ended in the others. */
  state: 'checking' | 'checked' | 'running' | 'done' | 'failed' | 'cancelled' | 'undone'
  /** The rows of the file, without the header and empty ones. */
  rows: number
  /** How many of them have been checked or applied so far. */
  processed: number
  /** Records that were created; while it is checked, those that would be. */
  created: number
  /** Records that were changed; while it is checked, those that would be. */
  updated: number
  /** Rows whose records have these values already. */
  unchanged: number
  /** Rows that failed. */
  invalid: number
  /** How the file was read where it leaves a choice. */
  assumptions: (string)[]
  /** The change set of all its changes; null if there are none. */
  change_set: string | null
  /** The first 100 errors. */
  errors: (RowError)[]
  created_at: string
  /** When it was checked or has ended. */
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

export type RowError = {
  /** As a spreadsheet numbers it: the header is row 1. */
  row: number
  /** The title of the column; null if the error concerns no column of the file. */
  column: string | null
  /** A field code, `ambiguous` or `too_many_cells`. */
  code: string
  /** For people; it may change. */
  message: string
}

export type Change = {
  /** The number of the change: one more than that of the change before it. */
  seq: number
  /** When it was made. */
  at: string
  /** What kind of record was changed. */
  resource: 'customers' | 'employees' | 'hardware' | 'settings' | 'views' | 'hand_over_forms'
  /** The id of the record. */
  id: number
  /** What was done. */
  action: 'create' | 'update' | 'delete'
  /** The fields as they were, as far as they changed; null where a record was created. */
  before: Record<string, string | number | boolean | null> | null
  /** The fields as they are since; null where a record was deleted. */
  after: Record<string, string | number | boolean | null> | null
  /** The id of the API key that did it. */
  api_key_id: string | null
  /** The person who did it. */
  user_id: string | null
  /** The `X-Request-Id` of the request. */
  request_id: string
  /** The change set: the same for everything that one request did. Null before change sets existed. */
  change_set: string | null
}

export type ChangePage = {
  /** Changes in their order. */
  data: (Change)[]
  page: {
    /** How many it holds at most. */
    limit: number
    /** Whether there are more in this direction by now. */
    has_more: boolean
    /** Where to go on, now or later: the `since` of the next request. */
    since: number
    /** The number of the newest change of the tenant, whatever the filters. */
    latest: number
  }
}

export type UndoRequest = {
  /** The change set to undo, from `Change-Set` of a response or from the history. */
  change_set: string
  /** Only tell whether it can be undone. */
  dry_run?: boolean
}

export type Undone = {
  /** The change set that the undo made; null if it changed nothing. */
  change_set: string | null
  /** The number of records that went back, or would. */
  undone: number
}

export type UndoConflict = {
  resource: 'customers' | 'employees' | 'hardware' | 'settings' | 'views' | 'hand_over_forms'
  /** The id of the record. */
  id: number
  /** `changed_since`: its newest change is not of this set; `has_dependents`: other records refer to it; `reference_gone`: it would refer to a record that no longer exists; `duplicate`: another record has its unique value. */
  reason: 'changed_since' | 'has_dependents' | 'reference_gone' | 'duplicate'
}

export type TenantSettings = {
  /** The name of the tenant. */
  name: string
  /** The ISO 4217 code of the currency of all amounts, such as EUR. */
  currency: string
  /** The IANA name of the time zone in which the panel shows times, such as Europe/Berlin. */
  time_zone: string
  /** What the panel calls customers. */
  customers_called: 'branches' | 'clients'
  /** How many days before its end a warranty counts as ending soon. */
  warranty_notice_days: number
  /** The form of asset tags: `TD-{0000}` has four digits after TD-. Null: tags have no common form. */
  tag_format: string | null
  /** The first number of suggested asset tags. Forms suggest the next one that is not used. */
  next_tag_number: number
}

/** The fields to change; all others stay as they are. */
export type TenantSettingsChanges = {
  /** The name of the tenant. */
  name?: string
  /** The ISO 4217 code of the currency of all amounts, such as EUR. */
  currency?: string | null
  /** The IANA name of the time zone in which the panel shows times, such as Europe/Berlin. */
  time_zone?: string | null
  /** What the panel calls customers. */
  customers_called?: 'branches' | 'clients' | null
  /** How many days before its end a warranty counts as ending soon. */
  warranty_notice_days?: number | null
  /** The form of asset tags: `TD-{0000}` has four digits after TD-. Null: tags have no common form. */
  tag_format?: string | null
  /** The first number of suggested asset tags. Forms suggest the next one that is not used. */
  next_tag_number?: number | null
}

/** A list with filters, an order and columns, saved under a name. */
export type View = {
  /** Negative for built-in views. */
  id: number
  name: string
  /** What it lists. */
  resource: 'customers' | 'employees' | 'hardware'
  /** The query string of the list, without `?` and `cursor`: `status=spare&sort=name`. Empty: all records. */
  query: string
  /** The columns, named as in `fields` of an export. Null: those that the list has by default. */
  columns: (string)[] | null
  /** Whether everyone sees it, or only the API key or the user that created it. */
  is_shared: boolean
  /** The API key that created it. */
  api_key_id: string | null
  /** The user who created it in the panel. */
  user_id: string | null
  /** When it was created; set by the service. */
  created_at: string | null
  /** When it was last changed; set by the service. */
  updated_at: string | null
}

/** Members that are no fields are ignored, or refused with `Prefer: handling=strict`. */
export type NewView = {
  name: string
  /** What it lists. */
  resource: 'customers' | 'employees' | 'hardware'
  /** The query string of the list, without `?` and `cursor`: `status=spare&sort=name`. Empty: all records. Where it is not given: ``. */
  query?: string | null
  /** The columns, named as in `fields` of an export. Null: those that the list has by default. */
  columns?: (string)[] | null
  /** Whether everyone sees it, or only the API key or the user that created it. Where it is not given: `false`. */
  is_shared?: true | false | 1 | 0 | null
}

/** The fields to change; all others stay as they are. */
export type ViewChanges = {
  name?: string
  /** What it lists. */
  resource?: 'customers' | 'employees' | 'hardware'
  /** The query string of the list, without `?` and `cursor`: `status=spare&sort=name`. Empty: all records. */
  query?: string | null
  /** The columns, named as in `fields` of an export. Null: those that the list has by default. */
  columns?: (string)[] | null
  /** Whether everyone sees it, or only the API key or the user that created it. */
  is_shared?: true | false | 1 | 0 | null
}

export type ViewPage = {
  /** The views of this page. */
  data: (View)[]
  page: {
    /** How many records a page holds at most. */
    limit: number
    /** Whether there is a next page. */
    has_more: boolean
    /** Leads to the next page; null on the last one. */
    next_cursor: string | null
    /** How many records match, where `total` asks for it. */
    total?: number
  }
}

/** With `id`: the view, which has `id` and `created_at`. Without `id`: a page of views, which has `data` and `page`. */
export type ViewResult = View | ViewPage

export type Me = {
  /** The short name of the tenant. */
  tenant: string
  key: {
    /** The id of the key, as the history and `tenantdesk key list` show it. */
    id: string
    /** What the key is called. */
    name: string
    /** What the key permits. */
    scopes: (string)[]
    /** Its last moment; null without one. */
    expires_at: string | null
  }
  /** The rate limit after this request; null without a limit. */
  rate_limit: {
    /** Requests allowed per window, as in `X-RateLimit-Limit`. */
    limit: number
    /** Requests left in the current window, as in `X-RateLimit-Remaining`. */
    remaining: number
    /** Epoch second at which the window ends, as in `X-RateLimit-Reset`. */
    reset: number
  } | null
  /** The time of the server. */
  server_time: string
  /** The version of Tenantdesk. */
  version: string
}

export type Deleted = {
  /** The id of the record that is gone. */
  id: number
  deleted: unknown
}

export type Error = {
  error: {
    code: ErrorCode
    /** For people; it may change. */
    message: string
    /** The HTTP status of the response. */
    status: number
  }
}

/** What went wrong, for programs. New codes may be added over time. */
export type ErrorCode = 'unauthorized' | 'invalid_key_format' | 'invalid_key' | 'key_revoked' | 'tenant_suspended' | 'tenant_unavailable' | 'forbidden' | 'rate_limited' | 'method_not_allowed' | 'invalid_json' | 'payload_too_large' | 'headers_too_large' | 'query_too_slow' | 'server_busy' | 'service_unavailable' | 'internal_error' | 'not_found' | 'missing_id' | 'no_fields' | 'invalid_request' | 'validation_failed' | 'invalid_customer' | 'invalid_employee' | 'bulk_failed' | 'not_applied' | 'conflict' | 'precondition_failed' | 'idempotency_key_reused'

export type FieldError = {
  code: FieldCode
  /** For people; it may change. */
  message: string
}

/** What is wrong with a field, for programs. New codes may be added over time. */
export type FieldCode = 'required' | 'invalid_email' | 'invalid_int' | 'invalid_date' | 'invalid_bool' | 'invalid_text' | 'too_long' | 'too_short' | 'not_in_list' | 'duplicate' | 'unknown_field'

export type CustomersQuery = {
  /** How many records a page holds at most. */
  limit?: number
  /** The `page.next_cursor` of the page before, with the same filters and sort. `Link` has it too. */
  cursor?: string
  /** Whether to count all records that match, as `page.total`. */
  total?: boolean
  /** A moment that is over: records as they were then. Also with `id`; not together with `q` and `[contains]`. A moment before the oldest change that is kept is refused with `invalid_request`. */
  as_of?: string
  /** A field; with a minus in front the other way round. Empty values come first, `id` decides a tie. */
  sort?: 'id' | '-id' | 'name' | '-name' | 'code' | '-code' | 'email' | '-email' | 'phone' | '-phone' | 'address' | '-address' | 'city' | '-city' | 'country' | '-country' | 'tax_id' | '-tax_id' | 'type' | '-type' | 'is_active' | '-is_active' | 'contract_end' | '-contract_end' | 'notes' | '-notes' | 'external_id' | '-external_id' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'
  /** Words, 20 at most: each must occur in some text field, whatever its case and accents. Codes such as an asset tag are also found without their punctuation. */
  q?: string
  /** Other than this; records without a value are left out. */
  'id[ne]'?: number
  /** One of these, separated by commas, 200 at most. */
  'id[in]'?: readonly (number)[]
  /** true: only records without a value; false: only those with one. */
  'id[null]'?: boolean
  /** This or more. */
  'id[gte]'?: number
  /** More than this. */
  'id[gt]'?: number
  /** This or less. */
  'id[lte]'?: number
  /** Less than this. */
  'id[lt]'?: number
  /** Equal to this. */
  name?: string
  /** Other than this; records without a value are left out. */
  'name[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'name[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'name[null]'?: boolean
  /** This or more. */
  'name[gte]'?: string
  /** More than this. */
  'name[gt]'?: string
  /** This or less. */
  'name[lte]'?: string
  /** Less than this. */
  'name[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'name[contains]'?: string
  /** Equal to this. */
  code?: string
  /** Other than this; records without a value are left out. */
  'code[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'code[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'code[null]'?: boolean
  /** This or more. */
  'code[gte]'?: string
  /** More than this. */
  'code[gt]'?: string
  /** This or less. */
  'code[lte]'?: string
  /** Less than this. */
  'code[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'code[contains]'?: string
  /** Equal to this. */
  email?: string
  /** Other than this; records without a value are left out. */
  'email[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'email[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'email[null]'?: boolean
  /** Holds this text somewhere, whatever its case and accents. */
  'email[contains]'?: string
  /** Equal to this. */
  phone?: string
  /** Other than this; records without a value are left out. */
  'phone[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'phone[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'phone[null]'?: boolean
  /** This or more. */
  'phone[gte]'?: string
  /** More than this. */
  'phone[gt]'?: string
  /** This or less. */
  'phone[lte]'?: string
  /** Less than this. */
  'phone[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'phone[contains]'?: string
  /** Equal to this. */
  address?: string
  /** Other than this; records without a value are left out. */
  'address[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'address[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'address[null]'?: boolean
  /** This or more. */
  'address[gte]'?: string
  /** More than this. */
  'address[gt]'?: string
  /** This or less. */
  'address[lte]'?: string
  /** Less than this. */
  'address[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'address[contains]'?: string
  /** Equal to this. */
  city?: string
  /** Other than this; records without a value are left out. */
  'city[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'city[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'city[null]'?: boolean
  /** This or more. */
  'city[gte]'?: string
  /** More than this. */
  'city[gt]'?: string
  /** This or less. */
  'city[lte]'?: string
  /** Less than this. */
  'city[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'city[contains]'?: string
  /** Equal to this. */
  country?: string
  /** Other than this; records without a value are left out. */
  'country[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'country[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'country[null]'?: boolean
  /** This or more. */
  'country[gte]'?: string
  /** More than this. */
  'country[gt]'?: string
  /** This or less. */
  'country[lte]'?: string
  /** Less than this. */
  'country[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'country[contains]'?: string
  /** Equal to this. */
  tax_id?: string
  /** Other than this; records without a value are left out. */
  'tax_id[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'tax_id[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'tax_id[null]'?: boolean
  /** This or more. */
  'tax_id[gte]'?: string
  /** More than this. */
  'tax_id[gt]'?: string
  /** This or less. */
  'tax_id[lte]'?: string
  /** Less than this. */
  'tax_id[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'tax_id[contains]'?: string
  /** Equal to this. */
  type?: 'headquarters' | 'branch' | 'warehouse' | 'client' | 'other'
  /** Other than this; records without a value are left out. */
  'type[ne]'?: 'headquarters' | 'branch' | 'warehouse' | 'client' | 'other'
  /** One of these, separated by commas, 200 at most. */
  'type[in]'?: readonly ('headquarters' | 'branch' | 'warehouse' | 'client' | 'other')[]
  /** true: only records without a value; false: only those with one. */
  'type[null]'?: boolean
  /** Equal to this. */
  is_active?: boolean
  /** Other than this; records without a value are left out. */
  'is_active[ne]'?: boolean
  /** One of these, separated by commas, 200 at most. */
  'is_active[in]'?: readonly (boolean)[]
  /** true: only records without a value; false: only those with one. */
  'is_active[null]'?: boolean
  /** Equal to this. */
  contract_end?: string
  /** Other than this; records without a value are left out. */
  'contract_end[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'contract_end[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'contract_end[null]'?: boolean
  /** This or more. */
  'contract_end[gte]'?: string
  /** More than this. */
  'contract_end[gt]'?: string
  /** This or less. */
  'contract_end[lte]'?: string
  /** Less than this. */
  'contract_end[lt]'?: string
  /** Equal to this. */
  notes?: string
  /** Other than this; records without a value are left out. */
  'notes[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'notes[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'notes[null]'?: boolean
  /** This or more. */
  'notes[gte]'?: string
  /** More than this. */
  'notes[gt]'?: string
  /** This or less. */
  'notes[lte]'?: string
  /** Less than this. */
  'notes[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'notes[contains]'?: string
  /** Other than this; records without a value are left out. */
  'external_id[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'external_id[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'external_id[null]'?: boolean
  /** This or more. */
  'external_id[gte]'?: string
  /** More than this. */
  'external_id[gt]'?: string
  /** This or less. */
  'external_id[lte]'?: string
  /** Less than this. */
  'external_id[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'external_id[contains]'?: string
  /** Equal to this. */
  created_at?: string
  /** Other than this; records without a value are left out. */
  'created_at[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'created_at[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'created_at[null]'?: boolean
  /** This or more. */
  'created_at[gte]'?: string
  /** More than this. */
  'created_at[gt]'?: string
  /** This or less. */
  'created_at[lte]'?: string
  /** Less than this. */
  'created_at[lt]'?: string
  /** Equal to this. */
  updated_at?: string
  /** Other than this; records without a value are left out. */
  'updated_at[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'updated_at[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'updated_at[null]'?: boolean
  /** This or more. */
  'updated_at[gte]'?: string
  /** More than this. */
  'updated_at[gt]'?: string
  /** This or less. */
  'updated_at[lte]'?: string
  /** Less than this. */
  'updated_at[lt]'?: string
  /** Fields separated by commas, of which at least one is empty. */
  missing?: readonly ('code' | 'email' | 'phone' | 'address' | 'city' | 'country' | 'tax_id' | 'contract_end' | 'notes' | 'external_id')[]
}

export type CustomersExport = Omit<CustomersQuery, 'limit' | 'cursor' | 'total'> & {
  /** Only with `format`: the columns in their order, separated by commas. */
  fields?: readonly ('id' | 'name' | 'code' | 'email' | 'phone' | 'address' | 'city' | 'country' | 'tax_id' | 'type' | 'is_active' | 'contract_end' | 'notes' | 'external_id' | 'created_at' | 'updated_at')[]
  /** Only with `format=csv`: what separates the columns. */
  delimiter?: 'comma' | 'semicolon' | 'tab'
}

export type EmployeesQuery = {
  /** How many records a page holds at most. */
  limit?: number
  /** The `page.next_cursor` of the page before, with the same filters and sort. `Link` has it too. */
  cursor?: string
  /** Whether to count all records that match, as `page.total`. */
  total?: boolean
  /** A moment that is over: records as they were then. Also with `id`; not together with `q` and `[contains]`. A moment before the oldest change that is kept is refused with `invalid_request`. */
  as_of?: string
  /** A field; with a minus in front the other way round. Empty values come first, `id` decides a tie. */
  sort?: 'id' | '-id' | 'customer_id' | '-customer_id' | 'email' | '-email' | 'name' | '-name' | 'department' | '-department' | 'title' | '-title' | 'employee_no' | '-employee_no' | 'phone' | '-phone' | 'start_date' | '-start_date' | 'end_date' | '-end_date' | 'is_active' | '-is_active' | 'is_remote' | '-is_remote' | 'notes' | '-notes' | 'external_id' | '-external_id' | 'kind' | '-kind' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'
  /** Words, 20 at most: each must occur in some text field, whatever its case and accents. Codes such as an asset tag are also found without their punctuation. */
  q?: string
  /** Related records to put inside each record, separated by commas. Also with `id`: the ETag covers them then; in If-Match it stands for the record alone. The key also needs the read scope of every resource on the path (`customer`: `customers:read`), or `*:read`. */
  include?: readonly ('customer')[]
  /** Other than this; records without a value are left out. */
  'id[ne]'?: number
  /** One of these, separated by commas, 200 at most. */
  'id[in]'?: readonly (number)[]
  /** true: only records without a value; false: only those with one. */
  'id[null]'?: boolean
  /** This or more. */
  'id[gte]'?: number
  /** More than this. */
  'id[gt]'?: number
  /** This or less. */
  'id[lte]'?: number
  /** Less than this. */
  'id[lt]'?: number
  /** Equal to this. */
  customer_id?: number
  /** Other than this; records without a value are left out. */
  'customer_id[ne]'?: number
  /** One of these, separated by commas, 200 at most. */
  'customer_id[in]'?: readonly (number)[]
  /** true: only records without a value; false: only those with one. */
  'customer_id[null]'?: boolean
  /** Equal to this. */
  email?: string
  /** Other than this; records without a value are left out. */
  'email[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'email[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'email[null]'?: boolean
  /** Holds this text somewhere, whatever its case and accents. */
  'email[contains]'?: string
  /** Equal to this. */
  name?: string
  /** Other than this; records without a value are left out. */
  'name[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'name[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'name[null]'?: boolean
  /** This or more. */
  'name[gte]'?: string
  /** More than this. */
  'name[gt]'?: string
  /** This or less. */
  'name[lte]'?: string
  /** Less than this. */
  'name[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'name[contains]'?: string
  /** Equal to this. */
  department?: string
  /** Other than this; records without a value are left out. */
  'department[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'department[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'department[null]'?: boolean
  /** This or more. */
  'department[gte]'?: string
  /** More than this. */
  'department[gt]'?: string
  /** This or less. */
  'department[lte]'?: string
  /** Less than this. */
  'department[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'department[contains]'?: string
  /** Equal to this. */
  title?: string
  /** Other than this; records without a value are left out. */
  'title[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'title[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'title[null]'?: boolean
  /** This or more. */
  'title[gte]'?: string
  /** More than this. */
  'title[gt]'?: string
  /** This or less. */
  'title[lte]'?: string
  /** Less than this. */
  'title[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'title[contains]'?: string
  /** Equal to this. */
  employee_no?: string
  /** Other than this; records without a value are left out. */
  'employee_no[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'employee_no[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'employee_no[null]'?: boolean
  /** This or more. */
  'employee_no[gte]'?: string
  /** More than this. */
  'employee_no[gt]'?: string
  /** This or less. */
  'employee_no[lte]'?: string
  /** Less than this. */
  'employee_no[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'employee_no[contains]'?: string
  /** Equal to this. */
  phone?: string
  /** Other than this; records without a value are left out. */
  'phone[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'phone[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'phone[null]'?: boolean
  /** This or more. */
  'phone[gte]'?: string
  /** More than this. */
  'phone[gt]'?: string
  /** This or less. */
  'phone[lte]'?: string
  /** Less than this. */
  'phone[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'phone[contains]'?: string
  /** Equal to this. */
  start_date?: string
  /** Other than this; records without a value are left out. */
  'start_date[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'start_date[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'start_date[null]'?: boolean
  /** This or more. */
  'start_date[gte]'?: string
  /** More than this. */
  'start_date[gt]'?: string
  /** This or less. */
  'start_date[lte]'?: string
  /** Less than this. */
  'start_date[lt]'?: string
  /** Equal to this. */
  end_date?: string
  /** Other than this; records without a value are left out. */
  'end_date[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'end_date[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'end_date[null]'?: boolean
  /** This or more. */
  'end_date[gte]'?: string
  /** More than this. */
  'end_date[gt]'?: string
  /** This or less. */
  'end_date[lte]'?: string
  /** Less than this. */
  'end_date[lt]'?: string
  /** Equal to this. */
  is_active?: boolean
  /** Other than this; records without a value are left out. */
  'is_active[ne]'?: boolean
  /** One of these, separated by commas, 200 at most. */
  'is_active[in]'?: readonly (boolean)[]
  /** true: only records without a value; false: only those with one. */
  'is_active[null]'?: boolean
  /** Equal to this. */
  is_remote?: boolean
  /** Other than this; records without a value are left out. */
  'is_remote[ne]'?: boolean
  /** One of these, separated by commas, 200 at most. */
  'is_remote[in]'?: readonly (boolean)[]
  /** true: only records without a value; false: only those with one. */
  'is_remote[null]'?: boolean
  /** Equal to this. */
  notes?: string
  /** Other than this; records without a value are left out. */
  'notes[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'notes[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'notes[null]'?: boolean
  /** This or more. */
  'notes[gte]'?: string
  /** More than this. */
  'notes[gt]'?: string
  /** This or less. */
  'notes[lte]'?: string
  /** Less than this. */
  'notes[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'notes[contains]'?: string
  /** Other than this; records without a value are left out. */
  'external_id[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'external_id[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'external_id[null]'?: boolean
  /** This or more. */
  'external_id[gte]'?: string
  /** More than this. */
  'external_id[gt]'?: string
  /** This or less. */
  'external_id[lte]'?: string
  /** Less than this. */
  'external_id[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'external_id[contains]'?: string
  /** Equal to this. */
  kind?: 'person' | 'storage'
  /** Other than this; records without a value are left out. */
  'kind[ne]'?: 'person' | 'storage'
  /** One of these, separated by commas, 200 at most. */
  'kind[in]'?: readonly ('person' | 'storage')[]
  /** true: only records without a value; false: only those with one. */
  'kind[null]'?: boolean
  /** Equal to this. */
  created_at?: string
  /** Other than this; records without a value are left out. */
  'created_at[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'created_at[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'created_at[null]'?: boolean
  /** This or more. */
  'created_at[gte]'?: string
  /** More than this. */
  'created_at[gt]'?: string
  /** This or less. */
  'created_at[lte]'?: string
  /** Less than this. */
  'created_at[lt]'?: string
  /** Equal to this. */
  updated_at?: string
  /** Other than this; records without a value are left out. */
  'updated_at[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'updated_at[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'updated_at[null]'?: boolean
  /** This or more. */
  'updated_at[gte]'?: string
  /** More than this. */
  'updated_at[gt]'?: string
  /** This or less. */
  'updated_at[lte]'?: string
  /** Less than this. */
  'updated_at[lt]'?: string
  /** Whether the person is employed: `current`, `left` (not active, or the last day is over), or `30d` for those who leave within 30 days. */
  employment?: string
  /** Fields separated by commas, of which at least one is empty. */
  missing?: readonly ('name' | 'department' | 'title' | 'employee_no' | 'phone' | 'start_date' | 'end_date' | 'notes' | 'external_id')[]
}

export type EmployeesExport = Omit<EmployeesQuery, 'limit' | 'cursor' | 'total'> & {
  /** Only with `format`: the columns in their order, separated by commas. Besides the fields, CSV has `customer_name` (needs `customers:read`). */
  fields?: readonly ('id' | 'customer_id' | 'email' | 'name' | 'department' | 'title' | 'employee_no' | 'phone' | 'start_date' | 'end_date' | 'is_active' | 'is_remote' | 'notes' | 'external_id' | 'kind' | 'created_at' | 'updated_at' | 'customer_name')[]
  /** Only with `format=csv`: what separates the columns. */
  delimiter?: 'comma' | 'semicolon' | 'tab'
}

export type HardwareQuery = {
  /** How many records a page holds at most. */
  limit?: number
  /** The `page.next_cursor` of the page before, with the same filters and sort. `Link` has it too. */
  cursor?: string
  /** Whether to count all records that match, as `page.total`. */
  total?: boolean
  /** A moment that is over: records as they were then. Also with `id`; not together with `q` and `[contains]`. A moment before the oldest change that is kept is refused with `invalid_request`. */
  as_of?: string
  /** A field; with a minus in front the other way round. Empty values come first, `id` decides a tie. */
  sort?: 'id' | '-id' | 'employee_id' | '-employee_id' | 'name' | '-name' | 'type' | '-type' | 'status' | '-status' | 'asset_tag' | '-asset_tag' | 'serial_number' | '-serial_number' | 'manufacturer' | '-manufacturer' | 'model' | '-model' | 'purchase_date' | '-purchase_date' | 'warranty_end' | '-warranty_end' | 'purchase_cost' | '-purchase_cost' | 'is_loaner' | '-is_loaner' | 'notes' | '-notes' | 'external_id' | '-external_id' | 'due_back' | '-due_back' | 'last_seen_at' | '-last_seen_at' | 'created_at' | '-created_at' | 'updated_at' | '-updated_at'
  /** Words, 20 at most: each must occur in some text field, whatever its case and accents. Codes such as an asset tag are also found without their punctuation. */
  q?: string
  /** Related records to put inside each record, separated by commas. Also with `id`: the ETag covers them then; in If-Match it stands for the record alone. The key also needs the read scope of every resource on the path (`employee`: `employees:read`; `employee.customer`: `employees:read` and `customers:read`), or `*:read`. */
  include?: readonly ('employee' | 'employee.customer')[]
  /** Other than this; records without a value are left out. */
  'id[ne]'?: number
  /** One of these, separated by commas, 200 at most. */
  'id[in]'?: readonly (number)[]
  /** true: only records without a value; false: only those with one. */
  'id[null]'?: boolean
  /** This or more. */
  'id[gte]'?: number
  /** More than this. */
  'id[gt]'?: number
  /** This or less. */
  'id[lte]'?: number
  /** Less than this. */
  'id[lt]'?: number
  /** Equal to this. */
  employee_id?: number
  /** Other than this; records without a value are left out. */
  'employee_id[ne]'?: number
  /** One of these, separated by commas, 200 at most. */
  'employee_id[in]'?: readonly (number)[]
  /** true: only records without a value; false: only those with one. */
  'employee_id[null]'?: boolean
  /** Equal to this. */
  name?: string
  /** Other than this; records without a value are left out. */
  'name[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'name[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'name[null]'?: boolean
  /** This or more. */
  'name[gte]'?: string
  /** More than this. */
  'name[gt]'?: string
  /** This or less. */
  'name[lte]'?: string
  /** Less than this. */
  'name[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'name[contains]'?: string
  /** Equal to this. */
  type?: 'laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other'
  /** Other than this; records without a value are left out. */
  'type[ne]'?: 'laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other'
  /** One of these, separated by commas, 200 at most. */
  'type[in]'?: readonly ('laptop' | 'desktop' | 'monitor' | 'phone' | 'tablet' | 'server' | 'printer' | 'network' | 'peripheral' | 'vehicle' | 'tool' | 'other')[]
  /** true: only records without a value; false: only those with one. */
  'type[null]'?: boolean
  /** Equal to this. */
  status?: 'in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired'
  /** Other than this; records without a value are left out. */
  'status[ne]'?: 'in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired'
  /** One of these, separated by commas, 200 at most. */
  'status[in]'?: readonly ('in_use' | 'spare' | 'reserved' | 'in_repair' | 'lost' | 'retired')[]
  /** true: only records without a value; false: only those with one. */
  'status[null]'?: boolean
  /** Equal to this. */
  asset_tag?: string
  /** Other than this; records without a value are left out. */
  'asset_tag[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'asset_tag[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'asset_tag[null]'?: boolean
  /** This or more. */
  'asset_tag[gte]'?: string
  /** More than this. */
  'asset_tag[gt]'?: string
  /** This or less. */
  'asset_tag[lte]'?: string
  /** Less than this. */
  'asset_tag[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'asset_tag[contains]'?: string
  /** Equal to this. */
  serial_number?: string
  /** Other than this; records without a value are left out. */
  'serial_number[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'serial_number[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'serial_number[null]'?: boolean
  /** This or more. */
  'serial_number[gte]'?: string
  /** More than this. */
  'serial_number[gt]'?: string
  /** This or less. */
  'serial_number[lte]'?: string
  /** Less than this. */
  'serial_number[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'serial_number[contains]'?: string
  /** Equal to this. */
  manufacturer?: string
  /** Other than this; records without a value are left out. */
  'manufacturer[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'manufacturer[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'manufacturer[null]'?: boolean
  /** This or more. */
  'manufacturer[gte]'?: string
  /** More than this. */
  'manufacturer[gt]'?: string
  /** This or less. */
  'manufacturer[lte]'?: string
  /** Less than this. */
  'manufacturer[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'manufacturer[contains]'?: string
  /** Equal to this. */
  model?: string
  /** Other than this; records without a value are left out. */
  'model[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'model[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'model[null]'?: boolean
  /** This or more. */
  'model[gte]'?: string
  /** More than this. */
  'model[gt]'?: string
  /** This or less. */
  'model[lte]'?: string
  /** Less than this. */
  'model[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'model[contains]'?: string
  /** Equal to this. */
  purchase_date?: string
  /** Other than this; records without a value are left out. */
  'purchase_date[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'purchase_date[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'purchase_date[null]'?: boolean
  /** This or more. */
  'purchase_date[gte]'?: string
  /** More than this. */
  'purchase_date[gt]'?: string
  /** This or less. */
  'purchase_date[lte]'?: string
  /** Less than this. */
  'purchase_date[lt]'?: string
  /** Equal to this. */
  warranty_end?: string
  /** Other than this; records without a value are left out. */
  'warranty_end[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'warranty_end[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'warranty_end[null]'?: boolean
  /** This or more. */
  'warranty_end[gte]'?: string
  /** More than this. */
  'warranty_end[gt]'?: string
  /** This or less. */
  'warranty_end[lte]'?: string
  /** Less than this. */
  'warranty_end[lt]'?: string
  /** Equal to this. */
  purchase_cost?: number
  /** Other than this; records without a value are left out. */
  'purchase_cost[ne]'?: number
  /** One of these, separated by commas, 200 at most. */
  'purchase_cost[in]'?: readonly (number)[]
  /** true: only records without a value; false: only those with one. */
  'purchase_cost[null]'?: boolean
  /** This or more. */
  'purchase_cost[gte]'?: number
  /** More than this. */
  'purchase_cost[gt]'?: number
  /** This or less. */
  'purchase_cost[lte]'?: number
  /** Less than this. */
  'purchase_cost[lt]'?: number
  /** Equal to this. */
  is_loaner?: boolean
  /** Other than this; records without a value are left out. */
  'is_loaner[ne]'?: boolean
  /** One of these, separated by commas, 200 at most. */
  'is_loaner[in]'?: readonly (boolean)[]
  /** true: only records without a value; false: only those with one. */
  'is_loaner[null]'?: boolean
  /** Equal to this. */
  notes?: string
  /** Other than this; records without a value are left out. */
  'notes[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'notes[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'notes[null]'?: boolean
  /** This or more. */
  'notes[gte]'?: string
  /** More than this. */
  'notes[gt]'?: string
  /** This or less. */
  'notes[lte]'?: string
  /** Less than this. */
  'notes[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'notes[contains]'?: string
  /** Other than this; records without a value are left out. */
  'external_id[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'external_id[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'external_id[null]'?: boolean
  /** This or more. */
  'external_id[gte]'?: string
  /** More than this. */
  'external_id[gt]'?: string
  /** This or less. */
  'external_id[lte]'?: string
  /** Less than this. */
  'external_id[lt]'?: string
  /** Holds this text somewhere, whatever its case and accents. */
  'external_id[contains]'?: string
  /** Equal to this. */
  due_back?: string
  /** Other than this; records without a value are left out. */
  'due_back[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'due_back[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'due_back[null]'?: boolean
  /** This or more. */
  'due_back[gte]'?: string
  /** More than this. */
  'due_back[gt]'?: string
  /** This or less. */
  'due_back[lte]'?: string
  /** Less than this. */
  'due_back[lt]'?: string
  /** Equal to this. */
  last_seen_at?: string
  /** Other than this; records without a value are left out. */
  'last_seen_at[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'last_seen_at[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'last_seen_at[null]'?: boolean
  /** This or more. */
  'last_seen_at[gte]'?: string
  /** More than this. */
  'last_seen_at[gt]'?: string
  /** This or less. */
  'last_seen_at[lte]'?: string
  /** Less than this. */
  'last_seen_at[lt]'?: string
  /** Equal to this. */
  created_at?: string
  /** Other than this; records without a value are left out. */
  'created_at[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'created_at[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'created_at[null]'?: boolean
  /** This or more. */
  'created_at[gte]'?: string
  /** More than this. */
  'created_at[gt]'?: string
  /** This or less. */
  'created_at[lte]'?: string
  /** Less than this. */
  'created_at[lt]'?: string
  /** Equal to this. */
  updated_at?: string
  /** Other than this; records without a value are left out. */
  'updated_at[ne]'?: string
  /** One of these, separated by commas, 200 at most. */
  'updated_at[in]'?: readonly (string)[]
  /** true: only records without a value; false: only those with one. */
  'updated_at[null]'?: boolean
  /** This or more. */
  'updated_at[gte]'?: string
  /** More than this. */
  'updated_at[gt]'?: string
  /** This or less. */
  'updated_at[lte]'?: string
  /** Less than this. */
  'updated_at[lt]'?: string
  /** The warranty: `60d` ends today or within 60 days, `valid` has not ended, `expired` has ended, `none` has no known end. */
  warranty?: string
  /** Loans with a date of return: `out` are all of them, `overdue` those whose date is over, `7d` those due within 7 days. */
  loan?: string
  /** This or more. When `status` got its value. Not together with `as_of`. */
  'status_since[gte]'?: string
  /** More than this. When `status` got its value. Not together with `as_of`. */
  'status_since[gt]'?: string
  /** This or less. When `status` got its value. Not together with `as_of`. */
  'status_since[lte]'?: string
  /** Less than this. When `status` got its value. Not together with `as_of`. */
  'status_since[lt]'?: string
  /** Fields separated by commas, of which at least one is empty. */
  missing?: readonly ('name' | 'asset_tag' | 'serial_number' | 'manufacturer' | 'model' | 'purchase_date' | 'warranty_end' | 'purchase_cost' | 'notes' | 'external_id' | 'due_back' | 'last_seen_at')[]
  /** Equal to this. It is a field of what `employee_id` leads to. */
  customer_id?: number
  /** Other than this; records without a value are left out. It is a field of what `employee_id` leads to. */
  'customer_id[ne]'?: number
  /** One of these, separated by commas, 200 at most. It is a field of what `employee_id` leads to. */
  'customer_id[in]'?: readonly (number)[]
  /** Equal to this. It is a field of what `employee_id` leads to. The key also needs `employees:read`. */
  'employee.department'?: string
  /** Other than this; records without a value are left out. It is a field of what `employee_id` leads to. The key also needs `employees:read`. */
  'employee.department[ne]'?: string
  /** One of these, separated by commas, 200 at most. It is a field of what `employee_id` leads to. The key also needs `employees:read`. */
  'employee.department[in]'?: readonly (string)[]
  /** Equal to this. It is a field of what `employee_id` leads to. The key also needs `employees:read`. */
  'employee.kind'?: 'person' | 'storage'
  /** Other than this; records without a value are left out. It is a field of what `employee_id` leads to. The key also needs `employees:read`. */
  'employee.kind[ne]'?: 'person' | 'storage'
  /** One of these, separated by commas, 200 at most. It is a field of what `employee_id` leads to. The key also needs `employees:read`. */
  'employee.kind[in]'?: readonly ('person' | 'storage')[]
  /** Whether the person is employed: `current`, `left` (not active, or the last day is over), or `30d` for those who leave within 30 days. It is a field of what `employee_id` leads to. The key also needs `employees:read`. */
  'employee.employment'?: string
}

export type HardwareExport = Omit<HardwareQuery, 'limit' | 'cursor' | 'total'> & {
  /** Only with `format`: the columns in their order, separated by commas. Besides the fields, CSV has `employee_name` (needs `employees:read`). Only `fields` adds `customer_name` (needs `employees:read` and `customers:read`). */
  fields?: readonly ('id' | 'employee_id' | 'name' | 'type' | 'status' | 'asset_tag' | 'serial_number' | 'manufacturer' | 'model' | 'purchase_date' | 'warranty_end' | 'purchase_cost' | 'is_loaner' | 'notes' | 'external_id' | 'due_back' | 'last_seen_at' | 'created_at' | 'updated_at' | 'employee_name' | 'customer_name')[]
  /** Only with `format=csv`: what separates the columns. */
  delimiter?: 'comma' | 'semicolon' | 'tab'
}

export type ImportsQuery = {
  /** The maximum number of imports on a page. */
  limit?: number
  /** Where the page starts: `page.next_cursor` of the last one. */
  cursor?: string
}

export type ImportsExport = Omit<ImportsQuery, 'limit' | 'cursor' | 'total'> & {
}

export type ChangesQuery = {
  /** Only changes of these records. */
  resource?: 'customers' | 'employees' | 'hardware' | 'settings' | 'views' | 'hand_over_forms'
  /** Only changes of records with this id. */
  id?: number
  /** Only changes of this kind. */
  action?: 'create' | 'update' | 'delete'
  /** Only changes of this change set. */
  change_set?: string
  /** Oldest first (`asc`) or newest first (`desc`). */
  order?: 'asc' | 'desc'
  /** Only changes with a higher number; with `order=desc` those with a lower one. Where it is not given, from the start. */
  since?: number
  /** The maximum number of changes on a page. */
  limit?: number
}

export type SettingsQuery = {
}

export type ViewsQuery = {
  /** Only views of these lists. */
  resource?: 'customers' | 'employees' | 'hardware'
  /** How many views a page holds at most. */
  limit?: number
  /** The `page.next_cursor` of the page before. `Link` has it too. */
  cursor?: string
}

export type MeQuery = {
}

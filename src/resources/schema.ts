// A resource → its table; a new field → a new column; and the tables beside them that every tenant has.

import { emptyValue, type Field, type Resource, type Resources } from './resource.ts'

/** How an engine writes what the two write differently: in tables, and where rows with their ids are copied into them. */
export type Dialect = {
  id: string
  integer: string
  boolean: string
  tableEnd: string
  /** What stands before `values` in an insert that gives the ids itself. */
  givenIds: string
  /** The highest id that a table has ever given, as `last`; no row or 0 when it has given none. */
  lastId: (table: string, column: string) => string
  /** Statements with one `?` each, after which a table gives higher ids than that one. */
  setLastId: (table: string, column: string) => string[]
}

/** Of a tenant, besides its records: who it is, every change ever made, and the first answers of idempotency keys. */
const companions = (dialect: Dialect) => [
  `create table tenant (id text not null)${dialect.tableEnd}`,
  `create table changes (
    seq ${dialect.integer} primary key, at text not null, resource text not null, record_id ${dialect.integer} not null,
    action text not null, before text, after text, api_key_id text, user_id text, request_id text not null
  )${dialect.tableEnd}`,
  `create table answers (
    seq ${dialect.id}, key text not null unique, at text not null, fingerprint text not null,
    status ${dialect.integer} not null, body text not null, location text
  )${dialect.tableEnd}`,
]

/** Throws where declarations contradict themselves; a start that fails is better than tenants that cannot be opened. */
export function requireSound(resources: Resources): void {
  resources.forEach((resource, at) => {
    for (const [name, field] of Object.entries(resource.fields)) {
      const path = `${resource.name}.${name}`
      if (field.required && since(field) > since(resource)) throw new Error(`${path} is new, so it cannot be required`)
      if (field.kind !== 'reference') continue
      const earlier = resources.slice(0, at + 1).map((each) => each.name)
      if (!earlier.includes(field.to)) throw new Error(`${path} refers to ${field.to}, which is not declared before it`)
    }
  })
}

/** The version of the schema that these declarations describe: the highest `since` among them. */
export function schemaVersion(resources: Resources): number {
  return Math.max(...resources.flatMap((each) => [since(each), ...Object.values(each.fields).map(since)]))
}

/** The statements, one by one, that bring a tenant from schema version `from` (0: nothing yet) to the present one. */
export function schemaChanges(resources: Resources, from: number, dialect: Dialect): string[] {
  return [
    ...(from === 0 ? companions(dialect) : []),
    ...resources.flatMap((each) => (since(each) > from ? newTable(each, dialect) : newColumns(each, from, dialect))),
  ]
}

function newTable(resource: Resource, dialect: Dialect): string[] {
  const fields = Object.entries(resource.fields)
  const lines = [
    `id ${dialect.id}`,
    ...fields.map(([name, field]) => column(name, field, dialect)),
    'created_at text not null',
    'updated_at text not null',
  ]
  return [
    `create table ${resource.name} (\n  ${lines.join(',\n  ')}\n)${dialect.tableEnd}`,
    ...fields.flatMap(([name, field]) => indexes(resource, name, field)),
  ]
}

function newColumns(resource: Resource, from: number, dialect: Dialect): string[] {
  const added = Object.entries(resource.fields).filter(([, field]) => since(field) > from)
  return added.flatMap(([name, field]) => {
    if (field.required) throw new Error(`${resource.name}.${name} is new and required: older records could not have it`)
    return [
      `alter table ${resource.name} add column ${column(name, field, dialect)}`,
      ...indexes(resource, name, field),
    ]
  })
}

function column(name: string, field: Field, dialect: Dialect): string {
  const fallback = emptyValue(field)
  return [
    `${name} ${columnType(field, dialect)}`,
    field.required || fallback !== null ? 'not null' : '',
    fallback === null ? '' : `default ${literal(fallback, dialect)}`,
    field.kind === 'reference' ? `references ${field.to} (id)` : '',
  ]
    .filter(Boolean)
    .join(' ')
}

function columnType(field: Field, dialect: Dialect): string {
  switch (field.kind) {
    case 'text':
    case 'email':
    case 'date':
    case 'choice':
      return 'text'
    case 'integer':
    case 'reference':
      return dialect.integer
    case 'boolean':
      return dialect.boolean
  }
}

function literal(value: boolean | string, dialect: Dialect): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return dialect.boolean === 'boolean' ? String(value) : String(Number(value))
}

/** A reference is looked up whenever the record it names is deleted; a unique field is decided by its index. */
function indexes(resource: Resource, name: string, field: Field): string[] {
  if (!field.unique && field.kind !== 'reference') return []
  return [`create ${field.unique ? 'unique ' : ''}index ${resource.name}_${name} on ${resource.name} (${name})`]
}

function since(declared: { since?: number }): number {
  return declared.since ?? 1
}

// The types of resource declarations, and functions that read them. A resource is plain data.

import type { Database } from '../../engine/database/database.ts'
import { Problem, type ProblemCode } from '../../problem.ts'
import type { TextFormatName } from '../fields/text-formats.ts'

/** The properties that a field of any kind can have. `since`: the schema version that introduced the field (default 1);
 *  a migration adds it to older tenants. `about`: a sentence for users that explains the field. `readOnly`: requests
 *  cannot set the field; a value for it is ignored. `isPersonal`: the field may contain personal data, which erasure
 *  removes (domain/people-data). `filtersReferring`: other resources that refer to this one can filter their lists by the field
 *  (`employee.department`). `filtersByLastChange`: lists can be filtered by the time of the field's last change
 *  (`status_since`). `isDistinctive`: records rarely share a value, so an import says how many of its new records have one
 *  that another record has. */
type Common = {
  required?: true
  unique?: true
  since?: number
  about?: string
  readOnly?: true
  isPersonal?: true
  filtersReferring?: true
  filtersByLastChange?: true
  isDistinctive?: true
}

/** The kinds of fields (§2.3). Lengths count Unicode code points after trimming. `format`: a format of text-formats.ts.
 *  `assignedBy`: a write-only member by which a request asks for the next free tag as the new record's value (contract
 *  §14). `isName`: lists sorted by the field ignore case and accents. Other text is sorted by its UTF-8 bytes.
 *  `isSuggested`: forms suggest values that other records already have in this field. `isAmount`: money in minor units.
 *  `isCode`: people often type such a code without its punctuation, so a search finds it with and without punctuation.
 *  `holds`: what the text is, if the panel displays it specially: phone numbers become links, and country codes appear
 *  as country names. */
export type Field =
  | (Common & {
      kind: 'text'
      min?: number
      max: number
      format?: TextFormatName
      default?: string
      isCode?: true
      isName?: true
      assignedBy?: string
      isSuggested?: true
      holds?: 'phone' | 'country'
    })
  | (Common & { kind: 'email'; max: number })
  | (Common & { kind: 'integer'; min?: number; max?: number; isAmount?: true; default?: number })
  | (Common & { kind: 'date' })
  /** RFC 3339 in UTC with milliseconds. Only the service sets it. */
  | (Common & { kind: 'timestamp'; readOnly: true })
  | (Common & { kind: 'boolean'; default?: boolean })
  | (Common & { kind: 'choice'; of: readonly string[]; default?: string })
  /** The id of a record in the `to` resource. `missingCode`: the error code if there is no such record (§4.6, §4.7).
   *  `stock`: the record can be in a stock instead. */
  | (Common & { kind: 'reference'; to: string; missingCode: ProblemCode; stock?: Stock })

/** A request can put a record into the stock of a record of `of` (contract §14). `member`: the write-only member that
 *  has the id of that record. `missingCode`: the error code if there is no such record. `sets`: values that the record
 *  gets with it, unless the request gives others. */
export type Stock = {
  readonly member: string
  readonly of: string
  readonly missingCode: ProblemCode
  readonly sets: Readonly<Record<string, string>>
}

/** A filter whose value is a word for a condition on some of the resource's fields, such as `warranty=60d`. Unlike
 *  dates, these words do not become outdated in saved views and links. `columns`: the conditions' fields; lists can use
 *  a single field's index. `days`: the condition for a number of days such as `60d`. */
export type WordFilter = {
  kind: 'words'
  about: string
  columns: readonly string[]
  words: { readonly [word: string]: WordCondition }
  days?: WordCondition
}

/** SQL with a placeholder for each operand. `last`: the last day of the period that starts today. */
type WordCondition = readonly [sql: string, ...operands: (boolean | 'today' | 'last')[]]

export type WritableField = Exclude<Field, { kind: 'timestamp' }>

/** `name`: the table, the path (`/name.php`) and the resource part of scopes. `scope`: the resource part of the scopes
 *  that permit changes, if it is not the name; `*` if only a key for all resources may make them. `singular`: the name
 *  of a single record in sentences. `about`: a description for users. `title`: the fields that can serve as a record's
 *  title; the first one that is set is used. `lookups`: the fields, besides the id, that the rows of an import can use
 *  to refer to a record, in order of precedence. `wordFilters`: the lists' filters by a word. `example`: example
 *  bodies of requests that create and update a record. `labels`, `choiceLabels`: each field's and choice's labels in
 *  the panel's languages, which a running service takes from the presentation; files may use them as titles and
 *  values. */
export type Resource = {
  readonly name: string
  readonly scope?: string
  readonly singular: string
  readonly since?: number
  readonly about?: string
  readonly title?: readonly string[]
  readonly lookups?: readonly string[]
  readonly wordFilters?: { readonly [name: string]: WordFilter }
  readonly example?: { readonly create: ExampleValues; readonly update: ExampleValues }
  readonly labels?: { readonly [field: string]: readonly string[] }
  readonly choiceLabels?: { readonly [choice: string]: readonly string[] }
  readonly fields: { readonly [name: string]: Field }
}

type ExampleValues = { readonly [name: string]: string | number | boolean }

/** All resources, in the order in which their tables are created: a resource follows the resources it refers to. */
export type Resources = readonly Resource[]

/** The part of an operation's context that most operations use: the declared resources. */
export type Declared = { resources: Resources }

/** Besides `id`, the read-only columns of every record, in the order in which they appear at the end of a response. */
export const timestampColumns = ['created_at', 'updated_at'] as const

/** The value of a field that was not given: its default, or null. */
export function emptyValue(field: Field): string | number | boolean | null {
  return 'default' in field && field.default !== undefined ? field.default : null
}

/** The fields with their names, in declaration order. */
export const fieldsOf = deriveOnce(({ fields }: Resource) => Object.entries(fields))

/** The value of each field of a record that was created without any, in declaration order. */
export const emptyValues = deriveOnce((resource: Resource) =>
  Object.fromEntries(fieldsOf(resource).map(([name, field]) => [name, emptyValue(field)])),
)

/** The fields that requests can set, in declaration order. */
export const writableFields = deriveOnce(({ fields }: Resource) =>
  Object.entries(fields).filter((entry): entry is [string, WritableField] => !entry[1].readOnly),
)

/** Returns the resource part of the scopes that permit changes to the resource's records. */
export function scopeOf({ name, scope = name }: Resource): string {
  return scope
}

export function isCode(field: Field): boolean {
  return field.kind === 'text' && field.isCode === true
}

export function isAmount(field: Field | undefined): boolean {
  return field?.kind === 'integer' && field.isAmount === true
}

/** Whether lists sorted by the field ignore case and accents. */
export function isName(field: { kind: string } | undefined): boolean {
  return field?.kind === 'text' && 'isName' in field
}

export function isPersonalName(field: { kind: string } | undefined): boolean {
  return field !== undefined && isName(field) && 'isPersonal' in field
}

/** The references with their names, in declaration order. */
export const referencesOf = deriveOnce((resource: Resource) =>
  fieldsOf(resource).flatMap(([name, field]) => (field.kind === 'reference' ? [{ name, ...field }] : [])),
)

/** A resource's columns, in the order in which responses list them. */
export function columns(resource: Resource): string[] {
  return ['id', ...Object.keys(resource.fields), ...timestampColumns]
}

/** The names of the boolean fields, which SQLite stores as numbers. */
export const booleansOf = deriveOnce(({ fields }: Resource) =>
  Object.keys(fields).filter((name) => fields[name]!.kind === 'boolean'),
)

/** The field with a record's id in the caller's own system (contract §14). Its values are unique. */
export const externalIdField = 'external_id'

/** An external id's maximum length in code points. */
export const maxExternalIdLength = 100

export type RecordKey = { column: 'id'; value: number } | { column: typeof externalIdField; value: string }

export function byId(id: number): RecordKey {
  return { column: 'id', value: id }
}

/** For example: `There is no customer with this id.` */
export function noSuchRecord({ singular }: Resource, { column }: RecordKey): Problem {
  return new Problem('not_found', { message: `There is no ${singular} with this ${column}.` })
}

/** The body members that set a reference by the other record's external id: `customer_external_id` for
 *  `customer_id`. */
export const externalReferences = deriveOnce((resource: Resource) =>
  referencesOf(resource).map(({ name: reference }) => ({ name: externalReferenceOf(reference), reference })),
)

/** The member by which a request asks for a value, and the field that gets the value. Undefined for resources without
 *  such a field. */
export function assignedFieldOf(resource: Resource): { member: string; name: string } | undefined {
  return assignedFields(resource)[0]
}

const assignedFields = deriveOnce((resource: Resource) =>
  fieldsOf(resource).flatMap(([name, field]) =>
    field.kind === 'text' && field.assignedBy ? [{ member: field.assignedBy, name }] : [],
  ),
)

/** The field whose record can be in a stock instead. Undefined for resources without such a field. */
export function stockFieldOf(resource: Resource): { name: string; stock: Stock } | undefined {
  return stockFields(resource)[0]
}

const stockFields = deriveOnce((resource: Resource) =>
  referencesOf(resource).flatMap(({ name, stock }) => (stock ? [{ name, stock }] : [])),
)

/** The members that requests have in addition to the fields. Responses do not have them. */
export const writeOnlyMembers = deriveOnce((resource: Resource) => {
  const { stock } = stockFieldOf(resource) ?? {}
  const { member } = assignedFieldOf(resource) ?? {}
  return [
    ...externalReferences(resource).map(({ name }) => name),
    ...(stock ? [stock.member, externalReferenceOf(stock.member)] : []),
    ...(member ? [member] : []),
  ]
})

export function externalReferenceOf(reference: string): string {
  const name = reference.endsWith('_id') ? reference.slice(0, -'_id'.length) : reference
  return `${name}_${externalIdField}`
}

/** Throws if no resource has this name, which is a bug in the declarations. */
export function resourceNamed(resources: Resources, name: string): Resource {
  const resource = resources.find((declared) => declared.name === name)
  if (!resource) throw new Error(`no resource is declared under the name ${name}`)
  return resource
}

type Engine = Database['engine']

/** Caches the values that are derived from declarations (docs/decisions/0030): calls `derive` once for each declaration,
 *  which is a resource or the list of all resources. A copy of a declaration has its own result. A result is freed
 *  together with its declaration. */
export function deriveOnce<Declaration extends object, Derived extends object>(
  derive: (declaration: Declaration) => Derived,
): (declaration: Declaration) => Derived {
  const results = new WeakMap<Declaration, Derived>()
  return (declaration) => {
    const cachedResult = results.get(declaration)
    if (cachedResult) return cachedResult
    const result = derive(declaration)
    results.set(declaration, result)
    return result
  }
}

/** Like deriveOnce, for results that also depend on the engine, such as SQL. */
export function deriveOncePerEngine<Declaration extends object, Derived extends object>(
  derive: (engine: Engine, declaration: Declaration) => Derived,
): (engine: Engine, declaration: Declaration) => Derived {
  const byEngine = {
    sqlite: deriveOnce((declaration: Declaration) => derive('sqlite', declaration)),
    postgres: deriveOnce((declaration: Declaration) => derive('postgres', declaration)),
  }
  return (engine, declaration) => byEngine[engine](declaration)
}

/** Whether a field is a text of several lines: one that may be longer than 200 characters. */
export function isMultiline(field: Field): boolean {
  return field.kind === 'text' && field.max > 200
}

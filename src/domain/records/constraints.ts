// The rules on records that involve other records: unique values, and references to existing records. These rules are
// checked by a condition in the statement, or by a query before the statement. Such a check is enough, because a
// tenant's writes run one after another. Unique indexes and foreign keys are only a safety net.

import type { Database, Value } from '../../engine/database/database.ts'
import { Problem, type ProblemCode } from '../../problem.ts'
import { deriveOnce, fieldsOf, type Resource, referencesOf } from '../declarations/resource.ts'
import type { FieldValue } from '../fields/field-values.ts'
import { type FieldErrors, inFieldOrder, type Values, validationFailed } from '../fields/validate.ts'
import { formsOf } from './stored-forms.ts'

/** The conditions that the values impose on other records: unique values must be free, and referenced records must
 *  exist. */
export function conditionsOf(resource: Resource, values: Values): { sql: string; value: Value }[] {
  const conditions: { sql: string; value: Value }[] = []
  for (const { name, sql } of constraintsOf(resource)) {
    const value = values[name] ?? null
    if (value !== null) for (const form of formsOf(value)) conditions.push({ sql, value: form })
  }
  return conditions
}

/** The conditions that the fields' values impose on other records, in declaration order. */
const constraintsOf = deriveOnce((resource: Resource) =>
  fieldsOf(resource).flatMap(([name, field]) => {
    const isFree = { name, sql: `not exists (select 1 from ${resource.name} where ${name} = ?)` }
    if (field.kind !== 'reference') return field.unique ? [isFree] : []
    const targetExists = { name, sql: `exists (select 1 from ${field.to} where id = ?)` }
    return field.unique ? [isFree, targetExists] : [targetExists]
  }),
)

/** Queries for duplicates explicitly, because an engine may not report which value is a duplicate. `mayRead`: whether
 *  the error may identify the other record. `errors`: the other errors of the request, which are reported together with
 *  the duplicates (§7). Throws `validation_failed`. */
export async function requireUnique(
  database: Database,
  { resource, mayRead = false, errors: otherErrors = [] }: UniqueCheck,
  values: Values,
  id: number,
): Promise<void> {
  const errors: FieldErrors = [...otherErrors]
  for (const [name, field] of fieldsOf(resource)) {
    if (!field.unique || values[name] === undefined || values[name] === null) continue
    const forms = formsOf(values[name])
    const sql = `select id from ${resource.name} where ${name} in (${forms.map(() => '?').join(', ')}) and id <> ?`
    const row = await database.get(sql, [...forms, id])
    const owner = row && mayRead ? `The ${resource.singular} with id ${row.id}` : 'Another record'
    if (row) errors.push([name, { code: 'duplicate', message: `${owner} already has this value.` }])
  }
  if (errors.length > 0) throw validationFailed(inFieldOrder(resource, errors))
}

type UniqueCheck = { resource: Resource; mayRead?: boolean; errors?: FieldErrors }

/** Queries for the referenced records explicitly, because an engine may not report which reference failed. */
export async function requireReferences(database: Database, resource: Resource, values: Values): Promise<void> {
  for (const reference of referencesOf(resource)) {
    const value = values[reference.name]
    if (value === undefined || value === null) continue
    const row = await database.get(`select 1 as found from ${reference.to} where id = ?`, [value])
    if (!row) throw noSuchReference(reference, reference.name, value)
  }
}

/** `name`: the member of the body, and `value` its value: `customer_id` 7, or `customer_external_id` erp-7. */
export function noSuchReference(
  { missingCode }: { missingCode: ProblemCode },
  name: string,
  value: FieldValue,
): Problem {
  const singular = missingCode.replace('invalid_', '')
  return new Problem(missingCode, { message: `There is no ${singular} with ${name} ${JSON.stringify(value)}.` })
}

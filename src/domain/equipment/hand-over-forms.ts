// Records which forms have been printed for signing. The forms themselves are built from the history and the records.

import type { Database } from '../../engine/database/database.ts'
import { padValues, placeholders } from '../../engine/database/statements.ts'
import { mutation } from '../../engine/mutation.ts'
import { defineOperations } from '../../engine/operation.ts'
import type { StoredResponse } from '../../engine/responses/stored-response.ts'
import { handOverForms } from '../declarations/hand-over-forms.ts'
import { columns } from '../declarations/resource.ts'
import type { Values } from '../fields/validate.ts'
import { type OngoingChange, type StoredRecord, toRecord } from '../records/changes.ts'
import { changeRecord, createRecord } from '../records/records.ts'

export type FormKind = (typeof handOverForms.fields.kind.of)[number]

/** What identifies a form. `items`: how many assets the form lists. If `change_set` is null, `number` alone does not
 *  identify the form: returning an asset may change `items` but not `number`. */
export type PrintedForm = {
  kind: FormKind
  number: number
  items: number
  employee_id: number
  change_set: string | null
}

export const handOverFormOperations = defineOperations({
  newestChange: { writes: false, run: newestChange },
  printForms: mutation(printForms),
})

/** Returns the number of the newest change to these records, or 0 if there is none. */
async function newestChange(
  database: Database,
  { resource, ids }: { resource: string; ids: number[] },
): Promise<number> {
  if (ids.length === 0) return 0
  const sql = `select max(seq) as seq from changes where resource = ? and record_id in (${placeholders(ids)})`
  return Number((await database.get(sql, [resource, ...padValues(ids)]))?.seq ?? 0)
}

/** A form's first print creates a record. Each further print increments its `copies`. */
async function printForms(
  database: Database,
  { forms }: { forms: PrintedForm[] },
  { context }: OngoingChange,
): Promise<StoredResponse> {
  const change = { resource: handOverForms, context }
  const sql = `select ${columns(handOverForms).join(', ')} from ${handOverForms.name}
    where kind = ? and number = ? and employee_id = ? and change_set is not distinct from ?
      and (change_set is not null or items is null or items = ?)`
  for (const form of forms) {
    const key = [form.kind, form.number, form.employee_id, form.change_set, form.items]
    const row = await database.get<StoredRecord>(sql, key)
    const record = row && toRecord(handOverForms, row)
    if (record) await changeRecord(database, change, record, { copies: Number(record.copies) + 1 })
    else {
      const values: Values = { ...form, copies: 1 }
      await createRecord(database, { ...change, values })
    }
  }
  return { status: 200, body: '{}', location: null, changeSet: context.changeSet }
}

// The fields of each resource, copied by hand from the table in contract §7, so that the tests detect a field with the
// wrong name, limit, default or position.

type Kind =
  | { kind: 'text'; min: number; max: number }
  | { kind: 'email' | 'date' | 'reference' | 'boolean' | 'integer' }
  | { kind: 'choice'; of: string[] }
export type Rule = Kind & { required: boolean; empty: string | boolean | null }

const rule = (kind: Kind, empty: Rule['empty'] = null): Rule => ({ ...kind, empty, required: false })
const required = (optional: Rule): Rule => ({ ...optional, required: true })
const text = (min: number, max: number) => rule({ kind: 'text', min, max })
const [email, date, cost, reference] = (['email', 'date', 'integer', 'reference'] as const).map((kind) =>
  rule({ kind }),
) as [Rule, Rule, Rule, Rule]
const boolean = (empty: boolean) => rule({ kind: 'boolean' }, empty)
const choice = (empty: string, words: string) => rule({ kind: 'choice', of: words.split(' ') }, empty)

/** The fields that requests can set, in the order of responses. `empty`: the value of a field that a request omits. */
export const fieldTable: Record<string, Record<string, Rule>> = {
  customers: {
    name: required(text(1, 100)),
    code: text(2, 20),
    email,
    phone: text(5, 30),
    address: text(1, 200),
    city: text(1, 80),
    country: text(2, 2),
    tax_id: text(1, 40),
    type: choice('branch', 'headquarters branch warehouse client other'),
    is_active: boolean(true),
    contract_end: date,
    notes: text(1, 2000),
    external_id: text(1, 100),
  },
  employees: {
    customer_id: required(reference),
    email: required(email),
    name: text(1, 100),
    department: text(1, 50),
    title: text(1, 80),
    employee_no: text(1, 30),
    phone: text(5, 30),
    start_date: date,
    end_date: date,
    is_active: boolean(true),
    is_remote: boolean(false),
    notes: text(1, 2000),
    external_id: text(1, 100),
    kind: choice('person', 'person storage'),
  },
  hardware: {
    employee_id: required(reference),
    name: text(1, 100),
    type: choice('other', 'laptop desktop monitor phone tablet server printer network peripheral vehicle tool other'),
    status: choice('in_use', 'in_use spare reserved in_repair lost retired'),
    asset_tag: text(2, 50),
    serial_number: text(1, 100),
    manufacturer: text(1, 80),
    model: text(1, 100),
    purchase_date: date,
    warranty_end: date,
    purchase_cost: cost,
    is_loaner: boolean(false),
    notes: text(1, 2000),
    external_id: text(1, 100),
    due_back: date,
  },
}

/** Fields that requests cannot set. They are null in every new record. */
export const readOnlyFields: Record<string, string[]> = { hardware: ['last_seen_at'] }

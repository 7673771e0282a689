// The vocabulary of declarations: a resource is plain data, and every reader of it is a complete `switch` over kinds.

import type { ProblemCode } from '../problem.ts'

/** What every kind shares. `since`: the schema version that brought the field (default 1); an older tenant gets it added.
 *  `about` says what the name does not, in a sentence for people. `listed`: it is a column of their lists. */
type Common = { required?: true; unique?: true; since?: number; about?: string; inList?: true }

/** The kinds of §2.3. Lengths count Unicode code points after trimming. */
export type Field =
  | (Common & { kind: 'text'; min?: number; max: number })
  | (Common & { kind: 'email'; max: number })
  | (Common & { kind: 'integer'; min?: number; max?: number })
  | (Common & { kind: 'date' })
  | (Common & { kind: 'boolean'; default?: boolean })
  | (Common & { kind: 'choice'; of: readonly string[]; default?: string })
  /** The id of a record of resource `to`; `missing` is the code when there is none (§4.6, §4.7). */
  | (Common & { kind: 'reference'; to: string; missingCode: ProblemCode })

/** `name` is the table, the path (`/name.php`) and the word in scopes; `one` names a single record in sentences. What is for
 *  people: `about` says what it is, `title` names the fields of which the first that is set stands for a record, `example`
 *  holds the fields of a record that is made and then changed. */
export type Resource = {
  readonly name: string
  readonly singular: string
  readonly since?: number
  readonly about?: string
  readonly title?: readonly string[]
  readonly example?: { readonly create: ExampleValues; readonly update: ExampleValues }
  readonly fields: { readonly [name: string]: Field }
}

type ExampleValues = { readonly [name: string]: string | number | boolean }

/** In the order their tables are created: a resource stands behind those it refers to. */
export type Resources = readonly Resource[]

/** The read-only columns of every record besides `id`, in the order of the answer's end. */
export const timestampColumns = ['created_at', 'updated_at'] as const

/** The value a field has when none is given: its default, else null. */
export function emptyValue(field: Field): string | boolean | null {
  return 'default' in field && field.default !== undefined ? field.default : null
}

/** The columns of a resource in the order of its answers. */
export function columns(resource: Resource): string[] {
  return ['id', ...Object.keys(resource.fields), ...timestampColumns]
}

const booleans = new WeakMap<Resource, string[]>()

/** The fields that are booleans, which SQLite has as numbers. */
export function booleansOf(resource: Resource): string[] {
  const names =
    booleans.get(resource) ?? Object.keys(resource.fields).filter((name) => resource.fields[name]!.kind === 'boolean')
  booleans.set(resource, names)
  return names
}

/** The resource of this name. A reference to one that is not declared is a bug in the declarations. */
export function resourceNamed(resources: Resources, name: string): Resource {
  const resource = resources.find((each) => each.name === name)
  if (!resource) throw new Error(`no resource is declared under the name ${name}`)
  return resource
}

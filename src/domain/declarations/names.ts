// The names of all declared fields and choices. Texts are typed by them, so that a forgotten label does not compile.

import type { DeclaredResource } from './all.ts'
import type { DeclaredConfiguration } from './configuration.ts'
import type { timestampColumns } from './resource.ts'

type Fields = (DeclaredResource | DeclaredConfiguration)['fields']

export type FieldName = KeysOf<Fields> | (typeof timestampColumns)[number]

/** The values of all fields whose kind is `choice`. */
export type ChoiceName = ChoicesOf<Fields>

/** `keyof` of a union has only the common keys; these types have the keys and choices of each member. */
type KeysOf<T> = T extends unknown ? keyof T : never
type ChoicesOf<T> = T extends unknown ? ChoicesIn<T[keyof T]> : never
type ChoicesIn<Field> = Field extends { kind: 'choice'; of: readonly (infer Choice)[] } ? Choice : never

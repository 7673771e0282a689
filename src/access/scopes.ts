// Scopes (§5.3, contract §4): which actions on which resources an API key permits.

import type { Resources } from '../resources/resource.ts'

export type Action = 'read' | 'create' | 'update' | 'delete'

/** The resource name of the change history in scopes. It is read-only. */
export const historyName = 'changes'

/** The actions that each verb of a scope permits. */
const actionsByVerb = {
  read: ['read'],
  write: ['create', 'update', 'delete'],
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
} as const satisfies Record<string, readonly Action[]>

/** The permissions of a key that may change every resource. */
export const everyChange: readonly string[] = actionsByVerb.write.map((action) => `*:${action}`)

type Verb = keyof typeof actionsByVerb

/** The verbs that can follow `*`, which stands for every resource. */
const wildcardVerbs: readonly Verb[] = ['read', 'write']

/** Every valid scope. */
export function allScopes(resources: Resources): string[] {
  const each = resources.flatMap(({ name }) => Object.keys(actionsByVerb).map((verb) => `${name}:${verb}`))
  return [...each, `${historyName}:read`, ...wildcardVerbs.map((verb) => `*:${verb}`)]
}

/** The scopes that permit an action, narrowest first. A key needs one of them. */
export function scopesFor(resource: string, action: Action): string[] {
  const permitting = (Object.keys(actionsByVerb) as Verb[]).toReversed().filter((verb) => permits(verb, action))
  const wide = permitting.filter((verb) => wildcardVerbs.includes(verb))
  return [...permitting.map((verb) => `${resource}:${verb}`), ...wide.map((verb) => `*:${verb}`)]
}

function permits(verb: Verb, action: Action): boolean {
  return (actionsByVerb[verb] as readonly Action[]).includes(action)
}

/** The permissions that scopes grant, as `resource:action`; `*` stands for every resource. */
export function expandScopes(scopes: readonly string[]): Set<string> {
  return new Set(
    scopes.flatMap((scope) => {
      const [resource, verb] = scope.split(':') as [string, Verb]
      return actionsByVerb[verb].map((action) => `${resource}:${action}`)
    }),
  )
}

export function allows(permissions: ReadonlySet<string>, resource: string, action: Action): boolean {
  return permissions.has(`${resource}:${action}`) || permissions.has(`*:${action}`)
}

// Scopes (§5.3, contract §4): which actions on which resources an API key permits.

/** `write` is for resources that do not distinguish creating, updating and deleting. */
export type Action = 'read' | 'create' | 'update' | 'delete' | 'write'

/** The permission that a request needs. `resource`: a resource, or something that has no records, such as `changes`. */
export type Scope = { resource: string; action: Action }

/** The actions that each verb of a scope permits. */
const actionsByVerb = {
  read: ['read'],
  write: ['create', 'update', 'delete', 'write'],
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
} as const satisfies Record<string, readonly Action[]>

/** The actions that change records. */
export const changeActions: readonly Action[] = ['create', 'update', 'delete']

/** The permissions of an API key that may change every resource. */
export const allChangeScopes: readonly string[] = actionsByVerb.write.map((action) => `*:${action}`)

type Verb = keyof typeof actionsByVerb

const verbs = Object.keys(actionsByVerb) as Verb[]

/** The verbs in scopes for all resources, such as `*:read`. */
const wildcardVerbs: readonly Verb[] = ['read', 'write']

/** Returns every valid scope: the scopes that permit at least one of the `needed` actions, and the wildcards. */
export function allScopes(needed: readonly Scope[]): string[] {
  const byResource = Map.groupBy(needed, ({ resource }) => resource)
  const resourceScopes = [...byResource].flatMap(([resource, scopes]) =>
    verbs.filter((verb) => scopes.some(({ action }) => permits(verb, action))).map((verb) => `${resource}:${verb}`),
  )
  return [...resourceScopes, ...wildcardVerbs.map((verb) => `*:${verb}`)]
}

/** Returns the scopes that permit an action, narrowest first. A key needs one of them. */
export function scopesFor({ resource, action }: Scope): string[] {
  const permitting = verbs.toReversed().filter((verb) => permits(verb, action))
  const wildcards = permitting.filter((verb) => wildcardVerbs.includes(verb))
  return [...permitting.map((verb) => `${resource}:${verb}`), ...wildcards.map((verb) => `*:${verb}`)]
}

function permits(verb: Verb, action: Action): boolean {
  return (actionsByVerb[verb] as readonly Action[]).includes(action)
}

/** The permitted actions by resource; `*` stands for every resource. */
export type Permissions = ReadonlyMap<string, ReadonlySet<Action>>

/** Returns the permissions that scopes grant. */
export function expandScopes(scopes: readonly string[]): Permissions {
  const verbsByResource = Map.groupBy(
    scopes.map((scope) => scope.split(':') as [string, Verb]),
    ([resource]) => resource,
  )
  const actionsOf = (verbs: [string, Verb][]) => new Set(verbs.flatMap(([, verb]) => actionsByVerb[verb]))
  return new Map([...verbsByResource].map(([resource, verbs]) => [resource, actionsOf(verbs)]))
}

export function allows(permissions: Permissions, { resource, action }: Scope): boolean {
  return permissions.get(resource)?.has(action) === true || permissions.get('*')?.has(action) === true
}

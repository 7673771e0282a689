// Scopes (§5.3, contract §4): which actions on which resources an API key permits.

/** `write` is for resources that do not distinguish creating, updating and deleting. */
export type Action = 'read' | 'create' | 'update' | 'delete' | 'write'

/** The permission that a request needs. `resource`: a resource, or something that has no records, such as `changes`. */
export type Scope = { resource: string; action: Action }

const verbs = ['read', 'write', 'create', 'update', 'delete'] as const
type Verb = (typeof verbs)[number]

/** The actions that each verb of a scope permits. */
const actionsByVerb: Record<Verb, readonly Action[]> = {
  read: ['read'],
  write: ['create', 'update', 'delete', 'write'],
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
}

/** The actions that change records. */
export const changeActions: readonly Action[] = ['create', 'update', 'delete']

/** The permissions of an API key that may change every resource. */
export const allChangeScopes: readonly string[] = actionsByVerb.write.map((action) => `*:${action}`)

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
  return actionsByVerb[verb].includes(action)
}

/** The permitted actions by resource; `*` stands for every resource. */
export type Permissions = ReadonlyMap<string, ReadonlySet<Action>>

/** Returns the permissions that scopes grant. */
export function expandScopes(scopes: readonly string[]): Permissions {
  const permissions = new Map<string, Set<Action>>()
  for (const scope of scopes) {
    const [resource = '', scopeVerb] = scope.split(':')
    const verb = verbs.find((each) => each === scopeVerb)
    const actions = verb ? actionsByVerb[verb] : []
    permissions.set(resource, new Set([...(permissions.get(resource) ?? []), ...actions]))
  }
  return permissions
}

export function allows(permissions: Permissions, { resource, action }: Scope): boolean {
  return permissions.get(resource)?.has(action) === true || permissions.get('*')?.has(action) === true
}

// Scopes (§5.3, contract §4): which key opens which action of which resource.

import type { Resources } from '../resources/resource.ts'

/** What a request does to a resource. */
export type Action = 'read' | 'create' | 'update' | 'delete'

/** The history of a tenant, as a word of scopes: it can only be read. */
export const historyName = 'changes'

/** The actions each word of a scope opens. */
const actionsByVerb = {
  read: ['read'],
  write: ['create', 'update', 'delete'],
  create: ['create'],
  update: ['update'],
  delete: ['delete'],
} as const satisfies Record<string, readonly Action[]>

/** What a key may do that may change every resource. */
export const everyChange: readonly string[] = actionsByVerb.write.map((action) => `*:${action}`)

type Word = keyof typeof actionsByVerb

/** The words that can stand behind `*`, for every resource. */
const wildcardVerbs: readonly Word[] = ['read', 'write']

/** Every scope that a key can have. */
export function allScopes(resources: Resources): string[] {
  const each = resources.flatMap(({ name }) => Object.keys(actionsByVerb).map((word) => `${name}:${word}`))
  return [...each, `${historyName}:read`, ...wildcardVerbs.map((word) => `*:${word}`)]
}

/** The scopes of which a key needs one for this action, the narrowest first. */
export function scopesFor(resource: string, action: Action): string[] {
  const opening = (Object.keys(actionsByVerb) as Word[]).toReversed().filter((word) => isOpenedBy(word, action))
  const wide = opening.filter((word) => wildcardVerbs.includes(word))
  return [...opening.map((word) => `${resource}:${word}`), ...wide.map((word) => `*:${word}`)]
}

function isOpenedBy(word: Word, action: Action): boolean {
  return (actionsByVerb[word] as readonly Action[]).includes(action)
}

/** The pairs `resource:action` that scopes open, `*` standing for every resource. */
export function expandScopes(scopes: readonly string[]): Set<string> {
  return new Set(
    scopes.flatMap((scope) => {
      const [resource, word] = scope.split(':') as [string, Word]
      return actionsByVerb[word].map((action) => `${resource}:${action}`)
    }),
  )
}

export function allows(pairs: ReadonlySet<string>, resource: string, action: Action): boolean {
  return pairs.has(`${resource}:${action}`) || pairs.has(`*:${action}`)
}

// The verbs for hardware, declared once. A verb is something that people do with an item, such as handing it over. The
// declaration says when the verb is offered, what it asks for, and which fields it sets. Pages, forms, bulk edits and
// the sentences in the history use these declarations.

import type { Status } from '../declarations/hardware.ts'
import type { Values } from '../fields/validate.ts'

/** A person, or a storage location (contract §14). */
export const holderKinds = ['person', 'storage'] as const
export type HolderKind = (typeof holderKinds)[number]

/** The part of an item's state that determines which verbs are offered. */
export type ItemState = { status: Status; holder: HolderKind }

/** `person`: the new holder. `branch`: the branch whose stock receives the item; if optional, the default is the stock
 *  that a loan came from, and for other items the holder's branch. `due_back`: the last day of a loan. `note`: a line
 *  that is appended to the notes. */
export const questions = ['person', 'branch', 'due_back', 'note'] as const
export type Question = (typeof questions)[number]

/** `holder`: who holds the item afterwards; absent if the holder stays the same. `status`: the new status, or one for
 *  each kind of holder. `keeps`: the statuses that the verb does not change. `dueBack`: whether the return date is set
 *  to the answer or removed; absent if it stays the same. */
type Effect = {
  holder?: 'person' | 'stock'
  status: Status | { readonly [kind in HolderKind]: Status }
  keeps?: readonly Status[]
  dueBack?: 'answer' | 'ends'
}

/** `from`: the statuses in which the verb is offered, by the current holder's kind. */
export type Verb = {
  from: { readonly [kind in HolderKind]: readonly Status[] }
  asks: { readonly [question in Question]?: 'required' | 'optional' }
  sets: Effect
}

const usableStatuses = ['in_use', 'spare', 'reserved'] as const
const presentStatuses = [...usableStatuses, 'in_repair'] as const
const note = 'optional'

/** The verbs, in the order in which they are offered. The first verb that fits an item's state is the item's primary
 *  action. */
export const verbs = {
  back_from_repair: {
    from: { person: ['in_repair'], storage: ['in_repair'] },
    asks: { note },
    sets: { status: { person: 'in_use', storage: 'spare' } },
  },
  assign: {
    from: { person: [], storage: usableStatuses },
    asks: { person: 'required', note },
    sets: { holder: 'person', status: 'in_use', dueBack: 'ends' },
  },
  return: {
    from: { person: [...presentStatuses, 'lost', 'retired'], storage: ['in_use', 'lost', 'retired'] },
    asks: { branch: 'optional', note },
    sets: { holder: 'stock', status: 'spare', keeps: ['in_repair'], dueBack: 'ends' },
  },
  hand_over: {
    from: { person: presentStatuses, storage: [] },
    asks: { person: 'required', note },
    sets: { holder: 'person', status: 'in_use', keeps: ['in_repair'], dueBack: 'ends' },
  },
  lend: {
    from: { person: usableStatuses, storage: usableStatuses },
    asks: { person: 'required', due_back: 'required', note },
    sets: { holder: 'person', status: 'in_use', dueBack: 'answer' },
  },
  send_to_repair: {
    from: { person: usableStatuses, storage: usableStatuses },
    asks: { note },
    sets: { status: 'in_repair' },
  },
  move: {
    from: { person: presentStatuses, storage: presentStatuses },
    asks: { branch: 'required', note },
    sets: { holder: 'stock', status: 'spare', keeps: ['reserved', 'in_repair'], dueBack: 'ends' },
  },
  report_lost: {
    from: { person: presentStatuses, storage: presentStatuses },
    asks: { note },
    sets: { holder: 'stock', status: 'lost', dueBack: 'ends' },
  },
  retire: {
    from: { person: [...presentStatuses, 'lost'], storage: [...presentStatuses, 'lost'] },
    asks: { note },
    sets: { holder: 'stock', status: 'retired', dueBack: 'ends' },
  },
} as const satisfies Record<string, Verb>

export type VerbName = keyof typeof verbs
export const verbNames = Object.keys(verbs).filter(isVerb)

export function isVerb(name: string): name is VerbName {
  return Object.hasOwn(verbs, name)
}

export function isOffered(name: VerbName, { status, holder }: ItemState): boolean {
  const { from }: Verb = verbs[name]
  return from[holder].includes(status)
}

/** The verbs that are offered for an item in this state. The first one is its primary action. */
export function offeredVerbs(state: ItemState): VerbName[] {
  return verbNames.filter((name) => isOffered(name, state))
}

/** An item's state, from its record and the holder's record. */
export function stateOf(item: { [name: string]: unknown }, holder: { [name: string]: unknown } | null): ItemState {
  return { status: item.status as Status, holder: holderKindOf(holder ?? {}) }
}

export function holderKindOf({ kind }: { [name: string]: unknown }): HolderKind {
  return kind === 'storage' ? 'storage' : 'person'
}

/** Whether an employee can be given equipment: a person who has not left. */
export function canReceive({ kind, is_active: isActive }: { [name: string]: unknown }): boolean {
  return kind === 'person' && isActive === true
}

/** The fields that a verb sets. `holder`: who holds the item afterwards. */
export function fieldsSetBy(
  name: VerbName,
  state: ItemState,
  holder: { id: number; kind: HolderKind },
  dueBack: Values[string],
): Values {
  const { sets }: Verb = verbs[name]
  const status = typeof sets.status === 'string' ? sets.status : sets.status[holder.kind]
  return {
    ...(sets.holder && { employee_id: holder.id }),
    ...(!sets.keeps?.includes(state.status) && { status }),
    ...(sets.dueBack && { due_back: sets.dueBack === 'answer' ? dueBack : null }),
  }
}

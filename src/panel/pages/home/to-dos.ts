// A tenant's to-dos. Each to-do is defined by a list query, so its count is always the number of records in that list.

import { parse } from 'node:querystring'
import { type Resources, resourceNamed } from '../../../domain/declarations/resource.ts'
import { daysAfter } from '../../../domain/lists/request/operands.ts'
import { readListRequest } from '../../../domain/lists/request/request.ts'
import type { Summary, SummaryRequest } from '../../../domain/summary/summary.ts'
import { builtInQuery, currentPeople, presentAssets, warrantyQuery } from '../../../domain/views/built-in.ts'
import { dayIn } from '../../i18n/conventions.ts'

/** Equipment held by people who will leave within this many days is a to-do, so that someone can ask for it in time. */
export const leavingDays = 14

/** A repair is overdue after this many days. The built-in view uses the same number. */
export const repairDays = 14

/** A loan that is due back within this many days is a to-do. */
export const loanDays = 7

type ToDoList = { resource: string; query: (noticeDays: number) => string }

/** In order of urgency. */
const toDoLists = {
  left: { resource: 'hardware', query: () => builtInQuery('Held by people who left') },
  leaving: {
    resource: 'hardware',
    query: () => `employee.employment=${leavingDays}d&employee.kind=person&${presentAssets}&sort=employee_id`,
  },
  loans: { resource: 'hardware', query: () => builtInQuery('Loans overdue') },
  due: { resource: 'hardware', query: () => `loan=${loanDays}d&sort=due_back` },
  repairs: { resource: 'hardware', query: () => builtInQuery('In repair for over 14 days') },
  warranties: { resource: 'hardware', query: warrantyQuery },
  contracts: {
    resource: 'customers',
    query: (days) => `is_active=true&contract_end[gte]=today&contract_end[lte]=${days}d&sort=contract_end`,
  },
  unmarked: { resource: 'hardware', query: () => builtInQuery('Without serial number or asset tag') },
} as const satisfies Record<string, ToDoList>

export type ToDoName = keyof typeof toDoLists
const names = Object.keys(toDoLists) as ToDoName[]

/** A to-do with at least one record. `params`: the parameters of its list. */
export type ToDo = { name: ToDoName; resource: string; params: Record<string, string>; count: number }

/** `timeZone` and `noticeDays`: the values of the tenant's `time_zone` and `warranty_notice_days` settings. */
type SummaryInput = { resources: Resources; listTimeoutMs: number; now: Date; timeZone: string; noticeDays: number }

/** Returns the number of people who work for the tenant now. */
export function countCurrentPeople({ lists }: Summary): number {
  return lists[names.length]!
}

/** Returns the request for a summary that contains the counts of all to-dos and of the current people. */
export function summaryRequest(input: SummaryInput): SummaryRequest {
  const { resources, listTimeoutMs, now, timeZone, noticeDays } = input
  const toDay = (moment: Date) => dayIn(timeZone, moment)
  const toList = (resource: string, params: Record<string, string>) => {
    const scope = { resource: resourceNamed(resources, resource), resources, now, toDay }
    const { cursor, ...listRequest } = readListRequest(params, scope)
    return { resource, query: { ...listRequest, after: null, timeoutMs: listTimeoutMs } }
  }
  const toDos = names.map((name) => toList(toDoLists[name].resource, paramsOf(name, noticeDays)))
  const lists = [...toDos, toList('employees', currentPeople)]
  const leavingBy = daysAfter(toDay(now), leavingDays)
  return { lists, leavingBy, timeoutMs: listTimeoutMs }
}

function paramsOf(name: ToDoName, noticeDays: number): Record<string, string> {
  return { ...parse(toDoLists[name].query(noticeDays)) } as Record<string, string>
}

export function toDosOf({ lists }: Summary, noticeDays: number): ToDo[] {
  return names.flatMap((name, index) => {
    const { resource } = toDoLists[name]
    const count = lists[index]!
    return count === 0 ? [] : [{ name, resource, params: paramsOf(name, noticeDays), count }]
  })
}

export function countToDos({ lists }: Summary): number {
  return lists.slice(0, names.length).reduce((sum, count) => sum + count, 0)
}

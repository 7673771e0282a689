// Turns the company and its story into the steps of desk forms, in chronological order.

import { hash } from 'node:crypto'
import { customers } from '../../domain/declarations/customers.ts'
import { employees } from '../../domain/declarations/employees.ts'
import { hardware } from '../../domain/declarations/hardware.ts'
import type { Resource } from '../../domain/declarations/resource.ts'
import { type DeskAnswers, type DeskStep, newPerson } from '../../domain/equipment/operations.ts'
import type { VerbName } from '../../domain/equipment/verbs.ts'
import { decimalsOf } from '../../domain/fields/text-formats.ts'
import { validateChanges, validateNew } from '../../domain/fields/validate.ts'
import type { Calendar } from './calendar.ts'
import {
  branches,
  firstDay,
  loanItems,
  models,
  type Person,
  type Purchase,
  people,
  purchases,
  remoteWorkers,
} from './company.ts'
import { type EditEvent, type LeavingEvent, type StoryEvent, story, type VerbEvent } from './story.ts'
import { translatorFor } from './words/translate.ts'

/** Returns the id of a record: of a branch by its code, of a person or a storage location by name, of an item by its
 *  tag. */
export type FindId = (key: string) => number

/** What happens at one moment, in one change set. `keys`: the keys of the records of the first steps. */
export type Chapter = { day: number; at: string; write(find: FindId): { keys: string[]; steps: DeskStep[] } }

type Telling = { calendar: Calendar; currency: string; translate: (text: string) => string }

/** In chronological order: the company as it is on the first day, then what is bought, who joins, and the story. */
export function chaptersOf(
  { language, currency }: { language: string; currency: string },
  calendar: Calendar,
): Chapter[] {
  const telling = { calendar, currency, translate: translatorFor(language) }
  const isLater = ({ since = 0, bought = since }: { since?: number; bought?: number }) => bought < firstDay
  const firstPeople = people.filter((person) => !isLater(person))
  const firstPurchases = purchases.filter((purchase) => !isLater(purchase))
  const deliveries = Map.groupBy(purchases.filter(isLater), ({ bought }) => bought)
  const later = [
    ...[...deliveries].map(([day, items]): Chapter => ({ day, at: '08:40', write: addItems(telling, items) })),
    ...people
      .filter(isLater)
      .map((person): Chapter => ({ day: person.since, at: '09:10', write: join(telling, person) })),
    ...story.map((event): Chapter => ({ day: event.day, at: event.at, write: tell(telling, event) })),
  ]
  return [
    { day: firstDay, at: '08:30', write: addBranches(telling) },
    { day: firstDay, at: '09:00', write: addPlaces(telling) },
    { day: firstDay, at: '09:20', write: addPeople(telling, firstPeople) },
    { day: firstDay, at: '10:30', write: addItems(telling, firstPurchases) },
    ...later.toSorted((one, other) => other.day - one.day || one.at.localeCompare(other.at)),
  ]
}

function addBranches(telling: Telling): Chapter['write'] {
  const steps = branches.map(({ values }) => creation(telling, customers, values))
  return () => ({ keys: branches.map(({ values }) => values.code), steps })
}

function addPlaces(telling: Telling): Chapter['write'] {
  const places = branches.flatMap(({ values: { code }, storage }) =>
    Object.entries(storage).map(([name, email]) => ({ code, name, email })),
  )
  return (find) => ({
    keys: places.map(({ name }) => name),
    steps: places.map(({ code, ...place }) =>
      creation(telling, employees, { ...place, customer_id: find(code), kind: 'storage' }),
    ),
  })
}

function addPeople(telling: Telling, added: Person[]): Chapter['write'] {
  return (find) => ({
    keys: added.map(({ name }) => name),
    steps: added.map((person) => creation(telling, employees, personValues(telling, person, find))),
  })
}

/** A new person, who is given items from stock. */
function join(telling: Telling, person: Person): Chapter['write'] {
  return (find) => {
    const { keys, steps } = addPeople(telling, [person])(find)
    const given = tagsIn(person.items).map((tag) => verbStep('assign', find(tag), { person: newPerson }))
    return { keys, steps: [...steps, ...given] }
  }
}

function personValues({ calendar }: Telling, { branch, name, since, ...person }: Person, find: FindId): object {
  const number = people.findIndex((each) => each.name === name) + 1
  const { code, phone } = branches[branch]!.values
  const isClient = code === 'NWC'
  const [first, ...rest] = plainLetters(name).split(' ')
  return {
    name,
    customer_id: find(code),
    email: isClient ? `${first}@northwind.example` : `${first}.${rest.join('')}@example.com`,
    department: person.department,
    title: person.title,
    employee_no: isClient ? null : `E-${branch + 1}${String(number).padStart(3, '0')}`,
    phone: `${phone.slice(0, -2)}${String(number).padStart(2, '0')}`,
    start_date: calendar.date(since),
    is_remote: remoteWorkers.includes(name),
  }
}

function plainLetters(name: string): string {
  return name.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('ı', 'i')
}

function addItems(telling: Telling, bought: Purchase[]): Chapter['write'] {
  const items = bought.flatMap((purchase) => purchase.tags.map((tag) => ({ ...purchase, tag })))
  return (find) => ({
    keys: items.map(({ tag }) => tag),
    steps: items.map((item) => creation(telling, hardware, itemValues(telling, item, find))),
  })
}

function itemValues({ calendar, currency }: Telling, item: Purchase & { tag: string }, find: FindId): object {
  const { tag, name, holder, bought } = item
  const { cost, warranty, serial, ...model } = models.get(item.model)!
  const isInUse = people.some((person) => person.name === holder)
  return {
    ...model,
    name,
    asset_tag: tag,
    serial_number: `${serial}${hash('sha256', tag).slice(0, 5).toUpperCase()}`,
    purchase_date: calendar.date(bought),
    warranty_end: calendar.date(bought - warranty),
    purchase_cost: amountIn(currency, cost),
    employee_id: find(holder),
    status: isInUse ? 'in_use' : 'spare',
    is_loaner: holder === 'Loan pool' || loanItems.includes(tag),
  }
}

/** What a euro costs, roughly, so that prices are plausible in the currencies of most users. */
const rates: Record<string, number> = {
  TRY: 49,
  JPY: 175,
  INR: 103,
  SEK: 11,
  NOK: 12,
  DKK: 7.5,
  PLN: 4.3,
  CZK: 24,
  HUF: 390,
}

/** Returns an amount in the currency's minor units, with as many digits as a price has. */
function amountIn(currency: string, cents: number): number {
  const rate = rates[currency] ?? 1
  const step = rate > 10 ? 100 : 1
  return Math.round(((cents / 100) * rate) / step) * step * 10 ** decimalsOf(currency)
}

function tell(telling: Telling, event: StoryEvent): Chapter['write'] {
  if ('verb' in event) return (find) => ({ keys: [], steps: verbSteps(telling, event, find) })
  const write = 'leaver' in event ? leave : edit
  return (find) => ({ keys: [], steps: write(telling, event as LeavingEvent & EditEvent, find) })
}

function verbSteps({ calendar, translate }: Telling, event: VerbEvent, find: FindId): DeskStep[] {
  const { verb, items, person, branch, due, note } = event
  const answers = {
    ...(person !== undefined && { person: find(person) }),
    ...(branch !== undefined && { branch: find(branch) }),
    ...(due !== undefined && { dueBack: calendar.date(due) }),
    ...(note !== undefined && { note: translate(note) }),
  }
  return tagsIn(items).map((tag) => verbStep(verb, find(tag), answers))
}

/** The person's items first, as on the form for offboarding. */
function leave({ calendar }: Telling, { leaver, last, items }: LeavingEvent, find: FindId): DeskStep[] {
  const returns = tagsIn(items).map((tag) => verbStep('return', find(tag), {}))
  const values = { is_active: false, end_date: calendar.date(last) }
  return [...returns, update(employees, find(leaver), values)]
}

function edit(telling: Telling, { subject, values, lastDay }: EditEvent, find: FindId): DeskStep[] {
  const endDate = lastDay === undefined ? {} : { end_date: telling.calendar.date(lastDay) }
  const isPerson = people.some(({ name }) => name === subject)
  return [update(isPerson ? employees : hardware, find(subject), { ...translated(telling, values), ...endDate })]
}

function verbStep(verb: VerbName, id: number, answers: DeskAnswers): DeskStep {
  return { kind: 'verb', verb, id, ifMatch: null, answers }
}

function creation(telling: Telling, resource: Resource, values: object): DeskStep {
  return { kind: 'create', resource: resource.name, values: validateNew(resource, translated(telling, values)).values }
}

function update(resource: Resource, id: number, values: object): DeskStep {
  return {
    kind: 'update',
    resource: resource.name,
    id,
    values: validateChanges(resource, values).values,
    ifMatch: null,
  }
}

function translated({ translate }: Telling, values: object): object {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? translate(value) : value]),
  )
}

function tagsIn(items: string): string[] {
  return items === '' ? [] : items.split(' ')
}

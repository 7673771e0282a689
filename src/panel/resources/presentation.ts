// How the panel presents a resource. What a presentation leaves out is derived from the resource's declaration.

import {
  deriveOnce,
  externalIdField,
  type Field,
  fieldsOf,
  isCode,
  type Resource,
  type Resources,
} from '../../domain/declarations/resource.ts'
import type { Values } from '../../domain/fields/validate.ts'
import { titleName } from '../../domain/lists/request/options.ts'
import type { IconName } from '../components/icons.ts'
import { choiceLabel, fieldLabel, generalTexts, type Language, languages, type Texts } from '../i18n/index.ts'
import type { ResourceTexts } from '../i18n/resource-texts.ts'

export type Presentation = {
  icon: IconName
  listIcon: IconName
  iconOf: (record: ShownRecord) => IconName
  /** What pages call a record with this title. */
  nameOf: (texts: Texts, title: string, record: ShownRecord) => string
  /** The columns that a list shows unless the user or a saved view has chosen others. */
  columns: readonly string[]
  /** The field with the code on a record's label. Pages show it beside the title. */
  code?: string
  /** The field that a list shows next to the title, to distinguish records with the same name. */
  detail?: string
  /** `first`: filters that each have their own chip. `more`: filters in the shared chip "More filters". */
  filters: { first: readonly ListFilter[]; more: readonly ListFilter[] }
  /** Filters of a list, unless the user filters by the same field. */
  impliedFilters: Readonly<Record<string, string>>
  /** Whether filters by a record always search for it by name, because there are usually too many to choose from. */
  isChosenByName: boolean
  /** Whether lists can be exported with the columns for accounting. */
  hasFinanceExport: boolean
  /** The groups of fields on a record's page and in its form. Fields that belong to no section are added to the last
   *  one. */
  sections: readonly Section[]
  /** The field that the user usually types first when adding several records one after another. */
  firstToType: string
  /** Fields whose control in forms differs from the default for their kind. */
  controls: Readonly<Record<string, 'radios' | 'country'>>
  hasField: (record: ShownRecord, field: string) => boolean
  /** Fields that a record's page shows outside the cards with the record's facts. */
  shownElsewhere: readonly string[]
  /** Fields that change only together with others, either through an action such as a return or in the form for the
   *  whole record. */
  changedElsewhere: readonly string[]
  /** The parts of a record's page: below its head, and in its two columns. */
  page: Readonly<Record<'top' | 'left' | 'right', readonly PagePart[]>>
  /** The actions that a record's page offers, besides those for records of every resource. */
  actions?: 'asset' | 'person' | 'branch'
  /** The tasks for selected records, besides those for records of every resource. */
  tasks?: 'verbs' | 'branch'
  /** The fields that search results always show below the title. */
  searchFacts: readonly string[]
  /** The fields whose values identify a record in searches. */
  identifiers: readonly string[]
  /** Whether a tenant's home page shows how many records there are. It always shows figures of its own about assets and
   *  people. */
  hasFigure: boolean
  /** Describes an update or an addition in a sentence. Returns undefined if there is no sentence for it. */
  describe: (texts: Texts, change: DescribedChange, names: SentenceNames) => string | undefined
}

/** A presentation of the resource called `name`. `texts`: its texts by language, for a resource that
 *  i18n/ has no texts for; they take precedence over those in i18n/. */
export type DeclaredPresentation = Partial<Presentation> & {
  readonly name: string
  readonly texts?: { readonly [language in Language]?: PresentationTexts }
}

/** `resource`: texts about the records. `fields` and `choices`: labels. */
type PresentationTexts = {
  readonly resource?: Partial<ResourceTexts>
  readonly fields?: Readonly<Record<string, string>>
  readonly choices?: Readonly<Record<string, string>>
}

type ShownRecord = { readonly [name: string]: unknown }

/** `choices`: checkboxes for a field's values. `words`: one of several words or numbers of days. `record`: a
 *  referenced record. `text`: text that the value contains. `equal`: the whole value. `range`: from one day or
 *  number to another. `recent`: the last 1, 7 or 30 days. `flag`: yes or no. */
export type ListFilter =
  | { kind: 'choices' | 'text' | 'equal' | 'range' | 'recent' | 'flag' | 'record'; name: string }
  | { kind: 'words'; name: string; words: readonly string[] }

export type SectionName = keyof Texts['recordPages']['sections']

export type Section = { name: SectionName; fields: readonly string[] }

export type PagePart =
  | 'facts'
  | 'assignments'
  | 'history'
  | 'related'
  | 'repairs'
  | 'held_items'
  | 'past_items'
  | 'branch_figures'

/** The part of a history entry from which its sentence is composed. */
export type DescribedChange = {
  resource: string
  action: 'create' | 'update' | 'delete'
  before: Values | null
  after: Values | null
}

/** `link`: renders a record's name. `isStorage`: whether an employee record is a storage location. */
export type SentenceNames = {
  link: (resource: string, id: unknown) => string
  isStorage: (employeeId: unknown) => boolean
}

/** `presentationOf`: the complete presentation of a resource. `languages`: the panel's texts with those of the
 *  presentations. `inMenuOrder`: sorts resources in the order of their presentations; those without one come last.
 *  `withLabels`: adds to each resource the labels that the panel shows for its fields and choices. */
export type Presentations = {
  withLabels: (resources: Resources) => Resources
  presentationOf: (resource: Resource) => Presentation
  languages: Record<Language, Texts>
  inMenuOrder: (resources: readonly Resource[]) => Resource[]
}

export function createPresentations(declared: readonly DeclaredPresentation[]): Presentations {
  const names = declared.map(({ name }) => name)
  const placeOf = ({ name }: Resource) => (names.includes(name) ? names.indexOf(name) : names.length)
  const textsByLanguage = declared.reduce(withTexts, languages)
  const labelsOf = (names: readonly string[], label: (texts: Texts, name: string) => string) =>
    Object.fromEntries(names.map((name) => [name, Object.values(textsByLanguage).map((texts) => label(texts, name))]))
  return {
    withLabels: (resources) =>
      resources.map((resource) => {
        const choices = Object.values(resource.fields).flatMap((field) => (field.kind === 'choice' ? field.of : []))
        const labels = labelsOf(Object.keys(resource.fields), fieldLabel)
        return { ...resource, labels, choiceLabels: labelsOf(choices, choiceLabel) }
      }),
    presentationOf: deriveOnce((resource: Resource) => {
      const declaration = declared.find(({ name }) => name === resource.name)
      const { icon = 'document' } = declaration ?? {}
      const presentation = { icon, listIcon: icon, iconOf: () => icon, ...derivePresentation(resource), ...declaration }
      return { ...presentation, sections: completeSections(resource, presentation.sections) }
    }),
    languages: textsByLanguage,
    inMenuOrder: (resources) => resources.toSorted((one, other) => placeOf(one) - placeOf(other)),
  }
}

/** Texts longer than this are neither columns nor filters. */
const longestText = 200

/** A derived presentation has this many columns, the title among them. */
const columnCount = 7

function derivePresentation(resource: Resource): Omit<Presentation, 'icon' | 'listIcon' | 'iconOf'> {
  const title = resource.title?.[0] ?? 'id'
  const fields = fieldsOf(resource)
  const isShort = (field: Field) => !('max' in field && field.kind === 'text' && field.max > longestText)
  const others = fields.filter(([name, field]) => name !== title && name !== externalIdField && isShort(field))
  const namesOf = (kind: Field['kind']) => others.filter(([, field]) => field.kind === kind).map(([name]) => name)
  const references = namesOf('reference')
  const facts = [
    ...references.map(titleName),
    ...others.map(([name]) => name).filter((name) => !references.includes(name)),
  ]
  const notes = fields.filter(([, field]) => !isShort(field)).map(([name]) => name)
  return {
    nameOf: (_, recordTitle) => recordTitle,
    columns: [title, ...facts].slice(0, columnCount),
    filters: {
      first: [...filtersBy('choices', namesOf('choice')), ...filtersBy('record', references)],
      more: [
        ...filtersBy('text', namesOf('text')),
        ...filtersBy('flag', namesOf('boolean')),
        ...filtersBy('range', [...namesOf('integer'), ...namesOf('date')]),
        ...filtersBy('recent', ['updated_at']),
      ],
    },
    impliedFilters: {},
    isChosenByName: false,
    hasFinanceExport: false,
    sections: [
      {
        name: 'what',
        fields: fields.map(([name]) => name).filter((name) => !notes.includes(name) && name !== externalIdField),
      },
      { name: 'notes', fields: notes },
      { name: 'more', fields: [externalIdField] },
    ],
    firstToType: title,
    controls: {},
    hasField: () => true,
    shownElsewhere: [],
    changedElsewhere: [],
    page: { top: [], left: ['related', 'facts'], right: ['assignments', 'history'] },
    searchFacts: namesOf('text').slice(0, 3),
    identifiers: fields.filter(([, field]) => field.unique || isCode(field)).map(([name]) => name),
    hasFigure: true,
    describe: () => undefined,
  }
}

function completeSections({ fields }: Resource, declared: readonly Section[]): readonly Section[] {
  const sections = declared.map(({ name, fields: names }) => ({
    name,
    fields: names.filter((field) => field in fields),
  }))
  const placed = new Set(sections.flatMap((section) => section.fields))
  const others = Object.keys(fields).filter((field) => !placed.has(field))
  const last = sections.pop() ?? { name: 'more', fields: [] }
  return [...sections, { ...last, fields: [...last.fields, ...others] }].filter((section) => section.fields.length > 0)
}

function filtersBy(kind: Exclude<ListFilter['kind'], 'words'>, names: readonly string[]): ListFilter[] {
  return names.map((name) => ({ kind, name }))
}

function withTexts(all: Record<Language, Texts>, { name, texts = {} }: DeclaredPresentation): Record<Language, Texts> {
  const changed = Object.entries(texts).map(([language, { resource, fields, choices }]) => {
    const former = all[language as Language]
    const resourceTexts = { ...generalTexts(former, name), ...resource }
    const resources = { ...former.resources, [name]: resourceTexts }
    return [
      language,
      { ...former, resources, fields: { ...former.fields, ...fields }, choices: { ...former.choices, ...choices } },
    ]
  })
  return { ...all, ...Object.fromEntries(changed) }
}

// The JSON Schemas of resources, for the bodies of responses and requests. The service accepts more forms of some
// values than the request schemas allow (contract §6, §7); guide.ts mentions these forms.

import {
  assignedFieldOf,
  emptyValue,
  externalReferenceOf,
  externalReferences,
  type Field,
  maxExternalIdLength,
  type Resource,
  type Resources,
  resourceNamed,
  stockFieldOf,
  timestampColumns,
  writableFields,
} from '../../../domain/declarations/resource.ts'
import { emailPattern, fieldCodes } from '../../../domain/fields/field-values.ts'
import { assignmentFieldOf } from '../../../domain/history/assignments.ts'
import { memberName } from '../../../domain/lists/request/options.ts'
import { maxLimit } from '../../../domain/lists/request/request.ts'
import { problems } from '../../../problem.ts'
import { ref, type Schema } from '../types.ts'
import { idSchema, integerSchema, limitSchema, object, orNull, timestampSchema } from './kinds.ts'

/** Returns the schema names for a resource. `hardware record` → HardwareRecord. */
export function schemaNames({ singular: one }: Resource) {
  const name = one.replaceAll(/(?:^|[ _-])(\w)/g, (_, letter: string) => letter.toUpperCase())
  return {
    record: name,
    create: `New${name}`,
    update: `${name}Changes`,
    page: `${name}Page`,
    assignments: `${name}Assignments`,
    result: `${name}Result`,
  }
}

export function resourceSchemas(resource: Resource, resources: Resources): Record<string, Schema> {
  const names = schemaNames(resource)
  const [assignments] = assignmentsSchema(resource, resources)
  return {
    [names.record]: recordSchema(resource, resources),
    [names.create]: createSchema(resource, resources),
    [names.update]: updateSchema(resource, resources),
    [names.page]: pageSchema(resource, names.record),
    ...(assignments && { [names.assignments]: assignments }),
    [names.result]: resultSchema(resource),
  }
}

/** The description of each list of codes in a response. */
export const openCodes =
  'A stable code for programs. An open list: new codes may be added, so treat an unknown code according to its status.'

/** Schemas that do not depend on the resources. */
export const sharedSchemas: Record<string, Schema> = {
  Deleted: object({ id: idSchema('The id of the deleted record.'), deleted: { const: true } }),
  Error: object({
    error: object({
      code: ref('schemas', 'ErrorCode'),
      message: { type: 'string', description: 'For people. The wording may change.' },
      status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status of the response.' },
    }),
  }),
  ErrorCode: {
    type: 'string',
    enum: Object.keys(problems),
    description: openCodes,
    'x-enumDescriptions': Object.fromEntries(Object.entries(problems).map(([code, { message }]) => [code, message])),
  },
  FieldError: object({
    code: ref('schemas', 'FieldCode'),
    message: { type: 'string', description: 'For people. The wording may change.' },
  }),
  FieldCode: {
    type: 'string',
    enum: Object.keys(fieldCodes),
    description: openCodes,
    'x-enumDescriptions': fieldCodes,
  },
}

/** Returns the schema for all fields, without a record's id and timestamps. */
export function valuesSchema(resource: Resource): Schema {
  return object(fieldSchemas(resource, []))
}

function fieldSchemas(resource: Resource, resources: Resources): Record<string, Schema> {
  const fields = Object.entries(resource.fields).map(([name, field]) => {
    const schema = field.required || emptyValue(field) !== null ? kindSchema(field) : orNull(kindSchema(field))
    return [name, { ...schema, ...descriptionOf(field, resources) }]
  })
  return Object.fromEntries(fields)
}

function recordSchema(resource: Resource, resources: Resources): Schema {
  const id = idSchema('Assigned in ascending order per tenant and resource; never reused.')
  const members = { id, ...fieldSchemas(resource, resources) }
  return {
    description: resource.about,
    ...object({ ...members, ...stampSchemas }, includedSchemas(resource, resources)),
  }
}

/** Returns the schemas for the related records that `include` embeds. */
function includedSchemas(resource: Resource, resources: Resources): Record<string, Schema> {
  const entries = Object.entries(resource.fields).flatMap(([name, field]) => {
    if (field.kind !== 'reference') return []
    const record = ref('schemas', schemaNames(resourceNamed(resources, field.to)).record)
    return [[memberName(name), field.required ? record : { anyOf: [record, { type: 'null' }] }] as const]
  })
  return Object.fromEntries(entries)
}

function createSchema(resource: Resource, resources: Resources): Schema {
  const fields = writableFields(resource)
  const required = fields.flatMap(([name, field]) => (field.required && field.kind !== 'reference' ? name : []))
  const properties = fields.map(([name, field]) => [name, withDefault(inputSchema(field, resources), field)])
  const anyReferences = fields.flatMap(([name, field]) => {
    if (!field.required || field.kind !== 'reference') return []
    const members = [name, ...(field.stock ? [field.stock.member] : [])]
    return { anyOf: members.flatMap((each) => [each, externalReferenceOf(each)]).map((each) => ({ required: [each] })) }
  })
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(anyReferences.length > 0 && { allOf: anyReferences }),
    properties: { ...Object.fromEntries(properties), ...writeOnlySchemas(resource, resources) },
    description: 'Unknown members are ignored, or rejected with `Prefer: handling=strict`.',
  }
}

/** Returns the schemas for members that only requests have: references by external id, stocks, and the member that asks
 *  for an asset tag. */
function writeOnlySchemas(resource: Resource, resources: Resources): Record<string, Schema> {
  const entries = externalReferences(resource).map(({ name, reference }) => {
    const field = resource.fields[reference]!
    const target = field.kind === 'reference' ? resourceNamed(resources, field.to).singular : ''
    const description = `The external id of an existing ${target}, instead of \`${reference}\`.`
    return [name, { ...orNull(externalIdSchema), description }] as const
  })
  const assigned = assignedFieldOf(resource)
  return {
    ...Object.fromEntries(entries),
    ...stockSchemas(resource, resources),
    ...(assigned && { [assigned.member]: assignmentSchema(assigned.name) }),
  }
}

function stockSchemas(resource: Resource, resources: Resources): Record<string, Schema> {
  const { name, stock } = stockFieldOf(resource) ?? {}
  if (!stock) return {}
  const { singular } = resourceNamed(resources, stock.of)
  const values = Object.entries(stock.sets).map(([field, value]) => `\`${field}\` becomes \`${value}\``)
  const description =
    `whose stock the record goes to, instead of \`${name}\`. The stock is the oldest active storage location; if there is ` +
    `none, one is created, for which the key needs \`employees:create\`. ${values.join(', ')}, unless the request gives another.`
  const id = { ...orNull(idSchema(`The id of the ${singular} ${description}`)), writeOnly: true }
  const externalId = { ...orNull(externalIdSchema), description: `The external id of the ${singular} ${description}` }
  return { [stock.member]: id, [externalReferenceOf(stock.member)]: { ...externalId, writeOnly: true } }
}

function assignmentSchema(name: string): Schema {
  const description =
    `\`true\`: a new record gets the next free \`${name}\` of the setting \`tag_format\`. Numbers that were assigned are not ` +
    `assigned again. Cannot be combined with \`${name}\`; ignored where no record is created.`
  return { type: ['boolean', 'null'], description, writeOnly: true }
}

export const externalIdSchema: Schema = { type: 'string', minLength: 1, maxLength: maxExternalIdLength }

/** At least one field is required. No field has a default, because an omitted field keeps its value. */
export function updateSchema(resource: Resource, resources: Resources): Schema {
  const properties = writableFields(resource).map(([name, field]) => [name, inputSchema(field, resources)])
  return {
    type: 'object',
    minProperties: 1,
    properties: { ...Object.fromEntries(properties), ...writeOnlySchemas(resource, resources) },
    description: 'The fields to change; other fields do not change.',
  }
}

function pageSchema({ name }: Resource, record: string): Schema {
  const items = ref('schemas', record)
  return object({
    data: { type: 'array', items, maxItems: maxLimit, description: `The ${name} on this page.` },
    page,
  })
}

/** Returns the schema for a record's assignments, or an empty list if the resource has no required reference. */
function assignmentsSchema(resource: Resource, resources: Resources): Schema[] {
  const reference = assignmentFieldOf(resource)
  if (reference === undefined) return []
  const assignment = object({
    [reference]: { ...integerSchema(1), ...descriptionOf(resource.fields[reference]!, resources) },
    from: { ...timestampSchema, description: 'Start of the assignment.' },
    to: { ...timestampSchema, type: ['string', 'null'], description: 'End of the assignment; null if it is current.' },
  })
  const assignments = { type: 'array', minItems: 1, items: assignment, description: 'Oldest first.' }
  return [object({ id: idSchema(`The id of the ${resource.singular}.`), assignments })]
}

/** OpenAPI allows one operation per path and method, so GET has one schema for all its responses. The alternatives are
 *  mutually exclusive: each forbids what the others require. */
function resultSchema(resource: Resource): Schema {
  const { singular: one, name } = resource
  const names = schemaNames(resource)
  const hasAssignments = assignmentFieldOf(resource) !== undefined
  const sentences = [
    `With \`id\`: the ${one}, which has \`id\` and \`created_at\`.`,
    ...(hasAssignments ? ['With `id` and `history=assignments`: an object with `id` and `assignments`.'] : []),
    `Without \`id\`: a page of ${name}, which has \`data\` and \`page\`.`,
  ]
  const results = [names.record, ...(hasAssignments ? [names.assignments] : []), names.page]
  return { description: sentences.join(' '), oneOf: results.map((schemaName) => ref('schemas', schemaName)) }
}

const page = object(
  {
    limit: { ...limitSchema, description: 'The maximum number of records on a page.' },
    has_more: { type: 'boolean', description: 'Whether there is a next page.' },
    next_cursor: {
      type: ['string', 'null'],
      description: 'Pass this as `cursor` to get the next page; null on the last one.',
    },
  },
  {
    total: {
      type: 'integer',
      minimum: 0,
      description: 'The number of matching records, if the request asked for `total`.',
    },
  },
)

function inputSchema(field: Field, resources: Resources): Schema {
  const schema =
    field.kind === 'boolean' ? { type: ['boolean', 'integer'], enum: [true, false, 1, 0] } : kindSchema(field)
  return { ...(field.required ? schema : orNull(schema)), ...descriptionOf(field, resources) }
}

/** Adds the default to the description: client generators treat a member with the keyword `default` as always
 *  present. */
function withDefault(schema: Schema, field: Field): Schema {
  const fallback = emptyValue(field)
  if (fallback === null) return schema
  const description = [schema.description, `Default: \`${fallback}\`.`].filter(Boolean).join(' ')
  return { ...schema, description, 'x-default': fallback }
}

export function kindSchema(field: Field): Schema {
  switch (field.kind) {
    case 'text':
      return { type: 'string', ...(field.min && { minLength: field.min }), maxLength: field.max }
    case 'email':
      return { type: 'string', format: 'email', pattern: emailPattern.source, maxLength: field.max }
    case 'integer':
      return integerSchema(field.min, field.max)
    case 'reference':
      return integerSchema(1)
    case 'date':
      return { type: 'string', format: 'date' }
    case 'timestamp':
      return timestampSchema
    case 'boolean':
      return { type: 'boolean' }
    case 'choice':
      return { type: 'string', enum: field.of }
  }
}

const stampSchemas = Object.fromEntries(
  timestampColumns.map((name) => {
    const description = `When it was ${name === 'created_at' ? 'created' : 'last changed'}; set by the service.`
    return [name, { ...timestampSchema, description }]
  }),
)

/** Returns a field's description: the declared `about`, the resource that a reference refers to, and whether values are
 *  unique. */
function descriptionOf(field: Field, resources: Resources): { description?: string } {
  const referenceText =
    field.kind === 'reference' ? `The id of an existing ${resourceNamed(resources, field.to).singular}.` : ''
  const unique = field.unique ? 'Unique within the tenant.' : ''
  const description = [field.about, referenceText, unique].filter(Boolean).join(' ')
  return description ? { description } : {}
}

import { type Field, maxExternalIdLength } from './resource.ts'

/** The `external_id` field of customers, employees and hardware. */
export const externalId = {
  kind: 'text',
  min: 1,
  max: maxExternalIdLength,
  unique: true,
  since: 2,
  isCode: true,
  about: "The record's id in your own system.",
} as const satisfies Field

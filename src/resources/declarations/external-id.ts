import { type Field, longestExternalId } from '../resource.ts'

/** The field `external_id`, which every resource has. */
export const externalId = {
  kind: 'text',
  min: 1,
  max: longestExternalId,
  unique: true,
  since: 2,
  isCode: true,
  about: "The record's id in your own system.",
} as const satisfies Field

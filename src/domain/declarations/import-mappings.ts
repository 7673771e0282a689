import type { Resource } from './resource.ts'

/** How the columns of a kind of file are imported, saved under a name. `mapping` is an ImportMapping
 *  (domain/imports/mappings) as JSON; its length allows for some hundred columns. */
export const importMappings = {
  name: 'import_mappings',
  scope: 'imports',
  singular: 'import mapping',
  since: 19,
  about: 'How the columns of a kind of file are imported, saved under a name.',
  title: ['name'],
  fields: {
    name: { kind: 'text', min: 1, max: 100, required: true, format: 'one_line' },
    resource: { kind: 'text', min: 1, max: 100, required: true, about: 'The resource of the records in the file.' },
    mapping: { kind: 'text', min: 1, max: 60_000, required: true, about: 'The assignments, as JSON.' },
  },
} as const satisfies Resource

// The operations on mappings: the shipped ones, and those that a tenant has saved with an import (contract §17).

import type { Database } from '../../../engine/database/database.ts'
import { mutation } from '../../../engine/mutation.ts'
import { defineOperations } from '../../../engine/operation.ts'
import type { StoredResponse } from '../../../engine/responses/stored-response.ts'
import { Problem } from '../../../problem.ts'
import { importMappings } from '../../declarations/import-mappings.ts'
import { byId, type Declared, type Resource, type Resources, resourceNamed } from '../../declarations/resource.ts'
import { listJobs } from '../../jobs/job.ts'
import type { OngoingChange } from '../../records/changes.ts'
import { deleteRecord } from '../../records/records.ts'
import { hasTitlesOf } from '../columns/titles.ts'
import { type ImportJob, importKind } from '../import.ts'
import { fittingMapping, mappingOfAnswers } from './fitting.ts'
import type { ImportMapping, NamedMapping } from './mapping.ts'
import { findSavedMapping, listSavedMappings, maxMappings } from './saved-mappings.ts'
import { isShipped, shippedMappings } from './shipped/all.ts'
import { mappingFor, mappingForAll } from './shipped/shipped-mapping.ts'

/** A mapping in a list. Shipped ones have negative ids, so that they come first. */
export type ListedMapping = NamedMapping & { id: number; isShipped: boolean }

/** A mapping for files of one resource. `isLatest`: the answers of the last import of a file with the same titles, which
 *  have no name. */
export type ProposedMapping = NamedMapping & { isShipped: boolean; isLatest?: true }

/** `writable`: the resources that the caller may change; null for all. */
export type MappingRemoval = { resource: string; name: string; writable: readonly string[] | null }

export const importMappingOperations = defineOperations({
  listMappings: { writes: false, run: listMappings },
  findMapping: { writes: false, run: findMapping },
  proposeMapping: { writes: false, run: proposeMapping },
  forgetMapping: mutation(forgetMapping),
})

/** Lists mappings above an id: the shipped ones, then the tenant's own ones for these resources. */
async function listMappings(
  database: Database,
  { after, limit, resources }: { after: number; limit: number; resources: readonly string[] },
): Promise<ListedMapping[]> {
  const shipped = shippedMappings
    .map((mapping, index) => ({
      id: index - shippedMappings.length,
      name: mapping.name,
      resource: null,
      isShipped: true,
      ...mappingForAll(mapping),
    }))
    .filter(({ id }) => id > after)
    .slice(0, limit)
  const own = await listSavedMappings(database, { after, limit: limit - shipped.length, resources })
  return [...shipped, ...own.map((mapping) => ({ ...mapping, isShipped: false }))]
}

/** Finds a mapping for files of a resource, by its name. Returns the names of the known ones if there is none. */
async function findMapping(
  database: Database,
  { resource, name }: { resource: string; name: string },
  { resources }: Declared,
): Promise<{ mapping: ImportMapping } | { names: string[] }> {
  const shipped = shippedMappings.find((mapping) => mapping.name === name)
  if (shipped) return { mapping: mappingFor(shipped, resourceNamed(resources, resource), resources) }
  const saved = await findSavedMapping(database, resource, name)
  if (saved) return { mapping: saved }
  const own = await listSavedMappings(database, { after: 0, limit: shownNames, resources: [resource] })
  return { names: [...shippedMappings, ...own].map((mapping) => mapping.name) }
}

/** Returns the mapping that fits a file with these titles best: one of the tenant's own, the answers of the last import of
 *  such a file, or a shipped one; null if none fits. */
async function proposeMapping(
  database: Database,
  { resource: name, titles }: { resource: string; titles: readonly string[] },
  { resources }: Declared,
): Promise<ProposedMapping | null> {
  const resource = resourceNamed(resources, name)
  const own = await listSavedMappings(database, { after: 0, limit: maxMappings, resources: [name] })
  const shipped = shippedMappings.map((mapping) => ({
    ...mappingFor(mapping, resource, resources),
    name: mapping.name,
    resource: null,
    isShipped: true,
  }))
  const fitting = fittingMapping(
    [...own.map((each) => ({ ...each, isShipped: false })), ...shipped],
    titles,
    resource,
    resources,
  )
  if (fitting && !fitting.isShipped) return fitting
  return (await latestAnswers(database, resource, resources, titles)) ?? fitting
}

/** The answers of this many imports are looked through. */
const latestImports = 20

/** Returns what a person has answered last about a file with these titles, unless that import was undone. */
async function latestAnswers(
  database: Database,
  resource: Resource,
  resources: Resources,
  titles: readonly string[],
): Promise<ProposedMapping | undefined> {
  const jobs = await listJobs<ImportJob>(database, {
    kind: importKind,
    except: ['receiving', 'draft', 'discarded', 'undone'],
    below: Number.MAX_SAFE_INTEGER,
    limit: latestImports,
  })
  for (const { input } of jobs) {
    const answered = input.columns.columns.map(({ title }) => title)
    if (!input.answers || input.resource !== resource.name || !hasTitlesOf(resource, titles, answered)) continue
    const mapping = mappingOfAnswers(input.answers, answered, resource, resources)
    return { ...mapping, name: '', resource: resource.name, isShipped: false, isLatest: true }
  }
  return undefined
}

/** A refusal names at most this many of the tenant's own mappings. */
const shownNames = 20

/** Throws `not_found`, and `forbidden` for a shipped mapping or one of a resource that the caller may not change. */
async function forgetMapping(
  database: Database,
  { resource, name, writable }: MappingRemoval,
  { resources, context }: OngoingChange,
): Promise<StoredResponse> {
  if (isShipped(name)) throw new Problem('forbidden', { message: 'A shipped mapping cannot be deleted.' })
  const saved = await findSavedMapping(database, resource, name)
  if (!saved) throw new Problem('not_found', { message: 'There is no mapping with this resource and name.' })
  if (writable && !writable.includes(resource)) throw new Problem('forbidden', { missingScopes: [`${resource}:write`] })
  await deleteRecord(database, { resource: importMappings, context, resources, key: byId(saved.id) })
  const body = JSON.stringify({ resource, name, deleted: true })
  return { status: 200, body, location: null, changeSet: context.changeSet }
}

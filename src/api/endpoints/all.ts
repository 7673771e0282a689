import type { Resources } from '../../domain/declarations/resource.ts'
import type { Endpoint } from '../endpoint.ts'
import { bulkEndpoint } from './bulk.ts'
import { createEndpoint, deleteEndpoint, updateEndpoint } from './change-records.ts'
import { changesEndpoint } from './changes.ts'
import { importMappingEndpoints } from './import-mappings.ts'
import { importEndpoints } from './imports.ts'
import { meEndpoint } from './me.ts'
import { readEndpoint } from './read-records.ts'
import { settingsEndpoints } from './settings.ts'
import { undoEndpoint } from './undo.ts'
import { viewEndpoints } from './views.ts'

/** Every endpoint of the API. Add new ones here. */
export function endpointsOf(resources: Resources): Endpoint[] {
  return [
    ...resources.flatMap((resource) => [
      readEndpoint(resource, resources),
      createEndpoint(resource),
      updateEndpoint(resource),
      deleteEndpoint(resource),
    ]),
    bulkEndpoint(resources),
    ...importEndpoints(resources),
    ...importMappingEndpoints(),
    changesEndpoint(),
    undoEndpoint(resources),
    ...settingsEndpoints(),
    ...viewEndpoints(),
    meEndpoint(),
  ]
}

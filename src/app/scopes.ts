import { scopesOf } from '../api/endpoint.ts'
import { endpointsOf } from '../api/endpoints/all.ts'
import { resources } from '../domain/declarations/all.ts'

/** Every scope that an API key can have. */
export const scopes: readonly string[] = scopesOf(endpointsOf(resources))

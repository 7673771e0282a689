// Creates a tenant's API key in an empty database and prints its token.

import 'reflect-metadata'
import { createHash, randomBytes } from 'node:crypto'
import { DataSource } from 'typeorm'
import { ApiKey } from './api-key.entity.js'
import { databaseOptions } from './database.js'

const dataSource = await new DataSource(databaseOptions).initialize()
const token = `key_${randomBytes(24).toString('hex')}`
await dataSource.getRepository(ApiKey).insert({
  tenantId: 1,
  hash: createHash('sha256').update(token).digest('hex'),
  scopes: ['customers:read', 'customers:write'],
  revokedAt: null,
})
await dataSource.destroy()
console.log(token)

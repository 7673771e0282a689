import type { DataSourceOptions } from 'typeorm'
import { ApiKey } from './api-key.entity.js'
import { Change } from './change.entity.js'
import { Customer } from './customer.entity.js'

/** One database for all tenants. A change is on disk before it is acknowledged. */
export const databaseOptions: DataSourceOptions = {
  type: 'better-sqlite3',
  database: process.env.DATABASE ?? 'typical.sqlite',
  entities: [ApiKey, Change, Customer],
  synchronize: true,
  enableWAL: true,
  prepareDatabase: (database: { pragma(text: string): unknown }) => void database.pragma('synchronous = FULL'),
}

// The service put together: catalog, storage, API, server, on one data directory that no other server may use.

import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { createMetrics } from './api/metrics.ts'
import { createServer } from './api/server.ts'
import type { Config } from './config.ts'
import { resources as declared } from './resources/all.ts'
import type { Resources } from './resources/resource.ts'
import { requireSound } from './resources/schema.ts'
import { lockFile } from './storage/sqlite/connection.ts'
import { makeDirectory, sqliteDatabases } from './storage/sqlite/files.ts'
import { sqliteStorage } from './storage/sqlite/pool.ts'
import { openKeyring } from './tenancy/api-keys.ts'
import { openCatalog } from './tenancy/catalog.ts'
import { readPepper } from './tenancy/pepper.ts'
import { createRateLimit } from './tenancy/rate-limit.ts'
import { finishTenants, listTenants } from './tenancy/tenants.ts'

/** A start that cannot be; the message is a sentence for the operator. */
export class StartError extends Error {}

export type Service = {
  server: FastifyInstance
  /** Listens; the address of the API that clients on this machine can use. Throws StartError. */
  listen(): Promise<string>
  hasTenants(): Promise<boolean>
  close(): Promise<void>
} & AsyncDisposable

/** What tests set otherwise. */
export type Variations = {
  resources?: Resources
  workers?: number
  windowSeconds?: number
  now?: () => Date
  log?: Logger
}

/** Opens a service. Throws StartError when another server is at work on the same data. */
export async function openService(config: Config, variations: Variations = {}): Promise<Service> {
  const open = new AsyncDisposableStack()
  try {
    return await build(config, variations, open)
  } catch (error) {
    await open.disposeAsync()
    throw error
  }
}

/** Lines are written together: one write per line costs a busy server a tenth of its time. Bytes, milliseconds. */
const logDestination = { dest: 1, sync: false, minLength: 4096, periodicFlush: 100 }

/** What is opened is put on `open`, to be closed in the reverse order. */
async function build(config: Config, variations: Variations, open: AsyncDisposableStack): Promise<Service> {
  const { resources = declared, now = () => new Date() } = variations
  const log = variations.log ?? pino({ level: config.LOG_LEVEL }, pino.destination(logDestination))
  const directory = resolve(config.DATA_DIR)
  requireSound(resources)
  open.adopt(lockDirectory(directory), (lock) => lock.close())
  const catalog = open.adopt(openCatalog(directory), (each) => each.close())
  const pepper = readPepper(directory, config.API_KEY_PEPPER)
  await finishTenants(catalog, sqliteDatabases(directory, resources), now())
  const onCrash = (error: Error) => log.error({ err: error }, 'a worker of the embedded engine died and is replaced')
  const engine = sqliteStorage({ directory, resources, workers: variations.workers, onCrash })
  const storage = open.adopt(engine, (each) => each.close())
  const parts = {
    config,
    resources,
    storage,
    now,
    log,
    metrics: createMetrics(),
    keyring: openKeyring(catalog, pepper),
    rateLimit: createRateLimit(config.RATE_LIMIT_PER_MINUTE, variations.windowSeconds),
    checkReadiness: async () => void (await catalog.version()),
  }
  const server = open.adopt(await createServer(parts), (each) => each.close())
  return {
    server,
    listen: () => listen(server, config),
    hasTenants: async () => (await listTenants(catalog)).length > 0,
    close: () => open.disposeAsync(),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** An operating-system lock that lasts as long as the process: two servers would both believe to be the only writer. */
function lockDirectory(directory: string): { close(): void } {
  makeDirectory(directory)
  const lock = lockFile(join(directory, 'server.lock'))
  if (!lock) throw new StartError(`Another server is at work on ${directory}.`)
  return lock
}

async function listen(server: FastifyInstance, config: Config): Promise<string> {
  try {
    await server.listen({ host: config.HOST, port: config.PORT })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') throw new StartError(`PORT ${config.PORT} is in use by another program.`)
    throw new StartError(`HOST ${config.HOST} with PORT ${config.PORT} cannot be listened on: ${code}.`)
  }
  const { port } = server.server.address() as AddressInfo
  const host = ['0.0.0.0', '::'].includes(config.HOST) ? '127.0.0.1' : config.HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${config.API_BASE_PATH}`
}

// All settings, with default, validation and help. Only this file reads process.env.

import { readFileSync } from 'node:fs'
import { isAbsolute, relative } from 'node:path'
import { errorCodeOf, errorMessageOf } from './lib/errors.ts'
import {
  readBasePath,
  readDatabaseUrl,
  readInteger,
  readInterval,
  readOneOf,
  readOrigins,
  readPeppers,
  readProxies,
  readPublicUrl,
  readRedisUrl,
} from './lib/setting-values.ts'

/** An invalid setting, or an unusable settings file or pepper file. The message is one sentence. */
export class SettingError extends Error {}

type Setting<T> = {
  default: string
  help: string
  read: (text: string) => T
  /** `url`: a URL that may contain a password. */
  secret?: true | 'url'
  isPath?: true
}

/** The environment or a .env file, with its variables. `name`: `environment`, or the file's path. */
export type Source = { name: string; values: Record<string, string | undefined> }

/** A setting's unparsed text, with the source and the variable that the text was read from. */
export type SettingText = { text: string; source: string; variable: string }

/** The environment for callers that do not pass one. */
export const processEnvironment: Source['values'] = process.env

/** `read` parses a setting's text. If the text is invalid, `read` throws an error that describes valid values. Error
 *  messages never repeat the value of a `secret`. */
export const serverSettings = {
  PORT: { default: '8080', read: readInteger(0, 65535), help: 'TCP port of the server; 0 picks a free port' },
  HOST: { default: '127.0.0.1', read: String, help: 'address to listen on' },
  DATA_DIR: {
    default: './data',
    read: String,
    isPath: true,
    help: 'directory for the catalog, the pepper and the tenant files',
  },
  DATABASE_URL: {
    default: '',
    read: readDatabaseUrl,
    secret: 'url',
    help: 'unset: embedded SQLite in DATA_DIR; postgres://…: one schema per tenant in that database',
  },
  DATABASE_POOL_MAX: {
    default: '20',
    read: readInteger(2, 1000),
    help: 'maximum connections per process to each PostgreSQL server with tenants; the catalog has 4 more of its own',
  },
  SHUTDOWN_DELAY: {
    default: '0',
    read: readInteger(0, 300),
    help: 'seconds that a server continues to serve requests after SIGTERM, while /readyz fails: long enough for its proxy to notice',
  },
  API_BASE_PATH: { default: '/api/v1', read: readBasePath, help: 'path prefix of the API; may be /' },
  RATE_LIMIT_PER_MINUTE: {
    default: '100',
    read: readInteger(0, 1e9),
    help: 'requests per minute per API key, unless a key has its own limit; 0 = off',
  },
  TENANT_RATE_LIMIT_PER_MINUTE: {
    default: '',
    read: (text) => (text === '' ? null : readInteger(0, 1e9)(text)),
    help: 'requests per minute per tenant, shared by all of its API keys that have no limit of their own; unset: ten times RATE_LIMIT_PER_MINUTE; 0 = off',
  },
  RATE_LIMIT_REDIS_URL: {
    default: '',
    read: readRedisUrl,
    secret: 'url',
    help: 'redis://…, rediss://… or valkey://…: nodes share rate-limit counts on this server; unset: nodes share them in the database of DATABASE_URL, or each node counts in memory if DATABASE_URL is unset too',
  },
  IDEMPOTENCY_REUSE: {
    default: 'replay',
    read: readOneOf('replay', 'reject'),
    help: 'if a different request reuses an Idempotency-Key: `replay` the first response, or `reject` the request with 422',
  },
  IMPORT_LIMIT_BYTES: {
    default: '52428800',
    read: readInteger(1, 2 ** 31),
    help: 'maximum size of a file to import',
  },
  BODY_LIMIT_BYTES: { default: '1048576', read: readInteger(1, 2 ** 30), help: 'maximum size of a request body' },
  BULK_LIMIT: {
    default: '1000',
    read: readInteger(1, 100_000),
    help: 'maximum number of operations of a bulk request',
  },
  BULK_BODY_LIMIT_BYTES: {
    default: '10485760',
    read: readInteger(1, 2 ** 30),
    help: "maximum size of a bulk request's body",
  },
  MIN_FREE_DISK_BYTES: {
    default: '104857600',
    read: readInteger(0, 2 ** 50),
    help: 'minimum free space on the disk of DATA_DIR: below it, the node is not ready (`/readyz`) and refuses uploads; below ten times as much, the node reports a warning',
  },
  HISTORY_RETENTION_DAYS: {
    default: '0',
    read: readInteger(0, 36_525),
    help: 'number of days for which the history of changes is kept; 0 = for ever; `tenant set` overrides it for one tenant',
  },
  AUDIT_RETENTION_DAYS: {
    default: '0',
    read: readInteger(0, 36_525),
    help: 'number of days for which security log entries are kept; 0 = for ever; failed attempts are kept for 90 days at most',
  },
  CORS_ORIGINS: {
    default: '',
    read: readOrigins,
    help: 'origins allowed to call from a browser, comma-separated; unset: off',
  },
  API_KEY_PEPPER: {
    default: '',
    read: readPeppers,
    secret: true,
    help: 'secret mixed into stored key hashes; unset: created in DATA_DIR',
  },
  LOG_LEVEL: {
    default: 'info',
    read: readOneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    help: 'fatal, error, warn, info, debug, trace or silent',
  },
  SERVER_TIMING: {
    default: 'false',
    read: (text) => readOneOf('true', 'false')(text) === 'true',
    help: '`true`: every response reports in `Server-Timing` how long it took: in total, in queues and in databases',
  },
  TRUST_PROXY: {
    default: 'false',
    read: readProxies,
    help: 'proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted: their number (1), or their addresses and networks (10.0.0.0/8,::1)',
  },
  BACKUP_EVERY: {
    default: '',
    read: readInterval,
    help: 'how often the server creates a backup of everything that has changed, such as 24h or 30m; unset: never',
  },
  BACKUP_DIR: { default: '', read: String, isPath: true, help: 'directory for the backups that the server creates' },
  BACKUP_KEEP: {
    default: '14',
    read: readInteger(1, 1e6),
    help: 'number of backups that the server keeps; older ones are removed',
  },
  BACKUP_PASSPHRASE: {
    default: '',
    read: String,
    secret: true,
    help: 'passphrase that encrypts backups; unset: backups are not encrypted',
  },
  REQUIRE_TWO_FACTOR: {
    default: 'none',
    read: readOneOf('none', 'administrators', 'all'),
    help: 'who must use two-factor authentication in the panel: none, administrators or all; users who have not set it up must do so first',
  },
  PUBLIC_URL: {
    default: '',
    read: readPublicUrl,
    help: 'public base URL, for Location headers and links; unset: Location headers are relative, and links begin with the Host of the request',
  },
  METRICS_TOKEN: {
    default: '',
    read: String,
    secret: true,
    help: 'bearer token for /metrics; unset: /metrics is served to this machine only',
  },
} as const satisfies Record<string, Setting<unknown>>

/** The previous version's settings that this version refuses, each with what replaces it. The next version ignores
 *  them. */
export const removedSettings: Record<string, string> = {
  HISTORY_ARCHIVE_DIR: 'old history is removed without a copy, and the files that are there stay',
  KEYS_PER_TENANT: 'a tenant can have 100 valid API keys',
  PANEL_RATE_LIMIT_PER_MINUTE: 'a user can open 300 panel pages per minute',
  SLOW_OPERATION_MS:
    'SERVER_TIMING shows how long requests take in databases, and PostgreSQL logs slow statements (auto_explain)',
  SQLITE_MAX_OPEN_FILES: 'a server keeps at most 256 tenant files open, and fewer if ulimit -n requires it',
  STARTUP_TIMEOUT: 'a starting server waits 30 seconds for PostgreSQL',
}

export type Config = { [Name in keyof typeof serverSettings]: ReturnType<(typeof serverSettings)[Name]['read']> }

/** Returns the maximum requests per minute; 0 means no limit. */
export function rateLimits(config: Config): { key: number; tenant: number } {
  const key = config.RATE_LIMIT_PER_MINUTE
  return { key, tenant: config.TENANT_RATE_LIMIT_PER_MINUTE ?? 10 * key }
}

/** Reads all settings from an environment. Throws SettingError. */
export function readConfig(environment: Source['values'] = processEnvironment): Config {
  return readSources([{ name: environmentName, values: environment }]).config
}

export const environmentName = 'environment'

/** Reads all settings. Earlier sources take precedence. An empty value is treated as unset. A secret can also be read
 *  from the file that `<NAME>_FILE` points to. `texts` contains the settings that have a value in a source. Throws
 *  SettingError. */
export function readSources(sources: readonly Source[]): { config: Config; texts: Map<string, SettingText> } {
  refuseRemovedSettings(sources)
  const texts = new Map<string, SettingText>()
  const entries = Object.entries<Setting<unknown>>(serverSettings).map(([name, setting]) => {
    let text: SettingText | undefined
    try {
      text = findText(name, setting, sources)
      if (text) texts.set(name, text)
      return [name, setting.read(text ? text.text : setting.default)]
    } catch (error) {
      const valueText = setting.secret ? '' : `, not ${JSON.stringify(text?.text)}`
      throw new SettingError(`${name} ${errorMessageOf(error)}${valueText}${text ? placeText(text.source) : ''}.`)
    }
  })
  const config = Object.fromEntries(entries) as Config
  if (config.BACKUP_EVERY !== null && config.BACKUP_DIR === '')
    throw new SettingError('BACKUP_EVERY requires BACKUP_DIR, the directory for backups.')
  return { config, texts }
}

/** Throws SettingError, so that nobody relies on a setting that has no effect. */
function refuseRemovedSettings(sources: readonly Source[]): void {
  for (const { name: source, values } of sources)
    for (const [name, replacement] of Object.entries(removedSettings)) {
      if (!values[name]) continue
      throw new SettingError(`${name} no longer exists: ${replacement}; remove it${placeText(source)}.`)
    }
}

function placeText(source: string): string {
  return source === environmentName ? '' : ` (${source})`
}

function findText(name: string, { secret }: Setting<unknown>, sources: readonly Source[]): SettingText | undefined {
  for (const { name: source, values } of sources) {
    const text = values[name]
    if (text) return { text, source, variable: name }
    const variable = `${name}_FILE`
    const path = secret && values[variable]
    if (path) return { text: readSecretFile(variable, path), source, variable }
  }
  return undefined
}

function readSecretFile(variable: string, path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new Error(`cannot be read from ${variable}=${path}: ${errorCodeOf(error)}`)
  }
}

/** Returns the prefix that makes a command use this server's data directory, such as `DATA_DIR=/data `. The prefix is
 *  empty for the default directory. */
export function commandPrefix(config: Config): string {
  const relativePath = relative(process.cwd(), config.DATA_DIR)
  if (relativePath === 'data') return ''
  return `DATA_DIR=${isAbsolute(config.DATA_DIR) ? config.DATA_DIR : `./${relativePath}`} `
}

/** Returns the origin at which users reach this server. `port`: the actual port if PORT is 0. */
export function publicOrigin(config: Config, port = config.PORT): string {
  return config.PUBLIC_URL || localOrigin(config, port)
}

/** Returns the origin for clients on this machine. */
export function localOrigin(config: Config, port = config.PORT): string {
  const host = ['0.0.0.0', '::'].includes(config.HOST) ? '127.0.0.1' : config.HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

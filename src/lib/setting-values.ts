// Reads the texts of settings. Each function throws an error that says what the text must be.

import { isIP } from 'node:net'

/** Parses `number:secret` entries separated by commas or white space; a secret without a number has the number 1. */
export function readPeppers(value: string): ReadonlyMap<number, string> {
  const pieces = value.split(/[\s,]+/).filter(Boolean)
  const secrets = new Map(
    pieces.map((piece): [number, string] => {
      const [, number = '1', secret = ''] = /^(?:(\d{1,9}):)?(.*)$/.exec(piece)!
      return [Number(number), secret]
    }),
  )
  if (secrets.size < pieces.length || [...secrets.values()].some((secret) => secret.length < 32)) {
    throw new Error('must be one secret of at least 32 characters, or several as 1:secret,2:secret')
  }
  return secrets
}

export function readInteger(min: number, max: number) {
  return (value: string): number => {
    if (!/^\d+$/.test(value) || Number(value) < min || Number(value) > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`)
    }
    return Number(value)
  }
}

const unitsMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a duration. Returns milliseconds; null if unset. */
export function readInterval(value: string): number | null {
  if (value === '') return null
  const [, count, unit] = /^([1-9]\d{0,4})([mhd])$/.exec(value) ?? []
  if (!unit) throw new Error('must be a number of minutes, hours or days, such as 30m, 24h or 7d')
  return Number(count) * unitsMs[unit]!
}

export function readOneOf<const Choices extends readonly string[]>(...choices: Choices) {
  return (value: string): Choices[number] => {
    if (!choices.includes(value)) throw new Error(`must be one of ${choices.join(', ')}`)
    return value
  }
}

/** Parses the trusted proxies in front of this server: a number of proxies, a list of networks, or false for none. */
export function readProxies(value: string): false | number | string[] {
  if (value === 'false' || value === '0') return false
  if (/^[1-9]\d?$/.test(value)) return Number(value)
  const networks = value.split(',').map((network) => network.trim())
  if (!networks.every(isNetwork)) {
    throw new Error(
      'must be false, the number of proxies in front of this server (usually 1), or their addresses and networks, such as 127.0.0.1,10.0.0.0/8',
    )
  }
  return networks
}

function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([^/]*)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? []
  const maxBits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0
  return maxBits > 0 && Number(bits ?? maxBits) <= maxBits
}

/** Validates a PostgreSQL URL. Empty text is also valid. */
export function readDatabaseUrl(value: string): string {
  const isPostgres = /^postgres(ql)?:\/\//i.test(value) && URL.canParse(value)
  if (value !== '' && !isPostgres) throw new Error('must be a URL such as postgres://user@host/database')
  return value
}

/** Validates a Redis URL, whose path may be a database number. Empty text is also valid. */
export function readRedisUrl(value: string): string {
  const { protocol = '', hostname, pathname = '', username = '', password = '' } = URL.parse(value) ?? {}
  const isRedis = /^(redis|valkey)s?:$/.test(protocol) && hostname && /^\/?\d*$/.test(pathname)
  if (value !== '' && !(isRedis && canDecode(username + password))) {
    throw new Error('must be a URL such as redis://:password@host:6379')
  }
  return value
}

function canDecode(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined
  } catch {
    return false
  }
}

/** Validates a path and removes a trailing slash: the root becomes the empty string, so that `${base}/x` is always a
 *  path. */
export function readBasePath(value: string): string {
  if (!/^\/((?!\.)[\w.~-]+(\/(?!\.)[\w.~-]+)*\/?)?$/.test(value))
    throw new Error('must be a path such as /api/v1, or /')
  return value.replace(/\/$/, '')
}

export function readPublicUrl(value: string): string {
  if (value === '') return value
  const url = URL.parse(value)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new Error('must be a URL such as https://assets.example.com')
  }
  return value.replace(/\/+$/, '')
}

export function readOrigins(value: string): string[] {
  const list = value.split(',').flatMap((origin) => origin.trim() || [])
  if (list.some((origin) => URL.parse(origin)?.origin !== origin)) {
    throw new Error('must be origins such as https://app.example.com, separated by commas')
  }
  return list
}

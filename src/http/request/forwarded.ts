// Decides which forwarded headers (X-Forwarded-*) are trusted (contract §20).

import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyServerOptions } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'

type Trust = Config['TRUST_PROXY']

/** Returns Fastify's `trustProxy` option. Converts a number of hops to a function, because Fastify would ignore a
 *  number and would not trust any proxy. */
export function trustedProxies(trust: Trust): NonNullable<FastifyServerOptions['trustProxy']> {
  return typeof trust === 'number' ? (_address, hop) => hop < trust : trust
}

export type ForwardedReader = {
  /** If TRUST_PROXY is set, removes untrusted forwarded headers before Fastify reads them. */
  read(headers: IncomingHttpHeaders): void
  /** Whether a request had an X-Forwarded-For header although TRUST_PROXY is not set. */
  hasIgnoredClient(): boolean
}

/** If TRUST_PROXY is not set, Fastify ignores all forwarded headers, and the first request with an X-Forwarded-For
 *  header causes a warning in the log. */
export function createForwardedReader(trust: Trust, log: Logger): ForwardedReader {
  let isWarned = false

  function read(headers: IncomingHttpHeaders): void {
    if (trust !== false) clean(headers)
    else warnOnce(headers)
  }

  function warnOnce(headers: IncomingHttpHeaders): void {
    if (isWarned || headers['x-forwarded-for'] === undefined) return
    isWarned = true
    log.warn(
      'ignored the X-Forwarded-For header of a request: if this server is behind a proxy, set TRUST_PROXY; until then every client appears to have the address of the proxy',
    )
  }

  return { read, hasIgnoredClient: () => isWarned }
}

/** Keeps only the addresses after the last invalid entry of X-Forwarded-For, because earlier entries may be forged.
 *  Also keeps only the last X-Forwarded-Proto, and removes X-Forwarded-Host. */
function clean(headers: IncomingHttpHeaders): void {
  delete headers['x-forwarded-host']
  const { 'x-forwarded-for': chain, 'x-forwarded-proto': protocols } = headers
  if (typeof chain === 'string') {
    const addresses = chain.split(',').map((address) => address.trim())
    headers['x-forwarded-for'] = addresses
      .slice(addresses.findLastIndex((address) => isIP(address) === 0) + 1)
      .join(',')
  }
  if (typeof protocols === 'string') headers['x-forwarded-proto'] = readProtocol(protocols)
}

/** Returns the last protocol in the list, which the nearest proxy added; undefined if it is neither `http` nor
 *  `https`. */
function readProtocol(protocols: string): 'http' | 'https' | undefined {
  const last = protocols.split(',').at(-1)!.trim().toLowerCase()
  return last === 'http' || last === 'https' ? last : undefined
}

// What a proxy says of a client, and how much of it is believed (contract §20).

import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import type { FastifyServerOptions } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'

type Trust = Config['TRUST_PROXY']

/** Fastify's setting. It takes a number of hops for no proxy at all, so it gets a function instead. */
export function trustedProxies(trust: Trust): NonNullable<FastifyServerOptions['trustProxy']> {
  return typeof trust === 'number' ? (_address, hop) => hop < trust : trust
}

/** Prepares the headers of a request before Fastify reads them: nothing is left that no proxy may say. Without TRUST_PROXY
 *  Fastify reads none of them, and the first one is warned about. */
export function createForwardedReader(trust: Trust, log: Logger): (headers: IncomingHttpHeaders) => void {
  let isWarned = false
  return (headers) => {
    if (trust !== false) return clean(headers)
    if (isWarned || headers['x-forwarded-for'] === undefined) return
    isWarned = true
    log.warn(
      'a request came with X-Forwarded-For, which is not believed: if a proxy is in front of this server, everyone has its address until TRUST_PROXY names it',
    )
  }
}

/** An address beyond one that is none may be invented, whichever proxy it came by. */
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

/** Of several, the one that the nearest proxy has added. */
function readProtocol(protocols: string): 'http' | 'https' | undefined {
  const last = protocols.split(',').at(-1)!.trim().toLowerCase()
  return last === 'http' || last === 'https' ? last : undefined
}

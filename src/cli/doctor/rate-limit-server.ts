import { pino } from 'pino'
import type { Config } from '../../config.ts'
import { openRedis } from '../../lib/redis.ts'
import { type Finding, ok, warning } from './finding.ts'

/** Connects to the server of RATE_LIMIT_REDIS_URL. Returns no finding if the setting is unset. */
export async function checkRateLimitServer(config: Config): Promise<Finding[]> {
  const check = 'rate_limit_server'
  if (config.RATE_LIMIT_REDIS_URL === '') return []
  const redis = await openRedis(config.RATE_LIMIT_REDIS_URL, pino({ level: 'silent' }))
  const outage = redis.outage()
  await redis.close()
  if (outage === null) return [ok(check, 'The server of RATE_LIMIT_REDIS_URL responds.')]
  return [
    warning(
      check,
      `The server of RATE_LIMIT_REDIS_URL cannot be used: ${outage}.`,
      'Check that it is running, and check the address and password in RATE_LIMIT_REDIS_URL: until it responds, each node counts requests by itself.',
    ),
  ]
}

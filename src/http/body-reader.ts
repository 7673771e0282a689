// Reads request bodies while bounding the memory that all of them together occupy.

import type { Readable } from 'node:stream'
import { Busy } from '../database/database.ts'
import type { StorageMetrics } from '../storage/metrics.ts'

export type BodyReader = {
  /** Reads a whole body; null if it exceeds the size limit. Throws Busy if the bodies being read already use up the memory
   *  budget. In both cases the rest of the body is discarded as it arrives. */
  read(stream: Readable, tenant: string): Promise<Buffer | null>
  /** Likewise, but the memory stays reserved until `release` is called, together with that of the response (`responseBytes`). */
  readAndHold(stream: Readable, tenant: string): Promise<HeldBody>
}

export type HeldBody = { body: Buffer | null; release: () => void }

/** `limitBytes`: maximum size of one body. `budgetBytes`: maximum size of all bodies being read or held. `responseBytes`: how much
 *  memory the response to a held body of this size may take; the larger of the two is reserved. */
export type BodyReaderOptions = {
  limitBytes: number
  budgetBytes?: number
  responseBytes?: (bodyBytes: number) => number
}

/** Memory for the bodies being read; more if BODY_LIMIT_BYTES exceeds a tenant's share of it. */
const defaultBudgetBytes = 64 * 2 ** 20

/** One tenant may use a quarter of the budget, so that large, slow uploads of one tenant cannot block the others. */
const tenantShare = 1 / 4

export function openBodyReader(options: BodyReaderOptions, metrics: StorageMetrics): BodyReader {
  const { limitBytes, responseBytes = () => 0 } = options
  const { budgetBytes = Math.max(defaultBudgetBytes, limitBytes / tenantShare) } = options
  const reservedByTenant = new Map<string, number>()
  let reservedTotal = 0

  function reserve(tenant: string, bytes: number): void {
    const ofTenant = (reservedByTenant.get(tenant) ?? 0) + bytes
    reservedTotal += bytes
    if (ofTenant === 0) reservedByTenant.delete(tenant)
    else reservedByTenant.set(tenant, ofTenant)
  }

  function hasBudget(tenant: string, bytes: number): boolean {
    const ofTenant = (reservedByTenant.get(tenant) ?? 0) + bytes
    return reservedTotal + bytes <= budgetBytes && ofTenant <= budgetBytes * tenantShare
  }

  async function readAndHold(stream: Readable, tenant: string): Promise<HeldBody> {
    let reserved = 0
    const release = (): void => {
      reserve(tenant, -reserved)
      reserved = 0
    }
    const tryReserve = (bytes: number): boolean => {
      if (!hasBudget(tenant, bytes)) {
        metrics.rejected('bodies')
        return false
      }
      reserve(tenant, bytes)
      reserved += bytes
      return true
    }
    try {
      const body = await readBody(stream, limitBytes, tryReserve)
      if (body !== null && !tryReserve(Math.max(0, responseBytes(body.length) - reserved))) throw tooManyBodies()
      return { body, release }
    } catch (error) {
      release()
      throw error
    }
  }

  async function read(stream: Readable, tenant: string): Promise<Buffer | null> {
    const { body, release } = await readAndHold(stream, tenant)
    release()
    return body
  }

  return { read, readAndHold }
}

/** `tryReserve` returns whether the budget has room for this many more bytes. */
function readBody(
  stream: Readable,
  limitBytes: number,
  tryReserve: (bytes: number) => boolean,
): Promise<Buffer | null> {
  if (stream.readableEnded) return Promise.resolve(Buffer.alloc(0)) // no body (optimizeEmptyRequests in parser-errors.ts)
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let [size, isSettled] = [0, false]
    const stop = (settle: () => void) => {
      isSettled = true
      chunks = []
      settle()
    }
    stream.on('data', (chunk: Buffer) => {
      if (isSettled) return
      size += chunk.length
      if (size > limitBytes) stop(() => resolve(null))
      else if (tryReserve(chunk.length)) chunks.push(chunk)
      else stop(() => reject(tooManyBodies()))
    })
    stream.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    stream.on('error', reject)
    stream.on('close', () => {
      if (!stream.readableEnded) reject(new Error('the client went away'))
    })
  })
}

function tooManyBodies(): Busy {
  return new Busy('too many bodies are being read')
}

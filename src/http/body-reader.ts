// The bodies of requests, read without ever holding more of them than memory has room for.

import type { Readable } from 'node:stream'
import { Busy } from '../database/database.ts'
import type { StorageMetrics } from '../storage/metrics.ts'

export type Bodies = {
  /** Reads a whole body; null when it is larger than it may be. Throws Busy when the bodies being read are too much already. In
   *  both cases the rest is thrown away as it comes. */
  read(stream: Readable, tenant: string): Promise<Buffer | null>
}

/** Bytes of bodies that are held while they arrive, where no single one may be larger than a quarter of it. */
const atOnce = 64 * 2 ** 20

/** One tenant has a quarter of the room, so that one who sends much and slowly keeps no other from sending. */
const share = 1 / 4

/** `limit`: bytes of one body. `room`: of all that are being read. */
export function openBodyReader(limit: number, figures: StorageMetrics, room = Math.max(atOnce, limit / share)): Bodies {
  const held = new Map<string, number>() // by tenants that are sending
  let all = 0

  function reserve(tenant: string, bytes: number): void {
    const own = (held.get(tenant) ?? 0) + bytes
    all += bytes
    if (own === 0) held.delete(tenant)
    else held.set(tenant, own)
  }

  function hasBudget(tenant: string, bytes: number): boolean {
    return all + bytes <= room && (held.get(tenant) ?? 0) + bytes <= room * share
  }

  async function read(stream: Readable, tenant: string): Promise<Buffer | null> {
    let own = 0
    const take = (bytes: number): boolean => {
      if (!hasBudget(tenant, bytes)) {
        figures.refused('bodies')
        return false
      }
      reserve(tenant, bytes)
      own += bytes
      return true
    }
    try {
      return await readBody(stream, limit, take)
    } finally {
      reserve(tenant, -own)
    }
  }

  return { read }
}

/** `take` says whether there is room for so many more bytes. */
function readBody(stream: Readable, limit: number, take: (bytes: number) => boolean): Promise<Buffer | null> {
  if (stream.readableEnded) return Promise.resolve(Buffer.alloc(0)) // there is none, see protocol.ts
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let [size, isOver] = [0, false]
    const give = (end: () => void) => {
      isOver = true
      chunks = []
      end()
    }
    stream.on('data', (chunk: Buffer) => {
      if (isOver) return
      size += chunk.length
      if (size > limit) give(() => resolve(null))
      else if (take(chunk.length)) chunks.push(chunk)
      else give(() => reject(new Busy('too many bodies are being read')))
    })
    stream.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
    stream.on('error', reject)
    stream.on('close', () => {
      if (!stream.readableEnded) reject(new Error('the client went away'))
    })
  })
}

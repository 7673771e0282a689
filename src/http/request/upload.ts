// Receives uploaded files, so that a 50 MB file is never held in memory all at once, and limits what uploads cost other
// tenants: disk space while a file arrives, processor time while it is checked.

import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Busy } from '../../engine/database/database.ts'
import { createDirectory } from '../../engine/database/durable-files.ts'
import { createFairPlaces, NoPlace } from '../../lib/concurrency/fair-places.ts'
import { repeat } from '../../lib/concurrency/repeat.ts'
import { readDiskSpace } from '../../lib/files/disk-space.ts'
import { createSpoolFile, deleteAbandonedFiles, type SpoolFile } from './spool.ts'

/** A body that `receive` spools to a file. Disposing of the upload deletes the file. */
export type Upload = AsyncDisposable & {
  /** Spools the body, and returns a function that reads the file from its start. Returns null if the body exceeds
   *  the limit; the rest of the body is discarded as it arrives. Throws UploadRefused. */
  receive(): Promise<(() => AsyncIterable<Buffer>) | null>
  /** Runs `work`, which checks the file, as soon as a place is free. Throws UploadRefused. */
  check<T>(work: () => Promise<T>): Promise<T>
  /** Returns the SHA-256 of the received body. */
  digest(): string
}

export type Uploads = Disposable & { expect(body: Readable, tenant: string): Upload }

const refusals = {
  disk: 'The server has too little free disk space for uploads. Retry later.',
  tenant: 'Too many files of this tenant are being uploaded at the same time. Retry after the delay in Retry-After.',
  places: 'Too many files are being checked at the moment. Retry after the delay in Retry-After.',
} as const

/** The server cannot accept an upload at the moment. */
export class UploadRefused extends Busy {
  readonly reason: keyof typeof refusals

  constructor(reason: keyof typeof refusals) {
    super(refusals[reason])
    this.reason = reason
  }
}

/** `directory`: where files are spooled. `limitBytes`: the maximum size of a file. Uploads are refused if less than
 *  `minFreeBytes` are free on the disk. `maxWaitMs`: how long a received file waits for a place, 10 s by default. */
export type UploadOptions = {
  directory: string
  limitBytes: number
  minFreeBytes: number
  maxWaitMs?: number | undefined
}

/** How many files are checked at the same time (contract §17). Each takes turns on the main thread. */
const places = { perTenant: 2, total: 8, maxWaitMs: 10_000 }

/** The files that a tenant is uploading may be as large as this number of files of the maximum size. */
const maxFilesPerTenant = 4

/** The free space is measured again after this number of bytes has been received. */
const bytesBetweenMeasurements = 4 * 2 ** 20

const sweepIntervalMs = 5 * 60_000

export function openUploads({ directory, limitBytes, minFreeBytes, maxWaitMs }: UploadOptions): Uploads {
  const checks = createFairPlaces({ ...places, ...(maxWaitMs !== undefined && { maxWaitMs }) })
  const bytesByTenant = new Map<string, number>()
  let unmeasuredBytes = 0
  void deleteAbandonedFiles(directory).catch(() => {})
  const sweep = repeat(sweepIntervalMs, () => deleteAbandonedFiles(directory))

  async function requireSpace(): Promise<void> {
    unmeasuredBytes = 0
    const { freeBytes } = await readDiskSpace(directory)
    if (freeBytes < minFreeBytes) throw new UploadRefused('disk')
  }

  function addBytes(tenant: string, bytes: number): void {
    const total = (bytesByTenant.get(tenant) ?? 0) + bytes
    if (total === 0) bytesByTenant.delete(tenant)
    else bytesByTenant.set(tenant, total)
  }

  async function requireRoom(tenant: string, bytes: number): Promise<void> {
    if ((bytesByTenant.get(tenant) ?? 0) > maxFilesPerTenant * limitBytes) throw new UploadRefused('tenant')
    unmeasuredBytes += bytes
    if (unmeasuredBytes > bytesBetweenMeasurements) await requireSpace()
  }

  return {
    expect(body, tenant) {
      const hash = createHash('sha256')
      const open = new AsyncDisposableStack()
      const file = open.use(createSpoolFile(directory))
      let size = 0
      open.defer(() => addBytes(tenant, -size))
      const store = async (chunk: Buffer): Promise<boolean> => {
        size += chunk.length
        addBytes(tenant, chunk.length)
        if (size > limitBytes) return false
        await requireRoom(tenant, chunk.length)
        hash.update(chunk)
        await append(file, chunk)
        return true
      }
      return {
        async receive() {
          createDirectory(directory)
          await requireSpace()
          return (await readBody(body, store)) ? file.openForReading() : null
        },
        check: (work) => checks.run(tenant, work).catch(refuseWithoutPlace),
        digest: () => hash.copy().digest('base64url'),
        [Symbol.asyncDispose]: () => open.disposeAsync(),
      }
    },
    [Symbol.dispose]: sweep.stop,
  }
}

async function append(file: SpoolFile, chunk: Buffer): Promise<void> {
  try {
    await file.append(chunk)
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? new UploadRefused('disk') : error
  }
}

function refuseWithoutPlace(error: unknown): never {
  throw error instanceof NoPlace ? new UploadRefused('places') : error
}

/** Returns false if `store` does not accept a chunk. The rest of the body is then discarded. */
async function readBody(body: Readable, store: (chunk: Buffer) => Promise<boolean>): Promise<boolean> {
  if (body.readableEnded) return true // no body (optimizeEmptyRequests in parser-errors.ts)
  let isComplete = false
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
      if (!(await store(chunk))) return false
    isComplete = true
    return true
  } finally {
    if (!isComplete) body.resume() // after the loop, because the iterator keeps the stream from flowing
  }
}

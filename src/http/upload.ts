// Receives uploaded files, so that a 50 MB file is never held in memory all at once, and limits what uploads cost other
// tenants: disk space while a file arrives, processor time while it is checked.

import { createHash, randomUUID } from 'node:crypto'
import { appendFile, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Busy } from '../engine/database/database.ts'
import { createFairSemaphore, NoFreeSlot, repeat } from '../lib/concurrency.ts'
import { readChunks, readDiskSpace } from '../lib/files/files.ts'

/** A body that `receive` spools to a file. Disposing of the upload deletes the file. */
export type Upload = AsyncDisposable & {
  /** Spools the body, and returns a function that reads the file from its start. Returns null if the body exceeds
   *  the limit; the rest of the body is discarded as it arrives. Throws UploadRefused. */
  receive(): Promise<(() => AsyncIterable<Buffer>) | null>
  /** Runs `work`, which checks the file, as soon as a slot is free. Throws UploadRefused. */
  check<T>(work: () => Promise<T>): Promise<T>
  /** Returns the SHA-256 of the received body. */
  digest(): string
}

export type Uploads = Disposable & { expect(body: Readable, tenant: string): Upload }

const refusals = {
  disk: 'The server has too little free disk space for uploads. Retry later.',
  tenant: 'Too many files of this tenant are being uploaded at the same time. Retry after the delay in Retry-After.',
  checks: 'Too many files are being checked at the moment. Retry after the delay in Retry-After.',
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
 *  `minFreeBytes` are free on the disk. `maxWaitMs`: how long a received file waits to be checked, 10 s by default. */
export type UploadOptions = {
  directory: string
  limitBytes: number
  minFreeBytes: number
  maxWaitMs?: number | undefined
}

/** How many files are checked at the same time (contract §17). Each takes turns on the main thread. */
const checkLimits = { perTenant: 2, total: 8, maxWaitMs: 10_000 }

/** The files that a tenant is uploading may be as large as this number of files of the maximum size. */
const maxFilesPerTenant = 4

/** The free space is measured again after this number of bytes has been received. */
const bytesBetweenMeasurements = 4 * 2 ** 20

const sweepIntervalMs = 5 * 60_000

export function openUploads({ directory, limitBytes, minFreeBytes, maxWaitMs }: UploadOptions): Uploads {
  const checks = createFairSemaphore({ ...checkLimits, ...(maxWaitMs !== undefined && { maxWaitMs }) })
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
      const cleanup = new AsyncDisposableStack()
      const file = cleanup.use(createSpoolFile(directory))
      const ownsChunks = body instanceof IncomingMessage // a form's parser may still use the chunks
      let size = 0
      cleanup.defer(() => addBytes(tenant, -size))
      const store = async (chunk: Buffer): Promise<boolean> => {
        size += chunk.length
        addBytes(tenant, chunk.length)
        if (size > limitBytes) return false
        await requireRoom(tenant, chunk.length)
        hash.update(chunk)
        await append(file, chunk)
        if (ownsChunks) free(chunk)
        return true
      }
      return {
        async receive() {
          await mkdir(directory, { recursive: true, mode: 0o700 })
          await requireSpace()
          return (await readBody(body, store)) ? file.openForReading() : null
        },
        check: (work) => checks.run(tenant, work).catch(refuseWithoutSlot),
        digest: () => hash.copy().digest('base64url'),
        [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
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

function refuseWithoutSlot(error: unknown): never {
  throw error instanceof NoFreeSlot ? new UploadRefused('checks') : error
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

const extension = '.upload'

/** A temporary file for an upload. While the file is being received, it has no open descriptor: otherwise, slow uploads
 *  would use up the descriptors that are reserved for connections and databases. */
type SpoolFile = AsyncDisposable & {
  /** Throws system errors. */
  append(chunk: Buffer): Promise<void>
  /** Opens the file after its last byte was appended. Each call of the returned function reads it from its start. */
  openForReading(): Promise<() => AsyncIterable<Buffer>>
}

/** Frees the memory of a buffer, if it has its own. V8 would free it only when it next collects garbage: up to 64 MB while
 *  a file of 50 MB arrives, and half of that until the file has been checked. */
function free({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}

/** Creates a temporary file in a directory that exists. Disposing of it deletes the file. */
function createSpoolFile(directory: string): SpoolFile {
  const path = join(directory, `${randomUUID()}${extension}`)
  const cleanup = new AsyncDisposableStack()
  cleanup.defer(() => rm(path, { force: true }))
  return {
    append: (chunk) => appendFile(path, chunk, { mode: 0o600 }),
    async openForReading() {
      const file = cleanup.use(await openFile(path))
      return () => readChunks(file)
    },
    [Symbol.asyncDispose]: () => cleanup.disposeAsync(),
  }
}

/** Opens the file and removes its name, so that the system deletes the file when it is closed, even after a crash. An
 *  empty body has not created a file yet. */
async function openFile(path: string) {
  const file = await open(path, 'a+', 0o600)
  await rm(path, { force: true })
  return file
}

/** A file is written at least once in this time, because slow bodies are refused (body-reader.ts). */
const abandonedAfterMs = 5 * 60_000

/** Deletes files that a process left behind when it crashed. */
async function deleteAbandonedFiles(directory: string): Promise<void> {
  const names = await readdir(directory).catch(ignoreMissing)
  for (const name of names ?? []) {
    if (!name.endsWith(extension)) continue
    const status = await stat(join(directory, name)).catch(ignoreMissing)
    if (status && status.mtimeMs < Date.now() - abandonedAfterMs) await rm(join(directory, name), { force: true })
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

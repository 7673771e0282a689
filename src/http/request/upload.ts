// Spools uploaded files to disk, so that a 50 MB file is never held in memory all at once.

import { createHash, type Hash, randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Busy } from '../../database/database.ts'
import { createDirectory } from '../../database/durable-files.ts'
import { readChunks } from '../../lib/files/read-chunks.ts'

/** A body that `receive` spools to a file. Disposing of the upload deletes the file. */
export type Upload = AsyncDisposable & {
  /** Spools the body, and returns a function that reads the file from its start. Returns null if the body exceeds
   *  the limit; the rest of the body is discarded as it arrives. Throws Busy if too many uploads are running. */
  receive(): Promise<(() => AsyncIterable<Buffer>) | null>
  /** Returns the SHA-256 of the received body. */
  digest(): string
}

export type Uploads = { expect(body: Readable, tenant: string): Upload }

/** The maximum number of concurrent uploads. */
const maxUploads = { perTenant: 2, perProcess: 8 }

/** Spools uploads in `directory`. */
export function openUploads(directory: string, limitBytes: number): Uploads {
  const running = new Map<string, number>()
  let total = 0

  function reserveSlot(tenant: string): void {
    const tenantUploads = running.get(tenant) ?? 0
    if (tenantUploads >= maxUploads.perTenant || total >= maxUploads.perProcess)
      throw new Busy('too many uploads are running')
    running.set(tenant, tenantUploads + 1)
    total++
  }

  function releaseSlot(tenant: string): void {
    const remaining = running.get(tenant)! - 1
    if (remaining === 0) running.delete(tenant)
    else running.set(tenant, remaining)
    total--
  }

  return {
    expect(body, tenant) {
      const hash = createHash('sha256')
      const open = new AsyncDisposableStack()
      return {
        async receive() {
          reserveSlot(tenant)
          open.defer(() => releaseSlot(tenant))
          const file = open.use(await openSpool(directory))
          if (!(await spool(body, file, hash, limitBytes))) return null
          return () => readChunks(file)
        },
        digest: () => hash.copy().digest('base64url'),
        [Symbol.asyncDispose]: () => open.disposeAsync(),
      }
    },
  }
}

/** Creates a file and unlinks it, so that the system deletes the file when the file is closed, even after a crash. */
async function openSpool(directory: string): Promise<FileHandle> {
  createDirectory(directory)
  const path = join(directory, `${randomUUID()}.upload`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** Returns false if the body exceeds the limit. */
async function spool(body: Readable, file: FileHandle, hash: Hash, limitBytes: number): Promise<boolean> {
  if (body.readableEnded) return true // no body (optimizeEmptyRequests in parser-errors.ts)
  let size = 0
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limitBytes) break
    hash.update(chunk)
    await file.writeFile(chunk)
  }
  if (size <= limitBytes) return true
  body.resume() // after the loop, because the iterator keeps the stream from flowing
  return false
}

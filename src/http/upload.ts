// Files that clients upload: spooled to disk, so that a file of 50 MB needs no memory.

import { createHash, type Hash, randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Busy } from '../database/database.ts'
import { createDirectory } from '../database/durable-files.ts'
import { readChunks } from '../lib/read-chunks.ts'

/** A body that is spooled when it is asked for. Disposing of it deletes the file. */
export type Upload = AsyncDisposable & {
  /** Spools the body, and returns what opens the file from its start. Null if the body exceeds the limit; the rest of it is
   *  discarded as it arrives. Throws Busy if too many uploads run already. */
  receive(): Promise<(() => AsyncIterable<Buffer>) | null>
  /** SHA-256 of what was received. */
  digest(): string
}

export type Uploads = { expect(body: Readable, tenant: string): Upload }

/** Uploads at the same time, each up to the limit on disk. */
const maxUploads = { perTenant: 2, perProcess: 8 }

/** Spools uploads in a directory. */
export function openUploads(directory: string, limitBytes: number): Uploads {
  const running = new Map<string, number>()
  let total = 0

  function enter(tenant: string): void {
    const ofTenant = running.get(tenant) ?? 0
    if (ofTenant >= maxUploads.perTenant || total >= maxUploads.perProcess)
      throw new Busy('too many uploads are running')
    running.set(tenant, ofTenant + 1)
    total++
  }

  function leave(tenant: string): void {
    const left = running.get(tenant)! - 1
    if (left === 0) running.delete(tenant)
    else running.set(tenant, left)
    total--
  }

  return {
    expect(body, tenant) {
      const hash = createHash('sha256')
      const open = new AsyncDisposableStack()
      return {
        async receive() {
          enter(tenant)
          open.defer(() => leave(tenant))
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

/** A file without a name: the system deletes it as soon as it is closed, even after a crash. */
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
  body.resume() // not within the loop, whose iterator keeps the body from flowing
  return false
}

// Temporary files for uploads. A file that is being received has no open descriptor: otherwise, slow uploads would use
// up the descriptors that are reserved for connections and databases.

import { randomUUID } from 'node:crypto'
import { appendFile, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readChunks } from '../../lib/files/read-chunks.ts'

/** The start of an upload is kept in memory, so that a small file is never written. */
const memoryBytes = 65_536

const extension = '.upload'

export type SpoolFile = AsyncDisposable & {
  /** Throws system errors. */
  append(chunk: Buffer): Promise<void>
  /** Opens the file after its last byte was appended. Each call of the returned function reads it from its start. */
  openForReading(): Promise<() => AsyncIterable<Buffer>>
}

/** Creates a temporary file in a directory that exists. Disposing of it deletes the file. */
export function createSpoolFile(directory: string): SpoolFile {
  const path = join(directory, `${randomUUID()}${extension}`)
  const open = new AsyncDisposableStack()
  let [pending, pendingBytes, isWritten]: [Buffer[], number, boolean] = [[], 0, false]

  async function write(): Promise<void> {
    const bytes = Buffer.concat(pending)
    ;[pending, pendingBytes] = [[], 0]
    if (!isWritten) open.defer(() => rm(path, { force: true }))
    isWritten = true
    await appendFile(path, bytes, { mode: 0o600 })
  }

  return {
    async append(chunk) {
      pending.push(chunk)
      pendingBytes += chunk.length
      if (pendingBytes > memoryBytes) await write()
    },
    async openForReading() {
      if (!isWritten) {
        const chunks = [Buffer.concat(pending)]
        return async function* () {
          yield* chunks
        }
      }
      await write()
      const file = open.use(await openFile(path))
      return () => readChunks(file)
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Opens the file and removes its name, so that the system deletes the file when it is closed, even after a crash. */
async function openFile(path: string) {
  const file = await open(path)
  await rm(path, { force: true })
  return file
}

/** A file is written at least once in this time, because slow bodies are refused (slow-bodies.ts). */
const abandonedAfterMs = 5 * 60_000

/** Deletes files that a process left behind when it crashed. */
export async function deleteAbandonedFiles(directory: string): Promise<void> {
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

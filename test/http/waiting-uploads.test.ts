// How much disk space a tenant can occupy with files that are still arriving.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { uploadImport } from '../support/api/imports.ts'
import { assertRefused } from '../support/api/shared-errors.ts'
import { eventually } from '../support/eventually.ts'
import { createKey, startService } from '../support/service.ts'

const limit = 1_000_000
const heldBack = 10

const service = await startService({ IMPORT_LIMIT_BYTES: String(limit) }, { nodes: 1, uploadWaitMs: 60_000 })
const { hostname, port, pathname } = new URL(await service.listen())
const directory = join(service.environment.DATA_DIR!, 'uploads')

/** The sizes of the files on disk. */
function waitingFiles(): number[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory).map((name) => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0)
}

/** Returns a CSV file of this size. */
const fileOf = (bytes: number) => `name\n${'A\n'.padStart(bytes - 5, '\n')}`

/** Sends a file as large as the limit, without its last bytes. */
async function startUpload(key: string) {
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const file = fileOf(limit)
  const target = `POST ${pathname}/imports.php?resource=customers HTTP/1.1`
  const headers = `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: text/csv\r\nContent-Length: ${limit}`
  socket.write(`${target}\r\n${headers}\r\n\r\n${file.slice(0, -heldBack)}`)
  return {
    /** Sends the last bytes. Returns the status of the response. */
    async finish(): Promise<number> {
      const response = once(socket, 'data')
      socket.write(file.slice(-heldBack))
      const [bytes] = await response
      socket.destroy()
      return Number(/^HTTP\/1.1 (\d+)/.exec(String(bytes))![1])
    },
    disconnect: () => void socket.destroy(),
  }
}

/** What the server has not yet read from the connection, or not yet written. */
const inTransit = 65_536

/** Starts four uploads, and waits until the server has received them except for their last bytes. */
async function startFour(slug: string) {
  const key = await createKey(service.environment, slug)
  const uploads = await Promise.all(Array.from({ length: 4 }, () => startUpload(key)))
  await eventually('four files have arrived', () => {
    const sizes = waitingFiles()
    return sizes.length === 4 && sizes.every((size) => size >= limit - heldBack - inTransit)
  })
  return uploads
}

test("the files that a tenant is uploading take at most four times a file's limit; the next is server_busy, and the others are accepted", async () => {
  const [client, other] = [await service.tenant('busy'), await service.tenant('quiet')]
  const uploads = await startFour('busy')
  const send = (bytes: number) => uploadImport(client, 'resource=customers', fileOf(bytes))
  const refused = await eventually('the next file is refused', async () => {
    const response = await send(4 * heldBack + 1)
    return response.status !== 202 && response
  })
  assertRefused(refused, 'server_busy')
  assert.match(refused.body.error.message, /Too many files of this tenant/)
  assert.equal(refused.headers['retry-after'], '5')
  assertRefused(await send(limit), 'server_busy')
  assert.equal((await send(4 * heldBack)).status, 202)
  assert.equal((await uploadImport(other, 'resource=customers', fileOf(limit))).status, 202)

  const statuses = await Promise.all(uploads.map((upload) => upload.finish()))
  assert.deepEqual(statuses, [202, 202, 202, 202])
  assert.equal((await send(limit)).status, 202)
  await eventually('no file is left', () => waitingFiles().length === 0)
})

test("when a client disconnects, its file is deleted and no longer counts towards its tenant's limit", async () => {
  const client = await service.tenant('unsteady')
  const uploads = await startFour('unsteady')
  const send = () => uploadImport(client, 'resource=customers', fileOf(limit))
  assertRefused(await send(), 'server_busy')
  uploads[0]!.disconnect()
  await eventually('the file is deleted', () => waitingFiles().length === 3)
  assert.equal((await send()).status, 202)
  for (const upload of uploads) upload.disconnect()
  await eventually('no file is left', () => waitingFiles().length === 0)
})

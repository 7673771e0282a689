import assert from 'node:assert/strict'
import { eventually } from '../eventually.ts'
import type { Client, Json, Response } from '../service.ts'

/** Uploads a file for an import. Text is encoded as UTF-8. */
export function uploadImport(
  client: Client,
  query: string,
  file: string | Buffer,
  contentType = 'text/csv',
): Promise<Response> {
  return client('POST', `/imports.php?${query}`, file, { 'content-type': contentType })
}

/** Waits until an import has been checked or has ended, and returns the import. */
export async function waitForImport(client: Client, id: number, options = {}): Promise<Json> {
  const check = async () => {
    const { body } = await client('GET', `/imports.php?id=${id}`)
    return body.finished_at && body
  }
  return eventually('the import has been checked or has ended', check, options)
}

/** Uploads a file, and waits until the import has been checked or has ended. */
export async function importFile(client: Client, query: string, file: string | Buffer): Promise<Json> {
  const { status, body } = await uploadImport(client, query, file)
  assert.equal(status, 202, JSON.stringify(body))
  return waitForImport(client, body.id)
}

/** An import's counts as text: `created updated unchanged invalid`. */
export function countsOf({ created, updated, unchanged, invalid }: Json): string {
  return [created, updated, unchanged, invalid].join(' ')
}

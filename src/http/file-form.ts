// Reads forms with a file (multipart/form-data). The file is returned as a stream, so that the fields that precede the
// file can be checked before the file is received.

import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'

/** `file`: null if the user did not choose a file. `fileName`: the file's name, without its folder. `discard`: call this to
 *  skip the file instead of reading it. */
export type FileForm = { form: URLSearchParams; file: Readable | null; fileName: string; discard: () => void }

/** Forms with a file have only a few short fields. */
const limits = {
  fieldNameSize: 100,
  fieldSize: 10_000,
  fields: 20,
  files: 1,
  parts: 21,
  headerPairs: 20,
  headerSize: 8192,
}

/** Resolves when the file starts, or when the body ends without a file. Throws InvalidForm; the stream of an
 *  incomplete file fails with InvalidForm. */
export function readFileForm(headers: IncomingHttpHeaders, body: Readable): Promise<FileForm> {
  const form = new URLSearchParams()
  return new Promise((resolve, reject) => {
    const parser = createParser(headers)
    const discard = () => {
      body.unpipe(parser)
      body.resume()
    }
    let file: Readable | null = null
    const fail = () => {
      const error = new InvalidForm('the form is incomplete or malformed')
      discard()
      file?.destroy(error)
      reject(error)
    }
    parser.on('field', (name, value) => form.append(name, value))
    parser.on('file', (_name, stream, fileName) => {
      stream.on('error', () => {}) // without a reader, an error would be uncaught
      if (!fileName) return void stream.resume()
      file = stream
      resolve({ form, file, fileName, discard })
    })
    parser.on('finish', () => resolve({ form, file, fileName: '', discard }))
    parser.on('error', fail)
    body.on('close', () => !body.readableEnded && fail())
    body.pipe(parser)
  })
}

/** Throws InvalidForm if the Content-Type has no boundary. */
function createParser(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits })
  } catch {
    throw new InvalidForm('the form is malformed')
  }
}

/** The panel responds to this error with 400. */
class InvalidForm extends Error {
  readonly statusCode = 400
}

// Sends the body of a JSON, CSV or NDJSON response, compressed if it is long and the client accepts an encoding.

import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  chooseEncoding,
  compress,
  compressStream,
  type Encoding,
  isTooShort,
  readShortText,
  varyByEncoding,
} from './compression.ts'
import { sendStream } from './send-stream.ts'

/** Returns a promise if the body has to be compressed first. Does not return the reply, because a reply is a promise
 *  that waits until the client has received the response. */
export function sendBody(
  reply: FastifyReply,
  request: FastifyRequest,
  body: string | Readable,
): Promise<void> | undefined {
  if (typeof body === 'string' && isTooShort(body)) return void reply.send(body)
  const encoding = chooseEncoding(request.raw.headers['accept-encoding'])
  if (encoding)
    return typeof body === 'string' ? sendText(reply, body, encoding) : sendFile(reply, request, body, encoding)
  varyByEncoding(reply)
  if (typeof body === 'string') reply.send(body)
  else sendStream(reply, request, body)
  return undefined
}

async function sendText(reply: FastifyReply, text: string, encoding: Encoding): Promise<void> {
  const bytes = await compress(text, encoding)
  varyByEncoding(reply).header('content-encoding', encoding).send(bytes)
}

async function sendFile(
  reply: FastifyReply,
  request: FastifyRequest,
  body: Readable,
  encoding: Encoding,
): Promise<void> {
  const shortText = await readShortText(body)
  if (shortText !== null) reply.send(shortText)
  else {
    varyByEncoding(reply).header('content-encoding', encoding)
    sendStream(reply, request, body, (stream) => compressStream(stream, encoding))
  }
}

// Exports: streams of whole lists.

import { NoAnswerError } from './errors.ts'
import type { Including, ReadOptions } from './operations.ts'
import { openStream, type Settings } from './send.ts'

type ExportQuery = { include?: readonly string[]; fields?: readonly string[]; delimiter?: string; for?: string }

/** The export of one list. `Query` is the type of the list's query parameters. */
export function exportsOf<Item extends object, Query extends ExportQuery>(settings: Settings, path: string) {
  /** Yields the pieces of a CSV file in order. */
  function streamList(query: Omit<Query, 'include'> & { format: 'csv' }, options?: ReadOptions): AsyncGenerator<string>
  /** Yields the records, with only the members listed in `fields`. */
  function streamList<
    const Requested extends Omit<Query, 'delimiter' | 'for'> & { format: 'ndjson'; fields: readonly string[] },
  >(query: Requested, options?: ReadOptions): AsyncGenerator<Partial<Item>>
  /** Yields the records. */
  function streamList<const Requested extends Omit<Query, 'delimiter' | 'for' | 'fields'> & { format: 'ndjson' }>(
    query: Requested,
    options?: ReadOptions,
  ): AsyncGenerator<Including<Item, Requested extends { include: infer Words } ? Words : []>>
  async function* streamList(query: object & { format: string }, options: ReadOptions = {}): AsyncGenerator<unknown> {
    const stream = await openStream(settings, { method: 'GET', path, query: { ...query }, ...options })
    const pieces = piecesOf(stream, [settings.signal, options.signal])
    for await (const part of query.format === 'csv' ? pieces : linesOf(pieces)) {
      throwIfAborted([settings.signal, options.signal]) // also between the lines that have already arrived
      yield query.format === 'csv' ? part : JSON.parse(part)
    }
  }

  return {
    /** Streams a whole list as it was at the start of the export. Throws NoAnswerError if the connection is closed
     *  before the end of the list. */
    export: streamList,
  }
}

/** Yields the text of a stream. A byte order mark is kept, because spreadsheet programs require it. */
async function* piecesOf(
  stream: ReadableStream<Uint8Array>,
  signals: readonly (AbortSignal | undefined)[],
): AsyncGenerator<string> {
  const [reader, decoder] = [stream.getReader(), new TextDecoder('utf-8', { ignoreBOM: true })]
  try {
    for (;;) {
      const { value, done } = await reader.read().catch((error: unknown) => {
        throwIfAborted(signals)
        throw new NoAnswerError(error, 'The connection was closed before the end of the export')
      })
      const text = decoder.decode(value, { stream: !done })
      if (text !== '') yield text
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {}) // the caller may have stopped early
  }
}

function throwIfAborted(signals: readonly (AbortSignal | undefined)[]): void {
  for (const signal of signals) signal?.throwIfAborted()
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}

// Exports: streams of whole lists.

import type { Including, ReadOptions } from './operations.ts'
import { openStream, type Settings } from './send.ts'

type ExportQuery = { include?: readonly string[]; fields?: readonly string[]; delimiter?: string }

/** The export of one list. `Query` is the type of the list's query parameters. */
export function exportsOf<Item extends object, Query extends ExportQuery>(settings: Settings, path: string) {
  /** Yields the pieces of a CSV file in order. */
  function streamList(query: Omit<Query, 'include'> & { format: 'csv' }, options?: ReadOptions): AsyncGenerator<string>
  /** Yields the records, with only the members listed in `fields`. */
  function streamList<
    const Requested extends Omit<Query, 'delimiter'> & { format: 'ndjson'; fields: readonly string[] },
  >(query: Requested, options?: ReadOptions): AsyncGenerator<Partial<Item>>
  /** Yields the records. */
  function streamList<const Requested extends Omit<Query, 'delimiter' | 'fields'> & { format: 'ndjson' }>(
    query: Requested,
    options?: ReadOptions,
  ): AsyncGenerator<Including<Item, Requested extends { include: infer Words } ? Words : []>>
  async function* streamList(query: object & { format: string }, options: ReadOptions = {}): AsyncGenerator<unknown> {
    const pieces = piecesOf(await openStream(settings, { method: 'GET', path, query: { ...query }, ...options }))
    if (query.format === 'csv') yield* pieces
    else for await (const line of linesOf(pieces)) yield JSON.parse(line)
  }

  return {
    /** Streams a whole list as it was at the start of the export. Throws if the connection is closed before the end of
     *  the list. */
    export: streamList,
  }
}

/** Yields the text of a stream. A byte order mark is kept, because spreadsheet programs require it. */
async function* piecesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const [reader, decoder] = [stream.getReader(), new TextDecoder('utf-8', { ignoreBOM: true })]
  try {
    for (;;) {
      const { value, done } = await reader.read()
      const text = decoder.decode(value, { stream: !done })
      if (text !== '') yield text
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {}) // the caller may have stopped early
  }
}

async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}

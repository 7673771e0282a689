// What a request sends to PostgreSQL, told from its recording.

import type { Recording } from '../baselines/recording.ts'
import { markdownTable } from './tables.ts'

type Trip = { name: string; recording: Recording }

/** Round trips, connections, messages and statements of each operation. */
export function tripsTable(trips: Trip[]): string {
  const rows = trips.map(({ name, recording }) => {
    const batches = recording.flat()
    const texts = batches.flatMap(({ statements }) => statements.map(({ text }) => text))
    const counts = [
      recording.filter((flight) => flight.some(({ isAwaited }) => isAwaited)).length,
      batches.filter(({ isLast }) => isLast).length,
      texts.length,
      texts.flatMap((text) => text.split(';')).length,
      batches.filter(({ isShared }) => isShared).length,
    ]
    return [name, ...counts.map(String)]
  })
  const head = ['', 'round trips', 'connections taken', 'messages', 'statements', 'shared by those of one turn']
  return markdownTable([head, ...rows])
}

/** The statements of a recording, a flight at a time. */
export function describeTrips(recording: Recording): string {
  const flights = recording.map((flight, at) => {
    const lines = flight.flatMap((batch) => {
      const remark = batch.isShared ? '  -- once per turn' : batch.isAwaited ? '' : '  -- nobody waits for it'
      return batch.statements.map(({ text }) => `   ${shortened(text)}${remark}`)
    })
    return `${at + 1}.\n${lines.join('\n')}`
  })
  return `\`\`\`sql\n${flights.join('\n')}\n\`\`\``
}

function shortened(text: string): string {
  const line = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/"?t_[a-z0-9]{20}"?/g, 't_…')
  return line.length > 110 ? `${line.slice(0, 109)}…` : line
}

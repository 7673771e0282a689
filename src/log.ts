// The log: lines of JSON on standard output.

import { type DestinationStream, type Logger, pino } from 'pino'

/** Lines are written together: one write per line costs a busy server a tenth of its time. Characters. */
const together = 1 << 15

/** `periodicFlush`: how long a line waits for others; milliseconds. The rest are bytes: nothing is written before it is asked for,
 *  but when so much waits for a slow disk or pipe; what it has gathered goes out in such pieces; what goes beyond is lost. */
const settings = { dest: 1, sync: false, periodicFlush: 100, minLength: 1 << 17, maxWrite: 1 << 18, maxLength: 1 << 20 }

export function openLog(level: string): Logger {
  return pino({ level }, standardOutput())
}

/** A full disk or a closed pipe behind it loses lines and nothing else: serving goes before the log. Lines are gathered here:
 *  with each one the destination would copy all that it has gathered, to count its bytes. */
function standardOutput(): DestinationStream {
  const destination = pino.destination(settings)
  const [flush, flushSync] = [destination.flush.bind(destination), destination.flushSync.bind(destination)]
  let lines = ''

  function pass(): void {
    if (lines === '') return
    destination.write(lines)
    lines = ''
  }

  destination.flush = (done) => {
    pass()
    flush(done)
  }
  destination.flushSync = () => {
    pass()
    flushSync()
  }
  destination.on('error', () => {
    destination.flushSync = () => {} // at exit it would try again for ever
  })
  return {
    write(line) {
      lines += line
      if (lines.length >= together) destination.flush()
    },
  }
}

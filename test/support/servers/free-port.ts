// Finds ports for programs that cannot choose a free port themselves.

import { createServer } from 'node:net'

let portsTaken = 0

/** A port that no program listens on, below the range that operating systems use for outgoing connections and
 *  `listen(0)`. Test files that run at the same time begin at different ports. Another program can still take the
 *  port before the test uses it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + ((process.pid * 8 + portsTaken++) % 12_000)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const isListening = new Promise<boolean>((resolve) => {
    probe.once('listening', () => resolve(true)).once('error', () => resolve(false))
  })
  probe.listen(port, '127.0.0.1')
  const free = await isListening
  if (free) await new Promise((resolve) => probe.close(resolve))
  return free
}

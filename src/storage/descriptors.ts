// File descriptors: what threads, tenant files and database connections take of them, and how many are left for clients.

/** Threads that hold tenant files open. */
export type Threads = { writers: number; readers: number }

/** What takes descriptors. `openFiles`: OPEN_FILES, 0 where tenants have no files; `databaseConnections`: those to database
 *  servers. */
export type DescriptorUse = { openFiles: number; threads: Threads; databaseConnections: number }

/** How many tenant files are kept open, and how many clients may be connected. */
export type DescriptorShares = { openFiles: number; connections: number }

/** The main thread with the catalog, its logs and the listening socket; the event loop of each thread, with two that migrate. */
const [ofProcess, ofThread, migrators] = [16, 6, 2]

/** For files that are copied, made or read in passing. */
const reserve = 32

/** An open file takes four of a writer (with its index, and its log twice), and three of a reader. */
const [ofWrittenFile, ofReadFile] = [4, 3]

/** Files that may be open on the main thread. */
export const maxMainThreadFiles = 16

/** OPEN_FILES is at least this, and a server with fewer connections is of no use. */
const [fewestFiles, fewestConnections] = [16, 16]

/** How many files each thread may hold open. Readers together hold half as many as writers: they close what is not read again
 *  within seconds. */
export function filesPerThread(openFiles: number, { writers, readers }: Threads): { writer: number; reader: number } {
  const share = (files: number, threads: number) => Math.max(4, Math.ceil(files / threads))
  return { writer: share(openFiles, writers), reader: share(openFiles / 2, readers) }
}

/** Divides the descriptors that a process may have. Files get as many as are wished for, of three quarters of what is free. */
export function shareDescriptors(limit: number, use: DescriptorUse): DescriptorShares {
  const free = limit - beforeFiles(use)
  const mostFiles = Math.max(fewestFiles, Math.floor(free / ofWrittenFile))
  let openFiles = Math.min(use.openFiles, mostFiles)
  while (openFiles > fewestFiles && ofFiles(openFiles, use.threads) > (free * 3) / 4) openFiles--
  return { openFiles, connections: free - ofFiles(openFiles, use.threads) }
}

/** The lowest limit with which a server can work at all, and the lowest with which it keeps `openFiles` open. */
export function neededDescriptors(use: DescriptorUse): { minimum: number; desired: number } {
  const ofFewest = ofFiles(Math.min(use.openFiles, fewestFiles), use.threads)
  return {
    minimum: beforeFiles(use) + ofFewest + fewestConnections,
    desired: beforeFiles(use) + Math.ceil((ofFiles(use.openFiles, use.threads) * 4) / 3),
  }
}

function beforeFiles({ openFiles, threads, databaseConnections }: DescriptorUse): number {
  const count = openFiles === 0 ? 0 : threads.writers + threads.readers + migrators
  return ofProcess + reserve + count * ofThread + databaseConnections
}

function ofFiles(openFiles: number, threads: Threads): number {
  if (openFiles === 0) return 0
  const { writer, reader } = filesPerThread(openFiles, threads)
  const near = Math.min(maxMainThreadFiles, reader)
  return threads.writers * writer * ofWrittenFile + (threads.readers * reader + near) * ofReadFile
}

/** How many descriptors this process may have; Node.js has raised the soft limit to the hard one. */
export function descriptorLimit(): number {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  report.excludeNetwork = true // else it looks up the names of peers
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } }
  const soft = userLimits?.open_files?.soft ?? 1024 // where there is none to ask for: what most systems allow at least
  return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : soft
}

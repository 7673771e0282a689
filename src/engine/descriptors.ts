// Budgets the process's file descriptors: how many the threads, tenant files and database connections use, and how many
// remain for client connections.

/** The number of threads that keep tenant files open. */
export type Threads = { writers: number; readers: number }

/** What uses descriptors. `openFiles`: how many tenant files may be open, or 0 if no tenant is stored in a file;
 *  `databaseConnections`: connections to database servers. */
export type DescriptorUse = { openFiles: number; threads: Threads; databaseConnections: number }

/** The maximum numbers of open tenant files and client connections. */
export type DescriptorShares = { openFiles: number; connections: number }

/** The descriptors used by the main thread (catalog, the catalog's WAL, the listening socket) and by each thread's
 *  event loop. */
const [mainThreadDescriptors, descriptorsPerThread] = [16, 6]

/** Descriptors for files that are open only briefly, while they are copied, created, migrated or read once. */
const reserve = 32

/** For each open file, a writer uses four descriptors (database, shm, and the WAL twice) and a reader uses three. */
const [descriptorsPerWrittenFile, descriptorsPerReadFile] = [4, 3]

/** The maximum number of tenant files that a process keeps open. Each uses about half a megabyte, and opening one takes
 *  milliseconds. */
export const maxOpenFiles = 256

export const maxMainThreadFiles = 16

/** The lowest number of open files, and the lowest number of client connections with which a server is useful. */
const [minFiles, minConnections] = [16, 16]

/** Returns the maximum number of open files per thread. All readers together may open half as many files as the
 *  writers, because they close files that are not read again within seconds. */
export function filesPerThread(openFiles: number, { writers, readers }: Threads): { writer: number; reader: number } {
  const share = (files: number, threads: number) => Math.max(4, Math.ceil(files / threads))
  return { writer: share(openFiles, writers), reader: share(openFiles / 2, readers) }
}

/** Divides the process's descriptors between files and client connections. At most `use.openFiles` files may
 *  be open. Beyond the minimum number, files use at most three quarters of the available descriptors. */
export function shareDescriptors(limit: number, use: DescriptorUse): DescriptorShares {
  const free = limit - descriptorsWithoutFiles(use)
  const maxFiles = Math.max(minFiles, Math.floor(free / descriptorsPerWrittenFile))
  let openFiles = Math.min(use.openFiles, maxFiles)
  while (openFiles > minFiles && descriptorsOfFiles(openFiles, use.threads) > (free * 3) / 4) openFiles--
  return { openFiles, connections: free - descriptorsOfFiles(openFiles, use.threads) }
}

/** Returns the lowest descriptor limit with which a server can run, and the lowest with which it can keep `openFiles`
 *  files open. */
export function neededDescriptors(use: DescriptorUse): { minimum: number; desired: number } {
  const fewest = descriptorsOfFiles(Math.min(use.openFiles, minFiles), use.threads)
  return {
    minimum: descriptorsWithoutFiles(use) + fewest + minConnections,
    desired: descriptorsWithoutFiles(use) + Math.ceil((descriptorsOfFiles(use.openFiles, use.threads) * 4) / 3),
  }
}

function descriptorsWithoutFiles({ openFiles, threads, databaseConnections }: DescriptorUse): number {
  const count = openFiles === 0 ? 0 : threads.writers + threads.readers
  return mainThreadDescriptors + reserve + count * descriptorsPerThread + databaseConnections
}

function descriptorsOfFiles(openFiles: number, threads: Threads): number {
  if (openFiles === 0) return 0
  const { writer, reader } = filesPerThread(openFiles, threads)
  const mainThreadFiles = Math.min(maxMainThreadFiles, reader)
  return (
    threads.writers * writer * descriptorsPerWrittenFile +
    (threads.readers * reader + mainThreadFiles) * descriptorsPerReadFile
  )
}

/** Returns this process's descriptor limit. This is the soft limit, because Node.js raises it to the hard limit. */
export function descriptorLimit(): number {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  report.excludeNetwork = true // otherwise the report resolves the peers' host names
  const { userLimits } = report.getReport() as { userLimits?: { open_files?: { soft: number | 'unlimited' } } }
  const soft = userLimits?.open_files?.soft ?? 1024 // unknown on this platform: most systems allow at least this many
  return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : soft
}

import { statfs } from 'node:fs/promises'

export type DiskSpace = { freeBytes: number; sizeBytes: number }

/** Returns the size and free space of the file system that contains the path. `freeBytes`: the space that an
 *  unprivileged process can use. Throws system errors. */
export async function readDiskSpace(path: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(path)
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
}

/** Formats a size for people, for example as `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10))
  const amount = bytes / 2 ** (10 * power)
  return `${power === 0 || amount >= 10 ? Math.round(amount) : amount.toPrecision(2)} ${units[power]}`
}

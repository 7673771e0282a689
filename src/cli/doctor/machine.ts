// Checks the machine: versions, the data directory, its disk, and the limit on open files.

import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { describeOwner, findExposedFiles, findForeignOwner, ownerAdvice } from '../../catalog/data-owner.ts'
import { descriptorLimit, neededDescriptors } from '../../engine/descriptors.ts'
import { version } from '../../lib/version.ts'
import type { Databases } from '../../tenants/databases/open-databases.ts'
import { type Finding, failure, findingsOr, ok, warning } from './finding.ts'

/** The oldest version of Node.js on which the program is tested. */
const oldestNode = 24

export function checkVersions(): Finding {
  const { node, sqlite } = process.versions
  const text = `Tenantdesk ${version}, Node.js ${node}, SQLite ${sqlite}.`
  if (Number.parseInt(node, 10) >= oldestNode) return ok('versions', text)
  return failure('versions', text, `Use Node.js ${oldestNode} or later.`)
}

/** Checks that this user owns the directory and can write to it, and that no other user can access it. */
export async function checkDataDirectory(directory: string): Promise<Finding[]> {
  const check = 'data_directory'
  const stats = statSync(directory, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) {
    const advice = "Set DATA_DIR to the server's directory. If it is a volume, mount it."
    return [failure(check, `There is no directory ${directory}.`, advice)]
  }
  const findings = findExposedFiles(directory).map(({ path, mode, expectedMode }) =>
    warning(check, `Other users of this machine can access ${path} (mode ${mode}).`, `chmod ${expectedMode} ${path}`),
  )
  const owner = findForeignOwner(directory)
  if (owner) findings.push(failure(check, describeOwner(owner), ownerAdvice(owner, directory)))
  try {
    await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch {
    const advice = `Make the server's user the owner of the directory: chown -R <user> ${directory}`
    return [failure(check, `${directory} cannot be written to.`, advice), ...findings]
  }
  return findingsOr(ok(check, `${directory} can be written to, by its owner only.`), ...findings)
}

/** The numbers that statfs on Linux reports for these file systems. */
const [tmpfs, nfs, smb] = [0x01021994, 0x6969, 0xfe534d42]

const syncCount = 20

/** Syncs that are slower than this cause a warning, because each change waits for a sync before it is acknowledged. */
const slowSyncMs = 10

export async function checkDiskSync(directory: string): Promise<Finding[]> {
  const { type } = await statfs(directory)
  if (type === tmpfs) {
    const message = `${directory} is in memory: a restart of the machine loses everything.`
    return [warning('disk_sync', message, 'Set DATA_DIR to a directory on a disk.')]
  }
  const median = measureSync(directory)
  const text = `A sync takes ${median.toFixed(median < 1 ? 2 : 1)} ms (the median of ${syncCount}).`
  const isRemote = type === nfs || type === smb
  const remoteText = `${directory} is on a network file system, and SQLite cannot rely on its locks.`
  return [
    ...(isRemote ? [warning('disk_sync', remoteText, 'Use a local disk, or PostgreSQL (DATABASE_URL).')] : []),
    median > slowSyncMs
      ? warning('disk_sync', text, 'Use a faster disk: each change waits for a sync.')
      : ok('disk_sync', text),
  ]
}

/** Returns the median time of a sync in milliseconds. Writes to a temporary file and removes it. */
function measureSync(directory: string): number {
  const path = join(directory, `doctor.${process.pid}.tmp`)
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    const page = Buffer.alloc(4096)
    const times = Array.from({ length: syncCount }, () => {
      const startedAt = performance.now()
      writeSync(descriptor, page)
      fsyncSync(descriptor)
      return performance.now() - startedAt
    })
    return times.sort((a, b) => a - b)[syncCount / 2]!
  } finally {
    closeSync(descriptor)
    rmSync(path, { force: true })
  }
}

/** Checks the limit on open files in this shell. The service's limit may be different. */
export async function checkOpenFiles(opened: Pick<Databases, 'descriptorUse'>): Promise<Finding> {
  const limit = descriptorLimit()
  const { minimum, desired } = neededDescriptors(await opened.descriptorUse())
  const text = `A process of this shell may open ${limit} files (ulimit -n)`
  const advice = `Raise the limit of the service to at least ${desired} (systemd: LimitNOFILE, containers: ulimits).`
  if (limit < minimum) return failure('open_files', `${text}; a server needs at least ${minimum}.`, advice)
  if (limit < desired) return warning('open_files', `${text}; with these settings ${desired} are needed.`, advice)
  return ok('open_files', `${text}; ${desired} are enough.`)
}

// `tenantdesk doctor` examines an installation without changing anything.

import { resolve } from 'node:path'
import { findForeignOwner } from '../../catalog/data-owner.ts'
import type { Config, SettingError } from '../../config.ts'
import { Unavailable } from '../../engine/database/database.ts'
import { checkBackupAges, checkFreeSpace } from '../../http/health.ts'
import { visible } from '../../lib/text.ts'
import { UserError } from '../../lib/user-error.ts'
import { InstallationRefusal } from '../../tenants/databases/installation.ts'
import { outageAdvice } from '../../tenants/databases/outage-advice.ts'
import type { CommandContext, Terminal } from '../command.ts'
import { withCatalog } from '../context.ts'
import { type Finding, failure, ok, toFinding, warning } from './finding.ts'
import {
  checkBackupDirectory,
  checkClock,
  checkPepper,
  checkServers,
  examineCatalogFile,
  examineRateLimitServer,
} from './installation.ts'
import { checkDataDirectory, checkDiskSync, checkOpenFiles, checkVersions } from './machine.ts'
import { checkRunningServer } from './running-server.ts'
import { checkTenants } from './tenants.ts'

export async function examine({ config, settings, terminal }: CommandContext): Promise<Finding[]> {
  const directory = resolve(config.DATA_DIR)
  return [
    checkVersions(),
    checkSettings(settings.warnings),
    ...(await examineDirectory(directory, config)),
    ...(await examineCatalog(directory, config, terminal)),
    ...(await examineRateLimitServer(config)),
    ...(await checkRunningServer(config)),
  ]
}

/** If the catalog cannot be used, nothing that depends on it is examined. As another user than the owner, this process
 *  would leave files behind that the server cannot use. */
async function examineCatalog(directory: string, config: Config, terminal: Terminal): Promise<Finding[]> {
  if (findForeignOwner(directory)) return []
  const withoutCatalog = async (problem: Finding) => [problem, ...(await checkBackupDirectory(undefined, config))]
  const location = config.DATABASE_URL === '' ? directory : 'the database of DATABASE_URL'
  try {
    const damage = await examineCatalogFile(config)
    if (damage) return await withoutCatalog(damage)
    return [ok('catalog', `The catalog in ${location} can be read.`), ...(await examineInstallation(config, terminal))]
  } catch (error) {
    return withoutCatalog(catalogProblem(error))
  }
}

/** Throws errors that are not about the installation. */
function catalogProblem(error: unknown): Finding {
  if (error instanceof InstallationRefusal)
    return (error.kind === 'older' ? warning : failure)('catalog', error.problem, error.remedy)
  if (error instanceof UserError) return failure('catalog', error.message, 'Correct the settings.')
  if (!(error instanceof Unavailable)) throw error
  const remedy = error.outage === 'password' ? 'Correct the password in DATABASE_URL.' : outageAdvice[error.outage]
  return failure('catalog', `The catalog cannot be read: ${error.message}.`, remedy)
}

function checkSettings(warnings: readonly string[]): Finding {
  if (warnings.length === 0) return ok('settings', 'Every setting is valid.')
  return warning('settings', warnings.join(' '), '`tenantdesk config` shows where each setting comes from.')
}

/** The only finding if a setting is invalid, because every other check depends on the settings. */
export function invalidSetting({ message }: SettingError): Finding {
  return failure('settings', message, 'Correct this setting, and run `tenantdesk doctor` again.')
}

async function examineDirectory(directory: string, config: Config): Promise<Finding[]> {
  const findings = await checkDataDirectory(directory)
  if (findings.some(({ status }) => status === 'error')) return findings
  const space = toFinding('data_directory', await checkFreeSpace(config), 'disk_space')
  return [...findings, space, ...(await checkDiskSync(directory))]
}

function examineInstallation(config: Config, terminal: Terminal): Promise<Finding[]> {
  return withCatalog(config, async (catalog, _databases, opened) => [
    await checkOpenFiles(opened),
    await checkPepper(catalog, config),
    await checkClock(catalog, new Date()),
    ...(await checkServers(opened, config)),
    toFinding('backups', await checkBackupAges(catalog, config, new Date())),
    ...(await checkBackupDirectory(catalog, config)),
    ...(await checkTenants(opened, config, terminal)),
  ])
}

const colors = { ok: 'green', warning: 'yellow', error: 'red' } as const

/** Returns a line for each finding, with the advice below it. */
export function describeFindings(findings: Finding[], { style = (_format, text) => text }: Terminal): string {
  const width = Math.max(...findings.map(({ check }) => check.length))
  return findings
    .flatMap(({ check, status, message, advice }) => [
      `${style(colors[status], status.padEnd(7))}  ${check.padEnd(width)}  ${visible(message)}`,
      ...(advice === null ? [] : [`${' '.repeat(width + 11)}→ ${visible(advice)}`]),
    ])
    .join('\n')
}

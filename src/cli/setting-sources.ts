// Reads settings from the environment and from the .env files in DATA_DIR and in the working directory.

import { join, resolve } from 'node:path'
import {
  type Config,
  environmentName,
  readSources,
  SettingError,
  type SettingText,
  type Source,
  serverSettings,
} from '../config.ts'
import { errorMessageOf } from '../lib/errors.ts'
import { type EnvFile, readEnvFile } from '../lib/files/env-file.ts'
import { findMisspelled } from '../lib/similar-names.ts'

export type LoadedSettings = {
  config: Config
  /** The settings that have a value in the environment or in a file, by name. */
  texts: Map<string, SettingText>
  /** The possible paths of .env files, and whether the files exist. */
  files: { path: string; isPresent: boolean }[]
  /** Sentences about misspelled names, and about secrets that other users can read. */
  warnings: string[]
}

type SettingFile = Source & EnvFile

/** The environment takes precedence over the .env file in DATA_DIR, which all processes of an installation share. The
 *  .env file in the working directory comes last; it can set DATA_DIR. Throws SettingError. */
export function loadSettings(environment: Source['values'], workingDirectory: string): LoadedSettings {
  const variables: Source = { name: environmentName, values: environment }
  const localPath = join(workingDirectory, '.env')
  const local = readFile(localPath)
  const { DATA_DIR } = local?.values ?? {}
  const directory = resolve(workingDirectory, environment.DATA_DIR || DATA_DIR || serverSettings.DATA_DIR.default)
  const sharedPath = join(directory, '.env')
  const shared = sharedPath === localPath ? undefined : readFile(sharedPath)
  if (shared?.values.DATA_DIR && shared.values.DATA_DIR !== directory)
    throw new SettingError(`DATA_DIR is ${directory}, but ${sharedPath} names another directory.`)
  const existingFiles = [shared, local].filter((file) => file !== undefined)
  return {
    ...readSources([variables, ...existingFiles]),
    files: [...new Set([sharedPath, localPath])].map((path) => ({
      path,
      isPresent: existingFiles.some(({ name }) => name === path),
    })),
    warnings: [variables, ...existingFiles].flatMap(warningsAbout),
  }
}

/** Resolves relative paths in a .env file against the file's directory, so that they are the same for every process. */
function readFile(path: string): SettingFile | undefined {
  try {
    const file = readEnvFile(path)
    if (!file) return undefined
    const values = Object.entries(file.values).map(([name, text]) => [
      name,
      text && isPath(name) ? resolve(path, '..', text) : text,
    ])
    return { name: path, mode: file.mode, values: Object.fromEntries(values) }
  } catch (error) {
    throw new SettingError(`${path} ${errorMessageOf(error)}.`)
  }
}

function isPath(name: string): boolean {
  return name.endsWith('_FILE') || pathSettings.has(name)
}

const entries = Object.entries<{ help: string; isPath?: true; secret?: true | 'url' }>(serverSettings)
const pathSettings = new Set(entries.flatMap(([name, { isPath }]) => (isPath ? [name] : [])))
const secretSettings = entries.flatMap(([name, { secret }]) => (secret ? [name] : []))

/** Of the unknown names, reports only those that resemble a setting, because others may belong to other programs, even
 *  in .env files. */
function warningsAbout(source: Source | SettingFile): string[] {
  const isFile = 'mode' in source
  const template = isFile ? `The name %s in ${source.name}` : 'The variable %s'
  const misspelled = [...findMisspelled(Object.keys(source.values), Object.keys(serverSettings))].map(
    ([name, setting]) => `${template.replace('%s', name)} has no effect; the setting is called ${setting}.`,
  )
  const exposedSetting = isFile && source.mode & 0o004 ? secretSettings.find((name) => source.values[name]) : undefined
  if (!exposedSetting) return misspelled
  const { name: path } = source
  return [
    ...misspelled,
    `Other users of this machine can read ${exposedSetting} in ${path}. To prevent this: chmod 600 ${path}`,
  ]
}

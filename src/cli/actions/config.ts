import { type SettingText, settings } from '../../config.ts'
import type { CommandHandler } from '../command.ts'
import { type Columns, printList } from '../output.ts'
import type { LoadedSettings } from '../setting-sources.ts'

type ListedSetting = {
  name: string
  /** Null if the setting is unset and has no default. Secrets are masked. */
  value: string | null
  /** `default`, `environment`, or a file's path. */
  source: string
  /** The variable that was read: the setting's name, possibly with _FILE. Null for a default. */
  variable: string | null
}

/** Prints the settings that a server would have if this user started it in this directory. */
export const configCommand: CommandHandler = async ({ options, settings }, _config, terminal) => {
  const rows = listSettings(settings)
  printList(terminal, { json: options.json, rows, columns: settingColumns })
  for (const { path, isPresent } of settings.files)
    terminal.stderr(isPresent ? `Settings were read from ${path}.` : `There is no file ${path}.`)
  for (const warning of settings.warnings) terminal.stderr(warning)
}

const settingColumns: Columns<ListedSetting> = {
  SETTING: ({ name }) => name,
  VALUE: ({ value }) => value,
  SOURCE: ({ name, source, variable }) => (variable === null || variable === name ? source : `${source}, ${variable}`),
}

function listSettings({ texts }: LoadedSettings): ListedSetting[] {
  return Object.entries<{ default: string; secret?: true | 'url' }>(settings).map(([name, setting]) => {
    const found = texts.get(name)
    if (!found) return { name, value: setting.default || null, source: 'default', variable: null }
    const { source, variable } = found
    return { name, value: maskSecret(setting.secret, found), source, variable }
  })
}

function maskSecret(secret: true | 'url' | undefined, { text }: SettingText): string {
  if (!secret) return text
  return secret === 'url' ? maskPassword(text) : '(set)'
}

/** Removes the password and the query, which may also contain a password. */
function maskPassword(text: string): string {
  const { protocol, username, host, pathname } = new URL(text)
  return `${protocol}//${username && `${username}@`}${host}${pathname}`
}
